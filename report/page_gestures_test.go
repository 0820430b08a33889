package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// place is what the readout tells of a point of the map.
func (b *browser) place() (x, y float64) {
	b.t.Helper()
	_, after, _ := strings.Cut(b.text("#readout"), " at ")
	if _, err := fmt.Sscanf(after, "x %g, y %g mm", &x, &y); err != nil {
		b.t.Fatalf("%q: %v", b.text("#readout"), err)
	}
	return x, y
}

// mapPoint is a point of the page at parts u and v of the map, from its upper left corner.
func (b *browser) mapPoint(u, v float64) (x, y float64) {
	b.t.Helper()
	var p [2]float64
	b.js(fmt.Sprintf(`(() => { const c = document.getElementById("map"); c.scrollIntoView({block: "center"}); const r = c.getBoundingClientRect();
		return [r.x + 50 + %g * (r.width - 124), r.y + 30 + %g * (r.height - 68)]; })()`, u, v), &p)
	return p[0], p[1]
}

func (b *browser) mouse(kind input.MouseType, x, y float64, m input.Modifier) chromedp.Action {
	return input.DispatchMouseEvent(kind, x, y).WithButton(input.Left).WithClickCount(1).WithModifiers(m)
}

func (b *browser) wheel(x, y, down float64) {
	b.t.Helper()
	b.run(input.DispatchMouseEvent(input.MouseWheel, x, y).WithDeltaX(0).WithDeltaY(down))
	b.settle()
}

// The wheel zooms with what is under the pointer held in place; dragging with Shift, or where dragging pans, moves the
// map and nothing else.
func checkZoom(b *browser) {
	b.t.Helper()
	x, y := b.mapPoint(0.3, 0.3)
	b.js("new Promise((done) => setTimeout(done, 300))", nil) // until the page has stopped scrolling
	hover := func(u, v float64) (float64, float64) {
		b.run(input.DispatchMouseEvent(input.MouseMoved, u, v))
		b.settle()
		return b.place()
	}
	x0, y0 := hover(x, y)
	b.changes("the wheel", "#map", func() { b.wheel(x, y, -240) })
	x1, y1 := hover(x, y)
	near(b.t, "x under the wheel", x1, x0, 0.011)
	near(b.t, "y under the wheel", y1, y0, 0.011)
	// Twice as near, a hundred pixels are half as long.
	x2, _ := hover(x+100, y)
	b.key("#map", "0", false)
	x3, _ := hover(x+100, y)
	near(b.t, "length of 100 pixels", x2-x1, (x3-x0)/2, 0.02)

	b.wheel(x, y, -240)
	section, profile := b.picture("#section"), b.picture("#profile")
	drag := func(m input.Modifier) {
		b.run(b.mouse(input.MousePressed, x, y, m), b.mouse(input.MouseMoved, x+30, y+10, m),
			b.mouse(input.MouseMoved, x+60, y+20, m), b.mouse(input.MouseReleased, x+60, y+20, m))
		b.settle()
	}
	before, _ := hover(x+60, y+20)
	here, _ := hover(x, y)
	b.changes("dragging with Shift", "#map", func() { drag(input.ModifierShift) })
	if after, _ := hover(x+60, y+20); math.Abs(after-here) > 0.011 || math.Abs(before-here) < 0.1 {
		b.t.Errorf("what was at %g mm has moved to %g mm", here, after)
	}
	b.click("[data-value=pan]")
	b.changes("dragging to pan", "#map", func() { drag(0) })
	b.click("[data-value=section]")
	if b.picture("#section") != section || b.picture("#profile") != profile {
		b.t.Error("moving the map changes the section or the profile")
	}
	b.click("#zoom-all")
	for _, id := range []string{"#zoom-out", "#zoom-all"} {
		var off bool
		if b.js(fmt.Sprintf("document.querySelector(%q).disabled", id), &off); !off {
			b.t.Errorf("%s is not disabled with all in view", id)
		}
	}
	// Zoomed in, the map follows the point that keys move: to the eastern border, whose cells end at 10 mm.
	b.wheel(x, y, -480)
	for range 6 {
		b.key("#map", "ArrowRight", true)
	}
	right, middle := b.mapPoint(0.999, 0.5)
	if east, _ := hover(right, middle); math.Abs(east-10) > 0.02 {
		b.t.Errorf("after the point has gone to the east, the map ends at %g mm", east)
	}
	b.click("#zoom-all")
	b.js(`document.getElementById("map").dispatchEvent(new PointerEvent("pointerleave"))`, nil)
}

