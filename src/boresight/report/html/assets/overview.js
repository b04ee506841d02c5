// The first view: what is wrong with this run, and how sure that is.
function overview() {
  document.title = "Overview \u00b7 Boresight report";
  return [
    h("h1", { class: "sr" }, "Overview of the run"),
    againstRandom(),
    sentences(),
    failures(),
    measures(),
    h("div", { class: "pair" }, findingKinds(), shares()),
    knowledgeSection(),
    predictionSection(),
    looksSection(),
    funnelSection(),
    slices(),
    traceList(),
  ];
}

// Attributions that do no better than chance are said so before anything else.
function againstRandom() {
  const said = (D.summary.beats_control || {}).sentence;
  return said ? h("p", { class: "bad", role: "note" }, text(said)) : null;
}

function sentences() {
  const found = D.summary.sentences;
  const counts = D.summary.traces || {};
  const facts = Object.entries(counts)
    .filter(([name, count]) => count || name === "total" || name === "failed")
    .map(([name, count]) =>
      h("span", {}, h("b", {}, count), " ", { total: "traces" }[name] || name.replaceAll("_", " ")),
    );
  return h(
    "section",
    { "aria-labelledby": "s-lead" },
    h("div", { class: "head" }, h("h2", { id: "s-lead" }, "This run in three sentences")),
    found && found.length
      ? h(
          "ol",
          { class: "lead" },
          found.map((one) => h("li", {}, text(one))),
        )
      : no(NOT_COMPUTED),
    h(
      "p",
      { class: "facts" },
      facts,
      h("span", {}, "generator ", h("b", {}, text(generatorName()))),
      D.run.retriever
        ? h("span", {}, "retriever ", h("b", {}, text(D.run.retriever.name || D.run.spec.retriever)))
        : null,
      h("span", {}, placeboWords()),
      h("span", {}, numericWords()),
    ),
    recordedNote(),
  );
}

const generatorName = () => (D.run.generator || {}).name || D.run.spec.generator;

function recordedNote() {
  const count = D.traces.filter((trace) => trace.kind === "recorded").length;
  return count
    ? h(
        "p",
        { class: "soft small" },
        `${plural(count, "answer was", "answers were")} recorded from another system: the numbers show how this model supports that text, not how it was made.`,
      )
    : null;
}

function failures() {
  const failed = D.traces.filter((trace) => trace.failed);
  if (!failed.length) return null;
  return section(
    "Failed traces",
    "They count in no mean.",
    h(
      "ul",
      { class: "findings" },
      failed
        .slice(0, 20)
        .map((trace) =>
          h(
            "li",
            {},
            h("a", { href: traceLink(trace.index) }, text(trace.id)),
            ": ",
            text(trace.reason || "no reason was stored"),
          ),
        ),
    ),
    failed.length > 20 ? soft(`and ${failed.length - 20} more; filter the list of traces`) : null,
  );
}

const GROUPS = [
  [
    "Do retriever and generator agree?",
    (m) => m.range[0] === -1 || m.family === "top1_agreement" || (m.family || "").startsWith("warg_rbo"),
  ],
  ["Good passages, as a share of a trace's", (m) => (m.family || "").startsWith("good_")],
  ["Failure rates, as a share of traces or of passages", (m) => m.unit === "share"],
  ["What the context gives", () => true],
];

function measures() {
  if (!MEASURES.length) return section("Measures", null, no(NOT_COMPUTED));
  const headline = MEASURES.filter((m) => m.headline),
    chosen = headline.length ? headline : MEASURES;
  const rest = MEASURES.filter((m) => !chosen.includes(m));
  return section(
    "Measures",
    null,
    chartKey(true),
    measureTable("Measures of the run", chosen),
    rest.length
      ? h(
          "details",
          { class: "small" },
          h("summary", {}, `The other ${plural(rest.length, "setting")} of these measures`),
          measureTable("Further settings", rest),
        )
      : null,
  );
}

