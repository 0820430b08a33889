// Profile in z, trace in time and section, beside the map.
const profileCanvas = document.getElementById("profile");
const traceCanvas = document.getElementById("trace");
const sectionCanvas = document.getElementById("section");

function drawCharts() {
  drawProfile();
  drawTrace();
  drawSection();
}

function cellOf(run, place) {
  return cellAt(run.y, place.y) * run.w + cellAt(run.x, place.x);
}

// Temperatures of all planes at the picked point, planes drawn equally high: to scale, thin layers would vanish.
function drawProfile() {
  const run = runs[state.run];
  const colors = palette();
  const planes = data.planeLayer.length;
  const at = prepare(profileCanvas, 240);
  if (!at || !state.pick) return;
  const { c, width, height } = at;
  const n = cellOf(run, state.pick);
  const column = (of) => data.planeLayer.map((_, k) => {
    const values = of.ready(Math.min(state.frame, of.frames.length - 1), k);
    return values ? shown(of.kelvin(values[n])) : NaN;
  });
  const kelvins = column(run);
  const others = runs.filter((r) => r !== run).map(column);
  const left = 92, right = 14, top = 8, bottom = 34;
  const [lo, hi] = spread([...kelvins, ...others.flat()]);
  const px = (v) => left + ((v - lo) / (hi - lo)) * (width - left - right);
  const step = (height - top - bottom) / planes;
  const py = (k) => height - bottom - (k + 0.5) * step;
  let lastLabel = Infinity;
  data.layers.forEach((layer, l) => {
    const first = data.planeLayer.indexOf(l);
    const count = data.planeLayer.filter((v) => v === l).length;
    const y = py(first) + step / 2;
    c.fillStyle = l % 2 ? colors.card : colors.faint;
    c.fillRect(left, y - count * step, width - left - right, count * step);
    const middle = y - (count * step) / 2;
    if (lastLabel - middle > 11.5) {
      text(c, clipped(c, layer.name, left - 10), left - 6, middle, "right", data.planeLayer[state.plane] === l ? colors.ink : colors.soft);
      lastLabel = middle;
    }
  });
  const scale = ticks(lo, hi, (width - left) / 60);
  horizontalTicks(c, colors, scale, px, top, height - bottom);
  text(c, unitName(), width - right, height - 8, "right", colors.soft);
  for (const other of others) polyline(c, other.map((v, k) => [px(v), py(k)]), colors.soft, 1);
  polyline(c, kelvins.map((v, k) => [px(v), py(k)]), colors.accent);
  for (let k = 0; k < planes; k++) if (Number.isFinite(kelvins[k])) dot(c, px(kelvins[k]), py(k), k === state.plane ? 4.5 : planes > 24 ? 0 : 2.5, colors.accent);
  document.getElementById("profile-title").textContent = `Profile in z at ${millimetres(state.pick.x)}, ${millimetres(state.pick.y)} mm`;
}

