// Tables: sorted by a click on a heading, filtered by words, temperatures in the unit of the page.
function wireTables(show) {
  for (const table of document.querySelectorAll("table")) {
    table.querySelectorAll("th button").forEach((button, column) => button.addEventListener("click", () => sortBy(table, column)));
    table.addEventListener("click", (e) => {
      const button = e.target.closest("button[data-plane]");
      if (button) show(Number(button.dataset.plane), Number(button.dataset.x), Number(button.dataset.y));
    });
  }
  for (const input of document.querySelectorAll("[data-filter]")) {
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/);
      for (const row of document.getElementById(input.dataset.filter).tBodies[0].rows) {
        const content = row.textContent.toLowerCase();
        row.hidden = !words.every((w) => content.includes(w));
      }
    });
  }
}

function sortBy(table, column) {
  const headings = table.querySelectorAll("th");
  const numeric = headings[column].classList.contains("n");
  const was = headings[column].getAttribute("aria-sort");
  const down = was === "none" ? numeric : was === "ascending"; // numbers: largest first
  const value = (row) => {
    const cell = row.cells[column];
    return numeric ? Number(cell.dataset.v || "-Infinity") : cell.textContent.trim();
  };
  const rows = [...table.tBodies[0].rows];
  const order = (a, b) => (numeric ? value(a) - value(b) : value(a).localeCompare(value(b), "en", { numeric: true }));
  rows.sort((a, b) => (down ? order(b, a) : order(a, b)));
  table.tBodies[0].append(...rows);
  headings.forEach((h, n) => h.setAttribute("aria-sort", n === column ? (down ? "descending" : "ascending") : "none"));
}

// Writes all temperatures of the text in the chosen unit.
function retell() {
  for (const span of document.querySelectorAll("[data-k]")) {
    const decimals = (span.textContent.split(".")[1] ?? "").length;
    const kelvin = Number(span.dataset.k);
    if (span.dataset.k !== "") span.textContent = fixed(shown(kelvin), decimals);
  }
  for (const span of document.querySelectorAll(".unit")) span.textContent = unitName();
  for (const span of document.querySelectorAll(".unit-after")) span.textContent = ` ${unitName()}`;
}
