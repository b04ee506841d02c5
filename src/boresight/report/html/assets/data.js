// The data of the run, and look-ups in it. Nothing is estimated here: values are stored, sorted and filtered.
const D = JSON.parse(document.getElementById("data").textContent);
const MEASURES = D.summary.measures;
const UNIT =
  { nats: "nats", probability: "probability", log_odds: "log-odds" }[D.summary.scale] || D.summary.scale;
const NOT_COMPUTED = "not computed in this run";
const RESOLUTION = 1e-9;

const wellFormed = (id) =>
  id.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
const traceLink = (index) => "#trace=" + encodeURIComponent(wellFormed(D.traces[index].id));
const PLACES = new Map(D.traces.map((trace, index) => [traceLink(index), index]));

function letter(index) {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : letter(Math.floor(index / 26) - 1) + last;
}
const look = (index) => `p${index % 8} u${index % 5}`;
// Titles that repeat within a trace do not tell passages apart: there the id goes first, where nothing is cut off.
const sameTitle = (a, b) => has(a) && has(b) && a.trim().toLowerCase() === b.trim().toLowerCase();
function nameParts(trace, index) {
  const { id, title } = trace.passages[index];
  if (!title || !title.trim()) return [id];
  const repeated = trace.passages.some((one, other) => other !== index && sameTitle(one.title, title));
  return repeated ? [id, title] : [title];
}
const nameText = (trace, index) => nameParts(trace, index).map(visible).join(" \u00b7 ");
const nameOf = (trace, index) =>
  nameParts(trace, index).map((part, place) => [place ? " \u00b7 " : null, text(part)]);

const measureOf = (trace, index) => readMeasure(trace.measures[index]);
function readMeasure(cell) {
  if (!has(cell)) return { state: "absent" };
  if (typeof cell === "string") {
    return { state: cell[0] === "u" ? "undefined" : "failed", reason: D.reasons[Number(cell.slice(1))] };
  }
  return { state: "defined", value: cell[0], chance: cell[1], low: cell[2], high: cell[3] };
}
const measureTitle = (measure) =>
  measure.label +
  (measure.name.includes("@") ? ` @${measure.name.split("@")[1]}` : "");

D.traces.forEach((trace, index) => {
  trace.index = index;
  trace.findings = [];
});
const RUN_FINDINGS = D.findings.filter((finding) => finding.trace === null);
for (const finding of D.findings) if (finding.trace !== null) D.traces[finding.trace].findings.push(finding);

const hasAttributions = (trace) => trace.passages.some((passage) => has(passage.attr));
// Attributions below the numeric floor count as 0, so passages within it share a rank.
const resolved = (passage) => (passage.num === false ? 0 : passage.attr);
function generatorRank(trace, passage) {
  if (!has(passage.attr)) return null;
  const own = resolved(passage);
  const others = trace.passages.filter((other) => other !== passage && has(other.attr));
  const before = others.filter((other) => resolved(other) > own + RESOLUTION).length;
  const ties = others.filter((other) => Math.abs(resolved(other) - own) <= RESOLUTION).length;
  return { rank: before, ties };
}
const rankText = (rank) => (rank.ties ? `${rank.rank}\u2013${rank.rank + rank.ties}` : String(rank.rank));
function byGenerator(trace) {
  const order = trace.passages.map((_, index) => index);
  const worth = (index) => (has(trace.passages[index].attr) ? trace.passages[index].attr : -Infinity);
  return order.sort((a, b) => worth(b) - worth(a) || a - b);
}
function byRetriever(trace) {
  return trace.passages
    .map((_, index) => index)
    .filter((index) => has(trace.passages[index].rank))
    .sort((a, b) => trace.passages[a].rank - trace.passages[b].rank);
}
// Beyond both floors; a floor that is not known cannot hold a passage back.
const beyond = (passage) => passage.num !== false && passage.pla !== false;
function topPassage(trace) {
  const index = hasAttributions(trace) ? byGenerator(trace)[0] : null;
  const top = index === null ? null : trace.passages[index];
  return top && top.share > 0 && beyond(top) ? index : null;
}
const labelOf = (passage) =>
  has(passage.rel) ? (passage.rel ? h("b", {}, "relevant") : "not relevant") : soft("unlabelled");

const tables = new Map();
function storedValues(trace) {
  // value of each coalition, at the index whose bit i says that passage i is there
  if (!trace.values) return null;
  if (!tables.has(trace.index)) {
    const bytes = Uint8Array.from(atob(trace.values), (one) => one.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    tables.set(
      trace.index,
      Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true)),
    );
  }
  return tables.get(trace.index);
}

const findingWords = (kind) => D.words.findings[kind] || [kind.replaceAll("_", " "), ""];
const placeboFloor = () => (D.run.floors.placebo || {})[D.summary.scale] ?? null;
const isTable = () => (D.run.generator || {}).kind === "fake";
const FEW_GUESTS = 8;
function placeboWords() {
  const { placebo } = D.run.floors,
    level = placeboFloor(),
    guests = ((placebo || {}).traces || []).length;
  if (!has(level) || !guests) return `no placebo floor: ${visible((placebo || {}).reason || NOT_COMPUTED)}`;
  const from = `placebo floor ${shown(level)} ${UNIT}, from ${plural(guests, "trace")}`;
  return guests < FEW_GUESTS
    ? `${from}; caution: fewer than ${FEW_GUESTS}, so it is a rough guess (--placebo ${FEW_GUESTS})`
    : from;
}
function numericWords() {
  if (isTable()) return "numeric floor 0: the generator is a table of values, without rounding";
  const spread = (D.run.floors.numeric || {})[D.summary.scale];
  return has(spread?.median)
    ? `numeric floor ${shown(spread.median)} ${UNIT} (median)`
    : "numeric floor not measured";
}
const answerText = (trace) => (trace.pieces && !D.redacted ? trace.pieces.join("") : null);
const questionOf = (trace) =>
  D.redacted ? no("text withheld") : trace.query === "" ? no("empty question") : text(trace.query);
const STATUS = {
  score: "scored",
  closed_book_only: "closed book only: no passage reached the prompt",
  nothing_to_score: "nothing to score",
  failed: "failed",
  unknown: "unknown",
};
const METHOD = { exact: "exact", none: "no attribution" }; // any other is sampled
