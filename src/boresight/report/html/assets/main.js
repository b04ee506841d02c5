// Routes, the theme switch, and the frame around the views.
const VIEWS = [
  ["#overview", "Overview"],
  ["#traces", "Traces"],
  ["#provenance", "Provenance"],
];
const THEMES = ["auto", "light", "dark"];

function route() {
  const hash = location.hash || "#overview",
    main = document.getElementById("main");
  const place = hash.startsWith("#trace=") ? findTrace(hash) : null;
  const view = hash.startsWith("#trace=")
    ? "#traces"
    : VIEWS.some(([one]) => one === hash)
      ? hash
      : "#overview";
  const parts =
    place !== null
      ? traceView(D.traces[place])
      : hash.startsWith("#trace=")
        ? [h("h1", {}, "No such trace"), h("a", { href: "#overview" }, "Overview")]
        : view === "#provenance"
          ? provenance()
          : overview();
  main.replaceChildren(...parts.flat(3).filter(Boolean));
  document
    .getElementById("views")
    .replaceChildren(
      ...VIEWS.map(([one, title]) =>
        h("a", { href: one, "aria-current": one === view ? "page" : null }, title),
      ),
    );
  if (hash === "#traces") document.getElementById("traces").scrollIntoView();
  else scrollTo(0, 0);
  if (route.again) main.focus({ preventScroll: true });
  route.again = true;
}

function findTrace(hash) {
  if (PLACES.has(hash)) return PLACES.get(hash);
  const index = D.traces.findIndex(
    (trace) => "#trace=" + trace.id === hash || traceLink(trace.index) === encodeURI(hash),
  );
  return index < 0 ? null : index;
}

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
document.getElementById("foot").textContent =
  `Boresight ${D.run.versions ? visible(D.run.versions.boresight) : ""} \u00b7 run of ${visible(D.run.started || "unknown date")} \u00b7 Shows stored numbers and differences of them; no model is run here.`;
theme(remembered());
addEventListener("hashchange", route);
route();