function measureTable(caption, chosen) {
  const left = new Set(chosen),
    rows = [];
  let before = "";
  const axis = (m) => {
    const now = axisOf(m).join(),
      first = now !== before;
    before = now;
    return first;
  };
  for (const [title, belongs] of GROUPS) {
    const own = chosen.filter((m) => left.has(m) && belongs(m));
    own.forEach((m) => left.delete(m));
    if (own.length)
      rows.push(
        h("tr", { class: "group" }, h("th", { colspan: 6, scope: "colgroup" }, title)),
        own.map((m) => measureRow(m, axis(m))),
      );
  }
  return table(
    caption,
    [
      { title: "Measure" },
      { title: h("span", { class: "sr" }, "Chart"), kind: "plot" },
      { title: "Mean", kind: "num" },
      { title: "95 % interval", kind: "num" },
      { title: "Chance", kind: "num" },
      { title: "Defined on", kind: "num" },
    ],
    rows,
  );
}

function axisOf(measure) {
  const [low, high] = measure.range;
  return has(low) && has(high)
    ? [low, high]
    : rangeOf([low, high, measure.low, measure.high, measure.value, measure.chance]);
}

function measureRow(measure, withEnds) {
  const [low, high] = axisOf(measure);
  const total = (measure.defined || 0) + (measure.undefined || 0) + (measure.failed || 0);
  const cells = has(measure.value)
    ? [
        h(
          "td",
          { class: "plot" },
          dotChart({
            low,
            high,
            value: measure.value,
            from: measure.low,
            to: measure.high,
            chance: measure.chance,
          }),
          withEnds ? ends(low, high) : null,
        ),
        h(
          "td",
          { class: "num" },
          h("b", {}, shown(measure.value)),
          measure.unit === "nats" ? soft(" nats") : null,
        ),
        h("td", { class: "num" }, between(measure.low, measure.high) || no("one trace: no interval")),
      ]
    : [
        h("td", { colspan: 2 }, no(total ? "undefined" : NOT_COMPUTED), " ", soft(whyNot(measure.name))),
        h("td", { class: "void" }),
      ];
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, measureTitle(measure), h("small", {}, measure.help)),
    cells,
    h("td", { class: "num" }, has(measure.chance) ? shown(measure.chance) : soft("\u2013")),
    h("td", { class: "num" }, `${measure.defined || 0} of ${total}`),
  );
}

function whyNot(name) {
  const found = D.why_not.filter((one) => one.measure === name);
  return found
    .slice(0, 2)
    .map((one) => visible(one.reason))
    .join("; ");
}

function findingKinds() {
  const kinds = D.summary.findings;
  const known = kinds ? Object.entries(kinds).sort((a, b) => b[1].traces - a[1].traces) : [];
  const rows = known.map(([kind, rate]) => {
    const [label, explained] = findingWords(kind);
    return h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        rate.traces ? h("a", { href: "#traces", onclick: () => filterByFinding(kind) }, label) : label,
        h("small", {}, explained),
      ),
      h("td", { class: "num" }, `${rate.traces} of ${rate.of}`),
      h(
        "td",
        { class: "plot" },
        has(rate.value)
          ? dotChart({ low: 0, high: 1, value: rate.value, from: rate.low, to: rate.high })
          : [no("undefined"), h("small", {}, "no trace in which it could be judged")],
      ),
      h(
        "td",
        { class: "num" },
        has(rate.value) ? percent(rate.value) : null,
        has(rate.low) ? h("small", {}, `${percent(rate.low)} to ${percent(rate.high)}`) : null,
      ),
    );
  });
  return section(
    "Findings by kind",
    "A finding needs its numbers beyond the floors, so it is rarer than the measure of the same name.",
    kinds
      ? table(
          "Findings by kind",
          [
            { title: "Kind" },
            { title: "Traces", kind: "num" },
            { title: h("span", { class: "sr" }, "Chart") },
            { title: "Rate, 95 % interval", kind: "num" },
          ],
          rows,
        )
      : no(NOT_COMPUTED),
    RUN_FINDINGS.length
      ? [
          h("h3", {}, "About the run as a whole"),
          h(
            "ul",
            { class: "findings" },
            RUN_FINDINGS.map((one) => findingItem(one, null)),
          ),
        ]
      : null,
  );
}

function shares() {
  return section(
    "Where the answer comes from",
    "Mean share of the answer, by rank and by place in the prompt; both count from 0.",
    shareTable("Share by retriever rank", "Retriever rank", D.summary.share_by_rank, "rank"),
    shareTable("Share by prompt position", "Prompt position", D.summary.share_by_position, "position"),
  );
}

