// About the answers of the run: where they come from, and which measures tell right ones from wrong ones.
function knowledgeSection() {
  const found = D.summary.knowledge;
  if (!found || !found.known) return null;
  const title = "Where the answers come from";
  const rows = Object.entries(found.sources).filter(([, line]) => line.traces);
  return section(
    title,
    "From memory: the model says the same to the plain question, and the context makes it no likelier. From the " +
      "context: it says something else there, and the context makes this answer likelier, by more than the floor. " +
      "An answer is right where a reference stands in it." +
      (found.unknown ? ` Of ${plural(found.unknown, "trace")} it cannot be said.` : ""),
    table(
      title,
      [
        { title: "" },
        { title: "Answers", kind: "num" },
        { title: "Share", kind: "num" },
        { title: "Right", kind: "num" },
        { title: "Wrong", kind: "num" },
        { title: "For example" },
      ],
      rows.map(([source, line]) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, D.words.sources[source] || source),
          h("td", { class: "num" }, line.traces),
          h(
            "td",
            { class: "num" },
            percent(line.share),
            h("small", {}, `${percent(line.low)} to ${percent(line.high)}`),
          ),
          h("td", { class: "num" }, line.right),
          h("td", { class: "num" }, line.wrong),
          h("td", {}, exampleLinks(line.examples)),
        ),
      ),
    ),
  );
}

const exampleLinks = (examples) =>
  Object.values(examples)
    .flat()
    .slice(0, 3)
    .flatMap((index, place) => [
      place ? ", " : null,
      h("a", { href: traceLink(index) }, text(D.traces[index].id)),
    ]);

function predictionSection() {
  const found = D.summary.prediction;
  if (!found || !found.length) return null;
  const title = "Does it tell right answers from wrong ones?";
  return section(
    title,
    "Area under the curve: how often a right answer has the larger value than a wrong one; 0.5 is chance. With " +
      "retrieval alike, only answers are compared whose contexts both hold a reference, or both do not.",
    table(
      title,
      [
        { title: "Measure" },
        { title: "Area", kind: "num" },
        { title: "Retrieval alike", kind: "num" },
        { title: "Rank correlation with F1", kind: "num" },
      ],
      found.map((line) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, line.title),
          ...["auroc", "auroc_retrieval_fixed", "rank_correlation"].map((key) =>
            h(
              "td",
              { class: "num" },
              number(line[key].value, "undefined"),
              between(line[key].low, line[key].high) ? h("small", {}, between(line[key].low, line[key].high)) : null,
            ),
          ),
        ),
      ),
    ),
  );
}
