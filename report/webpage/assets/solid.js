// The package in three dimensions: solids of its parts in true proportion or stretched in z, with cut planes, drawn by WebGL through twgl.
// Their surfaces have the colours of the temperatures there.
const cuts = ["x", "y", "z"].map(() => ({ on: false, at: 0 })); // in m; what lies between a cut and the eye is left out
let scene = null; // what WebGL holds
const down = new Map(); // pointers on the canvas and where they are
let turning = false, sharpening = 0;
const pace = { quality: 1, last: 0 }; // of the frames drawn while the view moves

// The places on an axis between which each layer is of one part: the borders of regions, or where these are very many, of cells.
function borders(axis) {
  const run = runs[0], faces = axis ? run.y : run.x;
  const found = [0, data.size[axis]];
  for (const part of data.layers.flatMap((l) => l.regions)) {
    if (!part.shapes) for (const r of part.rects) found.push(r[axis], r[axis] + r[axis + 2]);
    for (const ring of part.shapes ? ringsOf(part) : []) found.push(...ring.filter((_, n) => n % 2 === 0).map((p) => p[axis]));
    if (found.length > 20000) break;
  }
  const sorted = found.filter((v) => v >= 0 && v <= data.size[axis]).sort((a, b) => a - b);
  const apart = sorted.filter((v, n) => n === 0 || v - sorted[n - 1] > 1e-9);
  const every = Math.ceil((faces.length - 1) / 256);
  return apart.length <= 300 ? apart : faces.filter((_, n) => n % every === 0 || n === faces.length - 1);
}

// Numbers the parts of a layer in all fields between borders, from `first`; 0 where there is open space or gas.
function partsOf(layer, xs, ys, first) {
  const nx = xs.length - 1, ny = ys.length - 1;
  const out = new Int32Array(nx * ny).fill(layer.open ? 0 : first);
  layer.regions.forEach((part, n) => {
    for (const s of part.shapes ?? part.rects) {
      const ring = ringsOf(part.shapes ? { shapes: [s] } : { rects: [s] })[0];
      const span = (axis) => [Math.min(...ring.map((p) => p[axis])), Math.max(...ring.map((p) => p[axis]))];
      const [i0, i1] = cellsWithin(xs, ...span(0)), [j0, j1] = cellsWithin(ys, ...span(1));
      for (let j = j0; j < j1; j++) {
        for (let i = i0; i < i1; i++) {
          if (!part.shapes || inPolygon(ring, (xs[i] + xs[i + 1]) / 2, (ys[j] + ys[j + 1]) / 2)) out[j * nx + i] = part.open ? 0 : first + n + 1;
        }
      }
    }
  });
  return out;
}

// Surfaces and lines from fields of numbers: equal ones become one surface, and lines run where they differ. Surfaces are kept by what
// they face: 1, 2 and 3 are the ends of x, y and z, -1, -2 and -3 their beginnings; 4, 5 and 6 are the cuts of x, y and z.
class Surfaces {
  constructor(model) {
    Object.assign(this, { model, facing: {} });
  }

  // What faces to one side.
  of(facing) {
    return (this.facing[facing] ??= { position: [], level: [], lines: [] });
  }

  // The fields across an axis at a place. value(a, b) is the part at field a, b of the other axes, 0 for none. level is the height of
  // a horizontal surface in planes.
  add(axis, at, value, facing, level) {
    const [as, bs] = this.model.faces.filter((_, n) => n !== axis);
    const na = as.length - 1, nb = bs.length - 1;
    const grid = new Int32Array(na * nb);
    for (let b = 0; b < nb; b++) for (let a = 0; a < na; a++) grid[b * na + a] = value(a, b);
    const get = (a, b) => (a < 0 || b < 0 || a >= na || b >= nb ? 0 : grid[b * na + a]);
    const done = new Uint8Array(na * nb);
    for (let b = 0; b < nb; b++) {
      for (let a = 0; a < na; a++) {
        const v = get(a, b);
        if (!v || done[b * na + a]) continue;
        let a1 = a, b1 = b + 1;
        while (a1 < na && get(a1, b) === v && !done[b * na + a1]) a1++;
        const same = (row) => grid.subarray(row * na + a, row * na + a1).every((w, n) => w === v && !done[row * na + a + n]);
        while (b1 < nb && same(b1)) b1++;
        for (let row = b; row < b1; row++) done.fill(1, row * na + a, row * na + a1);
        if (axis === 2) this.quad(axis, at, as[a], as[a1], bs[b], bs[b1], level, level, facing);
        else for (let l = b; l < b1; l++) this.side(axis, at, as[a], as[a1], l, facing);
      }
    }
    this.outline(axis, at, as, bs, get, this.of(facing).lines);
  }

