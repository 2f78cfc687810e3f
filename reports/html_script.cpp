#include "reports/html_pieces.h"

namespace apmt {

// The page's script makes tables sortable, searchable and copyable, and the matrix zoomable.
// Without it the page still shows everything.
std::string_view html_script() {
  return R"js(
"use strict";
(() => {
  const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
  const quoted = text => /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  // A cell of text has its text in its first element; notes may follow.
  const words = cell => (cell.firstElementChild ?? cell).textContent;
  const fields = cell => {
    if (cell.classList.contains("t")) return [quoted(cell.dataset.n ? "" : words(cell))];
    const values = [cell.dataset.v ?? ""];
    if ("h" in cell.dataset || cell.dataset.r) values.push(cell.dataset.h ?? "");
    return values;
  };
  const csv = table => {
    const heads = [...table.tHead.rows[0].cells].filter(head => head.dataset.csv);
    const lines = [heads.map(head => head.dataset.csv).join(",")];
    for (const row of table.tBodies[0].rows) {
      if (row.hidden) continue;
      lines.push([...row.cells].filter(cell => cell.className !== "plot").flatMap(fields).join(","));
    }
    return lines.join("\n") + "\n";
  };
  const copy = async text => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", { value: text });
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      if (!done) throw new Error("the browser refused");
    }
  };
  const sorted = (table, head, column) => {
    const up = head.getAttribute("aria-sort") === "descending"
      || (head.classList.contains("t") && head.getAttribute("aria-sort") !== "ascending");
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const text = head.classList.contains("t");
    const sign = up ? 1 : -1;
    const key = row => {
      const cell = row.cells[column];
      if (text) return words(cell);
      return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
    };
    const body = table.tBodies[0];
    const rows = [...body.rows].map(row => ({ row, key: key(row) }));
    rows.sort((a, b) => {
      if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
      return sign * (text ? a.key.localeCompare(b.key) : a.key - b.key);
    });
    body.append(...rows.map(item => item.row));
  };
  // Zooming: a click doubles the scale around the place of the click; the buttons zoom for users of
  // the keyboard.
  for (const figure of document.querySelectorAll(".matrix")) {
    const picture = figure.querySelector("svg");
    const side = Number(picture.dataset.side);
    let view = { x: 0, y: 0, size: side };
    const said = make("output", { className: "hint" });
    const show = (x, y, size) => {
      size = Math.min(side, Math.max(4, size));
      const inside = at => Math.max(0, Math.min(side - size, at));
      view = { x: inside(x), y: inside(y), size };
      picture.setAttribute("viewBox", [view.x, view.y, size, size].join(" "));
      said.textContent = size < side ? (side / size).toPrecision(2) + " times enlarged" : "";
    };
    const zoom = (factor, x, y) => {
      const size = view.size / factor;
      show(x - (x - view.x) / factor, y - (y - view.y) / factor, size);
    };
    const middle = () => [view.x + view.size / 2, view.y + view.size / 2];
    const tools = make("div", { className: "tools" });
    const button = (text, label, act) => {
      const made = make("button", { type: "button", textContent: text });
      made.setAttribute("aria-label", label);
      made.addEventListener("click", act);
      tools.append(made);
    };
    if (side <= 4) continue;
    button("+", "Enlarge the matrix", () => zoom(2, ...middle()));
    button("\u2212", "Reduce the matrix", () => zoom(0.5, ...middle()));
    for (const [text, dx, dy] of [["\u2190", -1, 0], ["\u2192", 1, 0], ["\u2191", 0, -1], ["\u2193", 0, 1]])
      button(text, "Move the matrix " + { "-10": "left", "10": "right", "0-1": "up", "01": "down" }["" + dx + dy],
        () => show(view.x + dx * view.size / 4, view.y + dy * view.size / 4, view.size));
    button("whole", "The whole matrix", () => show(0, 0, side));
    picture.classList.add("zoomable");
    picture.addEventListener("click", event => {
      const box = picture.getBoundingClientRect();
      zoom(2, view.x + (event.clientX - box.left) / box.width * view.size,
        view.y + (event.clientY - box.top) / box.height * view.size);
    });
    tools.append(said);
    picture.after(tools);
  }
  for (const box of document.querySelectorAll(".table")) {
    const table = box.querySelector("table");
    const rows = table.tBodies[0].rows;
    const bar = box.querySelector(".bar");
    const tools = make("div", { className: "tools" });
    if (rows.length > 8) {
      const label = make("label", { textContent: "Search" });
      const input = make("input", { type: "search" });
      const found = make("output", { className: "hint" });
      const names = [...rows].map(row => ({ row, text: row.textContent.toLowerCase() }));
      input.addEventListener("input", () => {
        const wanted = input.value.trim().toLowerCase();
        let count = 0;
        for (const { row, text } of names) {
          row.hidden = !text.includes(wanted);
          count += row.hidden ? 0 : 1;
        }
        found.textContent = wanted ? count + " of " + names.length : "";
      });
      label.append(input);
      tools.append(label, found);
    }
    const button = make("button", { type: "button", textContent: "Copy as CSV" });
    const said = make("span", { className: "hint" });
    said.setAttribute("role", "status");
    button.setAttribute("aria-label", "Copy as CSV: " + box.dataset.title);
    button.addEventListener("click", async () => {
      try {
        await copy(csv(table));
        said.textContent = "copied";
      } catch (error) {
        said.textContent = "not copied: " + error.message;
      }
      setTimeout(() => { said.textContent = ""; }, 4000);
    });
    tools.append(said, button);
    bar.append(tools);
    if (rows.length < 3) continue;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.dataset.csv || !head.textContent) return;
      const sorter = make("button", { type: "button" });
      sorter.append(...head.childNodes);
      head.append(sorter);
      sorter.addEventListener("click", () => sorted(table, head, column));
    });
  }
})();
)js";
}

}  // namespace apmt
