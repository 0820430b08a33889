// The map of one plane with its axes and colour bar.
const mapCanvas = document.getElementById("map");
let frameOfMap = null; // where the map lies on its canvas, to find cells under the pointer
const heat = document.createElement("canvas");

function drawMap() {
  const now = current();
  const colors = palette();
  const width = mapCanvas.clientWidth || mapCanvas.parentElement.clientWidth;
  const part = shownPart();
  const left = 50, right = 74, top = 30, bottom = 38; // the same at every zoom, so that the map stays in place
  const room = Math.max(60, width - left - right);
  const tallest = document.documentElement.classList.contains("paper") ? 420 : Math.max(260, Math.min(720, window.innerHeight * 0.74));
  const scale = Math.min(room / part.w, tallest / part.h);
  const w = Math.max(8, Math.round(part.w * scale));
  const h = Math.max(8, Math.round(part.h * scale));
  const at = prepare(mapCanvas, Math.max(h, 160) + top + bottom);
  if (!at || !now) return;
  const { c, dense } = at;
  const px = (x) => left + (x - part.x) * scale;
  const py = (y) => top + h - (y - part.y) * scale;
  frameOfMap = { left, top, w, h, scale, part };

  const resolved = layerOf(state.plane).flow?.resolved; // channels and walls are not mixed
  paint({ ...now, smooth: !state.cells && !now.power && !resolved }, Math.round(w * dense), Math.round(h * dense), part);
  c.imageSmoothingEnabled = false;
  c.drawImage(heat, left, top, w, h);
  c.save();
  c.beginPath();
  c.rect(left, top, w, h);
  c.clip();
  const hot = hottestOf(now);
  const names = state.outlines ? outlines(c, px, py, scale) : [];
  if (state.outlines) flowArrows(c, px, py, part);
  const levels = state.isotherms && !now.power && !resolved ? isolines(c, now, px, py, part) : [];
  const { x0, y0, x1, y1 } = state.line;
  const places = new Places([left + 2, top + 2, left + w - 2, top + h - 2], [px(x0), py(y0), px(x1), py(y1)]);
  marks(c, px, py, places);
  markHottest(c, now, px, py, hot, places);
  markMeasured(c, px, py, places);
  labelParts(c, names, places);
  labelLevels(c, now, levels, places);
  c.restore();
  c.strokeStyle = colors.soft;
  c.lineWidth = 1;
  c.strokeRect(left - 0.5, top - 0.5, w + 1, h + 1);
  axes(c, colors, px, py, left, top, w, h, part);
  colourBar(c, colors, now, left + w + 14, top, Math.max(h, 160));
  text(c, mapTitle(), left, 14, "left", colors.ink);
}

function mapTitle() {
  const run = runs[state.run];
  if (state.view === "power") return `${runs.length > 1 ? `${runs[0].name}: ` : ""}power density of ${layerOf(state.plane).name}${run.frames.length > 1 ? ", mean over time" : ""}`;
  let title = planeTitle(state.plane);
  if (run.frames.length > 1) title += ` at ${timeText(run.frames[state.frame].time)}`;
  const versus = comparison();
  if (versus) {
    const what = { plane: () => planeTitle(versus.plane), frame: () => timeText(run.frames[versus.frame].time), run: () => runs[versus.run].name };
    title += ` minus ${what[state.compare]()}`;
  }
  return runs.length > 1 ? `${run.name}: ${title}` : title;
}