  // A vertical surface of a layer, plane by plane.
  side(axis, at, a0, a1, l, facing) {
    data.planeLayer.forEach((v, k) => {
      if (v === l) this.quad(axis, at, a0, a1, data.z[k], data.z[k + 1], k, k + 1, facing);
    });
  }

  quad(axis, at, a0, a1, b0, b1, k0, k1, facing) {
    const { position, level } = this.of(facing);
    for (const [a, b, k] of [[a0, b0, k0], [a1, b0, k0], [a1, b1, k1], [a0, b0, k0], [a1, b1, k1], [a0, b1, k1]]) {
      position.push(...point(axis, at, a, b));
      level.push(k / data.planeLayer.length);
    }
  }

  outline(axis, at, as, bs, get, lines) {
    const line = (...ends) => ends.forEach(([a, b]) => lines.push(...point(axis, at, a, b)));
    const thick = axis === 2 ? 0 : (bs.at(-1) - bs[0]) / 150; // no lines around layers that they would hide
    for (let b = 0; b <= bs.length - 1; b++) {
      const thin = b > 0 && bs[b] - bs[b - 1] < thick && b < bs.length - 1 && bs[b + 1] - bs[b] < thick;
      for (let a = 0, from = -1; a <= as.length - 1; a++) {
        const differs = a < as.length - 1 && get(a, b) !== get(a, b - 1) && !(thin && get(a, b) && get(a, b - 1));
        if (differs && from < 0) from = a;
        if (!differs && from >= 0) line([as[from], bs[b]], [as[a], bs[b]]);
        if (!differs) from = -1;
      }
    }
    for (let a = 0; a <= as.length - 1; a++) {
      for (let b = 0; b < bs.length - 1; b++) if (get(a, b) !== get(a - 1, b)) line([as[a], bs[b]], [as[a], bs[b + 1]]);
    }
  }

  // Gives all to WebGL.
  buffers(gl) {
    const make = (position, level) => position.length && twgl.createBufferInfoFromArrays(gl, { position, level: { numComponents: 1, data: level } });
    return Object.entries(this.facing).flatMap(([facing, { position, level, lines }]) => [
      { facing, lines: false, info: make(position, level) },
      { facing, lines: true, info: make(lines, new Array(lines.length / 3).fill(0)) },
    ]).filter(({ info }) => info);
  }
}

function point(axis, at, a, b) {
  return axis === 0 ? [at, a, b] : axis === 1 ? [a, at, b] : [a, b, at];
}

// The parts of all layers between borders.
function buildModel() {
  const xs = borders(0), ys = borders(1);
  const bottoms = data.layers.map((_, l) => data.z[data.planeLayer.indexOf(l)]);
  let first = 1;
  const parts = data.layers.map((layer) => {
    const of = partsOf(layer, xs, ys, first);
    first += layer.regions.length + 1;
    return of;
  });
  const nx = xs.length - 1, ny = ys.length - 1;
  const part = (i, j, l) => (i < 0 || j < 0 || l < 0 || i >= nx || j >= ny || l >= parts.length ? 0 : parts[l][j * nx + i]);
  return { faces: [xs, ys, [...bottoms, data.z.at(-1)]], part };
}

