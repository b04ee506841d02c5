// Routes, and the frame around the views.
const VIEWS = [
  ["#overview", "Overview"],
  ["#traces", "Traces"],
  ["#provenance", "Provenance"],
];

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

document.getElementById("foot").textContent =
  `Boresight ${D.run.versions ? visible(D.run.versions.boresight) : ""} \u00b7 run of ${visible(D.run.started || "unknown date")} \u00b7 Shows stored numbers and differences of them; no model is run here.`;
addEventListener("hashchange", route);
route();