// Colours every pixel by the hottest of the cells it shows (the one furthest from zero in a difference). Where pixels are smaller than
// cells, smooth colours run linearly between the middles of cells.
function paint(now, w, h, part) {
  const { run, values, scale, colours, lo, hi, difference, limits, smooth } = now;
  heat.width = w;
  heat.height = h;
  const c = heat.getContext("2d");
  const image = c.createImageData(w, h);
  const pixels = new Uint32Array(image.data.buffer);
  const bx = binsOf(run.x, w, false, part.x, part.w);
  const by = binsOf(run.y, h, true, part.y, part.h);
  const factor = (scale.quantum * 255) / (hi - lo);
  const offset = ((scale.base - lo) * 255) / (hi - lo);
  const single = bx.first.every((v, n) => v === bx.last[n]) && by.first.every((v, n) => v === by.last[n]);
  const columns = smooth && Array.from({ length: w }, (_, p) => neighbours(run.x, part.x + (part.w * (p + 0.5)) / w));
  for (let q = 0; q < h; q++) {
    const [j0, j1, t1] = smooth ? neighbours(run.y, part.y + (part.h * (h - q - 0.5)) / h) : [];
    if (!smooth && !limits && q > 0 && by.first[q] === by.first[q - 1] && by.last[q] === by.last[q - 1]) {
      pixels.copyWithin(q * w, (q - 1) * w, q * w);
      continue;
    }
    for (let p = 0; p < w; p++) {
      const n = by.first[q] * run.w + bx.first[p];
      let v = values[n];
      let above = limits && v > limits[n];
      if (!single) {
        for (let j = by.first[q]; j <= by.last[q]; j++) {
          for (let i = bx.first[p]; i <= bx.last[p]; i++) {
            const other = values[j * run.w + i];
            if (limits && other > limits[j * run.w + i]) above = true;
            if (difference ? Math.abs(other) > Math.abs(v) : other > v) v = other;
          }
        }
      }
      if (smooth && (single || (bx.first[p] === bx.last[p] && by.first[q] === by.last[q]))) {
        const [i0, i1, s] = columns[p];
        const sw = values[j0 * run.w + i0], se = values[j0 * run.w + i1], nw = values[j1 * run.w + i0], ne = values[j1 * run.w + i1];
        if (sw !== MISSING && se !== MISSING && nw !== MISSING && ne !== MISSING) v = (1 - t1) * (sw + s * (se - sw)) + t1 * (nw + s * (ne - nw));
        if (limits) above = v > limits[n];
      }
      const t = v * factor + offset;
      const stripe = (p + q) % 12; // black and white, to be seen on any colours
      if (above && stripe < 4) pixels[q * w + p] = stripe < 2 ? 0xff000000 : 0xffffffff;
      else pixels[q * w + p] = v === MISSING || t !== t ? colours[256] : colours[t < 0 ? 0 : t > 255 ? 255 : (t + 0.5) | 0];
    }
  }
  c.putImageData(image, 0, 0);
}

// The closed lines around a part: its shapes, circles as 48 points, or the borders of its rectangles.
function ringsOf(part) {
  if (!part.shapes) return part.rects.map(([x, y, w, h]) => [[x, y + h], [x + w, y + h], [x + w, y], [x, y]]);
  return part.shapes.map((s) => (s[0].length ? s : Array.from({ length: 48 }, (_, n) => [s[0] + (s[2] / 2) * Math.cos((n * Math.PI) / 24), s[1] + (s[2] / 2) * Math.sin((n * Math.PI) / 24)])));
}

// Draws the outlines and returns the names that fit: [name, where its middle may be, width].
function outlines(c, px, py, scale) {
  const layer = layerOf(state.plane);
  c.lineWidth = 1;
  const names = [];
  for (const [parts, dash] of [[layer.regions, [5, 4]], [layer.blocks, []]]) {
    c.setLineDash(dash);
    for (const part of parts) {
      for (const ring of ringsOf(part)) {
        for (const [color, shift] of [["rgba(0,0,0,0.45)", 0.5], ["rgba(255,255,255,0.6)", -0.5]]) {
          c.strokeStyle = color;
          c.beginPath();
          for (const [x, y] of ring) c.lineTo(px(x) + shift, py(y) + shift);
          c.closePath();
          c.stroke();
        }
      }
      if (!part.name || !part.rects.length) continue;
      const [x, y, w, h] = part.rects.reduce((a, b) => (b[2] * b[3] > a[2] * a[3] ? b : a));
      const wide = c.measureText(part.name).width + 6;
      if (!(wide < w * scale && h * scale > 14)) continue;
      const away = (h - 16 / scale) / 2, aside = (w - wide / scale) / 2;
      const middles = [0, 0.35, -0.35, 0.7, -0.7, 1, -1].map((f) => [x + w / 2, y + h / 2 + f * away]);
      for (const v of [1, -1]) middles.push([x + w / 2 - aside, y + h / 2 + v * away], [x + w / 2 + aside, y + h / 2 + v * away]);
      for (const u of [-1, 1]) middles.push([x + w / 2 + u * aside, y + h / 2]);
      // A region's name stands where no later region covers it.
      const half = wide / 2 / scale;
      const seen = parts === layer.blocks ? middles : middles.filter(([a, b]) => [a - half, a, a + half].every((e) => regionAt(layer, e, b) === part.name));
      names.push([part.name, seen.map(([a, b]) => [px(a), py(b)]), wide]);
    }
  }
  c.setLineDash([]);
  return names;
}

