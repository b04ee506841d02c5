// Values of the whole answer, and the switchboard: any set of passages, read from the stored table.
const whatIf = { trace: null, set: () => {} };

function valuesPanel(trace) {
  const fixedRows = [
    ["All passages", trace.grand],
    ["No passage, same instructions", trace.empty],
    ["Closed book, a plain question", trace.closed],
  ];
  if (fixedRows.every(([, value]) => !has(value)))
    return [
      h("h3", {}, "Log-probability of the answer"),
      no(trace.failed ? "failed" : "not scored"),
      " ",
      soft(trace.reason ? text(trace.reason) : ""),
    ];
  const stored = storedValues(trace);
  const [low, high] = [Math.min(...knownValues(trace, stored)), Math.max(...knownValues(trace, stored))];
  const body = h("tbody", {}),
    draw = (chosen) => body.replaceChildren(...valueRows(trace, fixedRows, chosen, low, high));
  const head = [
    h("h3", {}, "Log-probability of the answer, nats"),
    h(
      "p",
      { class: "small soft" },
      "How likely the same answer is; nothing is generated here. Nearer to 0 is more likely, and 0.69 nats more are twice as likely.",
    ),
  ];
  const list = h(
    "table",
    { class: "grid values" },
    h("caption", { class: "sr" }, "Log-probability of the answer"),
    body,
  );
  draw(null);
  return [
    head,
    list,
    stored
      ? switchboard(trace, stored, draw)
      : h("p", { class: "small" }, no("What-if is not available"), " ", soft(whyNoSwitches(trace))),
  ];
}

function whyNoSwitches(trace) {
  if (!METHOD[trace.method])
    return "this trace was sampled, so most sets of passages have no stored value.";
  if (trace.method === "exact")
    return "the table of this trace is too large to travel in the report; it is in the run directory.";
  return "only single values were scored.";
}

const knownValues = (trace, stored) =>
  [...(stored || []), trace.grand, trace.empty, trace.closed].filter(has);

function valueRows(trace, rows, chosen, low, high) {
  const all = chosen === null ? rows : [["These passages", chosen, "chosen"], ...rows];
  return all.map(([label, value, kind]) =>
    h(
      "tr",
      { class: kind || null },
      h("th", { scope: "row" }, label),
      has(value)
        ? [
            h("td", { class: "plot" }, dotChart({ low, high, value })),
            h("td", { class: "num" }, fixed(value, 3)),
          ]
        : h("td", { colspan: 2 }, no("not scored")),
    ),
  );
}

function switchboard(trace, stored, drawRows) {
  const n = trace.passages.length;
  if (!n) return null;
  const result = h("p", { class: "result", id: "what-if-value" }),
    compared = h("p", { class: "small soft" });
  const boxes = trace.passages.map((_, index) =>
    h("input", {
      type: "checkbox",
      checked: true,
      onchange: () => read(),
      "data-switch": index,
      "aria-label": `Passage ${letter(index)}, ${nameText(trace, index)}`,
    }),
  );
  const read = () => {
    const mask = boxes.reduce((sum, box, index) => sum + (box.checked ? 2 ** index : 0), 0);
    result.replaceChildren(fixed(stored[mask], 3), h("span", { class: "small soft" }, " nats"));
    compared.textContent = inWords(stored[mask] - stored[stored.length - 1], mask === stored.length - 1);
    drawRows(mask === stored.length - 1 ? null : stored[mask]);
    say(`Stored value ${fixed(stored[mask], 3)} nats. ${compared.textContent}`);
  };
  const choose = (keep) => {
    boxes.forEach((box, index) => {
      box.checked = keep(index);
    });
    read();
  };
  Object.assign(whatIf, { trace, set: choose });
  const view = [
    h("h3", { id: "what-if" }, "What if some passages were not there?"),
    result,
    compared,
    h(
      "ul",
      { class: "switches", "aria-labelledby": "what-if" },
      trace.passages.map((_, index) =>
        h(
          "li",
          {},
          h(
            "label",
            {},
            boxes[index],
            h("span", { class: "badge " + look(index) }, letter(index)),
            h("span", { class: "name" }, nameOf(trace, index)),
          ),
        ),
      ),
    ),
    h(
      "div",
      { class: "buttons" },
      h("button", { type: "button", class: "button", onclick: () => choose(() => true) }, "all"),
      h("button", { type: "button", class: "button", onclick: () => choose(() => false) }, "none"),
    ),
  ];
  result.replaceChildren(fixed(stored[stored.length - 1], 3), h("span", { class: "small soft" }, " nats"));
  compared.textContent = inWords(0, true);
  return view;
}

function inWords(difference, all) {
  if (all) return "All passages are in. Switch some off to read the stored value of what is left.";
  if (Math.abs(difference) < 0.0005) return "As likely as with all passages.";
  const times = Math.exp(Math.abs(difference));
  const factor =
    times < 10
      ? times.toFixed(2)
      : times < 1e6
        ? Math.round(times).toLocaleString("en")
        : times.toExponential(1);
  return `${signed(difference)} nats against all passages: ${factor} times ${difference < 0 ? "less" : "more"} likely.`;
}