// The outer surfaces of all solids.
function skin(model) {
  const all = new Surfaces(model);
  const { faces, part } = model;
  const end = (inside, outside) => (outside ? 0 : inside);
  faces[0].forEach((x, i) => {
    all.add(0, x, (j, l) => end(part(i - 1, j, l), part(i, j, l)), 1);
    all.add(0, x, (j, l) => end(part(i, j, l), part(i - 1, j, l)), -1);
  });
  faces[1].forEach((y, j) => {
    all.add(1, y, (i, l) => end(part(i, j - 1, l), part(i, j, l)), 2);
    all.add(1, y, (i, l) => end(part(i, j, l), part(i, j - 1, l)), -2);
  });
  faces[2].forEach((z, l) => {
    const above = data.planeLayer.indexOf(l); // the plane on it; -1 at the top
    const upper = above < 0 ? data.planeLayer.length - 1 : above - 1;
    all.add(2, z, (i, j) => end(part(i, j, l - 1), part(i, j, l)), 3, upper + 0.5);
    all.add(2, z, (i, j) => end(part(i, j, l), part(i, j, l - 1)), -3, above + 0.5);
  });
  return all;
}

// The temperatures on the cuts, in the very colours of the scale.
function cutSurfaces(model) {
  const all = new Surfaces(model);
  const { part } = model;
  cuts.forEach(({ on, at }, axis) => {
    if (!on) return;
    const n = cellAt(model.faces[axis], at);
    if (axis === 0) all.add(0, at, (j, l) => part(n, j, l), 4);
    if (axis === 1) all.add(1, at, (i, l) => part(i, n, l), 5);
    if (axis < 2) return;
    const k = cellAt(data.z, at);
    all.add(2, at, (i, j) => part(i, j, n), 6, k + (at - data.z[k]) / (data.z[k + 1] - data.z[k]));
    for (const block of data.layers[n].blocks) {
      for (const ring of ringsOf(block)) ring.forEach((p, e) => all.of(6).lines.push(...p, at, ...ring[(e + 1) % ring.length], at));
    }
  });
  return all;
}

// Makes the scene where WebGL is available; null where it is not.
function openScene() {
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl2", { antialias: false });
  if (!gl) return null;
  canvas.addEventListener("webglcontextlost", () => (scene = null));
  const model = buildModel();
  const made = { gl, model, program: twgl.createProgramInfo(gl, [vertShader, fragShader]), skin: skin(model).buffers(gl), cuts: [] };
  for (const [name, target, filter] of [["field", gl.TEXTURE_3D, gl.LINEAR], ["axes", gl.TEXTURE_2D, gl.NEAREST]]) {
    made[name] = gl.createTexture();
    gl.bindTexture(target, made[name]);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T, gl.TEXTURE_WRAP_R]) gl.texParameteri(target, side, gl.CLAMP_TO_EDGE);
    for (const size of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(target, size, filter);
  }
  return made;
}

// Brings the colours of the frame shown to WebGL; of more than 256 cells on a side, those of maxima.
function loadField(run) {
  const [lo, hi] = rangeOf(run, state.plane);
  const key = [state.run, state.frame, state.cells, state.colours, lo, hi].join();
  if (scene.fieldKey === key) return;
  scene.fieldKey = key;
  const { gl } = scene;
  const many = Math.ceil(Math.max(run.w, run.h) / 256);
  const w = Math.ceil(run.w / many), h = Math.ceil(run.h / many), planes = data.planeLayer.length;
  const hottest = new Int32Array(w * h * planes).fill(MISSING);
  for (let k = 0; k < planes; k++) {
    const plane = run.ready(state.frame, k);
    for (let j = 0, n = 0; j < run.h; j++) {
      const row = (k * h + Math.floor(j / many)) * w;
      for (let i = 0; i < run.w; i++, n++) {
        const to = row + Math.floor(i / many);
        if (plane[n] > hottest[to]) hottest[to] = plane[n];
      }
    }
  }
  const colours = thermal(), factor = 255 / (hi - lo);
  const pixels = Uint32Array.from(hottest, (q) => colours[q === MISSING ? 256 : Math.max(0, Math.min(255, Math.round((run.kelvin(q) - lo) * factor)))]);
  gl.bindTexture(gl.TEXTURE_3D, scene.field);
  gl.texImage3D(gl.TEXTURE_3D, 0, gl.RGBA, w, h, planes, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(pixels.buffer));
  for (const size of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_3D, size, state.cells ? gl.NEAREST : gl.LINEAR);
  const axes = new Float32Array(4096);
  [[run.x, w], [run.y, h]].forEach(([faces, count], axis) => {
    for (let n = 0; n < 2048; n++) {
      const v = ((n + 0.5) / 2048) * data.size[axis], i = cellAt(faces, v);
      axes[axis * 2048 + n] = (i + (v - faces[i]) / (faces[i + 1] - faces[i])) / many / count;
    }
  });
  gl.bindTexture(gl.TEXTURE_2D, scene.axes);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.R32F, 2048, 2, 0, gl.RED, gl.FLOAT, axes);
}

