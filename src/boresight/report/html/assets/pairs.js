// How passages act on each other, and the smallest sets that keep or break the answer.
const MARGIN = 0.1, // nats a token
  MATRIX = 10,
  LISTED = 20;

function pairsSection(trace) {
  const title = "Pairs";
  const help = `Interaction in ${UNIT}: above 0 two passages help more together than apart, below 0 each can stand in for the other.`;
  if (D.missing.includes("pairs.parquet")) return section(title, null, no(NOT_COMPUTED));
  if (!trace.pairs.length)
    return section(
      title,
      null,
      no("none"),
      " ",
      soft(
        trace.method === "exact"
          ? "there are fewer than two passages"
          : "pairs need the values of all sets of passages, and this trace has a sample of them or none",
      ),
    );
  const edge = Math.max(...trace.pairs.map(([, , value]) => Math.abs(value)), RESOLUTION);
  return section(
    title,
    help,
    trace.passages.length <= MATRIX ? pairMatrix(trace, edge) : pairList(trace, edge),
    h(
      "p",
      { class: "key" },
      h("span", {}, pairMark(1, 1), "more together"),
      h("span", {}, pairMark(-1, 1), "stand in for each other"),
    ),
  );
}

const sizeOf = (value, edge) => Math.round(5 + 15 * Math.sqrt(Math.abs(value) / edge));
const pairMark = (value, edge) => {
  const size = `${sizeOf(value, edge) * (edge === 1 ? 0.6 : 1)}px`;
  return h("span", {
    class: "mark " + (value < 0 ? "instead" : "together"),
    "aria-hidden": "true",
    vars: {
      width: size,
      height: size,
      display: edge === 1 ? "inline-block" : "block",
      "vertical-align": "-1px",
      "margin-right": edge === 1 ? "0.3rem" : "auto",
    },
  });
};

function pairMatrix(trace, edge) {
  const found = new Map(trace.pairs.map(([a, b, value]) => [`${Math.min(a, b)},${Math.max(a, b)}`, value]));
  const n = trace.passages.length,
    range = [...Array(n).keys()];
  const rows = range.slice(1).map((row) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, passageBadge(trace, row)),
      range.slice(0, row).map((column) => {
        const value = found.get(`${column},${row}`);
        return h("td", {}, has(value) ? [pairMark(value, edge), signed(value)] : no("none"));
      }),
      range.slice(row, n - 1).map(() => h("td", { class: "void" })),
    ),
  );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Interactions of pairs" },
    h(
      "table",
      { class: "pairs" },
      h("caption", { class: "sr" }, "Interaction of each pair of passages"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td", { class: "void" }),
          range.slice(0, -1).map((column) => h("th", { scope: "col" }, passageBadge(trace, column))),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}

function pairList(trace, edge) {
  const order = [...trace.pairs].sort((a, b) => Math.abs(b[2]) - Math.abs(a[2])).slice(0, LISTED);
  return [
    table(
      "Strongest pairs",
      [
        { title: "Pair" },
        { title: h("span", { class: "sr" }, "Chart") },
        { title: "Interaction", kind: "num" },
      ],
      order.map(([a, b, value]) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, passageBadge(trace, a), " ", passageBadge(trace, b)),
          h("td", {}, pairMark(value, edge)),
          h("td", { class: "num" }, signed(value)),
        ),
      ),
    ),
    trace.pairs.length > LISTED ? soft(`the strongest ${LISTED} of ${trace.pairs.length}`) : null,
  ];
}

const criterion = (trace) =>
  has(trace.margin)
    ? `An answer counts as kept within ${shown(trace.margin)} nats of the full context: ${MARGIN} nats a token, or the numeric floor where that is larger.`
    : "";

// Where the whole context does not help, there is nothing to keep or to break.
function helpless(trace) {
  if (!has(trace.grand) || !has(trace.empty) || !has(trace.bar)) return null;
  const effect = trace.grand - trace.empty;
  return effect > trace.bar
    ? null
    : `the context does not help: all passages together change the answer by ${signed(effect)} nats against an empty context, and only more than ${shown(trace.bar)} nats would be beyond the floor`;
}

function setsSection(trace) {
  const title = "Smallest sets";
  if (D.missing.includes("sets.jsonl")) return section(title, null, no(NOT_COMPUTED));
  if (!trace.sets.length)
    return section(
      title,
      null,
      no("none"),
      " ",
      soft(
        trace.method === "exact"
          ? `no set keeps or breaks the answer. ${criterion(trace)}`
          : "they need the values of all sets of passages",
      ),
    );
  const idle = helpless(trace);
  if (idle) return section(title, null, no("not shown"), " ", soft(idle));
  const group = (kind, heading, keep) => {
    const own = trace.sets.filter((one) => one[0] === kind);
    return own.length
      ? [
          h("h3", {}, heading),
          h(
            "ul",
            { class: "sets" },
            own.slice(0, 12).map(([, members, value]) =>
              h(
                "li",
                {},
                members.length ? members.map((index) => passageBadge(trace, index)) : no("no passage"),
                soft(`${fixed(value, 3)} nats`),
                whatIf.trace === trace
                  ? h(
                      "button",
                      {
                        type: "button",
                        class: "button",
                        onclick: () => {
                          whatIf.set((index) => keep(members, index));
                          document.getElementById("what-if").scrollIntoView({ block: "center" });
                        },
                      },
                      "try it",
                    )
                  : null,
              ),
            ),
            own.length > 12 ? h("li", {}, soft(`and ${own.length - 12} more`)) : null,
          ),
        ]
      : null;
  };
  return section(
    title,
    `All of the smallest size. ${criterion(trace)}`,
    group("keeps", "Enough to keep the answer", (members, index) => members.includes(index)),
    group("breaks", "Enough to break it when removed", (members, index) => !members.includes(index)),
  );
}
