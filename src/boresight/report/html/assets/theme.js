// The theme switch.
const THEMES = ["auto", "light", "dark"];

function remembered(value) {
  // a browser may forbid storage for files: then the choice lasts for this page
  try {
    if (value) localStorage.setItem("boresight-theme", value);
    return value || localStorage.getItem("boresight-theme");
  } catch {
    return value || null;
  }
}

function theme(name) {
  const known = THEMES.includes(name) ? name : "auto";
  document.documentElement.dataset.theme = known;
  document.getElementById("theme").textContent = `Theme: ${known}`;
}

document.getElementById("theme").addEventListener("click", () => {
  const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
  remembered(next);
  theme(next);
});
theme(remembered());
