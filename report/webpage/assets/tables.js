// Tables: sorted by a click on a heading, filtered by words, temperatures in the unit of the page.
function wireTables(show) {
  for (const table of document.querySelectorAll("table")) {
    table.querySelectorAll("th button").forEach((button, column) => button.addEventListener("click", () => sortBy(table, column)));
    table.addEventListener("click", (e) => {
      const button = e.target.closest("button[data-plane]");
      if (button) show(Number(button.dataset.plane), Number(button.dataset.x), Number(button.dataset.y));
    });
  }
  wireTiers();
  for (const button of document.querySelectorAll("[data-csv]")) {
    button.hidden = false;
    button.addEventListener("click", () => saveCSV(document.getElementById(button.dataset.csv)));
  }
  for (const input of document.querySelectorAll("[data-filter]")) {
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/);
      for (const row of document.getElementById(input.dataset.filter).tBodies[0].rows) {
        const content = row.textContent.toLowerCase();
        row.hidden = !words.every((w) => content.includes(w)) || (input.value === "" && isFolded(row));
      }
    });
  }
}

// Tiers of a memory stack are folded under one of them, which has a button that shows them.
function wireTiers() {
  for (const row of document.querySelectorAll("tr[data-tiers]")) {
    const button = document.createElement("button");
    button.className = "tiers";
    button.textContent = `+${row.dataset.more} tiers`;
    row.cells[0].append(" ", button);
    const fold = (folded) => {
      button.setAttribute("aria-expanded", String(!folded));
      for (const tier of tiersOf(row)) tier.hidden = folded;
    };
    button.addEventListener("click", () => fold(button.getAttribute("aria-expanded") === "true"));
    fold(true);
  }
}

function tiersOf(row) {
  return [...row.parentElement.rows].filter((r) => r.dataset.tier === row.dataset.tiers);
}

function isFolded(row) {
  if (!row.dataset.tier) return false;
  const first = [...row.parentElement.rows].find((r) => r.dataset.tiers === row.dataset.tier);
  return first?.querySelector(".tiers").getAttribute("aria-expanded") === "false";
}

// A table as comma-separated values (RFC 4180): its rows as they are sorted and filtered, numbers as exact as the page has them.
function csvOf(table) {
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const temperature = [...table.querySelectorAll("th")].map((h) => h.querySelector(".unit") !== null);
  const head = [...table.querySelectorAll("th")].map((h) => h.textContent.trim());
  const value = (cell, n) => {
    if (cell.dataset.v === undefined) return (cell.querySelector("[data-plane]") ?? cell).textContent.trim();
    const v = Number(cell.dataset.v);
    if (cell.dataset.v === "" || !Number.isFinite(v)) return "";
    return temperature[n] ? String(Number(shown(v).toFixed(9))) : cell.dataset.v;
  };
  const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden || isFolded(row)).map((row) => [...row.cells].map(value));
  return [head, ...rows].map((row) => `${row.map(quoted).join(",")}\r\n`).join("");
}

function saveCSV(table) {
  const blob = new Blob([csvOf(table)], { type: "text/csv" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${table.id.replace("-table", "")}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
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
