// Where the numbers come from: models, settings, cost, definitions, and what is missing and why.
function provenance() {
  document.title = "Provenance \u00b7 Boresight report";
  return [
    h("h1", {}, "Provenance"),
    rerun(),
    h("div", { class: "pair" }, factsSection("Run", runFacts()), factsSection("Cost", costFacts())),
    h(
      "div",
      { class: "pair" },
      factsSection("Generator", flat(D.run.generator)),
      factsSection(
        "Retriever",
        D.run.retriever ? flat(D.run.retriever) : [["", no("none: recorded ranks and scores were used")]],
      ),
    ),
    factsSection("Prompt template", flat(D.run.prompt)),
    methods(),
    floors(),
    notMeasured(),
    definitions(),
    warnings(),
    section("Settings", null, h("details", {}, h("summary", {}, "All settings"), facts(flat(D.run.spec)))),
  ];
}

const facts = (rows) =>
  h(
    "dl",
    { class: "facts-table" },
    rows.map(([key, value]) => [h("dt", {}, key), h("dd", {}, value)]),
  );
const factsSection = (title, rows) => section(title, null, rows.length ? facts(rows) : no("not stored"));

function flat(value, prefix) {
  if (!value) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = (prefix ? prefix + " " : "") + key.replaceAll("_", " ");
    if (inner && typeof inner === "object" && !Array.isArray(inner)) return flat(inner, name);
    return [[name, plainValue(inner)]];
  });
}

function plainValue(value) {
  if (value === null) return soft("not set");
  if (value === "") return soft("empty");
  if (Array.isArray(value))
    return value.length
      ? text(value.map((one) => (one && typeof one === "object" ? JSON.stringify(one) : one)).join(", "))
      : soft("none");
  return text(typeof value === "boolean" ? (value ? "yes" : "no") : value);
}

function rerun() {
  if (!D.run.command)
    return section("Run it again", null, no("the command is left out of a redacted report"));
  const { run } = D;
  return section(
    "Run it again",
    run.command_is_stored
      ? null
      : "TRACES.jsonl is the file of traces; the same file has the hash given below.",
    h("pre", { class: "command", tabindex: "0" }, unbroken(run.command)),
    h(
      "p",
      { class: "facts" },
      h("span", {}, "seed ", h("b", {}, text(run.seed))),
      h("span", {}, "number format ", h("b", {}, text(run.dtype))),
      h("span", {}, "Boresight ", h("b", {}, text((run.versions || {}).boresight ?? "unknown"))),
    ),
  );
}

// Lines break between words alone: an option that is cut at a hyphen reads as two.
const unbroken = (command) =>
  visible(command)
    .split(/(\s+)/)
    .map((part) => (part.trim() ? h("span", { class: "word" }, part) : part));

function runFacts() {
  const { run } = D;
  return [
    ["status", text(run.status)],
    ["started", text(run.started)],
    ["ended", run.ended ? text(run.ended) : no("not finished")],
    ["seed", text(run.seed)],
    ["number format", text(run.dtype)],
    ["value scale", UNIT],
    ["traces, SHA-256", text(run.spec.traces_sha256)],
    ...flat(run.versions).map(([key, value]) => [key, value]),
  ];
}

function costFacts() {
  const { run } = D,
    grouped = (value) => (typeof value === "number" ? value.toLocaleString("en") : value);
  const part = (name, unit) =>
    Object.entries(run[name] || {}).map(([key, value]) => [
      `${unit}${key.replaceAll("_", " ")}`,
      grouped(value),
    ]);
  return [...part("counts", ""), ...part("tokens", "tokens "), ...part("seconds", "seconds, ")];
}

function methods() {
  const used = [...new Set(D.traces.map((trace) => trace.method))].filter(
    (method) => D.words.methods[method],
  );
  return section(
    "Methods",
    null,
    used.length
      ? table(
          "Methods",
          [
            { title: "Attributions" },
            { title: "Traces", kind: "num" },
            { title: "Kind of explanation" },
            { title: "Cost" },
            { title: "Source", kind: "wide" },
          ],
          used.map((method) => {
            const words = D.words.methods[method];
            return h(
              "tr",
              {},
              h("th", { scope: "row" }, words.label, h("small", {}, words.text)),
              h("td", { class: "num" }, D.traces.filter((trace) => trace.method === method).length),
              h("td", {}, words.kind || "\u2013"),
              h("td", {}, words.cost),
              h("td", { class: "wide" }, words.source || "\u2013"),
            );
          }),
        )
      : no("no trace was scored"),
  );
}

function floors() {
  const rows = isTable() ? [["generator", numericWords()]] : [];
  for (const [scale, spread] of Object.entries(D.run.floors.numeric || {})) {
    rows.push([
      `numeric, ${scale}`,
      has(spread.median)
        ? `median ${shown(spread.median)}, largest ${shown(spread.largest)}, over ${plural(spread.traces, "trace")}`
        : no("not measured"),
    ]);
  }
  rows.push(["placebo", placeboWords()]);
  return section(
    "Floors",
    "What rounding does (numeric) and what any unrelated text does (placebo). An attribution counts only beyond both.",
    facts(rows),
  );
}

function notMeasured() {
  const gone = D.missing.map((file) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, file),
      h("td", {}, "absent"),
      h("td", {}, NOT_COMPUTED),
      h("td", { class: "num" }, "all"),
    ),
  );
  const rows = D.why_not.map((one) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, visible(one.measure)),
      h("td", {}, one.state),
      h("td", {}, text(one.reason)),
      h("td", { class: "num" }, one.traces),
    ),
  );
  if (!gone.length && !rows.length)
    return section("What was not measured, and why", null, soft("Every measure has a value on every trace."));
  return section(
    "What was not measured, and why",
    null,
    h(
      "details",
      { open: rows.length + gone.length < 12 },
      h("summary", {}, plural(rows.length + gone.length, "row")),
      table(
        "What was not measured",
        [{ title: "What" }, { title: "State" }, { title: "Reason" }, { title: "Traces", kind: "num" }],
        [gone, rows],
      ),
    ),
  );
}

function definitions() {
  const families = [...new Map(MEASURES.map((m) => [m.family || m.name, m])).values()];
  const row = (m, name) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, name, m.label ? h("small", {}, m.label) : null),
      h("td", {}, h("span", { class: "mono" }, m.formula || "\u2013")),
      h("td", {}, m.unit),
      h("td", { class: "wide" }, m.source || "\u2013"),
    );
  return section(
    "Definitions",
    null,
    h(
      "details",
      {},
      h("summary", {}, `${families.length + D.passage_measures.length} measures, with formula and source`),
      table(
        "Definitions",
        [{ title: "Measure" }, { title: "Formula" }, { title: "Unit" }, { title: "Source", kind: "wide" }],
        [
          families.map((m) => row(m, m.family || m.name)),
          D.passage_measures.map((m) => row(m, m.name + ", per passage")),
        ],
      ),
    ),
  );
}

function warnings() {
  return D.run.warnings.length
    ? section(
        "Warnings",
        null,
        h(
          "ul",
          { class: "findings" },
          D.run.warnings.map((one) => h("li", {}, text(one))),
        ),
      )
    : null;
}
