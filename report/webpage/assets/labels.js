// Where labels stand on a map: inside it, none on another, nor on the line of the section.
class Places {
  constructor(box, line) {
    this.box = box; // left, top, right, bottom
    this.line = line; // x0, y0, x1, y1 on the screen, or null
    this.taken = [];
  }

  free(box, line = this.line) {
    const [left, top, right, bottom] = box;
    if (left < this.box[0] || top < this.box[1] || right > this.box[2] || bottom > this.box[3]) return false;
    if (this.taken.some((b) => left < b[2] && right > b[0] && top < b[3] && bottom > b[1])) return false;
    return !line || !crosses(line, box);
  }

  // Takes the first free place of a label among centres, and returns it; undefined where none is.
  first(centres, wide, tall, line) {
    const box = ([x, y]) => [x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2];
    const found = centres.find((p) => this.free(box(p), line));
    if (found) this.taken.push(box(found));
    return found;
  }
}

// Whether a line has a point in a box, by the parts of it that lie between each pair of sides.
function crosses([x0, y0, x1, y1], [left, top, right, bottom]) {
  let from = 0, to = 1;
  for (const [start, step, low, high] of [[x0, x1 - x0, left, right], [y0, y1 - y0, top, bottom]]) {
    if (step === 0) {
      if (start < low || start > high) return false;
      continue;
    }
    const a = (low - start) / step, b = (high - start) / step;
    from = Math.max(from, Math.min(a, b));
    to = Math.min(to, Math.max(a, b));
  }
  return from <= to;
}
