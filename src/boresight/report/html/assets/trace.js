// One trace: the question, what the answer rests on, and every passage with its numbers.
function traceView(trace) {
  document.title = `${visible(trace.id)} \u00b7 Boresight report`;
  const scene = { trace, pinned: null, marks: [] }; // what is pointed at, shared by the answer and the rows
  return [
    steps(trace),
    h("h1", {}, questionOf(trace)),
    traceFacts(trace),
    historyOf(trace),
    findingsOf(trace),
    answerSection(scene),
    streamsSection(trace),
    passagesSection(scene),
    saliencySection(trace),
    askedSection(trace),
    movesSection(trace),
    traceFunnel(trace),
    h("div", { class: "pair" }, pairsSection(trace), setsSection(trace)),
    spansSection(trace),
    traceMeasures(trace),
  ];
}

function steps(trace) {
  const link = (index, words) =>
    D.traces[index]
      ? h("a", { class: "button", href: traceLink(index) }, words)
      : h("button", { class: "button", disabled: true, type: "button" }, words);
  return h(
    "nav",
    { class: "steps", "aria-label": "Traces" },
    h("a", { class: "button", href: "#traces" }, "All traces"),
    h("span", { class: "soft" }, `trace ${trace.index + 1} of ${D.traces.length}`),
    h("span", { class: "gap" }),
    link(trace.index - 1, "Previous"),
    link(trace.index + 1, "Next"),
  );
}

function traceFacts(trace) {
  const kinds = {
    generated: "answer generated here by the audited model",
    recorded: "answer recorded from another system: the numbers show how this model supports it",
  };
  const state = trace.failed
    ? h("span", { class: "bad" }, "failed: ", text(trace.reason || "no reason was stored"))
    : h(
        "span",
        {},
        STATUS[trace.status] || trace.status,
        trace.reason && trace.status !== "score" ? [": ", text(trace.reason)] : null,
      );
  return h(
    "p",
    { class: "facts" },
    h("span", {}, "id ", h("b", {}, text(trace.id))),
    state,
    trace.status === "score"
      ? h("span", {}, "attributions ", h("b", {}, METHOD[trace.method] || `sampled (${trace.method})`))
      : null,
    hasAttributions(trace) ? restsMost(trace) : null,
    trace.kind ? h("span", {}, kinds[trace.kind] || trace.kind) : null,
    trace.left_out > 0
      ? h(
          "span",
          {},
          plural(trace.left_out, "more passage was", "more passages were"),
          " retrieved and did not reach the prompt",
        )
      : null,
    trace.meta.map(([key, value]) =>
      h("span", {}, text(key), " ", h("b", {}, value === null ? no("null") : text(value))),
    ),
  );
}

function restsMost(trace) {
  const index = topPassage(trace);
  if (index === null) return h("span", {}, "rests most on ", no(whyNoTop(trace)));
  const passage = trace.passages[index];
  return h(
    "span",
    {},
    "rests most on ",
    passageBadge(trace, index),
    " ",
    h("b", {}, nameOf(trace, index)),
    `, ${percent(passage.share)}, `,
    labelOf(passage),
  );
}

function historyOf(trace) {
  if (!trace.history.length) return null;
  return h(
    "details",
    {},
    h("summary", {}, `Conversation before the question, ${plural(trace.history.length, "turn")}`),
    h(
      "dl",
      { class: "facts-table" },
      trace.history.map(([role, content]) => [
        h("dt", {}, text(role)),
        h("dd", {}, content === "" ? no("empty") : text(content, "block")),
      ]),
    ),
  );
}

const FIRST_FINDINGS = 5;
function findingsOf(trace) {
  const all = trace.findings,
    items = all.map((one) => findingItem(one, trace));
  if (D.missing.includes("findings.jsonl")) return section("Findings", null, no(NOT_COMPUTED));
  if (!all.length) return section("Findings", null, soft(
        "None of the checks found anything beyond the floors. They do not look at the labels or the reference answers.",
      ));
  return section(
    "Findings",
    null,
    h("ul", { class: "findings" }, items.slice(0, FIRST_FINDINGS)),
    items.length > FIRST_FINDINGS
      ? h(
          "details",
          {},
          h("summary", {}, `${items.length - FIRST_FINDINGS} more`),
          h("ul", { class: "findings" }, items.slice(FIRST_FINDINGS)),
        )
      : null,
  );
}

