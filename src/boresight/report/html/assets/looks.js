// Over the run: on which words of the passages the retriever's saliency lies, beside the same saliency shuffled.
const LOOK_WORDS = {
  exact: ["As written", "Words of the question that stand in the passage, upper and lower case alike."],
  stem: ["By stem", "Words that share their stem with a word of the question."],
  soft: ["By spelling", "Words that are spelled nearly like one of the question."],
  negative: ["Negative weights", "Share of all weights, signs aside, that lower the score."],
  negative_exact: ["Of these, on words of the question", "Share of the negative weights."],
};
const LOOK_GROUPS = [
  ["Words of the question, share of the positive saliency", ["exact", "stem", "soft"]],
  ["Weights that lower the score", ["negative", "negative_exact"]],
];
const SPEECH = {
  ADJ: "adjective",
  ADP: "preposition",
  ADV: "adverb",
  AUX: "auxiliary verb",
  CCONJ: "and, or, but",
  DET: "determiner",
  INTJ: "interjection",
  NOUN: "noun",
  NUM: "number",
  PART: "particle",
  PRON: "pronoun",
  PROPN: "proper noun",
  PUNCT: "punctuation",
  SCONJ: "subordinating conjunction",
  SYM: "symbol",
  VERB: "verb",
  X: "other",
};

function looksSection() {
  const found = D.looks;
  if (!found) return null;
  const title = "What the retriever looks at",
    { looks } = found;
  if (!looks) return section(title, null, no(NOT_COMPUTED));
  return section(
    title,
    `Over ${plural(found.passages, "passage")} of ${plural(looksTraces(looks), "trace")}: on which of their words the scores of ` +
      `${visible(found.stage)} rest. By chance is the same saliency, shuffled among the tokens of each passage.`,
    looksKey(),
    looksTable(
      "Saliency on words of the question",
      LOOK_GROUPS.map(([name, keys]) => [name, keys.map((key) => [...LOOK_WORDS[key], looks[key]])]),
    ),
    looksFold("By place in the passage", looks.by_tenth, (row) => [tenthText(Number(row.label)), null]),
    looksFold("By part of speech", looks.part_of_speech, (row) => [speech(row.label), null], looks.tools),
    looksFold(
      "By parts of speech of two neighbouring words, the ten largest",
      looks.bigram,
      (row) => [row.label.split(" ").map(speech).join(" + "), null],
      looks.tools,
    ),
    askedOverRun(found.alignment),
  );
}

const looksTraces = (looks) => Math.max(0, ...Object.keys(LOOK_WORDS).map((key) => looks[key].traces || 0));
const speech = (label) => SPEECH[label] || visible(label);
const tenthText = (place) => `words ${10 * place} to ${10 * place + 10}\u00a0%`;

function looksFold(title, group, name, tools) {
  if (group.state !== "defined")
    return h("p", { class: "small" }, title, ": ", no(group.state), " ", soft(visible(group.reason)));
  const rows = group.rows.map((row) => [...name(row), row]);
  return h(
    "details",
    {},
    h("summary", {}, title),
    tools ? h("p", { class: "small soft" }, `Tagged by ${visible(tools.part_of_speech)}.`) : null,
    looksTable(title, [["Share of the positive saliency", rows]]),
  );
}

function looksTable(caption, groups) {
  const rows = groups.flatMap(([name, own]) => {
    const most = Math.max(
      ...own.flatMap(([, , one]) => (one.share ? [one.share.value, one.share.high, one.control] : [])),
      0,
    );
    const steps = most > 0.5 ? 10 : 20,
      axis = Math.min(1, Math.ceil(most * steps) / steps) || 1;
    const first = own.findIndex(([, , one]) => one.share);
    return [
      h("tr", { class: "group" }, h("th", { colspan: 5, scope: "colgroup" }, name)),
      ...own.map((one, place) => looksRow(one, axis, place === first)),
    ];
  });
  return table(
    caption,
    [
      { title: "Where" },
      { title: h("span", { class: "sr" }, "Chart"), kind: "plot" },
      { title: "Share, 95 % interval", kind: "num" },
      { title: "By chance", kind: "num" },
      { title: "Difference, 95 % interval", kind: "num" },
    ],
    rows,
  );
}

