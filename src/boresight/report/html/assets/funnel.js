// The funnel: where the passages that ought to carry the answer were lost, in the run and in one trace.
const FUNNEL = D.funnel;
const lossWords = (kind) => FUNNEL.words[kind] || kind.replaceAll("_", " ");
const stageName = (name) => (has(name) ? text(name) : no("not recorded"));
const shareCells = (rate) =>
  has(rate.value)
    ? [percent(rate.value), h("small", {}, `${percent(rate.low)} to ${percent(rate.high)}`)]
    : soft("\u2013");

function funnelSection() {
  if (!FUNNEL) return section("Funnel", null, no(NOT_COMPUTED));
  const found = FUNNEL.summary;
  const alignment = alignmentByStage();
  if (!found.good)
    return [
      section(
        "Funnel",
        null,
        no("no good passage is known"),
        " ",
        soft("none is labelled relevant, carries a reference answer, or was named with --good"),
      ),
      alignment,
    ];
  return [
    section(
      "Funnel",
      "Where passages that ought to carry the answer were lost, from the first retrieval to the answer.",
      goodWords(found),
      lossTable(found),
      wayTable(found),
      h("p", { class: "key" }, "Retrievers stand side by side: each could have found every good passage. Intervals are 95 %, and take good passages as independent: a little narrow."),
    ),
    alignment,
  ];
}

function goodWords(found) {
  const by = { named: "named", labelled: "labelled relevant", reference: "with a reference answer in the text" };
  return h(
    "p",
    { class: "facts" },
    h("span", {}, h("b", {}, found.good), found.good === 1 ? " good passage" : " good passages"),
    h("span", {}, "in ", h("b", {}, found.traces), found.traces === 1 ? " trace" : " traces"),
    found.traces_without_good
      ? h("span", {}, h("b", {}, found.traces_without_good), " more without any")
      : null,
    Object.entries(found.good_by).map(([name, count]) => h("span", {}, h("b", {}, count), " ", by[name] || name)),
  );
}

// One bar a stage: as wide as what came so far, hollow at its end what is lost here.
function funnelBar(entered, lost, good) {
  const part = (count) => `${(100 * count) / good}%`;
  return s(
    "svg",
    { class: "chart funnel-bar", "aria-hidden": "true" },
    s("rect", { class: "kept", x: 0, y: 5, height: 14, width: part(entered - lost) }),
    lost ? s("rect", { class: "lost", x: part(entered - lost), y: 5.75, height: 12.5, width: part(lost) }) : null,
  );
}

function lossTable(found) {
  const rows = found.stages.map((stage) => {
    const kinds = Object.entries(stage.kinds);
    const at = has(stage.stage) ? stage.stage : "";
    return h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        stageName(stage.stage),
        has(stage.stage_kind) && stage.stage_kind !== stage.stage ? h("small", {}, text(stage.stage_kind)) : null,
      ),
      h("td", { class: "plot" }, funnelBar(stage.of_entered.of, stage.lost.count, found.good)),
      h("td", { class: "num" }, stage.of_entered.of),
      h("td", { class: "num" }, h("b", {}, stage.lost.count)),
      h("td", { class: "num" }, shareCells(stage.of_entered)),
      h("td", { class: "num" }, shareCells(stage.lost)),
      h(
        "td",
        { class: "how" },
        kinds.map(([kind, count]) =>
          h(
            "div",
            {},
            h("a", { href: "#traces", onclick: () => filterByLoss(at, kind) }, lossWords(kind)),
            ` ${count}`,
          ),
        ),
        stage.unsure ? h("small", {}, `${stage.unsure} hung on the order of a tie`) : null,
      ),
    );
  });
  return table(
    "Losses of good passages by stage",
    [
      { title: "Stage" },
      {
        title: h("span", {}, h("span", { class: "swatch kept" }), " goes on, ", h("span", { class: "swatch lost" }), " lost here"),
        label: "",
        kind: "plot",
      },
      { title: "Entered", kind: "num" },
      { title: "Lost", kind: "num" },
      { title: "Of those", kind: "num" },
      { title: "Of all good", kind: "num" },
      { title: "How", kind: "how" },
    ],
    rows,
  );
}

