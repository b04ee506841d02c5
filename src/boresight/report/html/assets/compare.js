// Two runs side by side. Differences are second minus first; everything shown was stored, nothing is estimated here.
const D = JSON.parse(document.getElementById("data").textContent);
const UNITS = [
  ["index", "Agreement of retriever and generator, without unit"],
  ["share", "Shares of traces or of passages"],
  ["nats", "Nats"],
  ["passages", "Passages"],
];
const measureTitle = (measure) =>
  measure.label + (measure.name.includes("@") ? ` @${measure.name.split("@")[1]}` : "");
const change = (value) => (has(value) ? h("b", {}, signed(value)) : no("undefined"));
const clipped = (one) => h("span", { class: "clip" }, text(one));
const question = (trace) => (D.texts[trace] ? h("small", {}, clipped(D.texts[trace].query)) : null);

function sides() {
  const { pairing } = D;
  const side = (title, run) =>
    h(
      "p",
      { class: "facts" },
      h("span", {}, title, " ", h("b", {}, text(run.folder))),
      h("span", {}, "generator ", h("b", {}, text(run.generator))),
      h("span", {}, h("b", {}, run.traces), run.traces === 1 ? " trace" : " traces"),
      run.failed ? h("span", {}, h("b", {}, run.failed), " failed") : null,
    );
  return section(
    "Runs",
    "Differences are second minus first, paired by trace id.",
    side("first", D.first),
    side("second", D.second),
    h(
      "p",
      { class: "facts" },
      h("span", {}, h("b", {}, pairing.common.length), " paired"),
      h("span", {}, h("b", {}, pairing.only_first.length), " only in the first"),
      h("span", {}, h("b", {}, pairing.only_second.length), " only in the second"),
    ),
  );
}

function settings() {
  const value = (one) => (typeof one === "string" ? one : JSON.stringify(one));
  const rows = D.settings.map((one) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, one.field.replaceAll("_", " ").replaceAll(".", " \u00b7 ")),
      h("td", {}, text(value(one.first))),
      h("td", {}, text(value(one.second))),
    ),
  );
  return section(
    "What was set otherwise",
    "What weighs most stands first.",
    rows.length
      ? table("Settings that differ", [{ title: "Setting" }, { title: "First" }, { title: "Second" }], rows)
      : no("nothing: settings, models and versions are the same"),
  );
}

function care() {
  if (!D.remarks.length) return null;
  return section(
    "To be read with care",
    "What is not comparable, or only in part.",
    h("ul", { class: "findings" }, D.remarks.map((one) => h("li", {}, text(one)))),
  );
}

function measures() {
  if (!D.measures.length) return section("Measures", null, no("no measure is in both runs"));
  // of a family without a headline setting, the first setting that changed
  const spoken = new Set(D.measures.filter((m) => m.headline).map((m) => m.family));
  const chosen = D.measures.filter((m) => {
    if (m.headline) return true;
    if (!m.changed || spoken.has(m.family)) return false;
    spoken.add(m.family);
    return true;
  });
  const first = chosen.length ? chosen : D.measures;
  const rest = D.measures.filter((m) => !first.includes(m));
  const lacking = [
    ["first", D.only_first],
    ["second", D.only_second],
  ].filter(([, names]) => names.length);
  return section(
    "Measures",
    null,
    chartKey(false),
    measureTable("Measures", first),
    rest.length
      ? h(
          "details",
          { class: "small" },
          h("summary", {}, `The other ${plural(rest.length, "measure")}`),
          measureTable("Further measures", rest),
        )
      : null,
    lacking.map(([side, names]) => h("p", { class: "soft small" }, `Only in the ${side} run: ${names.join(", ")}`)),
    h(
      "p",
      { class: "soft small" },
      "Means are over the traces that have a value in both runs. Intervals: percentile bootstrap over the paired ",
      "differences. p: sign flips of the paired differences, adjusted for all measures (Benjamini\u2013Hochberg). ",
      "Changed: adjusted p at most 0.05, and more than rounding.",
    ),
  );
}

function measureTable(caption, chosen) {
  const rows = [];
  const others = [...new Set(chosen.map((m) => m.unit))].filter((unit) => !UNITS.some(([one]) => one === unit));
  for (const [unit, title] of [...UNITS, ...others.map((one) => [one, one])]) {
    const own = chosen.filter((m) => m.unit === unit);
    if (!own.length) continue;
    const reach = Math.max(...own.flatMap((m) => [m.low, m.high, m.difference].filter(has).map(Math.abs)), 0) || 1;
    rows.push(
      h("tr", { class: "group" }, h("th", { colspan: 7, scope: "colgroup" }, title)),
      own.map((m, place) => measureRow(m, reach, place === 0)),
    );
  }
  return table(
    caption,
    [
      { title: "Measure" },
      { title: h("span", { class: "sr" }, "Chart"), kind: "plot" },
      { title: "Change", kind: "num" },
      { title: "First", kind: "num" },
      { title: "Second", kind: "num" },
      { title: "Adjusted p", kind: "num" },
      { title: "Pairs", kind: "num" },
    ],
    rows,
  );
}

