// Elements are made here and nowhere else. Texts of a trace only ever become text nodes or labels.
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "vars")
      for (const [key, one] of Object.entries(value)) node.style.setProperty(key, one);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(4)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Control characters and direction overrides are shown by name: in an audit nothing may hide or turn around.
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const code = (character) => "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
const visible = (text) => String(text).replace(HIDDEN, (one) => `[${code(one)}]`);

// A text of a trace, with its own reading direction.
const text = (value, kind) =>
  h("bdi", { class: "t" + (kind ? " " + kind : ""), dir: "auto" }, visible(value));
const no = (words) => h("span", { class: "no" }, words);
const soft = (...children) => h("span", { class: "soft" }, children);

function section(title, help, ...children) {
  const id = "s-" + title.toLowerCase().replace(/[^a-z]+/g, "-");
  return h(
    "section",
    { "aria-labelledby": id },
    h("div", { class: "head" }, h("h2", { id }, title), help ? h("p", {}, help) : null),
    children,
  );
}

// A phone lays rows out as cards: roles keep what is a table a table, and each cell carries its column's name.
function table(caption, columns, rows, kind) {
  const body = h("tbody", { role: "rowgroup" }, rows);
  for (const row of body.rows) label(row, columns);
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      { class: "grid " + (kind || "stack"), role: "table" },
      h("caption", { class: "sr" }, caption),
      h(
        "thead",
        { role: "rowgroup" },
        h(
          "tr",
          { role: "row" },
          columns.map((column) =>
            h(
              "th",
              {
                scope: "col",
                role: "columnheader",
                class: column.kind || null,
                "aria-sort": column.sort || null,
              },
              column.title,
            ),
          ),
        ),
      ),
      body,
    ),
  );
}

function label(row, columns) {
  row.setAttribute("role", "row");
  let place = 0;
  for (const cell of row.cells) {
    const title = (columns[place] || {}).label || (columns[place] || {}).title;
    cell.setAttribute(
      "role",
      cell.tagName === "TH" ? (row.classList.contains("group") ? "columnheader" : "rowheader") : "cell",
    );
    if (typeof title === "string" && cell.tagName === "TD") cell.setAttribute("data-label", title);
    place += cell.colSpan;
  }
}

const MINUS = "\u2212";
function shown(value) {
  const size = Math.abs(value);
  const written =
    Number.isInteger(value) && size < 1e6
      ? String(value)
      : size < 0.0005
        ? value.toExponential(1)
        : size >= 1e6
          ? value.toExponential(2)
          : size >= 100
            ? value.toFixed(1)
            : size >= 10
              ? value.toFixed(2)
              : value.toFixed(3);
  return written.replace("-", MINUS).replace("e-", "e" + MINUS);
}
const fixed = (value, digits) => value.toFixed(digits).replace("-", MINUS);
const has = (value) => value !== null && value !== undefined;
const number = (value, absent) => (has(value) ? shown(value) : no(absent || "none"));
const signed = (value) => (value > 0 ? "+" : "") + shown(value);
const between = (low, high) => (has(low) && has(high) ? `${shown(low)} to ${shown(high)}` : null);
const percent = (value) => (value * 100).toFixed(value > 0 && value < 0.1 ? 1 : 0) + "\u00a0%";
const plural = (count, one, many) => `${count} ${count === 1 ? one : many || one + "s"}`;
const say = (words) => {
  document.getElementById("say").textContent = words;
};