function loadCuts() {
  const key = JSON.stringify(cuts);
  if (scene.cutsKey === key) return;
  scene.cutsKey = key;
  for (const { info } of scene.cuts) for (const a of Object.values(info.attribs)) scene.gl.deleteBuffer(a.buffer);
  scene.cuts = cutSurfaces(scene.model).buffers(scene.gl);
}

// How the package lies on the screen: pixels a metre, and the directions to the right and upwards in the package.
function viewOf(width, height) {
  const sin = Math.sin(camera.turn), cos = Math.cos(camera.turn), low = Math.sin(camera.tilt), high = Math.cos(camera.tilt);
  const [lx, ly] = data.size, lz = (data.z.at(-1) - data.z[0]) * camera.stretch;
  const across = Math.abs(lx * cos) + Math.abs(ly * sin);
  const up = (Math.abs(lx * sin) + Math.abs(ly * cos)) * Math.abs(low) + lz * high;
  const side = width < 500 ? 0 : 110; // for names
  const s = Math.min((width - 80 - side) / across, (height - 70) / up) * camera.zoom;
  return { sin, cos, low, high, s, width, height, aside: (66 - side) / 2, side, deep: 2 * Math.hypot(lx, ly, lz) };
}

// Where a point of the package is on the canvas.
function project({ sin, cos, low, high, s, width, height, aside }, [x, y, z]) {
  const p = [x - camera.focus[0], y - camera.focus[1], (z - camera.focus[2]) * camera.stretch];
  return [width / 2 + aside + (p[0] * cos - p[1] * sin) * s, height / 2 - ((p[0] * sin + p[1] * cos) * low + p[2] * high) * s];
}

// For each axis, positive where its end is nearer to the viewer than its beginning.
function towardsViewer() {
  return [-Math.sin(camera.turn), -Math.cos(camera.turn), Math.sin(camera.tilt)];
}

// What is left of the package by the cuts, which take away the side of the viewer.
function keptBox() {
  const low = [-1, -1, -1], high = [1e3, 1e3, 1e3], rounding = 1e-6 * Math.max(...data.size);
  const nearer = towardsViewer();
  cuts.forEach(({ on, at }, axis) => {
    if (on) (nearer[axis] > 0 ? high : low)[axis] = at + (nearer[axis] > 0 ? rounding : -rounding);
  });
  return { low, high };
}