// Arrows show how coolant flows, longer where it flows faster.
function flowArrows(c, px, py, part) {
  const flow = layerOf(state.plane).flow;
  if (!flow || state.view === "power") return;
  const a = flow.along, low = [part.x, part.y], size = [part.w, part.h];
  const step = size[1 - a] / 6;
  let last = NaN;
  for (let n = 0; n < 6; n++) {
    let at = low[1 - a] + (n + 0.5) * step;
    const off = ([from, to]) => Math.max(0, from - at, at - to);
    const lane = flow.lanes.reduce((best, l) => (off(l) < off(best) ? l : best));
    if (off(lane) > 0 || lane[1] - lane[0] < step) at = (lane[0] + lane[1]) / 2;
    if (at === last || at < low[1 - a] || at > low[1 - a] + size[1 - a]) continue;
    last = at;
    const reach = 0.045 * size[a] * Math.max(0.3, lane[2]) * (flow.backward ? -1 : 1);
    for (let row = 0; row < 3; row++) {
      const middle = low[a] + (size[a] * (row + 0.5)) / 3;
      const end = (s) => (a === 0 ? [px(middle + s * reach), py(at)] : [px(at), py(middle + s * reach)]);
      arrow(c, end(-1), end(1));
    }
  }
}

function arrow(c, [x0, y0], [x1, y1]) {
  const size = Math.hypot(x1 - x0, y1 - y0), barb = Math.min(9, 0.45 * size);
  if (size < 4) return;
  const ux = ((x1 - x0) / size) * barb, uy = ((y1 - y0) / size) * barb;
  for (const [color, width] of [["rgba(0,0,0,0.45)", 4.5], ["rgba(255,255,255,0.9)", 2]]) {
    c.strokeStyle = color;
    c.lineWidth = width;
    c.beginPath();
    c.moveTo(x0, y0);
    c.lineTo(x1, y1);
    c.moveTo(x1 - ux - 0.6 * uy, y1 - uy + 0.6 * ux);
    c.lineTo(x1, y1);
    c.lineTo(x1 - ux + 0.6 * uy, y1 - uy - 0.6 * ux);
    c.stroke();
  }
}

// Where the section's line leaves no place to a name, it is written over the line.
function labelParts(c, names, places) {
  for (const [name, centres, wide] of names) {
    const at = places.first(centres, wide, 14) ?? places.first(centres, wide, 14, null);
    if (at) label(c, name, at[0], at[1], "center");
  }
}

function isolines(c, now, px, py, part) {
  const given = samplesOf(now.values, now.run, 220, part);
  const levels = [];
  let lo = Infinity, hi = -Infinity;
  for (const q of given.v) {
    if (q === MISSING || q !== q) return levels;
    lo = Math.min(lo, q);
    hi = Math.max(hi, q);
  }
  const { base, quantum } = now.scale;
  const value = (q) => (now.difference ? shownDifference : shown)(base + q * quantum);
  if (!(value(hi) - value(lo) > 6 * now.run.quantum)) return levels;
  // A difference holds the rounding of two temperatures.
  const s = unrounded(given, now.difference ? now.run.quantum : 0.5);
  c.lineWidth = 1;
  const scale = ticks(value(lo), value(hi), 7);
  for (const level of scale.at) {
    if (now.difference && Math.abs(level) < shownDifference(4 * now.run.quantum)) continue; // where nothing differs, rounding would draw
    const kelvin = now.difference ? level / shownDifference(1) : kelvinOf(level);
    const t = (kelvin - now.lo) / (now.hi - now.lo);
    c.strokeStyle = !now.difference && t < 0.62 ? "rgba(255,255,255,0.55)" : "rgba(0,0,0,0.5)";
    c.beginPath();
    levels.push([fixed(level, scale.decimals), traceLevel(c, s, (kelvin - base) / quantum, px, py)]);
    c.stroke();
  }
  return levels;
}

