// Temperatures of the page: frames of planes in whole quanta. report/webpage/plane.go describes the packing.
const MISSING = -(2 ** 30);

async function unpackText(text) {
  let bytes;
  if (Uint8Array.fromBase64) {
    bytes = Uint8Array.fromBase64(text);
  } else {
    const raw = atob(text);
    bytes = new Uint8Array(raw.length);
    for (let n = 0; n < raw.length; n++) bytes[n] = raw.charCodeAt(n);
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Undoes residualsOf in plane.go.
function unpackPlane(bytes, w, h, previous, wide) {
  const mode = bytes[0];
  const cells = w * h;
  const d = wide ? new Int32Array(cells) : new Int16Array(cells);
  let at = 1;
  const next = () => {
    let z = bytes[at++];
    if (z >= 240) {
      if (z < 255) {
        z = 240 + ((z - 240) << 8) + bytes[at++];
      } else {
        z = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
        at += 4;
      }
    }
    return (z >>> 1) ^ -(z & 1);
  };
  if (mode === 1) {
    for (let n = 0; n < cells; n++) d[n] = previous[n] + next();
    return d;
  }
  let row = new Int32Array(w);
  let below = new Int32Array(w);
  for (let j = 0, n = 0; j < h; j++) {
    [row, below] = [below, row];
    let west = 0;
    let southWest = 0;
    for (let i = 0; i < w; i++, n++) {
      const south = j > 0 ? below[i] : 0;
      const expected = j === 0 ? west : i === 0 ? south : west + south - southWest;
      west = (next() + expected) | 0;
      southWest = south;
      row[i] = west;
      d[n] = mode === 0 ? west : west + previous[n];
    }
  }
  return d;
}

class Run {
  constructor(about, index) {
    Object.assign(this, about); // name, base, quantum, w, h, wide, x, y, lo, hi (per plane, in quanta), frames
    this.index = index;
    this.texts = new Array(this.frames.length);
    this.planes = this.frames.map(() => new Array(this.lo.length));
    this.pending = new Map();
  }

  // The plane if it is unpacked, else undefined.
  ready(frame, plane) {
    return this.planes[frame][plane];
  }

  async get(frame, plane) {
    const have = this.planes[frame][plane];
    if (have) return have;
    const key = frame * this.lo.length + plane;
    if (!this.pending.has(key)) this.pending.set(key, this.load(frame, plane));
    return this.pending.get(key);
  }

  async load(frame, plane) {
    const bytes = await unpackText(this.text(frame, plane));
    const previous = bytes[0] === 0 ? null : await this.get(frame - 1, plane);
    const values = unpackPlane(bytes, this.w, this.h, previous, this.wide);
    this.planes[frame][plane] = values;
    this.pending.delete(frame * this.lo.length + plane);
    return values;
  }

  text(frame, plane) {
    if (!this.texts[frame]) {
      const element = document.getElementById(`run${this.index}-frame${frame}`);
      this.texts[frame] = element.textContent.trim().split("\n");
      element.remove();
    }
    const text = this.texts[frame][plane];
    this.texts[frame][plane] = "";
    return text;
  }

  kelvin(q) {
    return q === MISSING ? NaN : this.base + q * this.quantum;
  }
}

// Index of the cell of an axis in which v lies.
function cellAt(faces, v) {
  let lo = 0;
  let hi = faces.length - 2;
  while (lo < hi) {
    const middle = (lo + hi + 1) >> 1;
    if (faces[middle] <= v) lo = middle;
    else hi = middle - 1;
  }
  return lo;
}
