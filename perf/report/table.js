// Tables that sort: a header is a button; numbers sort as numbers, missing values stay last.
function sortableTable(table) {
  const body = table.tBodies[0];
  const headers = [...table.tHead.rows[0].cells];
  const original = [...body.rows];

  function key(row, column) {
    const cell = row.cells[column];
    const number = cell.dataset.value;
    if (number === undefined) return cell.textContent.trim();
    return number === "" ? null : Number(number);
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), undefined, {numeric: true});
  }

  function sort(column, direction) {
    const rows = original.map((row) => ({row, key: key(row, column)}));
    if (direction !== 0) {
      rows.sort((a, b) => {
        if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
        return direction * compare(a.key, b.key);
      });
    }
    body.append(...rows.map((entry) => entry.row));
  }

  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.title = "Sort by this column; a third time restores the order";
    header.append(button);
    button.addEventListener("click", () => {
      const next = {none: "ascending", ascending: "descending", descending: "none"};
      const order = next[header.getAttribute("aria-sort") || "none"];
      headers.forEach((other) => other.removeAttribute("aria-sort"));
      if (order !== "none") header.setAttribute("aria-sort", order);
      sort(column, {none: 0, ascending: 1, descending: -1}[order]);
    });
  });
}