function findingItem(finding, trace) {
  const [label, explained] = findingWords(finding.kind);
  const gain = ["context_helps", "context_hurts"].includes(finding.kind); // a gain has no chance level
  const known = Object.entries(finding.evidence || {}).filter(([name]) => !(gain && name === "chance"));
  const evidence = known.map(([name, one]) =>
    h(
      "span",
      {},
      evidenceName(name),
      " ",
      h("b", {}, has(one.value) ? shown(one.value) : "none"),
      between(one.low, one.high) ? ` (${between(one.low, one.high)})` : null,
    ),
  );
  const remedy = D.words.remedies[finding.remedy] ?? finding.remedy;
  return h(
    "li",
    { class: remedy ? null : "calm" },
    h(
      "div",
      {},
      h("b", {}, label),
      " ",
      trace ? finding.passages.map((index) => [passageBadge(trace, index), " "]) : null,
      finding.sentence ? text(finding.sentence) : soft(explained),
    ),
    h("div", { class: "evidence" }, evidence, remedy ? h("span", {}, "remedy: ", h("b", {}, remedy)) : null),
  );
}

function evidenceName(name) {
  // "attribution[ID]": the id is not ours to respell
  const cut = name.indexOf("[");
  const key = cut < 0 ? name : name.slice(0, cut);
  const measure = MEASURES.find((one) => one.name === key);
  const words = D.words.evidence[key] || (measure ? measureTitle(measure) : key.replaceAll("_", " "));
  return cut < 0 ? visible(words) : [visible(words), " of ", text(name.slice(cut + 1, -1))];
}

const passageBadge = (trace, index) =>
  h("span", { class: "badge " + look(index), title: nameText(trace, index) }, letter(index));

function passagesSection(scene) {
  const { trace } = scene,
    order = byGenerator(trace);
  if (!order.length) return section("Passages", null, no("none"), " ", soft("no passage reached the prompt"));
  const bands = [2 * (trace.floor || 0), placeboFloor() || 0].flatMap((half) => [-half, half]);
  const [low, high] = rangeOf([...trace.passages.flatMap((one) => [one.attr, one.low, one.high]), ...bands]);
  const rows = order.map((index) => passageRow(scene, index, low, high));
  const columns = [
    { title: "Retriever \u2192 generator", kind: "slope" },
    { title: "Passage", kind: "what" },
    { title: ["Attribution, ", UNIT, ends(low, high)], label: `Attribution, ${UNIT}`, kind: "attr" },
    { title: "Share", kind: "num" },
    { title: "Gain over closed book, alone", kind: "num" },
    { title: "Loss if removed", kind: "num" },
    { title: "Harm", kind: "num" },
    { title: "Label" },
  ];
  const wrap = h(
    "div",
    { class: "rows" },
    table("Passages, those that the answer rests on most first", columns, rows, "stack passages"),
  );
  watchSlopes(wrap, trace, order);
  return section(
    "Passages",
    "Ordered by what the answer rests on. Ranks and positions count from 0; point at a letter to see its tokens.",
    wrap,
    columnHelp(trace),
  );
}

