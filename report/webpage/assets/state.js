// What the page shows.
const data = JSON.parse(document.getElementById("data").textContent);
const runs = data.runs.map((about, index) => new Run(about, index));
const inferno = lut(data.colours);
const diverging = lut(data.diverging);

const state = {
  run: 0,
  frame: nearestFrame(runs[0].frames, data.startTime ?? Infinity),
  plane: data.start,
  view: "map",
  unit: "C",
  range: "shared",
  outlines: true,
  isotherms: true,
  compare: "", // what differs in the map subtracted: "", "plane", "frame" or "run"
  other: 0,
  pick: null, // {x, y} in m
  line: null, // {x0, y0, x1, y1} in m
  zoom: 1,
  centre: null, // {x, y} in m, of the zoomed map
};

// The part of the domain that the map shows, in m.
function shownPart() {
  const [lx, ly] = data.size;
  const w = lx / state.zoom, h = ly / state.zoom;
  const { x, y } = state.centre ?? { x: lx / 2, y: ly / 2 };
  const inside = (v, half, length) => Math.max(half, Math.min(length - half, v)) - half;
  return { x: inside(x, w / 2, lx), y: inside(y, h / 2, ly), w, h };
}

function layerOf(plane) {
  return data.layers[data.planeLayer[plane]];
}

function planeTitle(plane) {
  const layer = layerOf(plane);
  const first = data.planeLayer.indexOf(data.planeLayer[plane]);
  const count = data.planeLayer.filter((l) => l === data.planeLayer[plane]).length;
  return count > 1 ? `${layer.name}, plane ${plane - first + 1} of ${count}` : layer.name;
}

// The map subtracted: run, frame and plane.
function comparison() {
  const { run, frame, plane, compare, other } = state;
  switch (compare) {
    case "plane": return { run, frame, plane: other };
    case "frame": return { run, frame: other, plane };
    case "run": return { run: other, frame: Math.min(frame, runs[other].frames.length - 1), plane };
  }
  return null;
}

// The values shown now, in K above nothing: {values, run, kelvin(n), lo, hi, map} or null while they are being unpacked.
function current() {
  const run = runs[state.run];
  const values = run.ready(state.frame, state.plane);
  if (!values) return null;
  const versus = comparison();
  if (!versus) {
    const [lo, hi] = rangeOf(run, state.plane);
    return { run, values, lo, hi, kelvin: (n) => run.kelvin(values[n]), scale: { base: run.base, quantum: run.quantum }, colours: inferno, difference: false };
  }
  const minus = runs[versus.run];
  const theirs = minus.ready(versus.frame, versus.plane);
  if (!theirs) return null;
  const d = new Float32Array(values.length);
  let most = 0;
  for (let n = 0; n < d.length; n++) {
    d[n] = run.kelvin(values[n]) - minus.kelvin(theirs[n]);
    if (Math.abs(d[n]) > most) most = Math.abs(d[n]);
  }
  most = Math.max(most, run.quantum);
  return { run, values: d, lo: -most, hi: most, kelvin: (n) => d[n], scale: { base: 0, quantum: 1 }, colours: diverging, difference: true };
}

// Range of the colours in K: of all layers, or of one, over all times.
function rangeOf(run, plane) {
  let lo = run.lo[plane];
  let hi = run.hi[plane];
  if (state.range === "shared") {
    lo = Math.min(...run.lo);
    hi = Math.max(...run.hi);
  }
  if (hi - lo < 1) [lo, hi] = [lo - 25, hi + 25];
  return [run.kelvin(lo), run.kelvin(hi)];
}

async function load() {
  const versus = comparison();
  await runs[state.run].get(state.frame, state.plane);
  if (versus) await runs[versus.run].get(versus.frame, versus.plane);
}

// The block of a layer at a place, or "".
function blockAt(layer, x, y) {
  for (const b of layer.blocks) {
    for (const [bx, by, bw, bh] of b.rects) if (x >= bx && x < bx + bw && y >= by && y < by + bh) return b.name;
  }
  return "";
}

// The frame nearest in time, the last of equals.
function nearestFrame(frames, time) {
  const off = frames.map((f) => Math.abs(f.time - time));
  return off.lastIndexOf(Math.min(...off));
}