// Writes each level once on its line, if that is long enough.
function labelLevels(c, now, levels, places) {
  c.font = '11px system-ui, "Liberation Sans", "DejaVu Sans", sans-serif';
  for (const [name, pieces] of levels) {
    let length = 0;
    const middles = [];
    for (let n = 0; n < pieces.length; n += 4) {
      length += Math.hypot(pieces[n + 2] - pieces[n], pieces[n + 3] - pieces[n + 1]);
      if (n % 16 === 0) middles.push([(pieces[n] + pieces[n + 2]) / 2, (pieces[n + 1] + pieces[n + 3]) / 2]);
    }
    if (length < 60) continue;
    // From the middle of the list outwards, so that levels beside one another are not all labelled at the border.
    middles.push(...middles.splice(0, middles.length >> 1));
    const at = places.first(middles, c.measureText(name).width + 8, 15);
    if (at) label(c, name, at[0], at[1], "center");
  }
  c.font = '12px system-ui, "Liberation Sans", "DejaVu Sans", sans-serif';
}

// The hottest cell, or the one that differs most; null where no cell has a temperature.
function hottestOf(now) {
  if (now.power && now.values.every((v) => v === 0)) return null;
  let best = -1;
  for (let n = 0; n < now.values.length; n++) {
    const v = now.difference ? Math.abs(now.values[n]) : now.values[n];
    if (v === v && now.values[n] !== MISSING && (best < 0 || v > (now.difference ? Math.abs(now.values[best]) : now.values[best]))) best = n;
  }
  if (best < 0) return null;
  const { run } = now;
  const first = cellOf(run, { x: data.pick[0], y: data.pick[1] }); // of cells that rounding makes equal, that of the headline
  if (now.values[first] === now.values[best]) best = first;
  const i = best % run.w, j = Math.floor(best / run.w);
  return { cell: best, x: (run.x[i] + run.x[i + 1]) / 2, y: (run.y[j] + run.y[j + 1]) / 2 };
}

function markHottest(c, now, px, py, hot, places) {
  const { part } = frameOfMap;
  if (!hot || hot.x < part.x || hot.x > part.x + part.w || hot.y < part.y || hot.y > part.y + part.h) return;
  const x = px(hot.x), y = py(hot.y);
  disc(c, x, y, 4.5);
  places.taken.push([x - 8, y - 8, x + 8, y + 8]);
  c.font = '600 13px system-ui, "Liberation Sans", "DejaVu Sans", sans-serif';
  const content = valueText(now, hot.cell);
  const wide = c.measureText(content).width + 4, aside = wide / 2 + 15;
  const around = [[aside, -15], [-aside, -15], [aside, 15], [-aside, 15], [0, -22], [0, 22], [aside, -26], [-aside, 26], [aside, 40], [-aside, -40]].map(([u, v]) => [x + u, y + v]);
  const at = places.first(around, wide, 16) ?? places.first(around, wide, 16, null);
  if (at) label(c, content, at[0], at[1], "center");
  c.font = '12px system-ui, "Liberation Sans", "DejaVu Sans", sans-serif';
}

// The temperature of a cell: that of the peak is known exactly.
function exactKelvin(run, plane, cell, kelvin) {
  const peak = run.index === 0 && plane === data.start && cell === cellOf(run, { x: data.pick[0], y: data.pick[1] });
  return peak && Math.abs(kelvin - data.peak) <= run.quantum ? data.peak : kelvin;
}

// The value of a cell, for people.
function valueText(now, cell) {
  if (now.power) return `${Number(now.kelvin(cell).toPrecision(3))} W/cm²`;
  if (now.difference) return `${now.kelvin(cell) > 0 ? "+" : ""}${fixed(shownDifference(now.kelvin(cell)), exactness())} ${differenceName()}`;
  return temperatureText(exactKelvin(now.run, state.plane, cell, now.kelvin(cell)));
}

// The line of the section and the picked point.
function marks(c, px, py, places) {
  const { x0, y0, x1, y1 } = state.line;
  for (const [color, width] of [["rgba(0,0,0,0.7)", 3.5], ["#ffffff", 1.5]]) {
    c.strokeStyle = color;
    c.lineWidth = width;
    c.beginPath();
    c.moveTo(px(x0), py(y0));
    c.lineTo(px(x1), py(y1));
    c.stroke();
  }
  const { left, top, w } = frameOfMap;
  const inside = (x) => Math.max(left + 8, Math.min(left + w - 8, x));
  for (const [name, u, v] of [["A", inside(px(x0)), Math.max(top + 9, py(y0) - 9)], ["B", inside(px(x1)), Math.max(top + 9, py(y1) - 9)]]) {
    label(c, name, u, v, "center");
    places.taken.push([u - 7, v - 8, u + 7, v + 8]);
  }
  if (state.pick) {
    const x = px(state.pick.x), y = py(state.pick.y);
    places.taken.push([x - 13, y - 13, x + 13, y + 13]);
    for (const [color, width] of [["rgba(0,0,0,0.8)", 4], ["#ffffff", 2]]) {
      c.strokeStyle = color;
      c.lineWidth = width;
      c.beginPath();
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        c.moveTo(x + 6 * dx, y + 6 * dy);
        c.lineTo(x + 13 * dx, y + 13 * dy);
      }
      c.stroke();
    }
  }
}