// checkColours types ranges and limits, and looks at the power.
func checkColours(b *browser) {
	b.t.Helper()
	b.set("#plane", "2", "input")
	b.changes("a typed range", "#map", func() { b.set("#range-lo", "20", "input") })
	var pressed int
	if b.js(`document.querySelectorAll("[data-set=range][aria-pressed=true]").length`, &pressed); pressed != 0 {
		b.t.Error("a typed range is neither shared nor of this layer")
	}
	b.set("#range-hi", "10", "input")
	var invalid string
	if b.js(`document.getElementById("range-hi").getAttribute("aria-invalid")`, &invalid); invalid != "true" {
		b.t.Error("a range that ends below its beginning is taken")
	}
	b.click("[data-value=shared]")
	for _, name := range []string{"viridis", "turbo", "coolwarm"} {
		b.changes(name, "#map", func() { b.set("#colours", name, "change") })
	}
	b.set("#colours", "inferno", "change")
	b.click("#hotspots tbody button")
	b.changes("a limit", "#map", func() { b.set("#limit", "60", "input") })
	if got := b.text("#readout"); !strings.HasSuffix(got, ", above its limit") {
		b.t.Errorf("above 60 °C, %q", got)
	}
	b.changes("no shading", "#map", func() { b.click("#shade") })
	b.set("#limit", "", "input")

	b.changes("power", "#map", func() { b.click("[data-value=power]") })
	b.click("#blocks tbody button") // core: 12 W on 3.3 mm x 2.7 mm
	var density float64
	if _, err := fmt.Sscanf(b.text("#readout"), "%g W/cm²", &density); err != nil {
		b.t.Errorf("power reads %q", b.text("#readout"))
	}
	near(b.t, "power density", density, 12/(0.33*0.27), 0.51)
	b.click("[data-value=map]")
}

// checkCSV saves a table: rows as they stand, numbers exact, temperatures in the page's unit.
func checkCSV(b *browser) {
	b.t.Helper()
	b.js(
		`{ window.blobs = []; const make = URL.createObjectURL; URL.createObjectURL = (blob) => (window.blobs.push(blob), make.call(URL, blob)); }`, nil)
	b.click("[data-value=K]")
	b.click("[data-csv=blocks]")
	b.click("[data-value=C]")
	var saved string
	b.js("window.blobs[0].text()", &saved)
	lines := strings.Split(saved, "\r\n")
	if want := "block,layer,peak K,at s,max K,mean K,min K,power W,W/cm²,area mm²"; lines[0] != want {
		b.t.Errorf("the columns are %q, want %q", lines[0], want)
	}
	if len(lines) != 5 || lines[4] != "" || strings.Count(lines[1], ",") != 9 {
		b.t.Errorf("rows %q", lines)
	}
	var kelvin float64
	b.js(`Number(document.querySelector("#blocks tbody tr").cells[4].dataset.v)`, &kelvin)
	var got float64
	if fields := strings.Split(lines[1], ","); len(fields) > 4 {
		_, _ = fmt.Sscan(fields[4], &got)
	}
	near(b.t, "the first block's maximum", got, kelvin, 1e-8)
}

// checkPaper prints: the first page holds the map.
func checkPaper(b *browser) {
	b.t.Helper()
	defer b.run(emulation.SetEmulatedMedia())
	// A4 with margins of a centimetre
	b.run(emulation.SetDeviceMetricsOverride(718, 1047, 1, false), emulation.SetEmulatedMedia().WithMedia("print"))
	b.settle()
	b.js(`dispatchEvent(new Event("beforeprint"))`, nil)
	var end float64
	b.js(`document.getElementById("explore").getBoundingClientRect().bottom + scrollY`, &end)
	b.screenshot("paper")
	b.js(`dispatchEvent(new Event("afterprint"))`, nil)
	if end > 1047 {
		b.t.Errorf("on paper the map ends at %g pixels, on the second page", end)
	}
}