const WAY = [
  ["retrieved", "retrieved", "of those whose retrieval is recorded"],
  ["in_context", "in the context", "of those whose context is recorded"],
  ["used", "used by the answer", "of those in the context that have an attribution"],
  ["cited", "cited", "of those in the context whose citation was read"],
];
function wayTable(found) {
  const rows = WAY.filter(([key]) => found[key].of).map(([key, words, of]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, words, h("small", {}, of)),
      h("td", { class: "num" }, `${found[key].count} of ${found[key].of}`),
      h(
        "td",
        { class: "plot" },
        dotChart({ low: 0, high: 1, value: found[key].value, from: found[key].low, to: found[key].high }),
      ),
      h("td", { class: "num" }, shareCells(found[key])),
    ),
  );
  return [
    h("h3", {}, "How far they come"),
    table(
      "How far good passages come",
      [
        { title: "Good passages" },
        { title: "Count", kind: "num" },
        { title: h("span", { class: "sr" }, "Chart"), kind: "plot" },
        { title: "Share, 95 % interval", kind: "num" },
      ],
      rows,
    ),
  ];
}

const along = { measure: null };
function alignmentByStage() {
  const known = [...new Set(FUNNEL.alignment.map((one) => one.measure))];
  const stages = new Set(FUNNEL.alignment.map((one) => one.stage));
  if (stages.size < 2) return null; // one stage: the measures of the run say it already
  if (!known.includes(along.measure)) along.measure = known.find((one) => MEASURES[one].headline) ?? known[0];
  const place = h("div", {});
  const draw = () => place.replaceChildren(...alignmentTable(along.measure));
  draw();
  return section(
    "Alignment by stage",
    "Where along the way does the order stop matching what the answer rests on? Each stage in turn taken as the retriever.",
    h(
      "div",
      { class: "head" },
      h(
        "label",
        { class: "small" },
        "Measure ",
        h(
          "select",
          {
            id: "along-measure",
            onchange: (event) => {
              along.measure = Number(event.target.value);
              draw();
            },
          },
          known.map((one) => h("option", { value: one, selected: one === along.measure }, measureTitle(MEASURES[one]))),
        ),
      ),
    ),
    place,
  );
}

function alignmentTable(index) {
  const measure = MEASURES[index],
    rows = FUNNEL.alignment.filter((one) => one.measure === index);
  const [low, high] =
    has(measure.range[0]) && has(measure.range[1])
      ? measure.range
      : rangeOf(rows.flatMap((one) => [one.low, one.high, one.value]));
  return [
    table(
      "Alignment by stage",
      [
        { title: "Stage" },
        { title: ends(low, high), label: "", kind: "plot" },
        { title: "Mean, 95 % interval", kind: "num" },
        { title: "Change from the stage before", kind: "num" },
        { title: "Defined on", kind: "num" },
      ],
      rows.map((one) => alignmentRow(one, low, high, index)),
    ),
    h("p", { class: "soft small" }, visible(measure.help)),
  ];
}

function alignmentRow(one, low, high, index) {
  const total = one.defined + one.undefined + one.failed;
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, text(one.stage), h("small", {}, text(one.stage_kind))),
    has(one.value)
      ? [
          h(
            "td",
            { class: "plot" },
            dotChart({
              low,
              high,
              value: one.value,
              from: one.low,
              to: one.high,
            }),
          ),
          h(
            "td",
            { class: "num" },
            h("b", {}, shown(one.value)),
            between(one.low, one.high) ? h("small", {}, between(one.low, one.high)) : null,
          ),
        ]
      : h("td", { colspan: 2 }, no(one.failed && !one.undefined ? "failed" : "undefined")),
    h(
      "td",
      { class: "num" },
      has(one.change)
        ? [
            signed(one.change),
            h(
              "small",
              {},
              [between(one.change_low, one.change_high), plural(one.pairs, "trace")].filter(has).join(", "),
            ),
          ]
        : soft("\u2013"),
    ),
    h("td", { class: "num" }, `${one.defined} of ${total}`),
  );
}