// quality is the number of WebGL's pixels for each pixel of the canvas, along a side.
function drawSolid(quality = 1) {
  const run = runs[state.run];
  if (!data.planeLayer.every((_, k) => run.ready(state.frame, k))) return;
  const width = solidCanvas.clientWidth || solidCanvas.parentElement.clientWidth;
  const height = Math.round(Math.max(320, Math.min(720, window.innerHeight * 0.74, width * 0.66)));
  const at = prepare(solidCanvas, height);
  if (!at) return;
  const { c, dense } = at;
  const colors = palette();
  scene ??= openScene();
  if (!scene) {
    text(c, clipped(c, "The 3D view needs WebGL 2, which this browser does not offer.", width - 12), 6, 20, "left", colors.ink);
    text(c, clipped(c, "Exploded shows the same temperatures.", width - 12), 6, 40, "left", colors.ink);
    return;
  }
  loadField(run);
  loadCuts();
  const view = viewOf(width, height);
  render(run, view, Math.min(4096, Math.round(width * dense * quality)), Math.min(4096, Math.round(height * dense * quality)));
  c.save();
  c.beginPath();
  c.rect(66, 0, width - 66 - view.side, height - 20);
  c.clip();
  c.drawImage(scene.gl.canvas, 0, 0, width, height);
  c.restore();
  const [lo, hi] = rangeOf(run, state.plane);
  colourBar(c, colors, { lo, hi, colours: thermal() }, 8, 28, Math.min(240, height - 70));
  labelSolid(c, colors, view);
  const where = cuts.flatMap(({ on, at }, n) => (on ? [`${"xyz"[n]} = ${millimetres(at)} mm`] : []));
  c.font = '12px system-ui, "Liberation Sans", "DejaVu Sans", sans-serif';
  const notes = [run.frames.length > 1 ? `at ${timeText(run.frames[state.frame].time)}` : "", where.length ? `cut at ${where.join(", ")}` : "", camera.stretch > 1 ? `z ${Number(camera.stretch.toPrecision(2))} times as high` : "true proportions"];
  text(c, clipped(c, notes.filter(Boolean).join("; "), width - 12), 6, height - 10, "left", colors.soft);
  clearTimeout(sharpening); // at rest, with smooth edges
  if (quality < 2 && down.size === 0) sharpening = setTimeout(() => state.view === "solid" && drawSolid(2), 300);
}

// The parts that a vertical cut shows, most important first: name, and where it ends on the right.
function namedOnCut(view) {
  const axis = [1, 0].find((n) => cuts[n].on);
  if (axis === undefined) return [];
  const along = 1 - axis, { at } = cuts[axis], { low, high } = keptBox();
  const found = [];
  data.layers.forEach((layer, l) => {
    const z0 = data.z[data.planeLayer.indexOf(l)], z1 = z0 + layer.thickness;
    if (z0 > high[2] || z1 < low[2]) return;
    const inside = layer.regions.filter((r) => !r.open && r.name && r.rects.some((b) => at >= b[axis] && at <= b[axis] + b[axis + 2]));
    for (const part of layer.open || inside.length ? inside : [{ name: layer.name, rects: [[0, 0, ...data.size]] }]) {
      const [a0, a1] = [part.rects[0][along], part.rects[0][along] + part.rects[0][along + 2]].map((v) => Math.max(low[along], Math.min(high[along], v)));
      const ends = [a0, a1].map((a) => project(view, axis ? [a, at, (z0 + z1) / 2] : [at, a, (z0 + z1) / 2]));
      found.push({ name: part.name, end: ends[0][0] > ends[1][0] ? ends[0] : ends[1], weight: (layer.blocks.length ? 1 : 0) + z1 - z0 });
    }
  });
  return found.sort((a, b) => b.weight - a.weight);
}

// Names at the right, apart from one another, with lines to their parts; and the picked point, where a cut shows it.
function labelSolid(c, colors, view) {
  const { width, height, side } = view;
  const left = width - side + 6;
  let lowest = Infinity;
  const seen = new Set();
  const list = side ? namedOnCut(view).filter(({ name, end }) => end[1] > 10 && end[1] < height - 30 && end[0] < left && !seen.has(name) && seen.add(name)) : [];
  const shown = list.slice(0, Math.floor((height - 50) / 18)).sort((a, b) => b.end[1] - a.end[1]);
  for (const label of shown) lowest = label.y = Math.min(label.end[1], lowest - 14, height - 30);
  let highest = -4;
  for (const label of shown.reverse()) highest = label.y = Math.max(label.y, highest + 14);
  for (const { name, end, y } of shown) {
    c.strokeStyle = colors.soft;
    c.lineWidth = 0.7;
    c.beginPath();
    c.moveTo(...end);
    c.lineTo(left - 4, y);
    c.stroke();
    text(c, clipped(c, name, side - 10), left, y, "left", colors.ink);
  }
  const run = runs[state.run], spot = [state.pick.x, state.pick.y, (data.z[state.plane] + data.z[state.plane + 1]) / 2];
  const { low, high } = keptBox();
  if (!spot.every((v, n) => v >= low[n] && v <= high[n]) || !cuts.some(({ on, at }, n) => on && Math.abs(at - spot[n]) < 1e-6)) return;
  const [x, y] = project(view, spot);
  if (x < 66 || x > width - side || y < 0 || y > height - 20) return;
  disc(c, x, y, 4.5);
  c.font = '600 13px system-ui, "Liberation Sans", "DejaVu Sans", sans-serif';
  const cell = cellOf(run, state.pick);
  label(c, temperatureText(exactKelvin(run, state.plane, cell, run.kelvin(run.ready(state.frame, state.plane)[cell]))), x, y - 16, "center");
}

