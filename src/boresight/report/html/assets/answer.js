// The answer, token by token: coloured by the passage it rests on, or by one passage that is pointed at.
const FAINT = { nats: 50, log_odds: 50, probability: 10 }[D.summary.scale] || 50; // thousandths; smaller ones stay plain

function answerSection(scene) {
  const { trace } = scene;
  const left = h("div", { class: "panel" }, answerPanel(scene));
  left.append(...[referencesOf(trace), unaidedOf(trace)].filter(Boolean));
  return section(
    "Answer",
    null,
    h("div", { class: "two" }, left, h("div", { class: "panel" }, valuesPanel(trace))),
  );
}

// What the model says to the plain question; generated for comparison, no number rests on it.
function unaidedOf(trace) {
  if (!trace.unaided) return null;
  const [said, finished] = trace.unaided;
  return h(
    "p",
    { class: "small reference" },
    soft("Without any passage the model answers: "),
    said === "" ? no("nothing") : text(said),
    finished ? null : soft(" (cut at the token limit)"),
  );
}

function referencesOf(trace) {
  if (!trace.references.length) return null;
  return h(
    "p",
    { class: "small reference" },
    soft("Reference answer: "),
    trace.references.map((one, index) => [index ? "; " : "", one === "" ? no("empty") : text(one)]),
  );
}

function answerPanel(scene) {
  const { trace } = scene;
  if (!trace.pieces) return no("no answer");
  if (!trace.pieces.length) return no("the answer is empty");
  if (!trace.tokens)
    return [
      D.redacted ? no("text withheld") : h("div", { class: "answer" }, text(answerText(trace))),
      h("p", { class: "small" }, no("tokens not attributed"), " ", soft(whyNoAttribution(trace))),
    ];
  const split = h("div", { class: "split" });
  scene.split = split;
  scene.loudest = Math.max(
    FAINT,
    ...trace.tokens.map((row) => row.reduce((most, one) => Math.max(most, Math.abs(one)), 0)),
  );
  const box = h("div", {
    class: "tokens",
    role: "listbox",
    "aria-label": "Tokens of the answer; arrow keys move from token to token",
    "aria-orientation": "horizontal",
    dir: "auto",
    onkeydown: (event) => walk(scene, event),
  });
  scene.tokens = trace.pieces.map((piece, token) => tokenNode(scene, token, piece));
  scene.tokens[0].setAttribute("tabindex", "0");
  box.append(...scene.tokens);
  scene.layer = h("div", { "aria-hidden": "true" });
  scene.frame = h("div", { class: "answer" }, box, scene.layer);
  paint(scene, null);
  showSplit(scene, null);
  new ResizeObserver(() => placeMarks(scene)).observe(box);
  return [legend(scene), scene.frame, split];
}

const heaviest = (trace, token) =>
  trace.tokens.reduce((best, row, index) => (row[token] > trace.tokens[best][token] ? index : best), 0);
const restsOn = (trace, token) => {
  const best = heaviest(trace, token);
  return trace.tokens[best][token] >= FAINT ? best : null;
};

// The passages whose letters a token bears: the heaviest, and the next one where that adds nearly as much.
const ALIKE = 0.9;
function bearers(trace, token) {
  const best = restsOn(trace, token);
  if (best === null) return [];
  const next = trace.tokens.reduce(
    (second, row, index) =>
      index !== best && (second === null || row[token] > trace.tokens[second][token]) ? index : second,
    null,
  );
  if (next === null) return [best];
  const [most, near] = [trace.tokens[best][token], trace.tokens[next][token]];
  return near >= FAINT && near >= ALIKE * most ? [best, next] : [best];
}

function tokenNode(scene, token, piece) {
  return h(
    "span",
    {
      class: "token",
      role: "option",
      tabindex: "-1",
      "aria-selected": "false",
      "aria-label": blankToken(piece),
      onmouseenter: () => pick(scene, token),
      onmouseleave: () => pick(scene, scene.held ?? null),
      onfocus: () => {
        scene.held = token;
        pick(scene, token);
      },
      onblur: () => {
        scene.held = null;
        pick(scene, null);
      },
    },
    D.redacted ? `t${token} ` : visible(piece),
  );
}