function disc(c, x, y, r) {
  c.beginPath();
  c.arc(x, y, r, 0, 7);
  c.fillStyle = "#ffffff";
  c.fill();
  c.lineWidth = 1.5;
  c.strokeStyle = "#000000";
  c.stroke();
  c.beginPath();
  c.arc(x, y, r - 3, 0, 7);
  c.fillStyle = "#000000";
  c.fill();
}

function axes(c, colors, px, py, left, top, w, h, part) {
  c.strokeStyle = colors.soft;
  c.lineWidth = 1;
  const mark = (x0, y0, x1, y1) => {
    c.beginPath();
    c.moveTo(x0, y0);
    c.lineTo(x1, y1);
    c.stroke();
  };
  const along = ticks(part.x * 1e3, (part.x + part.w) * 1e3, Math.max(2, w / 70));
  for (const v of along.at) {
    mark(px(v / 1e3), top + h + 1, px(v / 1e3), top + h + 5);
    text(c, fixed(v, along.decimals), px(v / 1e3), top + h + 14, "center", colors.soft);
  }
  text(c, "x, mm", left + w / 2, top + h + 30, "center", colors.soft);
  const up = ticks(part.y * 1e3, (part.y + part.h) * 1e3, Math.max(2, h / 60));
  for (const v of up.at) {
    mark(left - 5, py(v / 1e3), left - 1, py(v / 1e3));
    text(c, fixed(v, up.decimals), left - 8, py(v / 1e3), "right", colors.soft);
  }
  text(c, "y, mm", left - 6, top - 16, "right", colors.soft); // above the numbers, which may be long
}

function colourBar(c, colors, now, x, top, h) {
  const w = 14;
  for (let n = 0; n < h; n++) {
    c.fillStyle = cssColor(now.colours[Math.round(255 * (1 - n / (h - 1)))]);
    c.fillRect(x, top + n, w, 1.5);
  }
  c.strokeStyle = colors.soft;
  c.lineWidth = 1;
  c.strokeRect(x - 0.5, top - 0.5, w + 1, h + 1);
  const convert = now.power ? Number : now.difference ? shownDifference : shown;
  const lo = convert(now.lo), hi = convert(now.hi);
  const scale = ticks(lo, hi, Math.max(2, h / 50));
  for (const v of scale.at) text(c, fixed(v, scale.decimals), x + w + 6, top + h - ((v - lo) / (hi - lo)) * h, "left", colors.ink);
  text(c, unitOf(now), x + w / 2, top - 13, "center", colors.soft);
}

// The place in m under a point of the canvas, held inside the map; null outside unless held.
function placeAt(event, hold) {
  if (!frameOfMap) return null;
  const box = mapCanvas.getBoundingClientRect();
  const { left, top, w, h, scale, part } = frameOfMap;
  let u = event.clientX - box.left - left;
  let v = top + h - (event.clientY - box.top);
  if (!hold && (u < 0 || v < 0 || u > w || v > h)) return null;
  u = Math.min(w - 1e-6, Math.max(0, u));
  v = Math.min(h - 1e-6, Math.max(0, v));
  return { x: part.x + u / scale, y: part.y + v / scale };
}

// What there is at a place, for people.
function describe(place) {
  const now = current();
  if (!now || !place) return "";
  const n = cellAt(now.run.y, place.y) * now.run.w + cellAt(now.run.x, place.x);
  const value = now.difference ? `${fixed(shownDifference(now.kelvin(n)), exactness())} ${differenceName()} difference` : valueText(now, n);
  const layer = layerOf(state.plane);
  const block = blockAt(layer, place.x, place.y), region = regionAt(layer, place.x, place.y);
  return `${value} at x ${millimetres(place.x)}, y ${millimetres(place.y)} mm in ${layer.name}${region ? `, region ${region}` : ""}${block ? `, block ${block}` : ""}${now.limits && now.values[n] > now.limits[n] ? ", above its limit" : ""}`;
}
