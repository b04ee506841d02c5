// The list of traces, with its filters. The choice lives here, so that it is still there on the way back.
const PAGE = 50;
const choice = {
  words: "",
  finding: "",
  lost: "",
  measure: null,
  from: "",
  to: "",
  sort: "order",
  down: false,
  show: PAGE,
};
let redrawList = () => {};

function filterByFinding(kind) {
  Object.assign(choice, { finding: kind, show: PAGE });
  document.getElementById("by-finding").value = kind;
  redrawList();
}

const lossKey = (stage, kind) => `${kind}@${stage}`;
function filterByLoss(stage, kind) {
  Object.assign(choice, { lost: lossKey(stage, kind), show: PAGE });
  document.getElementById("by-loss").value = choice.lost;
  redrawList();
}

function matches(trace) {
  if (
    choice.lost &&
    !trace.good.some((one) => one.lost && lossKey(one.lost[0] ?? "", one.lost[1]) === choice.lost)
  )
    return false;
  if (choice.finding === "none" && trace.findings.length) return false;
  if (
    choice.finding &&
    choice.finding !== "none" &&
    !trace.findings.some((one) => one.kind === choice.finding)
  )
    return false;
  if (choice.from !== "" || choice.to !== "") {
    const found = measureOf(trace, choice.measure);
    if (found.state !== "defined") return false;
    if (choice.from !== "" && found.value < Number(choice.from)) return false;
    if (choice.to !== "" && found.value > Number(choice.to)) return false;
  }
  const words = choice.words.trim().toLowerCase();
  return !words || searchText(trace).includes(words);
}

function searchText(trace) {
  if (!trace.search) {
    const texts = trace.passages.flatMap((passage) => [passage.id, passage.title, passage.text]);
    trace.search = [trace.id, trace.query, answerText(trace), ...texts].filter(has).join("\n").toLowerCase();
  }
  return trace.search;
}

const SORTS = {
  order: (trace) => trace.index,
  id: (trace) => trace.id,
  share: (trace) => {
    const index = topPassage(trace);
    return index === null ? null : trace.passages[index].share;
  },
  measure: (trace) => measureOf(trace, choice.measure).value ?? null,
  findings: (trace) => trace.findings.length,
};

function sorted(traces) {
  const key = SORTS[choice.sort],
    sign = choice.down ? -1 : 1;
  return [...traces].sort((a, b) => {
    const x = key(a),
      y = key(b);
    if (!has(x) || !has(y)) return has(x) ? -1 : has(y) ? 1 : a.index - b.index;
    return (x < y ? -sign : x > y ? sign : 0) || a.index - b.index;
  });
}

function traceList() {
  if (choice.measure === null)
    choice.measure = Math.max(
      0,
      MEASURES.findIndex((m) => m.headline),
    );
  const place = h("div", {}),
    count = h("p", { class: "small soft", role: "status" });
  redrawList = () => {
    const found = sorted(D.traces.filter(matches));
    count.textContent = D.traces.length
      ? `${found.length} of ${plural(D.traces.length, "trace")}`
      : "This run holds no trace.";
    place.replaceChildren(
      ...(D.traces.length ? [listTable(found)] : []),
      ...(found.length > choice.show ? [moreButton()] : []),
    );
  };
  const view = section("Traces", null, listFilters(), count, place);
  view.id = "traces";
  redrawList();
  return view;
}

const moreButton = () =>
  h(
    "button",
    {
      type: "button",
      class: "more",
      onclick: () => {
        choice.show += 200;
        redrawList();
      },
    },
    "Show more",
  );