function looksRow([name, help, one], axis, withEnds) {
  const head = h("th", { scope: "row" }, name, help ? h("small", {}, help) : null);
  if (!one.share)
    return h("tr", {}, head, h("td", { colspan: 4 }, no(one.state), " ", soft(visible(one.reason))));
  const { share, over_random: over } = one;
  const sure = has(over.low) && (over.low > 0 || over.high < 0);
  return h(
    "tr",
    {},
    head,
    h(
      "td",
      { class: "plot" },
      shareBar(axis, share, one.control),
      withEnds
        ? h("div", { class: "ends", "aria-hidden": "true" }, h("span", {}, "0"), h("span", {}, percent(axis)))
        : null,
    ),
    h(
      "td",
      { class: "num" },
      h("b", {}, percent(share.value)),
      has(share.low) ? h("small", {}, `${percent(share.low)} to ${percent(share.high)}`) : null,
    ),
    h("td", { class: "num" }, percent(one.control)),
    h(
      "td",
      { class: "num" },
      h(sure ? "b" : "span", {}, points(over.value)),
      h(
        "small",
        {},
        has(over.low) ? `${points(over.low)} to ${points(over.high)}` : "one trace: no interval",
      ),
      has(over.low) && !sure ? h("small", {}, "may be chance") : null,
    ),
  );
}

const points = (value) =>
  (value > 0 ? "+" : "") + fixed(100 * value, 1).replace(/^\u22120\.0$/, "0.0") + "\u00a0pp";

function shareBar(axis, share, control) {
  const x = (one) => at(one, 0, axis);
  return s(
    "svg",
    { class: "chart bar-chart", "aria-hidden": "true" },
    s("line", { class: "zero", x1: "0%", x2: "0%", y1: 2, y2: 22 }),
    s("rect", { class: "bar share", x: 0, y: 6, height: 12, width: x(share.value) }),
    has(share.low)
      ? [
          s("line", { class: "interval", x1: x(share.low), x2: x(share.high), y1: 12, y2: 12 }),
          s("line", { class: "interval", x1: x(share.low), x2: x(share.low), y1: 8, y2: 16 }),
          s("line", { class: "interval", x1: x(share.high), x2: x(share.high), y1: 8, y2: 16 }),
        ]
      : null,
    s("line", { class: "chance", x1: x(control), x2: x(control), y1: 1, y2: 23 }),
  );
}

function looksKey() {
  const sample = (parts) =>
    s("svg", { viewBox: "0 0 36 14", "aria-hidden": "true", class: "chart bar-chart" }, parts);
  return h(
    "p",
    { class: "key" },
    h(
      "span",
      {},
      sample([
        s("rect", { class: "bar share", x: 0, y: 2, width: 24, height: 10 }),
        s("line", { class: "interval", x1: 14, x2: 34, y1: 7, y2: 7 }),
      ]),
      "mean over passages with its 95 % interval over traces",
    ),
    h("span", {}, sample([s("line", { class: "chance", x1: 18, x2: 18, y1: 0, y2: 14 })]), "by chance"),
  );
}

// Over the run: do retriever and generator depend on the same words of the question?
function askedOverRun(alignment) {
  if (!alignment.length) return null;
  const rows = alignment.map((one) => {
    const total = one.defined + one.undefined + one.failed;
    const reason = Object.keys(one.reasons)[0];
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, measureTitle(one)),
      has(one.value)
        ? [
            h(
              "td",
              { class: "plot" },
              dotChart({
                low: -1,
                high: 1,
                value: one.value,
                from: one.low,
                to: one.high,
                chance: one.chance,
              }),
              ends(-1, 1),
            ),
            h(
              "td",
              { class: "num" },
              h("b", {}, shown(one.value)),
              h("small", {}, between(one.low, one.high) || "one trace: no interval"),
            ),
          ]
        : h(
            "td",
            { colspan: 2 },
            no(one.failed && !one.undefined ? "failed" : "undefined"),
            " ",
            soft(visible(reason || "")),
          ),
      h("td", { class: "num" }, has(one.chance) ? shown(one.chance) : soft("\u2013")),
      h("td", { class: "num" }, `${one.defined} of ${total}`),
    );
  });
  return [
    h("h3", {}, "Do retriever and generator depend on the same words of the question?"),
    table(
      "Agreement on the words of the question",
      [
        { title: "Measure" },
        { title: h("span", { class: "sr" }, "Chart"), kind: "plot" },
        { title: "Mean, 95 % interval", kind: "num" },
        { title: "Chance", kind: "num" },
        { title: "Defined on", kind: "num" },
      ],
      rows,
    ),
  ];
}