const blankToken = (piece) =>
  D.redacted || piece.trim() ? null : piece === "" ? "part of a character" : "blank";

function legend(scene) {
  const { trace } = scene;
  const tops = [...new Set(trace.pieces.flatMap((_, token) => bearers(trace, token)))].sort((a, b) => a - b);
  const listed = tops.length ? tops : byGenerator(trace).slice(0, 4);
  return h(
    "ul",
    { class: "legend", "aria-label": "Passages that the answer rests on" },
    listed.map((index) =>
      h(
        "li",
        {
          class: look(index),
          onmouseenter: () => point(scene, index),
          onmouseleave: () => point(scene, null),
        },
        passageButton(scene, index),
        h("span", { class: "token", "aria-hidden": "true", vars: { "--a": "30" } }, "abc"),
        h("span", { class: "name" }, nameOf(trace, index)),
      ),
    ),
    h(
      "li",
      { class: "soft" },
      `unmarked: no passage adds as much as ${shown(FAINT / 1000)} ${UNIT}; two letters: they add alike, within ${Math.round(100 * (1 - ALIKE))} %; hollow line, while one passage is shown: it takes away`,
    ),
  );
}

function passageButton(scene, index) {
  const { trace } = scene;
  return h(
    "button",
    {
      type: "button",
      class: "badge " + look(index),
      "aria-pressed": "false",
      "data-pin": index,
      "aria-label": `Passage ${letter(index)}, ${visible(trace.passages[index].id)}: show its tokens`,
      onfocus: () => point(scene, index),
      onblur: () => point(scene, null),
      onclick: () => pin(scene, index),
    },
    letter(index),
  );
}

// Pointing shows a passage's tokens while it lasts; pressing its letter keeps them.
function pin(scene, index) {
  scene.pinned = scene.pinned === index ? null : index;
  for (const button of document.querySelectorAll("[data-pin]"))
    button.setAttribute("aria-pressed", String(Number(button.dataset.pin) === scene.pinned));
  point(scene, scene.pinned);
  say(scene.pinned === null ? "All passages" : tokensInWords(scene.trace, index));
}

function tokensInWords(trace, index) {
  if (!trace.tokens) return "Tokens were not attributed";
  const own = trace.pieces
    .map((piece, token) => [piece, trace.tokens[index][token]])
    .filter(([, value]) => value >= FAINT);
  return (
    `Passage ${letter(index)} adds to ${plural(own.length, "token")}` +
    (D.redacted
      ? ""
      : ": " +
        own
          .slice(0, 12)
          .map(([piece]) => visible(piece).trim())
          .join(", "))
  );
}

function point(scene, index) {
  const chosen = index ?? scene.pinned;
  for (const row of document.querySelectorAll("tr[data-passage]"))
    row.classList.toggle("on", Number(row.dataset.passage) === chosen);
  for (const slope of document.querySelectorAll("[data-slope]"))
    slope.classList.toggle("off", chosen !== null && Number(slope.dataset.slope) !== chosen);
  if (scene.tokens) paint(scene, chosen);
}

function paint(scene, only) {
  const { trace } = scene;
  let before = null;
  scene.marks = [];
  scene.tokens.forEach((node, token) => {
    const index = only ?? restsOn(trace, token);
    const value = index === null ? 0 : trace.tokens[index][token];
    const kind = index === null || Math.abs(value) < FAINT ? "plain" : value < 0 ? "less" : "";
    node.className = [
      "token",
      kind,
      index === null ? "" : look(index),
      trace.pieces[token] === "" ? "none" : "",
    ]
      .filter(Boolean)
      .join(" ");
    node.style.setProperty("--a", String(Math.round(8 + (30 * Math.abs(value)) / scene.loudest)));
    const bearing = only === null ? bearers(trace, token) : [index];
    const mark = kind === "" ? bearing.map(letter).join("/") : null;
    if (mark !== null && mark !== before) scene.marks.push([node, mark]);
    before = mark;
  });
  placeMarks(scene);
}