function shareTable(caption, title, rows, key) {
  if (!rows) return h("p", {}, caption, ": ", no(NOT_COMPUTED));
  if (!rows.length) return h("p", {}, caption, ": ", no("undefined"), " ", soft("no trace has attributions"));
  return table(
    caption,
    [
      { title },
      { title: h("span", { class: "sr" }, "Chart"), kind: "plot" },
      { title: "Share", kind: "num" },
      { title: "Traces", kind: "num" },
    ],
    rows
      .slice(0, 12)
      .map((row) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, `${key} ${row[key]}`),
          h(
            "td",
            { class: "plot" },
            has(row.value)
              ? dotChart({ low: 0, high: 1, value: row.value, from: row.low, to: row.high })
              : null,
          ),
          h(
            "td",
            { class: "num" },
            has(row.value) ? percent(row.value) : no("undefined"),
            has(row.low) ? h("small", {}, `${percent(row.low)} to ${percent(row.high)}`) : null,
          ),
          h("td", { class: "num" }, row.traces),
        ),
      ),
  );
}

const slice = { field: 0, measure: null };
function slices() {
  if (!D.slices.length)
    return section(
      "Slices",
      null,
      no("none asked for"),
      " ",
      soft("--by meta.FIELD splits every number of the run by a field of the traces"),
    );
  const names = [
    ...new Set(D.slices.flatMap((one) => one.groups.flatMap((group) => Object.keys(group.measures)))),
  ];
  const known = MEASURES.filter((m) => names.includes(m.name));
  if (!slice.measure) slice.measure = (known.find((m) => m.headline) || known[0] || {}).name;
  const place = h("div", {}),
    draw = () => place.replaceChildren(sliceTable(known.find((m) => m.name === slice.measure)));
  const pick = (label, options, value, change) =>
    h(
      "label",
      { class: "small" },
      label,
      " ",
      h(
        "select",
        {
          onchange: (event) => {
            change(event.target.value);
            draw();
          },
        },
        options.map(([key, title]) =>
          h("option", { value: key, selected: String(key) === String(value) }, visible(title)),
        ),
      ),
    );
  draw();
  return section(
    "Slices",
    null,
    h(
      "div",
      { class: "head" },
      pick(
        "Field",
        D.slices.map((one, index) => [index, one.field]),
        slice.field,
        (value) => {
          slice.field = Number(value);
        },
      ),
      pick(
        "Measure",
        known.map((m) => [m.name, measureTitle(m)]),
        slice.measure,
        (value) => {
          slice.measure = value;
        },
      ),
    ),
    place,
  );
}

function sliceTable(measure) {
  if (!measure) return no(NOT_COMPUTED);
  const groups = D.slices[slice.field].groups.map((group) => [group, group.measures[measure.name] || {}]);
  const [low, high] =
    has(measure.range[0]) && has(measure.range[1])
      ? measure.range
      : rangeOf(groups.flatMap(([, m]) => [m.low, m.high, m.value, m.chance]));
  const rows = groups.map(([group, m]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, text(group.value)),
      h("td", { class: "num" }, group.traces),
      has(m.value)
        ? [
            h(
              "td",
              { class: "plot" },
              dotChart({ low, high, value: m.value, from: m.low, to: m.high, chance: m.chance }),
            ),
            h(
              "td",
              { class: "num" },
              h("b", {}, shown(m.value)),
              between(m.low, m.high) ? h("small", {}, between(m.low, m.high)) : null,
            ),
          ]
        : h(
            "td",
            { colspan: 2 },
            no(m.failed && !m.undefined ? "failed" : "undefined"),
            " ",
            soft(m.reason ? visible(m.reason) : ""),
          ),
      h("td", { class: "num" }, has(m.chance) ? shown(m.chance) : "\u2013"),
      h("td", { class: "num" }, `${m.defined || 0} of ${group.traces}`),
    ),
  );
  return table(
    "Slices by " + visible(D.slices[slice.field].field),
    [
      { title: visible(D.slices[slice.field].field) },
      { title: "Traces", kind: "num" },
      { title: h("span", { class: "sr" }, "Chart"), kind: "plot" },
      { title: "Mean, 95 % interval", kind: "num" },
      { title: "Chance", kind: "num" },
      { title: "Defined on", kind: "num" },
    ],
    rows,
  );
}
