// The table of a transient at its peak and at its end gets columns of an instant that the reader chooses.
function wireInstants() {
  const given = data.instants, table = document.getElementById("instants");
  if (!given || !table) return;
  const cells = [];
  for (const name of ["max", "mean"]) {
    const head = table.tHead.rows[0].insertCell();
    head.outerHTML = `<th scope="col" class="n" aria-sort="none"><button type="button">${name}, chosen <span class="unit">${unitName()}</span></button></th>`;
  }
  for (const row of table.tBodies[0].rows) {
    const values = given.parts[row.cells[0].textContent.trim()] ?? [];
    for (const column of [0, 1]) {
      const cell = row.insertCell();
      cell.className = "n";
      cells.push([cell, cell.appendChild(document.createElement("span")), values[column] ?? []]);
    }
  }
  const label = document.createElement("label"), slider = document.createElement("input"), when = document.createElement("output");
  Object.assign(slider, { type: "range", id: "instant", min: 0, max: given.times.length - 1, value: given.times.length - 1 });
  label.append("Instant ", slider, " ", when);
  table.closest("section").querySelector(".filter").prepend(label, " ");
  const choose = () => {
    const n = Number(slider.value);
    when.textContent = `t = ${timeText(given.times[n])}`;
    for (const [cell, span, values] of cells) {
      const kelvin = values[n] ?? null;
      cell.dataset.v = span.dataset.k = kelvin ?? "";
      span.textContent = kelvin === null ? "-" : fixed(shown(kelvin), 2);
    }
  };
  slider.addEventListener("input", choose);
  choose();
}
