// Places with measured temperatures: marks on the map of their layer, and dots over the trace of their cell.
function markMeasured(c, px, py, places) {
  for (const m of data.measured ?? []) {
    if (data.planeLayer[m.plane] !== data.planeLayer[state.plane] || state.view === "power") continue;
    const x = px(m.x), y = py(m.y);
    c.fillStyle = "#ffffff";
    c.strokeStyle = "#000000";
    c.lineWidth = 1.5;
    c.fillRect(x - 4, y - 4, 8, 8);
    c.strokeRect(x - 4, y - 4, 8, 8);
    const wide = c.measureText(m.name).width + 6, aside = wide / 2 + 14;
    const around = [[aside, 0], [-aside, 0], [0, -20], [0, 20], [aside, -20], [-aside, 20]].map(([u, v]) => [x + u, y + v]);
    const at = places.first(around, wide, 14) ?? places.first(around, wide, 14, null);
    if (at) label(c, m.name, at[0], at[1], "center");
    places.taken.push([x - 6, y - 6, x + 6, y + 6]);
  }
}

// The values measured in the picked cell of the layer, as [time, value] in the unit of the page.
function measuredHere(run, cell) {
  const here = (data.measured ?? []).filter((m) => m.values && data.planeLayer[m.plane] === data.planeLayer[state.plane] && cellOf(run, m) === cell);
  return here.flatMap((m) => m.values.map(([t, k]) => [t, shown(k)]));
}