function drawTrace() {
  const run = runs[state.run];
  const card = document.getElementById("trace-card");
  card.hidden = run.frames.length < 2;
  if (card.hidden || !state.pick) return;
  const colors = palette();
  const at = prepare(traceCanvas, 190);
  if (!at) return;
  const { c, width, height } = at;
  const n = cellOf(run, state.pick);
  const points = [];
  run.frames.forEach((frame, f) => {
    const values = run.ready(f, state.plane);
    if (values) points.push([frame.time, shown(run.kelvin(values[n]))]);
  });
  const hottest = state.run === 0 ? data.steps.map(([t, k]) => [t, shown(k)]) : [];
  const measured = measuredHere(run, n);
  const [lo, hi] = spread([...points, ...hottest, ...measured].map((p) => p[1]));
  const left = 46, right = 14, top = 10, bottom = 36;
  const end = run.frames[run.frames.length - 1].time;
  const px = (t) => left + (t / end) * (width - left - right);
  const py = (v) => height - bottom - ((v - lo) / (hi - lo)) * (height - top - bottom);
  const scale = ticks(lo, hi, 5);
  for (const v of scale.at) {
    c.fillStyle = colors.faint;
    c.fillRect(left, py(v) - 0.5, width - left - right, 1);
    text(c, fixed(v, scale.decimals), left - 6, py(v), "right", colors.soft);
  }
  const [factor, unit] = end >= 1 ? [1, "s"] : end >= 1e-3 ? [1e3, "ms"] : end >= 1e-6 ? [1e6, "µs"] : [1e9, "ns"];
  const along = ticks(0, end * factor, (width - left) / 60);
  for (const t of along.at) text(c, fixed(t, along.decimals), px(t / factor), height - bottom + 12, "center", colors.soft);
  text(c, clipped(c, `time in ${unit}; ${measured.length ? "dots: measured; grey: hottest cell" : "grey: hottest cell of the stack"}`, width - right), width - right, height - 8, "right", colors.soft);
  polyline(c, hottest.map(([t, v]) => [px(t), py(v)]), colors.soft, 1);
  polyline(c, points.map(([t, v]) => [px(t), py(v)]), colors.accent);
  for (const [t, v] of measured) if (t <= end) dot(c, px(t), py(v), 2.5, colors.ink);
  const now = run.frames[state.frame].time;
  c.fillStyle = colors.soft;
  c.fillRect(px(now) - 0.5, top, 1, height - top - bottom);
  document.getElementById("trace-title").textContent = `Over time in ${layerOf(state.plane).name}, ${unitName()}`;
}

// Along the line: the temperature in the plane, and below it the cut through the stack, planes equally high.
function drawSection() {
  const run = runs[state.run];
  const colors = palette();
  const planes = data.planeLayer.length;
  const at = prepare(sectionCanvas, document.documentElement.classList.contains("paper") ? 260 : 320);
  if (!at || !state.line) return;
  const { c, width, height } = at;
  const { x0, y0, x1, y1 } = state.line;
  const length = Math.hypot(x1 - x0, y1 - y0);
  const left = 46, right = 14, top = 10, middle = 140, gap = 14, bottom = 34;
  const w = Math.max(2, Math.round(width - left - right));
  const cells = new Int32Array(w);
  for (let p = 0; p < w; p++) {
    const t = (p + 0.5) / w;
    cells[p] = cellOf(run, { x: x0 + t * (x1 - x0), y: y0 + t * (y1 - y0) });
  }
  const values = run.ready(state.frame, state.plane);
  if (!values) return;
  const along = (of, plane) => Array.from(cells, (_, p) => {
    const t = (p + 0.5) / w;
    return shown(between(of, plane, x0 + t * (x1 - x0), y0 + t * (y1 - y0)));
  });
  const curve = along(run, values);
  const others = runs.filter((r) => r !== run).flatMap((r) => {
    const plane = r.ready(Math.min(state.frame, r.frames.length - 1), state.plane);
    return plane ? [along(r, plane)] : [];
  });
  const [lo, hi] = spread([...curve, ...others.flat()]);
  const py = (v) => middle - ((v - lo) / (hi - lo)) * (middle - top);
  const scale = ticks(lo, hi, 4);
  for (const v of scale.at) {
    c.fillStyle = colors.faint;
    c.fillRect(left, py(v) - 0.5, w, 1);
    text(c, fixed(v, scale.decimals), left - 6, py(v), "right", colors.soft);
  }
  for (const other of others) polyline(c, other.map((v, p) => [left + p + 0.5, py(v)]), colors.soft, 1);
  polyline(c, curve.map((v, p) => [left + p + 0.5, py(v)]), colors.accent);
  const h = height - middle - gap - bottom;
  const [from, to] = rangeOf(run, state.plane);
  const colours = thermal();
  const image = new ImageData(w, planes);
  const pixels = new Uint32Array(image.data.buffer);
  for (let k = 0; k < planes; k++) {
    const plane = run.ready(state.frame, k);
    if (!plane) return;
    for (let p = 0; p < w; p++) {
      const s = (p + 0.5) / w;
      const kelvin = state.cells ? run.kelvin(plane[cells[p]]) : between(run, plane, x0 + s * (x1 - x0), y0 + s * (y1 - y0));
      const t = (255 * (kelvin - from)) / (to - from);
      pixels[(planes - 1 - k) * w + p] = t !== t ? colours[256] : colours[Math.max(0, Math.min(255, Math.round(t)))];
    }
  }
  heat.width = w;
  heat.height = planes;
  heat.getContext("2d").putImageData(image, 0, 0);
  c.imageSmoothingEnabled = false;
  c.drawImage(heat, left, middle + gap, w, h);
  const row = (k) => middle + gap + h - (k / planes) * h;
  for (let k = 1; k < planes; k++) {
    if (data.planeLayer[k] === data.planeLayer[k - 1]) continue;
    c.fillStyle = "rgba(255,255,255,0.35)";
    c.fillRect(left, row(k) - 0.5, w, 1);
  }
  c.strokeStyle = colors.ink;
  c.lineWidth = 1.5;
  c.strokeRect(left + 0.5, row(state.plane + 1) + 0.5, w - 1, h / planes - 1);
  text(c, "z", left - 8, middle + gap + h / 2, "right", colors.soft);
  const marks = ticks(0, length * 1e3, (width - left) / 60);
  for (const s of marks.at) text(c, fixed(s, marks.decimals), left + (s / 1e3 / length) * w, height - bottom + 12, "center", colors.soft);
  text(c, clipped(c, "A to B in mm; layers not to scale", width - right), left + w, height - 7, "right", colors.soft);
  document.getElementById("section-title").textContent = `Section in ${layerOf(state.plane).name}, ${unitName()}`;
}