function render(run, view, w, h) {
  const { gl, program } = scene;
  const { canvas } = gl;
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  gl.viewport(0, 0, w, h);
  gl.clearColor(0, 0, 0, 0);
  gl.enable(gl.DEPTH_TEST);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.useProgram(program.program);
  twgl.setUniforms(program, {
    focus: camera.focus, angles: [view.cos, view.sin, view.high, view.low], stretch: camera.stretch, size: data.size, aside: (2 * view.aside) / view.width,
    scale: [(2 * view.s) / view.width, (2 * view.s) / view.height, 1 / view.deep], field: scene.field, axes: scene.axes,
  });
  const nearer = towardsViewer(), { low, high } = keptBox();
  for (const { facing, lines, info } of [...scene.cuts, ...scene.skin]) {
    const axis = (Math.abs(facing) - 1) % 3, cut = facing > 3;
    if ((lines && !state.outlines) || (!cut && nearer[axis] * facing < 0)) continue; // closed solids hide what faces away
    twgl.setUniforms(program, {
      ink: lines ? [0.5, 0.5, 0.5, 1] : [0, 0, 0, 0], lift: lines ? 2e-4 : 0, light: cut ? 1 : [0.8, 0.88, 1][axis],
      low: cut ? low.with(axis, -1e3) : low, high: cut ? high.with(axis, 1e3) : high, // interpolation would leave gaps in its plane
    });
    twgl.setBuffersAndAttributes(gl, program, info);
    twgl.drawBufferInfo(gl, info, lines ? gl.LINES : gl.TRIANGLES);
  }
}

// Draws after the view has moved, which changes nothing else on the page.
function redrawTurned() {
  if (turning) return;
  turning = true;
  requestAnimationFrame(() => {
    turning = false;
    if (state.view !== "solid") return drawExploded();
    // Where rendering is too slow for 30 frames a second, fewer pixels are drawn until the view rests.
    const now = performance.now(), took = now - pace.last;
    pace.last = now;
    if (took < 300) pace.quality = Math.max(0.5, Math.min(1, pace.quality * (took > 33 ? 0.8 : took < 25 ? 1.1 : 1)));
    drawSolid(pace.quality);
  });
}

// Moves the package by pixels on the screen.
function panSolid(right, down) {
  const v = viewOf(solidCanvas.clientWidth, solidCanvas.clientHeight);
  camera.focus[0] += (-right * v.cos + down * v.sin * v.low) / v.s;
  camera.focus[1] += (right * v.sin + down * v.cos * v.low) / v.s;
  camera.focus[2] += (down * v.high) / v.s / camera.stretch;
}

// Zooms by a factor, with what is at a point of the canvas held there; 0 shows all.
function zoomSolid(factor, x = 0, y = 0) {
  const { zoom } = camera;
  if (factor === 0) return wholeSolid();
  camera.zoom = Math.max(0.5, Math.min(200, zoom * factor));
  panSolid(x * (1 - camera.zoom / zoom), y * (1 - camera.zoom / zoom));
}

function wholeSolid() {
  Object.assign(camera, { zoom: 1, focus: [data.size[0] / 2, data.size[1] / 2, (data.z[0] + data.z.at(-1)) / 2] });
}