// Letters float over the text instead of standing in it: there they would part the digits of a number in
// right-to-left text, which then read in the wrong order.
function placeMarks(scene) {
  const frame = scene.frame.getBoundingClientRect(),
    down = scene.frame.scrollTop;
  scene.layer.replaceChildren(
    ...scene.marks.map(([node, mark]) => {
      const box = node.getClientRects()[0] || frame,
        rightToLeft = getComputedStyle(node).direction === "rtl";
      const left = rightToLeft ? box.right - 8 * mark.length : box.left;
      return h(
        "span",
        {
          class: "over",
          vars: { left: `${left - frame.left}px`, top: `${box.top - frame.top + down - 9}px` },
        },
        mark,
      );
    }),
  );
}

function pick(scene, token) {
  for (const [index, on] of [
    [scene.on ?? null, false],
    [token, true],
  ]) {
    if (index === null) continue;
    scene.tokens[index].classList.toggle("on", on);
    scene.tokens[index].setAttribute("aria-selected", String(on));
  }
  scene.on = token;
  showSplit(scene, token);
}

function walk(scene, event) {
  const here = scene.tokens.indexOf(document.activeElement),
    last = scene.tokens.length - 1;
  const forward = getComputedStyle(event.currentTarget).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
  const to = {
    [forward]: here + 1,
    [forward === "ArrowRight" ? "ArrowLeft" : "ArrowRight"]: here - 1,
    ArrowDown: here + 1,
    ArrowUp: here - 1,
    Home: 0,
    End: last,
  }[event.key];
  if (to === undefined || here < 0) return;
  event.preventDefault();
  const next = Math.min(Math.max(to, 0), last);
  scene.tokens[here].setAttribute("tabindex", "-1");
  scene.tokens[next].setAttribute("tabindex", "0");
  scene.tokens[next].focus();
}

const MOST_IN_SPLIT = 8;
function showSplit(scene, token) {
  const { trace, split } = scene;
  if (token === null) {
    split.replaceChildren(
      h(
        "p",
        { class: "small soft" },
        "Point at a token, or move to it with the arrow keys, to see how it splits over the passages.",
      ),
    );
    return;
  }
  const values = trace.tokens.map((row) => row[token] / 1000);
  const order = values
    .map((_, index) => index)
    .sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b);
  const edge = Math.max(...values.map(Math.abs), FAINT / 1000),
    low = Math.min(0, ...values) < 0 ? -edge : 0;
  const rows = order
    .slice(0, MOST_IN_SPLIT)
    .map((index) =>
      h(
        "tr",
        { class: look(index) },
        h("td", {}, h("span", { class: "badge" }, letter(index))),
        h("td", { class: "name" }, nameOf(trace, index)),
        h(
          "td",
          { class: "bar" },
          attributionChart({
            low,
            high: edge,
            value: values[index],
            from: intervalEnd(trace.token_low, index, token),
            to: intervalEnd(trace.token_high, index, token),
          }),
        ),
        h("td", { class: "num" }, signed(values[index])),
      ),
    );
  const piece = D.redacted ? `t${token}` : trace.pieces[token];
  split.replaceChildren(
    h(
      "p",
      { class: "small" },
      "Token ",
      h("b", {}, piece === "" ? no("part of a character") : text(piece)),
      soft(` number ${token}, ${UNIT} by passage`),
    ),
    h(
      "table",
      {},
      h("caption", { class: "sr" }, "Split of the token over the passages"),
      h("tbody", {}, rows),
    ),
    order.length > MOST_IN_SPLIT ? soft(`and ${order.length - MOST_IN_SPLIT} smaller ones`) : "",
  );
  const bearing = bearers(trace, token);
  scene.tokens[token].setAttribute(
    "aria-label",
    `${blankToken(piece) || visible(piece)}, ${bearing.length ? `rests on ${bearing.map((index) => `${letter(index)}, ${signed(values[index])}`).join(" and ")}` : "rests on no passage"}`,
  );
}

const intervalEnd = (rows, index, token) => (rows ? rows[index][token] / 1000 : null);
