// The exploded view: every layer's hottest plane as a sheet, seen from above at an angle, without perspective.
const solidCanvas = document.getElementById("solid");
const camera = { turn: -0.6, tilt: 0.5, spread: 0.55, zoom: 1, focus: [0, 0, 0], stretch: 1 }; // of the exploded view and of 3D
let sheets = { key: "", images: [] };

function drawExploded() {
  const run = runs[state.run];
  const colors = palette();
  const planes = data.planeLayer.length;
  for (let k = 0; k < planes; k++) if (!run.ready(state.frame, k)) return;
  const width = solidCanvas.clientWidth || solidCanvas.parentElement.clientWidth;
  const tallest = Math.max(320, Math.min(720, window.innerHeight * 0.74));
  const [lx, ly] = data.size;
  const count = data.layers.length;
  const sin = Math.sin(camera.turn), cos = Math.cos(camera.turn), low = Math.sin(camera.tilt), high = Math.cos(camera.tilt);
  const across = Math.abs(lx * cos) + Math.abs(ly * sin);
  const deep = (Math.abs(lx * sin) + Math.abs(ly * cos)) * low;
  const side = Math.min(130, width * 0.28);
  const bar = state.range === "plane" ? 0 : 66; // without one where each layer has colours of its own
  const room = Math.max(80, width - side - 30 - bar);
  // The spread shares the height between the sheets and the gaps.
  const s = Math.min(room / across, (tallest - 70) / (deep * (1 + camera.spread * 0.4 * count)));
  const lift = (tallest - 70 - deep * s) / Math.max(1, count - 1);
  const gap = Math.min(lift, (10 + 90 * camera.spread) * high);
  const total = gap * (count - 1);
  const height = Math.ceil(total + deep * s + 70);
  const at = prepare(solidCanvas, height);
  if (!at) return;
  const { c, dense } = at;
  texture(run);
  const cx = 20 + bar + room / 2;
  const cy = 25 + total + (deep * s) / 2;
  const place = (x, y, l) => {
    const u = x - lx / 2, v = y - ly / 2;
    return [cx + (u * cos - v * sin) * s, cy - (u * sin + v * cos) * low * s - l * gap];
  };
  const above = data.planeLayer[state.plane];
  for (let l = 0; l < count; l++) {
    const image = sheets.images[l];
    c.globalAlpha = l > above ? 0.4 : 1; // the chosen layer shows through those above it
    const [ox, oy] = place(0, ly, l);
    const [ax, ay] = place(lx, ly, l);
    const [bx, by] = place(0, 0, l);
    const chosen = data.planeLayer[state.plane] === l;
    c.save();
    c.setTransform((dense * (ax - ox)) / image.width, (dense * (ay - oy)) / image.width, (dense * (bx - ox)) / image.height, (dense * (by - oy)) / image.height, dense * ox, dense * oy);
    c.imageSmoothingEnabled = true;
    c.drawImage(image, 0, 0);
    c.restore();
    const corners = [place(0, 0, l), place(lx, 0, l), place(lx, ly, l), place(0, ly, l)];
    c.strokeStyle = chosen ? colors.ink : colors.soft;
    c.lineWidth = chosen ? 2 : 1;
    c.beginPath();
    corners.forEach(([x, y], n) => (n ? c.lineTo(x, y) : c.moveTo(x, y)));
    c.closePath();
    c.stroke();
    if (state.outlines) outlineSheet(c, l, place);
  }
  c.globalAlpha = 1;
  // Names beside the eastmost corners, apart from one another.
  let lowest = Infinity;
  for (let l = 0; l < count; l++) {
    const corner = [place(0, 0, l), place(lx, 0, l), place(lx, ly, l), place(0, ly, l)].reduce((a, b) => (b[0] > a[0] ? b : a));
    const y = Math.min(corner[1], lowest - 14);
    lowest = y;
    c.strokeStyle = colors.line;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(corner[0] + 3, corner[1]);
    c.lineTo(width - side + 2, y);
    c.stroke();
    text(c, clipped(c, data.layers[l].name, side - 10), width - side + 6, y, "left", data.planeLayer[state.plane] === l ? colors.ink : colors.soft);
  }
  const [lo, hi] = rangeOf(run, state.plane);
  if (bar) colourBar(c, colors, { lo, hi, colours: thermal() }, 8, 28, Math.min(240, height - 70));
  const title = run.frames.length > 1 ? `at ${timeText(run.frames[state.frame].time)}; ` : "";
  const colouring = bar ? "" : "each layer with its own color scale; ";
  text(c, clipped(c, `${title}${colouring}hottest plane of each layer, heights not to scale`, width - 12), 6, height - 12, "left", colors.soft);
}

function outlineSheet(c, l, place) {
  c.strokeStyle = "rgba(255,255,255,0.5)";
  c.lineWidth = 0.7;
  c.beginPath();
  for (const part of [...data.layers[l].regions, ...data.layers[l].blocks]) {
    for (const ring of ringsOf(part)) {
      ring.forEach(([a, b], n) => (n ? c.lineTo(...place(a, b, l)) : c.moveTo(...place(a, b, l))));
      c.closePath();
    }
  }
  c.stroke();
}

// Redraws the images of the layers when the field or the colours have changed.
function texture(run) {
  const key = [state.run, state.frame, state.range, state.typed, state.colours, state.shade, state.limit].join();
  if (sheets.key === key) return;
  const images = data.layers.map((_, l) => {
    const planes = data.planeLayer.flatMap((v, k) => (v === l ? [k] : []));
    const values = planes.map((k) => run.ready(state.frame, k));
    const hottest = Float32Array.from(values[0], (q, n) => Math.max(...values.map((v) => v[n])));
    const [lo, hi] = state.range !== "plane" ? rangeOf(run, planes[0]) : [run.kelvin(Math.min(...planes.map((k) => run.lo[k]))), run.kelvin(Math.max(...planes.map((k) => run.hi[k])))];
    const image = document.createElement("canvas");
    const scale = Math.min(1, 300 / Math.max(run.w, run.h));
    const shape = data.size[1] / data.size[0];
    const w = Math.max(48, Math.round(run.w * scale));
    paint({ run, values: hottest, scale: run, colours: thermal(), limits: limitsOf(run, l), lo, hi: hi > lo ? hi : lo + 1, difference: false }, w, Math.max(2, Math.round(w * shape)), { x: 0, y: 0, w: data.size[0], h: data.size[1] });
    image.width = heat.width;
    image.height = heat.height;
    image.getContext("2d").drawImage(heat, 0, 0);
    return image;
  });
  sheets = { key, images };
}
