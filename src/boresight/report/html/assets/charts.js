// Small charts on a shared scale. Their numbers always stand beside them as text, so they are hidden from readers.
const at = (value, low, high) =>
  `${(100 * (Math.min(Math.max(value, low), high) - low)) / (high - low || 1)}%`;

function rangeOf(values) {
  const known = values.filter(has);
  const low = Math.min(0, ...known),
    high = Math.max(0, ...known);
  return low === high ? [0, 1] : [low, high];
}

function dotChart({ low, high, value, from, to, chance }) {
  const x = (one) => at(one, low, high);
  return s(
    "svg",
    { class: "chart", "aria-hidden": "true" },
    s("line", { class: "axis", x1: "0%", x2: "100%", y1: 12, y2: 12 }),
    low < 0 && high > 0 ? s("line", { class: "zero", x1: x(0), x2: x(0), y1: 7, y2: 17 }) : null,
    has(chance) ? s("line", { class: "chance", x1: x(chance), x2: x(chance), y1: 2, y2: 22 }) : null,
    has(from) && has(to) ? s("line", { class: "interval", x1: x(from), x2: x(to), y1: 12, y2: 12 }) : null,
    has(value) ? s("circle", { class: "dot", cx: x(value), cy: 12, r: 4.5 }) : null,
  );
}

function attributionChart({ low, high, value, from, to, numeric, placebo, kind }) {
  const x = (one) => at(one, low, high);
  const band = (half, name) =>
    has(half) && half > 0
      ? [
          s("rect", {
            class: name,
            x: x(-half),
            y: 0,
            width: `${parseFloat(x(half)) - parseFloat(x(-half))}%`,
            height: 20,
          }),
          s("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: 20 }),
        ]
      : null;
  const left = Math.min(0, value ?? 0),
    right = Math.max(0, value ?? 0);
  return s(
    "svg",
    { class: "chart bar-chart " + (kind || ""), "aria-hidden": "true" },
    band(placebo, "band"),
    band(numeric, "band2"),
    s("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: 20 }),
    has(value)
      ? s("rect", {
          class: value < 0 ? "bar neg" : "bar",
          x: x(left),
          y: 5,
          height: 10,
          width: `${parseFloat(x(right)) - parseFloat(x(left))}%`,
        })
      : null,
    has(from) && has(to)
      ? [
          s("line", { class: "interval", x1: x(from), x2: x(to), y1: 10, y2: 10 }),
          s("line", { class: "interval", x1: x(from), x2: x(from), y1: 6, y2: 14 }),
          s("line", { class: "interval", x1: x(to), x2: x(to), y1: 6, y2: 14 }),
        ]
      : null,
  );
}

const ends = (low, high) =>
  h("div", { class: "ends", "aria-hidden": "true" }, h("span", {}, shown(low)), h("span", {}, shown(high)));

function chartKey(withChance) {
  const sample = (parts) => s("svg", { viewBox: "0 0 36 14", "aria-hidden": "true", class: "chart" }, parts);
  return h(
    "p",
    { class: "key" },
    h(
      "span",
      {},
      sample([
        s("line", { class: "interval", x1: 4, x2: 32, y1: 7, y2: 7 }),
        s("circle", { class: "dot", cx: 18, cy: 7, r: 4 }),
      ]),
      "mean over traces with its 95 % interval",
    ),
    withChance
      ? h(
          "span",
          {},
          sample([s("line", { class: "chance", x1: 18, x2: 18, y1: 0, y2: 14 })]),
          "chance: what two unrelated rankings would give",
        )
      : null,
  );
}
