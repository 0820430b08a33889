// Controls, and drawing what they ask for.
const $ = (id) => document.getElementById(id);
let drawing = false;

// Draws at the next frame of the screen, once whatever asks for it.
function redraw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(async () => {
    await load();
    drawing = false;
    draw();
  });
}

function draw() {
  const start = performance.now();
  if (state.view === "solid") drawSolid();
  else if (state.view === "exploded") drawExploded();
  else drawMap();
  drawCharts();
  syncControls();
  performance.clearMeasures("draw"); // the browser's profiler shows the last one
  performance.measure("draw", { start });
}

function syncControls() {
  const run = runs[state.run];
  $("plane").value = state.plane;
  $("plane").setAttribute("aria-valuetext", planeTitle(state.plane));
  $("frame").value = state.frame;
  const when = `${timeText(run.frames[state.frame].time)}`;
  $("when").textContent = when;
  $("frame").setAttribute("aria-valuetext", when);
  for (const button of document.querySelectorAll("#layers button")) {
    const l = Number(button.dataset.layer);
    if (data.planeLayer[state.plane] === l && button.getAttribute("aria-current") !== "true") bringIntoList(button);
    button.setAttribute("aria-current", String(data.planeLayer[state.plane] === l));
    const planes = data.planeLayer.flatMap((v, k) => (v === l ? [k] : []));
    const [lo, hi] = rangeOfRun(run);
    const top = Math.max(...planes.map((k) => run.hi[k]));
    button.querySelector(".hot").textContent = `${temperatureText(run.kelvin(top), 1)} · ${lengthText(data.layers[l].thickness)}`;
    button.style.setProperty("--swatch", cssColor(thermal()[Math.max(0, Math.min(255, Math.round((255 * (top - lo)) / Math.max(1, hi - lo))))]));
  }
  for (const button of document.querySelectorAll("[data-set]")) button.setAttribute("aria-pressed", String(state[button.dataset.set] === button.dataset.value));
  $("zoom-out").disabled = $("zoom-all").disabled = flat() && state.zoom === 1;
  $("zoom-in").disabled = flat() && state.zoom >= 64;
  syncNumbers();
  mapCanvas.style.cursor = state.drag === "pan" ? "grab" : "";
  mapCanvas.style.touchAction = state.drag === "pan" ? "none" : "";
  if (!hovering) $("readout").textContent = describe(state.pick);
  mapCanvas.setAttribute("aria-label", `Temperature map of ${mapTitle()}. ${describe(state.pick)}`);
}

