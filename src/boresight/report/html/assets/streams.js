// The answer token by token: what the passages changed against the closed book, and what the criterion says.
const STREAM_LABELS = {
  same: "same token either way",
  benefit: "benefit",
  detriment: "detriment",
};

function streamsSection(trace) {
  const { streams } = trace;
  if (!streams) return null;
  const title = "Tokens, with passages and closed book";
  const layer = has(streams.layer) ? ` at layer ${streams.layer}` : "";
  return section(
    title,
    "Probability of each token of the answer with all passages and after the plain question. Where the two " +
      `would write different tokens, Tok-RAG's criterion${layer} says whether the passages help. It is a ` +
      "heuristic that does not know which token is right.",
    table(
      title,
      [
        { title: "Token" },
        { title: "With passages", kind: "num" },
        { title: "Closed book", kind: "num" },
        { title: "Criterion" },
      ],
      (trace.pieces || []).map((piece, place) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, piece === null ? `token ${place}` : text(piece)),
          streamCell(streams.with, place),
          streamCell(streams.without, place),
          h("td", {}, streams.labels ? STREAM_LABELS[streams.labels[place]] : no("no attention to read")),
        ),
      ),
    ),
  );
}

const streamCell = (cells, place) =>
  h("td", { class: "num" }, cells ? percent(cells[place] / 1000) : no("not scored"));