// One trace: a row a good passage, a column a step; every sign has its word.
function traceFunnel(trace) {
  if (!FUNNEL || !trace.good.length) return null;
  const gates = trace.gates.filter(([, kind]) => !["generator", "citation"].includes(kind));
  const columns = [
    { title: "Good passage" },
    ...gates.map(([name, kind]) => ({ title: [text(name), kind === name ? null : h("small", {}, text(kind))], label: visible(name) })),
    { title: "Attribution, nats" },
    { title: "Cited" },
    { title: "Outcome", kind: "outcome" },
  ];
  return section(
    "Funnel",
    "Each passage that ought to carry the answer, from the first retrieval to the citation. At each stage its rank, from 0.",
    stepKey(),
    table("The way of each good passage", columns, trace.good.map((one) => goodRow(trace, one, gates)), "stack funnel"),
    trace.good_more ? soft(`and ${trace.good_more} more in funnel.parquet`) : null,
  );
}

function stepKey() {
  const sample = (kind, words) => h("span", {}, h("span", { class: "gate " + kind, "aria-hidden": "true" }), " ", words);
  return h(
    "p",
    { class: "key" },
    sample("kept", "came through"),
    sample("lost", "lost here"),
    sample("gone", "not there"),
    sample("unknown", "not recorded"),
  );
}

function goodRow(trace, one, gates) {
  const named = { named: "named", labelled: "labelled", reference: "holds a reference" };
  const last = has(one.lost) ? one.lost[0] : null;
  const title = has(one.place) ? trace.passages[one.place].title : null;
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      has(one.place) ? [passageBadge(trace, one.place), " "] : null,
      h("span", { class: "name" }, title && title.trim() ? text(title) : text(one.id)),
      h(
        "small",
        {},
        title && title.trim() ? [text(one.id), " \u00b7 "] : null,
        one.by.map((by) => named[by] || by).join(", "),
        has(one.grade) ? `, grade ${shown(one.grade)}` : null,
      ),
    ),
    gates.map(([name, kind], index) => gateCell(one.steps[index], name === last || (kind === "retrieve" && (last || "").split(" + ").includes(name)))),
    usedCell(one),
    h("td", {}, citedWords(one)),
    outcomeCell(one),
  );
}

function gateCell(step, here) {
  if (!step) return h("td", { class: "soft" }, "\u2013");
  const [low, high, survived, cut, tied] = step;
  const kind = !has(survived) ? "unknown" : survived ? "kept" : here ? "lost" : "gone";
  const words = { kept: "came through", lost: "lost here", gone: "not there", unknown: "not recorded" }[kind];
  const rank = has(low) ? (low === high ? String(low) : `${low}\u2013${high}`) : null;
  const cutWords = has(cut) && (kind === "lost" || tied) ? `cut at ${cut}` : null;
  return h(
    "td",
    {},
    h("span", { class: "gate " + kind, "aria-hidden": "true" }),
    " ",
    rank ? [h("span", { class: "sr" }, "rank "), rank, h("span", { class: "sr" }, ", " + words)] : kind === "kept" ? words : soft(words),
    cutWords || tied
      ? h("small", {}, [cutWords, tied ? "the order of a tie decided" : null].filter(has).join(", "))
      : null,
  );
}

function usedCell(one) {
  if (!has(one.place)) return h("td", { class: "soft" }, "\u2013");
  if (!has(one.attr)) return h("td", {}, no("none"));
  const kind = one.above ? "kept" : "lost";
  const words = one.above ? "used" : one.lost && one.lost[1] === "opposed" ? "against the answer" : "within the floor";
  return h("td", {}, h("span", { class: "gate " + kind, "aria-hidden": "true" }), " ", signed(one.attr), h("small", {}, words));
}

const citedWords = (one) =>
  has(one.cited) ? (one.cited ? "cited" : "not cited") : has(one.place) ? soft("not read") : soft("\u2013");

function outcomeCell(one) {
  if (!one.lost) {
    const words = has(one.place) ? (one.above ? "used" : "in the context") : "not lost, as far as recorded";
    return h("td", { class: "outcome" }, h("b", {}, words), one.right ? h("small", {}, "the answer holds a reference") : null);
  }
  const [stage, kind, detail, inferred] = one.lost;
  return h(
    "td",
    { class: "outcome" },
    h("b", { class: "bad" }, has(stage) && stage !== "generator" && stage !== "context" ? [text(stage), ": "] : null, lossWords(kind)),
    detail ? h("small", {}, text(detail), inferred ? " (inferred)" : null) : null,
  );
}