// Scrolls the list of layers, not the page, to the one shown.
function bringIntoList(button) {
  const list = $("layers"), item = button.parentElement;
  if (item.offsetTop < list.scrollTop) list.scrollTop = item.offsetTop;
  else if (item.offsetTop + item.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = item.offsetTop + item.offsetHeight - list.clientHeight;
}

// Numbers that are typed, in the page's unit, unless someone is typing.
function syncNumbers() {
  const put = (id, kelvin) => {
    const input = $(id);
    if (document.activeElement !== input) input.value = kelvin === null ? "" : fixed(shown(kelvin), 2);
    if (document.activeElement !== input) input.removeAttribute("aria-invalid");
  };
  const [lo, hi] = rangeOf(runs[state.run], state.plane);
  put("range-lo", lo);
  put("range-hi", hi);
  $("range-lo").disabled = $("range-hi").disabled = $("colours").disabled = state.view === "power" || (state.view === "map" && state.compare !== "");
  put("limit", state.limit);
}

// A number typed into a field in K: null where it is empty, NaN where it is none.
function typedKelvin(id) {
  const text = $(id).value.trim();
  return text === "" ? ($(id).validity.badInput ? NaN : null) : kelvinOf(Number(text));
}

function typeRange() {
  const [lo, hi] = [typedKelvin("range-lo"), typedKelvin("range-hi")];
  const fine = lo !== null && hi !== null && hi > lo && hi - lo < 1e9;
  for (const id of ["range-lo", "range-hi"]) $(id).setAttribute("aria-invalid", String(!fine));
  if (fine) change({ range: "typed", typed: [lo, hi] });
}

function typeLimit() {
  const limit = typedKelvin("limit");
  $("limit").setAttribute("aria-invalid", String(Number.isNaN(limit)));
  if (Number.isNaN(limit)) return;
  $("shade").checked = limit !== null || hasLimits();
  change({ limit, shade: $("shade").checked });
}

function rangeOfRun(run) {
  return [Math.min(...run.lo), Math.max(...run.hi)];
}

function change(values) {
  Object.assign(state, values);
  redraw();
}

function setFrame(frame) {
  change({ frame: Math.max(0, Math.min(runs[state.run].frames.length - 1, frame)) });
}

function setPlane(plane) {
  change({ plane: Math.max(0, Math.min(data.planeLayer.length - 1, plane)) });
}

function zoomIn(zoom) {
  return zoom < 1.02 ? 1 : Math.min(64, zoom);
}

// Zooms on the picked point.
function zoomBy(factor) {
  if (state.view === "solid") zoomSolid(factor);
  if (!flat()) redrawTurned();
  else change({ zoom: zoomIn(state.zoom * factor), centre: { ...state.pick } });
}

function zoomOnDies() {
  if (flat()) return change(powered());
  const { x, y } = powered().centre;
  Object.assign(camera, { zoom: powered().zoom, focus: [x, y, data.z[data.start]] });
  redrawTurned();
}

// Zooms so that a place stays where it is on the screen.
function zoomAt(place, zoom) {
  const part = shownPart();
  const u = (place.x - part.x) / part.w, v = (place.y - part.y) / part.h;
  const w = data.size[0] / zoom, h = data.size[1] / zoom;
  change({ zoom, centre: { x: place.x + (0.5 - u) * w, y: place.y + (0.5 - v) * h } });
}

// Moves the map to a centre, as far as its borders let it.
function panTo(x, y) {
  change({ centre: { x, y } });
  const part = shownPart();
  state.centre = { x: part.x + part.w / 2, y: part.y + part.h / 2 };
}

// The hottest plane of a layer.
function planeOfLayer(l) {
  const run = runs[state.run];
  return data.planeLayer.flatMap((v, k) => (v === l ? [k] : [])).reduce((a, b) => (run.hi[b] > run.hi[a] ? b : a));
}

function buildLayers() {
  for (let l = data.layers.length - 1; l >= 0; l--) {
    const item = document.createElement("li");
    item.innerHTML = '<button type="button"><span class="name"></span><span class="hot"></span></button>';
    const button = item.firstChild;
    button.dataset.layer = l;
    button.title = `${data.layers[l].name}: ${data.layers[l].material}, ${lengthText(data.layers[l].thickness)}`;
    button.firstChild.textContent = data.layers[l].name;
    button.addEventListener("click", () => setPlane(planeOfLayer(l)));
    $("layers").append(item);
  }
}

function fillOther() {
  const options = {
    plane: () => data.planeLayer.map((_, k) => [k, planeTitle(k)]).reverse(),
    frame: () => runs[state.run].frames.map((f, n) => [n, timeText(f.time)]),
    run: () => runs.map((r, n) => [n, r.name]).filter(([n]) => n !== state.run),
  };
  const list = state.compare ? options[state.compare]() : [];
  $("other-label").hidden = list.length === 0;
  $("other").replaceChildren(...list.map(([value, name]) => new Option(name, value)));
  if (list.length) {
    const first = list.find(([n]) => n !== state[state.compare]) ?? list[0];
    state.other = first[0];
    $("other").value = state.other;
  }
}

let player = 0;
function play(on) {
  $("play").setAttribute("aria-pressed", String(on));
  $("play").setAttribute("aria-label", on ? "Pause" : "Play");
  $("play").textContent = on ? "\u23F8" : "\u25B6";
  cancelAnimationFrame(player);
  if (!on) return;
  const frames = runs[state.run].frames.length;
  const perSecond = Math.min(30, Math.max(5, frames / 8));
  let last = 0;
  const tick = (now) => {
    if (now - last >= 1000 / perSecond - 4) {
      last = now;
      setFrame((state.frame + 1) % frames);
    }
    player = requestAnimationFrame(tick);
  };
  player = requestAnimationFrame(tick);
}

let hovering = false;
function wireMap() {
  let from = null, hand = null;
  mapCanvas.addEventListener("pointerdown", (e) => {
    from = placeAt(e, false);
    if (from) mapCanvas.setPointerCapture(e.pointerId);
    hand = null;
    if (!from || (state.drag !== "pan" && !e.shiftKey && e.button !== 1)) return;
    const part = shownPart();
    hand = { u: e.clientX, v: e.clientY, x: part.x + part.w / 2, y: part.y + part.h / 2, moved: false };
    e.preventDefault(); // the middle button would scroll
  });
  mapCanvas.addEventListener("pointermove", (e) => {
    if (hand) {
      const u = e.clientX - hand.u, v = e.clientY - hand.v;
      hand.moved ||= Math.hypot(u, v) >= 6;
      if (hand.moved) panTo(hand.x - u / frameOfMap.scale, hand.y + v / frameOfMap.scale);
      return;
    }
    const place = placeAt(e, from !== null);
    hovering = place !== null;
    $("readout").textContent = describe(place ?? state.pick);
    if (!from || !place || Math.hypot(place.x - from.x, place.y - from.y) * frameOfMap.scale < 6) return;
    change({ line: { x0: from.x, y0: from.y, x1: place.x, y1: place.y } });
  });
  mapCanvas.addEventListener("pointerup", (e) => {
    const place = placeAt(e, true);
    if (hand ? !hand.moved : from && place && Math.hypot(place.x - from.x, place.y - from.y) * frameOfMap.scale < 6) change({ pick: place });
    from = hand = null;
  });
  mapCanvas.addEventListener("pointercancel", () => (from = hand = null));
  mapCanvas.addEventListener("dblclick", (e) => zoomAt(placeAt(e, true), e.shiftKey ? 1 : zoomIn(state.zoom * 2)));
  wireWheel();
  mapCanvas.addEventListener("pointerleave", () => {
    hovering = false;
    $("readout").textContent = describe(state.pick);
  });
  mapCanvas.addEventListener("keydown", keys);
}

// The wheel zooms, but a page that is being scrolled goes on, and where there is nothing to zoom out of, it scrolls.
function wireWheel() {
  let scrolled = -Infinity, zoomed = -Infinity;
  addEventListener("scroll", () => (scrolled = performance.now()), { passive: true });
  mapCanvas.addEventListener("wheel", (e) => {
    const now = performance.now();
    const place = placeAt(e, false);
    if (!place || (now - scrolled < 250 && now - zoomed > 250 && !e.ctrlKey)) return;
    const lines = e.deltaMode === 1 ? 16 : 1;
    const zoom = zoomIn(state.zoom * 2 ** ((-e.deltaY * lines) / 240));
    if (zoom === state.zoom && now - zoomed > 400) return;
    e.preventDefault();
    zoomed = now;
    zoomAt(place, zoom);
  }, { passive: false });
}

function keys(e) {
  const run = runs[state.run];
  const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
  if (move) {
    const far = e.shiftKey ? 10 : 1;
    const i = Math.max(0, Math.min(run.w - 1, cellAt(run.x, state.pick.x) + far * move[0]));
    const j = Math.max(0, Math.min(run.h - 1, cellAt(run.y, state.pick.y) + far * move[1]));
    const pick = { x: (run.x[i] + run.x[i + 1]) / 2, y: (run.y[j] + run.y[j + 1]) / 2 };
    change({ pick });
    const part = shownPart(); // which follows the point
    if (pick.x < part.x || pick.x > part.x + part.w || pick.y < part.y || pick.y > part.y + part.h) panTo(pick.x, pick.y);
  } else if (e.key === "PageUp") setPlane(state.plane + 1);
  else if (e.key === "PageDown") setPlane(state.plane - 1);
  else if (e.key === "+") zoomBy(2);
  else if (e.key === "-") zoomBy(0.5);
  else if (e.key === "0") zoomBy(0);
  else if (e.key === ",") setFrame(state.frame - 1);
  else if (e.key === ".") setFrame(state.frame + 1);
  else return;
  e.preventDefault();
  load().then(() => ($("spoken").textContent = describe(state.pick)));
}

// The picture on paper's colours, with the title of the page above.
function savePNG() {
  const source = flat() ? mapCanvas : solidCanvas;
  onPaper(true);
  const dense = Math.min(3, window.devicePixelRatio || 1);
  const out = document.createElement("canvas");
  const head = Math.round(34 * dense);
  out.width = source.width;
  out.height = source.height + head;
  const c = out.getContext("2d");
  c.fillStyle = "#ffffff";
  c.fillRect(0, 0, out.width, out.height);
  c.drawImage(source, 0, head);
  c.fillStyle = "#000000";
  c.font = `600 ${14 * dense}px system-ui, "Liberation Sans", "DejaVu Sans", sans-serif`;
  c.fillText(data.caveat ? `${data.caveat}: ${data.title}` : data.title, 10 * dense, 23 * dense, out.width - 20 * dense);
  onPaper(false);
  out.toBlob((blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${planeTitle(state.plane).replace(/[^A-Za-z0-9._-]+/g, "_")}.png`;
    link.click();
    window.lastSaved = blob.size;
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }, "image/png");
}

// Black on white, for printers and saved pictures, whatever the screen shows.
function onPaper(on) {
  document.documentElement.classList.toggle("paper", on);
  draw();
}

function wireControls() {
  for (const button of document.querySelectorAll("[data-set]")) {
    button.addEventListener("click", () => {
      change({ [button.dataset.set]: button.dataset.value });
      if (button.dataset.set === "unit") retell();
      if (button.dataset.set === "view") showView();
    });
  }
  for (const id of ["outlines", "isotherms", "cells"]) $(id).addEventListener("change", (e) => change({ [id]: e.target.checked }));
  $("shade").checked = state.shade;
  $("limit").placeholder = hasLimits() ? "tmax" : "limit";
  $("shade").addEventListener("change", (e) => change({ shade: e.target.checked }));
  $("limit").addEventListener("input", typeLimit);
  for (const id of ["range-lo", "range-hi"]) $(id).addEventListener("input", typeRange);
  for (const id of ["range-lo", "range-hi", "limit"]) $(id).addEventListener("blur", redraw);
  $("colours").replaceChildren(...data.maps.map(([name]) => new Option(name, name)));
  $("colours").addEventListener("change", (e) => change({ colours: e.target.value }));
  document.querySelector("[data-value=power]").hidden = data.power.length === 0;
  $("zoom-in").addEventListener("click", () => zoomBy(2));
  $("zoom-dies").hidden = powered().zoom === 1;
  $("zoom-dies").addEventListener("click", zoomOnDies);
  $("zoom-all").addEventListener("click", () => zoomBy(0));
  $("zoom-out").addEventListener("click", () => zoomBy(0.5));
  $("plane").max = data.planeLayer.length - 1;
  $("plane").addEventListener("input", (e) => setPlane(Number(e.target.value)));
  $("frame").addEventListener("input", (e) => setFrame(Number(e.target.value)));
  $("play").addEventListener("click", () => play($("play").getAttribute("aria-pressed") !== "true"));
  $("save").addEventListener("click", savePNG);
  $("compare").addEventListener("change", (e) => {
    state.compare = e.target.value;
    fillOther();
    redraw();
  });
  $("other").addEventListener("change", (e) => change({ other: Number(e.target.value) }));
  for (const option of $("compare").options) {
    option.hidden = option.disabled = (option.value === "frame" && runs[0].frames.length < 2) || (option.value === "run" && runs.length < 2) || (option.value === "plane" && data.planeLayer.length < 2);
  }
  $("run-label").hidden = runs.length < 2;
  $("run").replaceChildren(...runs.map((r, n) => new Option(r.name, n)));
  $("run").addEventListener("change", (e) => {
    state.run = Number(e.target.value);
    state.frame = Math.min(state.frame, runs[state.run].frames.length - 1);
    showFrames();
    fillOther();
    redraw();
  });
}

function showFrames() {
  const frames = runs[state.run].frames.length;
  $("time").hidden = frames < 2;
  $("frame").max = frames - 1;
}

function showView() {
  for (const control of document.querySelectorAll(".flat")) control.hidden = !flat();
  mapCanvas.hidden = !flat();
  solidCanvas.hidden = flat();
  $("spread-label").hidden = state.view !== "exploded";
  $("cuts").hidden = state.view !== "solid";
  $("shade").closest(".typed").hidden = state.view === "solid"; // it highlights nothing there
}

// Whether a plane is shown, and not the stack in three dimensions.
function flat() {
  return state.view === "map" || state.view === "power";
}

// Shows a place, from a table.
function show(plane, x, y) {
  if (!flat()) state.view = "map";
  showView();
  change({ plane, pick: { x, y } });
  $("explore").scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

// Unpacks everything else in the background: first what the charts need, then the plane over time, then the rest.
async function unpackAll() {
  const run = runs[0];
  const planes = data.planeLayer.map((_, k) => k);
  const pause = () => new Promise((done) => setTimeout(done));
  for (const k of planes) {
    await run.get(state.frame, k);
    if (k % 8 === 7) redraw(); // the profile, as far as it is
  }
  redraw();
  for (let f = 0; f < run.frames.length; f++) await run.get(f, state.plane);
  redraw();
  for (const r of runs) {
    for (let f = 0; f < r.frames.length; f++) {
      for (const k of planes) if (!r.ready(f, k)) await r.get(f, k);
      await pause();
    }
  }
  redraw();
  document.documentElement.dataset.state = "complete";
}

async function start() {
  buildLayers();
  wireControls();
  wireMap();
  wireInstants();
  wireTables(show);
  showFrames();
  if (data.compare) {
    state.compare = $("compare").value = data.compare;
    fillOther();
  }
  state.pick = { x: data.pick[0], y: data.pick[1] };
  wireSolid();
  const [x, y, w, h] = data.powered ?? [0, 0, 0, 0];
  if (state.pick.x >= x && state.pick.x <= x + w && state.pick.y >= y && state.pick.y <= y + h) Object.assign(state, powered());
  const part = shownPart();
  state.line = { x0: part.x, y0: state.pick.y, x1: part.x + part.w, y1: state.pick.y };
  await load();
  draw();
  document.documentElement.dataset.state = "shown";
  performance.mark("map-shown");
  new ResizeObserver(redraw).observe(document.querySelector(".picture"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("beforeprint", () => onPaper(true));
  addEventListener("afterprint", () => onPaper(false));
  await unpackAll();
}

start();