function columnHelp(trace) {
  const placebo = placeboFloor();
  return h(
    "details",
    { class: "small" },
    h("summary", {}, "What the columns and the grey bands mean"),
    h(
      "dl",
      { class: "facts-table" },
      [
        [
          "Attribution",
          `Shapley share of the answer's value in ${UNIT}: what the passage adds, averaged over all orders of adding passages; over the passages it sums to the gain over an empty context. Filled bars help, hollow bars harm. The thin line is the 95 % interval of a sampled value; exact values have none.`,
        ],
        [
          "Numeric floor",
          has(trace.floor)
            ? `The dark band, ${shown(2 * trace.floor)} on either side of 0 (twice ${shown(trace.floor)}): what rounding alone can do in this trace. Often too narrow to see.`
            : "not measured",
        ],
        [
          "Placebo floor",
          placebo > 0
            ? `The light band, ${shown(placebo)} on either side of 0: what an unrelated passage of another trace does to an answer in this run (95th percentile). Here: ${placeboWords()}.`
            : placeboWords(),
        ],
        ["Share", "Positive attribution as a share of all positive attributions; grey where the attribution is within a floor."],
        ["Gain over closed book, alone", "Value with this passage alone, minus closed book, in nats."],
        ["Loss if removed", "Value with all passages, minus the value without this one."],
        ["Harm", "How much the passage takes away from the answer: the negative part of the attribution."],
      ].map(([name, words]) => [h("dt", {}, name), h("dd", {}, words)]),
    ),
  );
}

function passageRow(scene, index, low, high) {
  const { trace } = scene,
    passage = trace.passages[index],
    rank = generatorRank(trace, passage);
  const cell = (value, absent) => h("td", { class: "num" }, has(value) ? shown(value) : no(absent));
  const row = h(
    "tr",
    {
      class: look(index),
      "data-passage": index,
      onmouseenter: () => point(scene, index),
      onmouseleave: () => point(scene, null),
    },
    h("td", { class: "slope" }, h("span", { class: "sr" }, ranksText(passage, rank))),
    h(
      "th",
      { scope: "row", class: "what" },
      passageButton(scene, index),
      h("span", { class: "name" }, nameOf(trace, index)),
      h(
        "small",
        {},
        nameParts(trace, index)[0] === passage.id ? null : [text(passage.id), " \u00b7 "],
        `position ${index} \u00b7 ${ranksText(passage, rank)}`,
      ),
      passageText(passage),
    ),
    attributionCell(trace, passage, low, high),
    beyond(passage) || !has(passage.share)
      ? cell(passage.share, "undefined")
      : h("td", { class: "num soft", title: "within the floor" }, shown(passage.share)),
    cell(passage.gain, "not stored"),
    cell(passage.loo, "not stored"),
    cell(passage.harm, "undefined"),
    h("td", {}, labelOf(passage)),
  );
  return row;
}

const ranksText = (passage, rank) =>
  `retriever ${has(passage.rank) ? `rank ${passage.rank}` : "did not rank it"}` +
  `${has(passage.score) ? `, score ${shown(passage.score)}` : ""} \u2192 ${rank ? `generator rank ${rankText(rank)}` : "no generator rank"}`;

function attributionCell(trace, passage, low, high) {
  if (!has(passage.attr))
    return h(
      "td",
      { class: "attr" },
      no(trace.failed ? "failed" : "undefined"),
      " ",
      soft(whyNoAttribution(trace)),
    );
  const placebo = placeboFloor(),
    floors = [];
  if (passage.num === false) floors.push("within the numeric floor");
  else if (passage.pla === false) floors.push("within the placebo floor");
  return h(
    "td",
    { class: "attr" },
    h(
      "div",
      { class: "line1" },
      h("b", {}, signed(passage.attr)),
      h(
        "span",
        { class: "soft small" },
        between(passage.low, passage.high) || (trace.method === "exact" ? "exact" : "no interval"),
      ),
    ),
    attributionChart({
      low,
      high,
      value: passage.attr,
      from: passage.low,
      to: passage.high,
      numeric: has(trace.floor) ? 2 * trace.floor : null,
      placebo,
    }),
    floors.length ? h("span", { class: "small no" }, floors[0]) : null,
  );
}

function whyNoAttribution(trace) {
  if (trace.reason) return text(trace.reason);
  const found = MEASURES.map((_, index) => measureOf(trace, index)).find((one) => one.reason);
  return found ? text(found.reason) : "";
}

