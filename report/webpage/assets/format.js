// Numbers for people.
const ZERO_CELSIUS = 273.15;

// A temperature in the unit of the page, and back.
function shown(kelvin) {
  if (state.unit === "F") return (kelvin - ZERO_CELSIUS) * 1.8 + 32;
  return state.unit === "K" ? kelvin : kelvin - ZERO_CELSIUS;
}

function kelvinOf(number) {
  if (state.unit === "F") return (number - 32) / 1.8 + ZERO_CELSIUS;
  return state.unit === "K" ? number : number + ZERO_CELSIUS;
}

// A difference of temperatures in the unit of the page.
function shownDifference(kelvin) {
  return state.unit === "F" ? kelvin * 1.8 : kelvin;
}

function differenceName() {
  return state.unit === "F" ? "°F" : "K";
}

function unitName() {
  return state.unit === "K" ? "K" : `°${state.unit}`;
}

function fixed(v, decimals) {
  if (!Number.isFinite(v)) return "-";
  const text = v.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

// Decimals that the page's precision is worth.
function exactness() {
  return Math.max(2, Math.min(4, Math.ceil(-Math.log10(runs[state.run].quantum))));
}

function temperatureText(kelvin, decimals = exactness()) {
  return `${fixed(shown(kelvin), decimals)} ${unitName()}`;
}

function millimetres(m) {
  return fixed(m * 1e3, 3);
}

function lengthText(m) {
  const number = (v) => String(Number(v.toPrecision(4)));
  return m >= 1e-3 ? `${number(m * 1e3)} mm` : `${number(m * 1e6)} µm`;
}

function timeText(s) {
  const a = Math.abs(s);
  const [scale, unit] = a >= 1 || a === 0 ? [1, "s"] : a >= 1e-3 ? [1e3, "ms"] : a >= 1e-6 ? [1e6, "µs"] : [1e9, "ns"];
  return `${Number((s * scale).toPrecision(4))} ${unit}`;
}

// A round step that divides a span into about n parts.
function niceStep(span, n) {
  const raw = span / n;
  const unit = 10 ** Math.floor(Math.log10(raw));
  return unit * ([1, 2, 2.5, 5, 10].find((f) => f * unit >= raw * 0.999) ?? 10);
}

function ticks(lo, hi, n) {
  if (!(hi > lo)) return { at: [lo], decimals: 2 };
  const step = niceStep(hi - lo, n);
  const at = [];
  const first = Math.ceil(lo / step - 1e-9);
  // Counted from zero: beyond 2^53, first and its successor are one number.
  for (let k = 0; k <= 2 * n + 3 && (first + k) * step <= hi + 1e-9 * step; k++) at.push((first + k) * step);
  let decimals = 0;
  while (decimals < 6 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) decimals++;
  return { at, decimals };
}
