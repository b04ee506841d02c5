// What the retriever looked at: its saliency over query and passage, and why one passage stands above another.
function saliencySection(trace) {
  const look = trace.look;
  if (!look) return null;
  const title = "What the retriever looked at";
  if (look.failed) return section(title, null, no("failed"), " ", soft(text(look.failed)));
  const order = saliencyOrder(trace);
  if (!order.length) return section(title, null, no("none"), " ", soft("no passage reached the prompt"));
  const body = h("div", { class: "look", id: "look" });
  const choices = (other) => [
    other ? h("option", { value: "" }, "no other passage") : null,
    order.map((index) => h("option", { value: index }, `${letter(index)} ${nameText(trace, index)}`)),
  ];
  const draw = () => body.replaceChildren(...saliencyViews(trace, above.value, below.value).flat(3).filter(Boolean));
  const above = h("select", { id: "look-above", onchange: draw }, choices(false));
  const below = h("select", { id: "look-below", onchange: draw }, choices(true));
  draw();
  return section(
    title,
    `Scores of ${visible(look.stage)}, explained by ${SALIENCY_METHODS[look.method] || look.method} (${look.kind}).`,
    h(
      "div",
      { class: "look-choice" },
      h("label", { for: "look-above" }, "Passage ", above),
      h("label", { for: "look-below" }, "Why above ", below),
    ),
    saliencyLegend(),
    body,
  );
}

const SALIENCY_METHODS = {
  structural: "the ranker's own arithmetic",
  integrated_gradients: "Integrated Gradients",
};

const saliencyOrder = (trace) =>
  trace.passages
    .map((_, index) => index)
    .filter((index) => trace.look.passages[index])
    .sort((a, b) => trace.look.passages[b].score - trace.look.passages[a].score || a - b);

function saliencyLegend() {
  return h(
    "p",
    { class: "small soft" },
    h("span", { class: "hl plus", vars: { "--s": "45%" } }, "raises the score"),
    " ",
    h("span", { class: "hl minus", vars: { "--s": "45%" } }, "lowers the score"),
    " The stronger the colour, the larger the value; words that lower it are also underlined.",
  );
}

function saliencyViews(trace, above, below) {
  const index = Number(above),
    one = trace.look.passages[index],
    passage = trace.passages[index];
  const own = passage.title ? `${passage.title}\n${passage.text}` : passage.text;
  const parts = [
    h("h3", {}, "Question, for passage ", passageBadge(trace, index)),
    highlighted(trace.query, one.query),
    h("h3", {}, "Passage ", passageBadge(trace, index)),
    highlighted(own, one.words),
    one.read ? h("p", { class: "small" }, no(`only ${one.read[0]} of ${one.read[1]} tokens were read`)) : null,
    one.warning ? h("p", { class: "small" }, no(one.warning)) : null,
    h(
      "details",
      {},
      h("summary", {}, "The same as tables"),
      wordTable("Words of the question", trace.query, one.query, one, 0),
      wordTable("Words of the passage", own, one.words, one, 1),
    ),
  ];
  return below === "" || Number(below) === index ? parts : [...contrastView(trace, index, Number(below)), ...parts];
}

function highlighted(whole, words) {
  const most = Math.max(...words.map(([, , value]) => Math.abs(value)), 0);
  const pieces = [];
  let place = 0;
  for (const [start, end, value] of words) {
    if (start > place) pieces.push(visible(whole.slice(place, start)));
    const share = most ? Math.round((45 * Math.abs(value)) / most) : 0;
    pieces.push(
      h(
        "span",
        { class: `hl ${value < 0 ? "minus" : "plus"}`, vars: { "--s": `${share}%` }, title: signed(value) },
        visible(whole.slice(Math.max(start, place), end)),
      ),
    );
    place = Math.max(place, end);
  }
  pieces.push(visible(whole.slice(place)));
  return h("p", {}, h("bdi", { class: "t block", dir: "auto" }, pieces));
}

// Models write their own tokens in brackets; everything else that no word says is an expansion.
const unsaidKind = (entry) =>
  /^[[<].*[\]>]( #\d+)?$/.test(entry) ? "a token of the model's own" : "not said, an expansion";

function wordTable(caption, whole, words, one, side) {
  const unsaid = one.unsaid[side],
    sum = [...words.map(([, , value]) => value), ...unsaid.map(([, value]) => value)].reduce((a, b) => a + b, 0),
    base = one.base[side];
  const ordered = [...words].sort((a, b) => Math.abs(b[2]) - Math.abs(a[2]));
  const line = (name, value) =>
    h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "num" }, signed(value)));
  return table(
    caption,
    [{ title: caption }, { title: "Value", kind: "num" }],
    [
      ...ordered.map(([start, end, value]) => line(text(whole.slice(start, end)), value)),
      ...one.expanded[side].map(([entry, value, word]) =>
        line([text(entry), " ", soft("an expansion, counted at "), text(word)], value),
      ),
      ...unsaid.map(([entry, value]) => line([text(entry), " ", soft(unsaidKind(entry))], value)),
      has(base) ? line("score of the same text with every word blanked", base) : null,
      line("what belongs to no word, and the gap", one.score - (base || 0) - sum),
      line("score", one.score),
    ].filter(Boolean),
  );
}

function contrastView(trace, a, b) {
  const rows = contrastRows(trace, a, b),
    first = trace.look.passages[a],
    second = trace.look.passages[b];
  const margin = first.score - second.score,
    sum = rows.reduce((total, row) => total + row.value, 0);
  const line = (name, ...values) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      values.map((value) => h("td", { class: "num" }, has(value) ? signed(value) : no("none"))),
    );
  return [
    h("h3", {}, "Why ", passageBadge(trace, a), ` ${margin < 0 ? "below" : "above"} `, passageBadge(trace, b)),
    h("p", { id: "look-margin" }, `Difference of the scores: ${signed(margin)}. Word by word of the question:`),
    table(
      "Words of the question, difference of the two passages",
      [
        { title: "Word" },
        { title: letter(a), kind: "num" },
        { title: letter(b), kind: "num" },
        { title: "Difference", kind: "num" },
      ],
      [
        ...rows.map((row) => line(text(row.word), row.above, row.below, row.value)),
        line("blanked question, what belongs to no word, and gaps", null, null, margin - sum),
        line("score", first.score, second.score, margin),
      ],
    ),
  ];
}

function contrastRows(trace, a, b) {
  const found = new Map();
  for (const [side, index] of [["above", a], ["below", b]])
    for (const [start, end, value] of trace.look.passages[index].query) {
      const key = `${start}-${end}`;
      const row = found.get(key) || { word: trace.query.slice(start, end), above: null, below: null, start };
      found.set(key, { ...row, [side]: (row[side] || 0) + value });
    }
  return [...found.values()]
    .map((row) => ({ ...row, value: (row.above || 0) - (row.below || 0) }))
    .sort((x, y) => Math.abs(y.value) - Math.abs(x.value) || x.start - y.start);
}
