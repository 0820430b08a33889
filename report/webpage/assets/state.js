// What the page shows.
const data = JSON.parse(document.getElementById("data").textContent);
const runs = data.runs.map((about, index) => new Run(about, index));
const colourMaps = Object.fromEntries(data.maps.map(([name, hex]) => [name, lut(hex)]));
const diverging = lut(data.diverging);
const powerColours = lut(data.powerColours);
const powers = data.power.map((p) => ({ ...p, values: null })); // unpacked when first shown

const state = {
  run: 0,
  frame: nearestFrame(runs[0].frames, data.startTime ?? Infinity),
  plane: data.start,
  view: "map", // "map", "power" or "solid"
  unit: document.querySelector("[data-set=unit][aria-pressed=true]").dataset.value, // "C", "K" or "F"
  range: "shared", // "shared", "plane" or "typed"
  typed: null, // [lo, hi] in K
  colours: data.maps[0][0],
  drag: "section", // what dragging does: "section" or "pan"
  shade: hasLimits(), // what is above its limit
  limit: null, // in K, for all; null for the limits of the stack
  outlines: true,
  isotherms: true,
  cells: false, // as they are, without smooth colours
  compare: "", // what differs in the map subtracted: "", "plane", "frame" or "run"
  other: 0,
  pick: null, // {x, y} in m
  line: null, // {x0, y0, x1, y1} in m
  zoom: 1,
  centre: null, // {x, y} in m, of the zoomed map
};

// The zoom and centre that show the powered dies; all of the stack where they take most of it.
function powered() {
  const [x, y, w, h] = data.powered ?? [0, 0, ...data.size];
  const zoom = Math.min(64, data.size[0] / w, data.size[1] / h);
  return zoom < 1.2 ? { zoom: 1, centre: null } : { zoom, centre: { x: x + w / 2, y: y + h / 2 } };
}

// The part of the domain that the map shows, in m.
function shownPart() {
  const [lx, ly] = data.size;
  const w = lx / state.zoom, h = ly / state.zoom;
  const { x, y } = state.centre ?? { x: lx / 2, y: ly / 2 };
  const inside = (v, half, length) => Math.max(half, Math.min(length - half, v)) - half;
  return { x: inside(x, w / 2, lx), y: inside(y, h / 2, ly), w, h };
}

// The colours of temperatures.
function thermal() {
  return colourMaps[state.colours];
}

function layerOf(plane) {
  return data.layers[data.planeLayer[plane]];
}

function planeTitle(plane) {
  const layer = layerOf(plane);
  const first = data.planeLayer.indexOf(data.planeLayer[plane]);
  const count = data.planeLayer.filter((l) => l === data.planeLayer[plane]).length;
  // A porous cavity has a plane for its walls and one for the coolant.
  if (layer.flow && count === 2) return `${plane === first ? "walls" : "coolant"} of ${layer.name}`;
  return count > 1 ? `${layer.name}, plane ${plane - first + 1} of ${count}` : layer.name;
}