// The temperature at a place, bilinear between the cells' centres.
function between(run, values, x, y) {
  const [i, i1, u] = neighbours(run.x, x);
  const [j, j1, v] = neighbours(run.y, y);
  const at = (a, b) => run.kelvin(values[b * run.w + a]);
  return (1 - v) * ((1 - u) * at(i, j) + u * at(i1, j)) + v * ((1 - u) * at(i, j1) + u * at(i1, j1));
}

function spread(values) {
  let lo = Infinity, hi = -Infinity;
  for (const v of values) {
    if (v < lo) lo = v;
    if (v > hi) hi = v;
  }
  if (!(hi > lo)) return Number.isFinite(lo) ? [lo - 0.5, lo + 0.5] : [0, 1];
  const pad = 0.06 * (hi - lo);
  return hi - lo < 0.05 ? [lo - 0.05, hi + 0.05] : [lo - pad, hi + pad];
}

function polyline(c, points, color, width = 2) {
  c.strokeStyle = color;
  c.lineWidth = width;
  c.lineJoin = "round";
  c.beginPath();
  let joined = false; // not over what is missing
  for (const [x, y] of points) {
    if (joined) c.lineTo(x, y);
    else c.moveTo(x, y);
    joined = Number.isFinite(x) && Number.isFinite(y);
  }
  c.stroke();
}

function dot(c, x, y, r, color) {
  c.beginPath();
  c.arc(x, y, r, 0, 7);
  c.fillStyle = color;
  c.fill();
}

function horizontalTicks(c, colors, scale, px, top, bottom) {
  for (const v of scale.at) {
    c.fillStyle = colors.line;
    c.fillRect(px(v) - 0.5, top, 1, bottom - top);
    text(c, fixed(v, scale.decimals), px(v), bottom + 12, "center", colors.soft);
  }
}

function clipped(c, content, room) {
  if (c.measureText(content).width <= room) return content;
  let cut = content;
  while (cut.length > 1 && c.measureText(`${cut}…`).width > room) cut = cut.slice(0, -1);
  return `${cut}…`;
}