function turnBy(turn, tilt) {
  const least = state.view === "exploded" ? 0.12 : -1.5;
  camera.turn += turn;
  camera.tilt = Math.min(1.5, Math.max(least, camera.tilt + tilt));
}

// One pointer turns, or moves with Shift or the middle button; two move and zoom.
function wirePointers() {
  const middle = () => [...down.values()].reduce(([x, y], p) => [x + p.x / down.size, y + p.y / down.size], [0, 0]);
  const apart = () => [...down.values()].reduce((d, p, _, all) => Math.max(d, Math.hypot(p.x - all[0].x, p.y - all[0].y)), 1);
  solidCanvas.addEventListener("pointerdown", (e) => {
    down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
    solidCanvas.setPointerCapture(e.pointerId);
    if (e.button === 1 || e.shiftKey) e.preventDefault();
  });
  solidCanvas.addEventListener("pointermove", (e) => {
    if (!down.has(e.pointerId)) return;
    const [x, y] = middle(), before = apart();
    down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
    const [u, v] = middle();
    if (down.size === 1 && !e.shiftKey && !(e.buttons & 4)) turnBy((u - x) * 0.008, (v - y) * 0.006);
    else if (state.view === "solid") {
      panSolid(u - x, v - y);
      if (down.size > 1) zoomSolid(apart() / before, ...fromMiddle(u, v));
    }
    redrawTurned();
  });
  for (const end of ["pointerup", "pointercancel"]) solidCanvas.addEventListener(end, (e) => down.delete(e.pointerId) && redrawTurned());
}

function fromMiddle(x, y) {
  const { width, height, aside } = viewOf(solidCanvas.clientWidth, solidCanvas.clientHeight);
  return [x - width / 2 - aside, y - height / 2];
}

function wireSolid() {
  wholeSolid();
  const height = data.z.at(-1) - data.z[0];
  camera.stretch = Math.max(1, Math.round((0.08 * Math.max(...data.size)) / height));
  [state.pick.x, state.pick.y, (data.z[data.start] + data.z[data.start + 1]) / 2].forEach((at, n) => (cuts[n].at = at));
  cuts[1].on = true;
  wirePointers();
  solidCanvas.addEventListener("wheel", (e) => {
    if (state.view !== "solid") return;
    e.preventDefault();
    zoomSolid(2 ** ((-e.deltaY * (e.deltaMode === 1 ? 16 : 1)) / 240), ...fromMiddle(e.offsetX, e.offsetY));
    redrawTurned();
  }, { passive: false });
  solidCanvas.addEventListener("keydown", (e) => {
    const [right, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key] ?? [0, 0];
    const factor = { "+": 1.25, "-": 0.8, 0: 0 }[e.key];
    if (right || up) e.shiftKey && state.view === "solid" ? panSolid(right * 20, up * 20) : turnBy(right * 0.1, up * 0.08);
    else if (factor !== undefined && state.view === "solid") zoomSolid(factor);
    else return;
    e.preventDefault();
    redrawTurned();
  });
  const slide = (id, change) => $(id).addEventListener("input", (e) => {
    change(Number(e.target.value));
    redrawTurned();
  });
  slide("spread", (v) => (camera.spread = v / 100));
  slide("stretch", (v) => (camera.stretch = 10 ** (v / 50)));
  $("stretch").value = 50 * Math.log10(camera.stretch);
  const low = [0, 0, data.z[0]], high = [...data.size, data.z.at(-1)];
  cuts.forEach((cut, n) => {
    const box = $(`cut-${"xyz"[n]}`), slider = $(`at-${"xyz"[n]}`);
    box.checked = cut.on;
    slider.value = (1000 * (cut.at - low[n])) / (high[n] - low[n]);
    slide(slider.id, (v) => Object.assign(cut, { on: (box.checked = true), at: low[n] + (v / 1000) * (high[n] - low[n]) }));
    box.addEventListener("change", () => {
      cut.on = box.checked;
      redrawTurned();
    });
  });
}