// The map subtracted: run, frame and plane.
function comparison() {
  if (state.view === "power") return null;
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
  if (state.view === "power") return powerNow(run);
  const values = run.ready(state.frame, state.plane);
  if (!values) return null;
  const versus = comparison();
  if (!versus) {
    const [lo, hi] = rangeOf(run, state.plane);
    return { run, values, lo, hi, kelvin: (n) => run.kelvin(values[n]), scale: { base: run.base, quantum: run.quantum }, colours: thermal(), difference: false, limits: limitsOf(run, data.planeLayer[state.plane]) };
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
  if (state.range === "typed") return state.typed;
  let lo = run.lo[plane];
  let hi = run.hi[plane];
  if (state.range === "shared") {
    lo = Math.min(...run.lo);
    hi = Math.max(...run.hi);
  }
  if (hi - lo < 1) [lo, hi] = [lo - 25, hi + 25];
  return [run.kelvin(lo), run.kelvin(hi)];
}

// The power density of the layer shown, in W/cm2; zero in a layer without power.
function powerNow(run) {
  const p = powers.find((v) => v.layer === data.planeLayer[state.plane]);
  const most = Math.max(...powers.map((v) => v.hi), 0) || 1;
  const least = Math.min(...powers.map((v) => v.lo), 0);
  const own = state.range === "plane" && p;
  const values = p ? p.values : new Int32Array(run.w * run.h);
  if (!values) return null;
  const quantum = p ? p.quantum : 1;
  return { run, values, lo: own ? Math.min(0, p.lo) : least, hi: own ? p.hi || 1 : most, kelvin: (n) => values[n] * quantum, scale: { base: 0, quantum }, colours: powerColours, difference: false, power: true };
}

// What quantities are written in.
function unitOf(now) {
  return now.power ? "W/cm²" : now.difference ? differenceName() : unitName();
}

function hasLimits() {
  return data.tmax > 0 || data.layers.some((l) => l.tmax > 0 || l.limits);
}

// The limits of all cells of a layer in quanta; null where there are none.
const limitsMade = new Map();
function limitsOf(run, l) {
  const layer = data.layers[l];
  if (!state.shade || (state.limit === null && !data.tmax && !layer.tmax && !layer.limits)) return null;
  const key = [run.index, l, state.limit].join();
  if (limitsMade.has(key)) return limitsMade.get(key);
  if (limitsMade.size > 64) limitsMade.clear();
  const quanta = (kelvin) => (kelvin - run.base) / run.quantum + 0.5; // what is rounded up is not above
  const all = state.limit ?? Math.min(data.tmax || Infinity, layer.tmax || Infinity);
  const limits = new Float32Array(run.w * run.h).fill(quanta(all));
  for (const part of (state.limit === null && layer.limits) || []) {
    for (const [x, y, w, h] of part.rects) {
      const [i0, i1] = cellsWithin(run.x, x, x + w), [j0, j1] = cellsWithin(run.y, y, y + h);
      for (let j = j0; j < j1; j++) for (let i = i0; i < i1; i++) limits[j * run.w + i] = Math.min(limits[j * run.w + i], quanta(part.tmax));
    }
  }
  limitsMade.set(key, limits);
  return limits;
}

// The cells, from and up to, whose middles lie between two places.
function cellsWithin(faces, from, to) {
  const middle = (i) => (faces[i] + faces[i + 1]) / 2;
  let a = cellAt(faces, from), b = cellAt(faces, to);
  if (middle(a) < from) a++;
  if (middle(b) < to) b++;
  return [a, b];
}

async function load() {
  if (state.view === "power") {
    const p = powers.find((v) => v.layer === data.planeLayer[state.plane]);
    if (p && !p.values) p.values = unpackPlane(await unpackText(p.packed), runs[0].w, runs[0].h, null, false);
  }
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

// The region of a layer at a place, the topmost, or "".
function regionAt(layer, x, y) {
  const within = (r) => (r.shapes ? r.shapes.some((s) => (s[0].length ? inPolygon(s, x, y) : Math.hypot(x - s[0], y - s[1]) <= s[2] / 2)) : r.rects.some(([bx, by, bw, bh]) => x >= bx && x < bx + bw && y >= by && y < by + bh));
  return layer.regions.findLast(within)?.name ?? "";
}

function inPolygon(corners, x, y) {
  let inside = false;
  corners.forEach(([x1, y1], n) => {
    const [x0, y0] = corners[(n || corners.length) - 1];
    if (y0 > y !== y1 > y && x < x0 + ((y - y0) / (y1 - y0)) * (x1 - x0)) inside = !inside;
  });
  return inside;
}

// The frame nearest in time, the last of equals.
function nearestFrame(frames, time) {
  const off = frames.map((f) => Math.abs(f.time - time));
  return off.lastIndexOf(Math.min(...off));
}