// checkUnrounded rounds a smooth hill to whole quanta: what isotherms are drawn from stays within half a quantum of the
// rounded values, and comes closer to the hill, whose slope of up to 0.3 quanta a cell is all steps when rounded. A
// level of the hill is a circle.
func checkUnrounded(b *browser) {
	b.t.Helper()
	source, err := os.ReadFile(filepath.Join("webpage", "assets", "isotherms.js"))
	if err != nil {
		b.t.Fatal(err)
	}
	var got struct{ Off, Before, After, Apart, Length float64 }
	b.js("{"+string(source)+`
		const nx = 60, ny = 50, hill = Float64Array.from({length: nx * ny}, (_, n) => 12 * Math.exp(-(((n % nx) - 30) ** 2 + (Math.floor(n / nx) - 24) ** 2) / 900));
		const v = hill.map(Math.round);
		const out = unrounded({v, nx, ny}, 0.5).v;
		const rms = (a) => Math.sqrt(a.reduce((sum, x, n) => sum + (x - hill[n]) ** 2, 0) / a.length);
		const at = (n) => Array.from({length: n}, (_, i) => i), same = (a) => a;
		const ends = traceLevel({moveTo() {}, lineTo() {}}, {x: at(nx), y: at(ny), v: hill, nx, ny}, 9, same, same);
		const radius = Math.sqrt(900 * Math.log(12 / 9));
		let apart = 0, length = 0;
		for (let n = 0; n < ends.length; n += 2) apart = Math.max(apart, Math.abs(Math.hypot(ends[n] - 30, ends[n + 1] - 24) - radius));
		for (let n = 0; n < ends.length; n += 4) length += Math.hypot(ends[n + 2] - ends[n], ends[n + 3] - ends[n + 1]);
		globalThis.result = {Apart: apart, Length: length / (2 * Math.PI * radius), Off: Math.max(...out.map((x, n) => Math.abs(x - v[n]))), Before: rms(v), After: rms(out)};
	}`, nil)
	b.js("globalThis.result", &got)
	if got.Off > 0.5 || !(got.After < got.Before/2) {
		b.t.Errorf("%g from the rounded values; from the hill %g before, %g after", got.Off, got.Before, got.After)
	}
	if !(got.Apart < 0.02) || !(math.Abs(got.Length-1) < 0.01) {
		b.t.Errorf("the isotherm is %g cells from its circle and %g times as long", got.Apart, got.Length)
	}
	b.t.Logf("root mean square from the hill: %.3f quanta rounded, %.3f unrounded", got.Before, got.After)
}

// A page shades what the stack's own limits say: of a block that one, elsewhere that of the stack.
func TestPageKnowsLimits(t *testing.T) {
	r := sampleRun(t, 30, 24)
	s := r.Mesh.Stack
	s.TMax, s.Layers[3].TMax = 380, 370
	p := &s.Layers[1].Powers[0]
	p.TMax, p.Blocks[1].TMax = 365, 360
	got := pageLimits(s, 1)
	if len(got) != len(p.Blocks) || got[0].TMax != 365 || got[1].TMax != 360 {
		t.Fatalf("limits %+v", got)
	}
	circle := geometry.Circle{X: 5e-3, Y: 5e-3, Diameter: 4e-3}
	round := &stack.Stack{Size: [2]float64{0.01, 0.01}, Layers: []stack.Layer{{Powers: []stack.Power{{TMax: 350,
		Shape: circle, Area: stack.Around(circle)}}}}}
	rects, area := pageLimits(round, 0)[0].Rects, 0.0
	for _, r := range rects[:len(rects)-1] { // the last one is the area of the name
		area += r.Area()
	}
	near(t, "area of a limit in a circle", area/(math.Pi*4e-6), 1, 1e-3)
	text := pageOf(t, r)
	for _, want := range []string{`"tmax":380`, `"tmax":370`, `"tmax":360`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