const LONG = 150;
function passageText(passage) {
  if (D.redacted) return null;
  if (passage.text === "") return h("div", { class: "text" }, no("empty"));
  const long = passage.text.length > LONG;
  const body = h("div", { class: "text" + (long ? " long" : "") }, text(passage.text, "block"));
  if (!long) return body;
  const button = h(
    "button",
    {
      type: "button",
      class: "fold",
      "aria-expanded": "false",
      onclick: () => {
        const open = body.classList.toggle("open");
        if (open) body.setAttribute("tabindex", "0");
        else body.removeAttribute("tabindex");
        button.setAttribute("aria-expanded", String(open));
        button.textContent = open
          ? "fold"
          : `show all ${passage.text.length.toLocaleString("en")} characters`;
      },
    },
    `show all ${passage.text.length.toLocaleString("en")} characters`,
  );
  return [body, button];
}

function watchSlopes(wrap, trace, order) {
  const draw = () => {
    wrap.querySelector("svg.slopes")?.remove();
    wrap.append(slopes(wrap, trace, order));
  };
  new ResizeObserver(draw).observe(wrap);
}

function slopes(wrap, trace, order) {
  const top = wrap.getBoundingClientRect().top,
    left = 22,
    right = 84;
  const heights = [...wrap.querySelectorAll("tbody tr")].map((row) => {
    const box = row.querySelector(".badge").getBoundingClientRect();
    return box.top + box.height / 2 - top;
  });
  const slots = byRetriever(trace);
  return s(
    "svg",
    { class: "slopes", "aria-hidden": "true", width: 100, height: wrap.clientHeight },
    order.map((index, place) => {
      const slot = slots.indexOf(index),
        y = heights[place],
        passage = trace.passages[index],
        rank = generatorRank(trace, passage);
      return s(
        "g",
        { class: look(index), "data-slope": index },
        slot >= 0
          ? [
              s("text", { x: 2, y: heights[slot] + 4 }, passage.rank),
              rank ? s("line", { x1: left, y1: heights[slot], x2: right, y2: y }) : null,
              s("circle", { cx: left, cy: heights[slot], r: 3.5 }),
            ]
          : null,
        rank
          ? [
              s("circle", { cx: right, cy: y, r: 3.5 }),
              s("text", { x: right + 7, y: y + 4 }, rank.ties ? rank.rank + "=" : rank.rank),
            ]
          : null,
      );
    }),
  );
}

function spansSection(trace) {
  if (!trace.spans.length) return null;
  const rows = trace.spans.map((span) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, text(span.phrase)),
      span.attr.map((value) => h("td", { class: "num" }, number(value, "undefined"))),
    ),
  );
  return section(
    "Phrases of the answer",
    `Attribution of chosen phrases, in ${UNIT}.`,
    table(
      "Phrases",
      [
        { title: "Phrase" },
        ...trace.passages.map((_, index) => ({ title: passageBadge(trace, index), kind: "num" })),
      ],
      rows,
    ),
  );
}

function traceMeasures(trace) {
  const rows = MEASURES.map((measure, index) => {
    const found = measureOf(trace, index);
    return found.state === "absent"
      ? null
      : h(
          "tr",
          {},
          h("th", { scope: "row" }, measureTitle(measure)),
          found.state === "defined"
            ? h(
                "td",
                { class: "num" },
                shown(found.value),
                between(found.low, found.high) ? h("small", {}, between(found.low, found.high)) : null,
              )
            : h("td", {}, no(found.state), h("small", {}, visible(found.reason))),
          h("td", { class: "num" }, has(found.chance) ? shown(found.chance) : "\u2013"),
          h("td", {}, measure.unit),
        );
  });
  return section(
    "Measures of this trace",
    null,
    rows.length
      ? h(
          "details",
          {},
          h("summary", {}, `All ${rows.length}`),
          table(
            "Measures of this trace",
            [
              { title: "Measure" },
              { title: "Value", kind: "num" },
              { title: "Chance", kind: "num" },
              { title: "Unit" },
            ],
            rows,
          ),
        )
      : no(NOT_COMPUTED),
  );
}