function measureRow(m, reach, withEnds) {
  const drawn = { low: -reach, high: reach, value: m.difference, from: m.low, to: m.high };
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      measureTitle(m),
      m.changed ? [" ", h("span", { class: "chip strong" }, "changed")] : null,
      h("small", {}, m.help),
    ),
    h("td", { class: "plot" }, has(m.difference) ? [dotChart(drawn), withEnds ? ends(-reach, reach) : null] : null),
    h("td", { class: "num" }, change(m.difference), h("small", {}, between(m.low, m.high) || visible(m.reason))),
    h("td", { class: "num" }, has(m.first) ? shown(m.first) : "\u2013"),
    h("td", { class: "num" }, has(m.second) ? shown(m.second) : "\u2013"),
    h("td", { class: "num" }, has(m.adjusted) ? fixed(m.adjusted, 4) : "\u2013"),
    h("td", { class: "num" }, m.pairs, unpaired(m)),
  );
}

function unpaired(m) {
  const parts = [
    [m.only_first, "first only"],
    [m.only_second, "second only"],
    [m.neither, "in neither"],
  ].filter(([count]) => count);
  return parts.length ? h("small", {}, parts.map(([count, words]) => `${count} ${words}`).join(", ")) : null;
}

function traces() {
  const known = D.measures.filter((m) => m.moved.length);
  if (!known.length) return section("Traces that moved most", null, no("no trace moved in any measure"));
  const start =
    known.find((m) => m.changed && m.headline) || known.find((m) => m.changed) || known.find((m) => m.headline) || known[0];
  const place = h("div", {}),
    draw = (m) => place.replaceChildren(traceTable(m));
  draw(start);
  return section(
    "Traces that moved most",
    null,
    h(
      "div",
      { class: "head" },
      h(
        "label",
        { class: "small" },
        "Measure ",
        h(
          "select",
          { onchange: (event) => draw(known.find((m) => m.name === event.target.value)) },
          known.map((m) => h("option", { value: m.name, selected: m === start }, measureTitle(m))),
        ),
      ),
    ),
    place,
  );
}

function traceTable(m) {
  return table(
    `Traces by change of ${measureTitle(m)}`,
    [
      { title: "Trace" },
      { title: "Answers" },
      { title: "First", kind: "num" },
      { title: "Second", kind: "num" },
      { title: "Change", kind: "num" },
    ],
    m.moved.map((one) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, text(one.trace), question(one.trace)),
        h("td", {}, answers(one.trace)),
        h("td", { class: "num" }, shown(one.first)),
        h("td", { class: "num" }, shown(one.second)),
        h("td", { class: "num" }, change(one.difference)),
      ),
    ),
  );
}

function answers(trace) {
  const found = D.texts[trace];
  const differ = D.pairing.other_answer.includes(trace);
  const shownText = (one) => (has(one) ? clipped(one) : no("none"));
  if (!found) return soft(differ ? "another answer" : "the same answer");
  if (!differ) return [shownText(found.first), h("small", {}, "in both")];
  return [shownText(found.first), h("small", {}, "then"), shownText(found.second)];
}

function passages() {
  const { scale, compared, clear, floor, moved, other_answer: others } = D.passages;
  const title = "Passages that moved most";
  if (!scale) return section(title, null, no("not comparable"), " ", soft("the two runs use two scales"));
  if (!compared)
    return section(
      title, null, no("nothing to compare"), " ",
      soft(others ? "the answers differ" : "no passage has an attribution in both runs"),
    ); // prettier-ignore
  return section(
    title,
    (has(floor)
      ? `${clear} of ${plural(compared, "passage")} moved by more than the floors of both runs (${shown(floor)}) and their intervals.`
      : `${plural(compared, "passage")} compared; no floor was measured on this scale, so none can be called moved.`) +
      (others ? ` ${plural(others, "trace is", "traces are")} left out: another answer.` : ""),
    moved.length
      ? table(
          "Passages by change of attribution",
          [
            { title: "Passage" },
            { title: "Trace" },
            { title: "First", kind: "num" },
            { title: "Second", kind: "num" },
            { title: "Change", kind: "num" },
          ],
          moved.map((one) => passageRow(one, floor)),
        )
      : no("none moved"),
  );
}

function passageRow(one, floor) {
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      text(one.passage),
      has(one.text) ? h("small", {}, clipped(one.text)) : null,
    ),
    h("td", {}, text(one.trace), question(one.trace)),
    h("td", { class: "num" }, shown(one.first)),
    h("td", { class: "num" }, shown(one.second)),
    h(
      "td",
      { class: "num" },
      change(one.difference),
      one.clear || !has(floor) ? null : h("small", {}, "within floors or intervals"),
    ),
  );
}

function findings() {
  const rows = D.findings.map((one) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, one.label),
      h("td", { class: "num" }, one.new.length),
      h("td", { class: "num" }, one.gone.length),
      h("td", { class: "num" }, one.both),
    ),
  );
  return section(
    "Findings that came and went",
    "Counts of paired traces.",
    rows.length
      ? table(
          "Findings by kind",
          [
            { title: "Kind" },
            { title: "New", kind: "num" },
            { title: "Gone", kind: "num" },
            { title: "In both", kind: "num" },
          ],
          rows,
        )
      : no("no finding in either run"),
  );
}

document.title = "Boresight comparison";
const parts = [sides(), settings(), care(), measures(), traces(), passages(), findings()].filter(Boolean);
document.getElementById("main").replaceChildren(h("h1", {}, "Two runs, trace by trace"), ...parts);
document
  .getElementById("views")
  .replaceChildren(
    ...["Measures", "Traces that moved most", "Passages that moved most"].map((title) =>
      h("a", { href: "#s-" + title.toLowerCase().replace(/[^a-z]+/g, "-") }, title.split(" ")[0]),
    ),
  );
document.getElementById("foot").textContent =
  "Shows stored numbers and paired differences of them; no model is run here.";