function listFilters() {
  const set = (name) => (event) => {
    choice[name] = event.target.value;
    choice.show = PAGE;
    redrawList();
  };
  const kinds = [...new Set(D.findings.filter((one) => one.trace !== null).map((one) => one.kind))].sort();
  const options = [
    ["", "any"],
    ...kinds.map((kind) => [kind, findingWords(kind)[0]]),
    ["none", "without finding"],
  ];
  return h(
    "div",
    { class: "filters", role: "search", "aria-label": "Filter the traces" },
    h(
      "label",
      {},
      D.redacted ? "Id" : "Text, title or id",
      h("input", { type: "search", value: choice.words, oninput: set("words") }),
    ),
    h(
      "label",
      {},
      "Finding",
      h(
        "select",
        { onchange: set("finding"), id: "by-finding" },
        options.map(([key, title]) => h("option", { value: key, selected: key === choice.finding }, title)),
      ),
    ),
    lossFilter(set("lost")),
    MEASURES.length
      ? [
          h(
            "label",
            {},
            "Measure",
            h(
              "select",
              {
                onchange: (event) => {
                  choice.measure = Number(event.target.value);
                  redrawList();
                },
                id: "by-measure",
              },
              MEASURES.map((m, index) =>
                h("option", { value: index, selected: index === choice.measure }, measureTitle(m)),
              ),
            ),
          ),
          h(
            "label",
            {},
            "from",
            h("input", { type: "number", step: "any", value: choice.from, oninput: set("from") }),
          ),
          h(
            "label",
            {},
            "to",
            h("input", { type: "number", step: "any", value: choice.to, oninput: set("to") }),
          ),
        ]
      : null,
  );
}

function lossFilter(change) {
  const known = ((FUNNEL || {}).summary || { stages: [] }).stages.flatMap((stage) =>
    Object.keys(stage.kinds).map((kind) => [stage.stage, kind]),
  );
  if (!known.length) return null;
  const words = ([stage, kind]) => (has(stage) ? `${visible(stage)}: ` : "") + lossWords(kind);
  const options = [["", "any"], ...known.map((one) => [lossKey(one[0] ?? "", one[1]), words(one)])];
  return h(
    "label",
    {},
    "Lost a good passage",
    h(
      "select",
      { onchange: change, id: "by-loss" },
      options.map(([key, title]) => h("option", { value: key, selected: key === choice.lost }, title)),
    ),
  );
}

function listTable(found) {
  const column = (key, title, kind) => ({
    kind,
    label: title,
    sort: choice.sort === key ? (choice.down ? "descending" : "ascending") : null,
    title: h(
      "button",
      {
        type: "button",
        onclick: () => {
          Object.assign(choice, { down: choice.sort === key ? !choice.down : key !== "id", sort: key });
          redrawList();
        },
      },
      title,
      choice.sort === key ? (choice.down ? " \u2193" : " \u2191") : "",
    ),
  });
  const columns = [
    column("id", "Trace", "question"),
    { title: "Answer", kind: "wide reply" },
    column("share", "Rests most on", "most"),
    ...(MEASURES.length ? [column("measure", measureTitle(MEASURES[choice.measure]), "num")] : []),
    column("findings", "Findings"),
  ];
  return table("Traces of the run", columns, found.slice(0, choice.show).map(listRow));
}

function whyNoTop(trace) {
  if (!hasAttributions(trace)) return STATUS[trace.status] === "scored" ? "not attributed" : "undefined";
  const harmful = trace.passages.some((passage) => passage.attr < 0 && beyond(passage));
  return harmful ? "no passage helps beyond the floor" : "no passage beyond the floor";
}

function listRow(trace) {
  const index = topPassage(trace),
    found = MEASURES.length ? measureOf(trace, choice.measure) : null,
    answer = answerText(trace);
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row", class: "question" },
      h("a", { href: traceLink(trace.index), class: "clip" }, questionOf(trace)),
      h("small", {}, text(trace.id)),
    ),
    h(
      "td",
      { class: "wide" },
      h(
        "span",
        { class: "clip" },
        D.redacted ? no("text withheld") : answer ? text(answer) : no(answer === "" ? "empty" : "none"),
      ),
    ),
    h(
      "td",
      {},
      trace.failed
        ? h("span", { class: "bad" }, "failed")
        : index === null
          ? no(whyNoTop(trace))
          : [
              passageBadge(trace, index),
              " ",
              percent(trace.passages[index].share),
              h("small", {}, nameOf(trace, index), " \u00b7 ", labelOf(trace.passages[index])),
            ],
    ),
    found
      ? h(
          "td",
          { class: "num" },
          found.state === "defined"
            ? shown(found.value)
            : [
                no(found.state === "absent" ? "not taken" : found.state),
                found.reason ? h("small", {}, visible(found.reason)) : null,
              ],
        )
      : null,
    h(
      "td",
      {},
      h(
        "span",
        { class: "chips" },
        [...new Set(trace.findings.map((one) => one.kind))].map((kind) =>
          h("span", { class: "chip" }, findingWords(kind)[0]),
        ),
      ),
    ),
  );
}
