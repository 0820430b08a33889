// What all drawings share.
function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function palette() {
  return { ink: style("--ink"), soft: style("--soft"), line: style("--line"), faint: style("--faint"), card: style("--card"), accent: style("--accent") };
}

// Gives a canvas the pixels of its place on the screen and returns a context in CSS pixels; null while it is not shown.
function prepare(canvas, height) {
  const width = Math.floor(canvas.clientWidth || canvas.parentElement.clientWidth);
  if (!(width > 0)) return null;
  const dense = Math.min(3, window.devicePixelRatio || 1);
  const w = Math.round(width * dense);
  const h = Math.round(height * dense);
  canvas.style.height = `${height}px`;
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const c = canvas.getContext("2d");
  c.setTransform(dense, 0, 0, dense, 0, 0);
  c.clearRect(0, 0, width, height);
  c.font = '12px system-ui, "Liberation Sans", "DejaVu Sans", sans-serif';
  c.textBaseline = "middle";
  return { c, width, height, dense };
}

function text(c, content, x, y, align, color) {
  c.textAlign = align;
  c.fillStyle = color;
  c.fillText(content, x, y);
}

// Text that reads on any ground.
function label(c, content, x, y, align) {
  c.textAlign = align;
  c.lineWidth = 3;
  c.lineJoin = "round";
  c.strokeStyle = "rgba(0,0,0,0.6)";
  c.strokeText(content, x, y);
  c.fillStyle = "#ffffff";
  c.fillText(content, x, y);
}

// Colours as 32-bit pixels: 256 of a map, of which evenly spaced ones are given, and one for missing cells.
function lut(hex) {
  const out = new Uint32Array(257);
  const last = hex.length / 6 - 1;
  const channel = (knot, shift) => (parseInt(hex.slice(6 * knot, 6 * knot + 6), 16) >> shift) & 255;
  for (let n = 0; n < 256; n++) {
    const knot = Math.min(last - 1, Math.floor((n * last) / 255));
    const part = (n * last) / 255 - knot;
    const [r, g, b] = [16, 8, 0].map((shift) => Math.round((1 - part) * channel(knot, shift) + part * channel(knot + 1, shift)));
    out[n] = 0xff000000 | (b << 16) | (g << 8) | r;
  }
  out[256] = 0xff808080;
  return out;
}

function cssColor(pixel) {
  return `rgb(${pixel & 255},${(pixel >> 8) & 255},${(pixel >> 16) & 255})`;
}

// The cells whose middles lie on both sides of v on an axis, and the part of the way to the second.
function neighbours(faces, v) {
  const cells = faces.length - 1;
  const middle = (i) => (faces[i] + faces[i + 1]) / 2;
  let i = cellAt(faces, v);
  if (v < middle(i)) i--;
  if (i < 0) return [0, 0, 0];
  if (i >= cells - 1) return [cells - 1, cells - 1, 0];
  return [i, i + 1, (v - middle(i)) / (middle(i + 1) - middle(i))];
}

// Which cells each of n pixels along an axis shows: the one at its middle, and all that lie at no pixel's middle, so that none is lost.
// The pixels cover the axis from `from` (m) over `length`.
function binsOf(faces, n, flip, from, length) {
  const cells = faces.length - 1;
  const first = new Int32Array(n);
  const last = new Int32Array(n);
  const seen = new Uint8Array(cells);
  const place = (p) => (flip ? n - 1 - p : p);
  for (let p = 0; p < n; p++) {
    const cell = cellAt(faces, from + (length * (p + 0.5)) / n);
    first[place(p)] = last[place(p)] = cell;
    seen[cell] = 1;
  }
  for (let cell = 0; cell < cells; cell++) {
    const middle = (faces[cell] + faces[cell + 1]) / 2 - from;
    if (seen[cell] || middle < 0 || middle > length) continue;
    const p = place(Math.min(n - 1, Math.floor((middle / length) * n)));
    first[p] = Math.min(first[p], cell);
    last[p] = Math.max(last[p], cell);
  }
  return { first, last };
}
