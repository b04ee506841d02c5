// The words of one question: how far the retriever's scores and the generator's answer depend on each.
function askedSection(trace) {
  const { asked } = trace;
  if (!asked) return null;
  const title = "Words of the question, retriever and generator";
  if (!asked.words.length)
    return section(title, null, no("undefined"), " ", soft("the question has no word"));
  const columns = [
    ["retriever", (asked.retriever || []).map((value) => [value]), whyNoRetriever(trace)],
    ["generator", asked.generator || [], "the words were no players: --players query"],
  ].map(([name, cells, reason]) => ({
    name,
    cells,
    reason,
    axis: rangeOf(cells.flatMap((cell) => cell.slice(0, 3))),
  }));
  return section(
    title,
    "Retriever: saliency of the sum of its scores over the passages of the prompt, in their unit. " +
      `Generator: Shapley value of the word for the answer, in ${UNIT}. The scales differ; compare the order.`,
    asked.measures.length ? askedMeasures(asked.measures) : null,
    table(
      title,
      [
        { title: "Word" },
        ...columns.flatMap(({ name, axis, cells }) => [
          {
            title: [h("span", { class: "sr" }, `${name}, chart`), cells.length ? ends(...axis) : null],
            kind: "plot",
          },
          { title: name[0].toUpperCase() + name.slice(1), kind: "num" },
        ]),
      ],
      asked.words.map(([start, end], place) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, text(trace.query.slice(start, end))),
          columns.map((column) => askedCells(column, place)),
        ),
      ),
    ),
  );
}

const whyNoRetriever = (trace) =>
  !trace.look
    ? "the retriever was not explained: --explain retriever"
    : visible(trace.look.failed || "no passage of the context was explained");

function askedCells({ cells, reason, axis: [low, high] }, place) {
  const [value, from, to, above] = cells[place] || [];
  if (!has(value)) return h("td", { colspan: 2 }, no("none"), place ? null : [" ", soft(reason)]);
  return [
    h("td", { class: "plot" }, attributionChart({ low, high, value, from, to })),
    h(
      "td",
      { class: "num" },
      signed(value),
      between(from, to) ? h("small", {}, between(from, to)) : null,
      above === false ? h("small", {}, "within the numeric floor") : null,
    ),
  ];
}

function askedMeasures(measures) {
  return h(
    "p",
    { class: "facts" },
    measures.map(([name, cell]) => {
      const found = readMeasure(cell);
      const label = measureTitle(
        D.looks?.alignment.find((one) => one.name === name) || { name, label: name },
      );
      return h(
        "span",
        {},
        `${label} `,
        found.state === "defined"
          ? [h("b", {}, shown(found.value)), has(found.chance) ? ` (chance ${shown(found.chance)})` : null]
          : [no(found.state), ": ", soft(visible(found.reason))],
      );
    }),
  );
}

// What would move the passages at the retriever's cut, as it was tried.
function movesSection(trace) {
  if (!trace.moves.length) return null;
  return section(
    "What moves the ranking",
    "Words of the question or sentences of a passage were taken out and the retriever was run again.",
    h("ul", {}, ...trace.moves.map((sentence) => h("li", {}, text(sentence)))),
  );
}
