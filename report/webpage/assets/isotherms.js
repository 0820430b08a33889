// Lines of equal value through a grid of samples, by marching squares.

// A part of the map on at most `most` samples a side, by maximum, at their places in metres.
function samplesOf(values, run, most, part) {
  const group = (faces, from, length) => {
    const first = Math.max(0, cellAt(faces, from) - 1);
    const end = Math.min(faces.length - 1, cellAt(faces, from + length) + 2);
    const size = Math.ceil((end - first) / most);
    const out = { at: [], from: [], to: [] };
    for (let a = first; a < end; a += size) {
      const b = Math.min(a + size, end);
      out.at.push((faces[a] + faces[b]) / 2);
      out.from.push(a);
      out.to.push(b);
    }
    return out;
  };
  const gx = group(run.x, part.x, part.w);
  const gy = group(run.y, part.y, part.h);
  const nx = gx.at.length;
  const v = new Float64Array(nx * gy.at.length);
  for (let j = 0; j < gy.at.length; j++) {
    for (let i = 0; i < nx; i++) {
      let best = -Infinity;
      for (let b = gy.from[j]; b < gy.to[j]; b++) {
        for (let a = gx.from[i]; a < gx.to[i]; a++) best = Math.max(best, values[b * run.w + a]);
      }
      v[j * nx + i] = best;
    }
  }
  return { x: gx.at, y: gy.at, v, nx, ny: gy.at.length };
}

// Takes the steps of rounding out of samples: the smoothest values, by Gauss-Seidel passes, that are nowhere further than half from those given.
// Rounded values are as far from the true ones, so that nothing is lost.
function unrounded(s, half) {
  const { v, nx, ny } = s;
  const out = v.slice();
  for (let pass = 0; pass < 16; pass++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) {
        const n = j * nx + i;
        let sum = 0, count = 0;
        if (i > 0 && i + 1 < nx) (sum += out[n - 1] + out[n + 1]), (count += 2);
        if (j > 0 && j + 1 < ny) (sum += out[n - nx] + out[n + nx]), (count += 2);
        if (count) out[n] = Math.min(v[n] + half, Math.max(v[n] - half, sum / count));
      }
    }
  }
  return { ...s, v: out };
}

// Adds the pieces of one level to a path; px and py place metres on the screen. Returns the ends of all pieces, four numbers each.
function traceLevel(c, s, level, px, py) {
  const pieces = [];
  const { x, y, v, nx, ny } = s;
  const cut = (a, b) => (level - a) / (b - a);
  for (let j = 0; j + 1 < ny; j++) {
    for (let i = 0; i + 1 < nx; i++) {
      const n = j * nx + i;
      const sw = v[n], se = v[n + 1], nw = v[n + nx], ne = v[n + nx + 1];
      const kind = (sw > level ? 1 : 0) | (se > level ? 2 : 0) | (ne > level ? 4 : 0) | (nw > level ? 8 : 0);
      if (kind === 0 || kind === 15) continue;
      const south = () => [px(x[i] + cut(sw, se) * (x[i + 1] - x[i])), py(y[j])];
      const north = () => [px(x[i] + cut(nw, ne) * (x[i + 1] - x[i])), py(y[j + 1])];
      const west = () => [px(x[i]), py(y[j] + cut(sw, nw) * (y[j + 1] - y[j]))];
      const east = () => [px(x[i + 1]), py(y[j] + cut(se, ne) * (y[j + 1] - y[j]))];
      const line = (a, b) => {
        const from = a(), to = b();
        c.moveTo(...from);
        c.lineTo(...to);
        pieces.push(...from, ...to);
      };
      switch (kind) {
        case 1: case 14: line(west, south); break;
        case 2: case 13: line(south, east); break;
        case 3: case 12: line(west, east); break;
        case 4: case 11: line(east, north); break;
        case 6: case 9: line(south, north); break;
        case 7: case 8: line(west, north); break;
        case 5: line(west, north); line(south, east); break;
        case 10: line(west, south); line(east, north); break;
      }
    }
  }
  return pieces;
}
