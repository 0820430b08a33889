package report

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/samples"
	"thermsim/report/webpage"
)

// heating is the sample's field, growing with time.
type heating struct {
	m *mesh.Mesh
	t float64
}

func heatingAt(t, x, y, z float64) float64 { return 300 + (samples.Bumps(x, y, z)-300)*t }

func (h heating) Plane(k int, dst []float64) error {
	return samples.Field{Mesh: h.m, Of: func(x, y, z float64) float64 { return heatingAt(h.t, x, y, z) }}.Plane(k, dst)
}

const pageSteps = 12

// transientPage writes the page of a transient of the sample stack.
func transientPage(t *testing.T, dir string) *Run {
	t.Helper()
	r := sampleRun(t, 60, 48)
	r.Command = "transient"
	files := begin(t, dir, nil)
	out, err := NewRecording(files, r, pageSteps, Options{}, OutputOptions{Page: true})
	if err != nil {
		t.Fatal(err)
	}
	r.Solution.Dt = 1e-3
	for n := range pageSteps {
		at := float64(n+1) / pageSteps
		r.Solution.Field = heating{r.Mesh, at}
		step := solution.Step{Time: float64(n+1) * 1e-3, MaxK: heatingAt(at, 2.8e-3, 2.3e-3, 201e-6), PowerW: 16,
			Iterations: 4, Converged: true}
		r.Solution.Steps = append(r.Solution.Steps, step)
		if err := out.Step(n+1, step, r.Solution.Field); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := out.Finish(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// One browser looks at one page: every control, what it shows against the formula, and how it looks.
func TestPageInChromium(t *testing.T) {
	b := openBrowser(t)
	dir := t.TempDir()
	r := transientPage(t, dir)
	b.look(1280, 900, "light")
	b.open(filepath.Join(dir, PageName))
	t.Run("shows what the field holds", func(t *testing.T) { b.t = t; checkReadings(b, r) })
	t.Run("controls", func(t *testing.T) { b.t = t; checkControls(b) })
	t.Run("pointer and keys", func(t *testing.T) { b.t = t; checkPointer(b) })
	t.Run("wheel and pan", func(t *testing.T) { b.t = t; checkZoom(b) })
	t.Run("colours and limits", func(t *testing.T) { b.t = t; checkColours(b) })
	t.Run("tables", func(t *testing.T) { b.t = t; checkTables(b) })
	t.Run("paper", func(t *testing.T) { b.t = t; checkPaper(b) })
	t.Run("isotherms", func(t *testing.T) { b.t = t; checkUnrounded(b) })
	t.Run("looks", func(t *testing.T) { b.t = t; checkLooks(b) })
	t.Run("cells and blocks", func(t *testing.T) { b.t = t; checkCells(b) })
	t.Run("uneven cells", func(t *testing.T) { b.t = t; checkGraded(b) })
	t.Run("views", func(t *testing.T) { b.t = t; checkViews(b) })
	t.Run("two runs", func(t *testing.T) { b.t = t; checkTwoRuns(b) })
	b.t = t
	b.silent()
}

// checkTwoRuns opens the page of a comparison: it shows the difference of the runs, on planes that both have.
func checkTwoRuns(b *browser) {
	b.t.Helper()
	other := samples.Stack(60, 48)
	other.Layers[2].Name = "paste"
	one, two := sampleRun(b.t, 60, 48), runOf(b.t, other, func(x, y, z float64) float64 {
		return samples.Bumps(x, y, z) - 3.25 + 100*x
	})
	dir := b.t.TempDir()
	writeComparison(b.t, dir, compare(b.t, one, two), one, two, ComparisonOptions{})
	b.look(1280, 900, "light")
	b.open(filepath.Join(dir, "diff.html"))
	read := func(format string) float64 {
		b.t.Helper()
		var v float64
		if _, err := fmt.Sscanf(b.text("#readout"), format, &v); err != nil {
			b.t.Fatalf("%q: %v", b.text("#readout"), err)
		}
		return v
	}
	// The differences grow from east to west, so the page opens on the westmost cells.
	b.set("#plane", "0", "input")
	x, _, _ := one.Mesh.Center(0, 0, 0)
	near(b.t, "difference in the west", read("%g K difference"), 3.25-100*x, 0.021)
	for range 6 {
		b.key("#map", "ArrowRight", true)
	}
	x, _, _ = one.Mesh.Center(59, 0, 0)
	near(b.t, "difference in the east", read("%g K difference"), 3.25-100*x, 0.021)
	b.set("#run", "1", "change")
	near(b.t, "second minus first", read("%g K difference"), 100*x-3.25, 0.021)
	b.click("[data-value=F]")
	near(b.t, "in degrees Fahrenheit", read("%g °F difference"), 1.8*(100*x-3.25), 0.04)
	b.click("[data-value=C]")
	b.set("#plane", "4", "input") // tim, which the second stack lacks
	if got := b.text("#readout"); !strings.HasPrefix(got, "- K difference") {
		b.t.Errorf("where a layer is missing, %q", got)
	}
	b.set("#run", "0", "change")
	b.set("#compare", "", "change")
	if got := b.text("#readout"); !strings.Contains(got, "°C at") {
		b.t.Errorf("without a comparison, %q", got)
	}
}

// checkReadings compares the reading at the picked cell, on several planes and steps, with the formula.
func checkReadings(b *browser, r *Run) {
	b.t.Helper()
	b.js(`document.querySelector("[data-value=K]").click()`, nil)
	b.set("#plane", "0", "input")
	for range 3 {
		b.key("#map", "ArrowLeft", true) // to the west edge
		b.key("#map", "ArrowDown", true)
	}
	b.key("#map", "ArrowRight", true)
	b.key("#map", "ArrowUp", false)
	i, j := 10, 1 // counted from the corner, where the steps above end
	m := r.Mesh
	for _, c := range [][2]int{{0, pageSteps - 1}, {3, 0}, {7, 5}, {2, 8}, {2, 9}} {
		plane, frame := c[0], c[1]
		b.set("#plane", fmt.Sprint(plane), "input")
		b.set("#frame", fmt.Sprint(frame), "input")
		reading := b.text("#readout")
		var got float64
		if _, err := fmt.Sscanf(reading, "%g K at", &got); err != nil {
			b.t.Fatalf("%q: %v", reading, err)
		}
		x, y, z := m.Center(i, j, plane)
		want := heatingAt(float64(frame+1)/pageSteps, x, y, z)
		if math.Abs(got-want) > webpage.DefaultErrorK+0.005 {
			b.t.Errorf("plane %d, frame %d: %q, want %.3f K", plane, frame, reading, want)
		}
		if layer := m.Stack.Layers[m.Planes[plane].Layer].Name; !strings.Contains(reading, "in "+layer) {
			b.t.Errorf("%q lacks layer %s", reading, layer)
		}
	}
	b.click("[data-value=C]")
	b.set("#frame", fmt.Sprint(pageSteps-1), "input")
}

func checkControls(b *browser) {
	b.t.Helper()
	b.set("#plane", "3", "input")
	b.changes("another plane", "#map", func() { b.set("#plane", "7", "input") })
	b.changes("another step", "#map", func() { b.set("#frame", "3", "input") })
	b.set("#plane", "2", "input")
	b.set("#frame", "11", "input")
	b.changes("the range", "#map", func() { b.click("[data-value=plane]") })
	b.click("[data-value=shared]")
	b.changes("outlines", "#map", func() { b.click("#outlines") })
	b.changes("isotherms", "#map", func() { b.click("#isotherms") })
	b.click("#outlines")
	b.click("#isotherms")
	b.changes("zooming in", "#map", func() { b.click("#zoom-in") })
	b.changes("zooming further", "#map", func() { b.key("#map", "+", false) })
	b.changes("zooming out", "#map", func() { b.key("#map", "-", false) })
	b.click("#zoom-out")
	b.changes("the unit", "#map", func() { b.click("[data-value=K]") })
	if lead := b.text(".lead"); !strings.Contains(lead, " K in layer feol") {
		b.t.Errorf("in kelvin the page begins %q", lead)
	}
	b.click("[data-value=C]")
	if lead := b.text(".lead"); !strings.Contains(lead, "°C in layer feol") {
		b.t.Errorf("in degrees the page begins %q", lead)
	}
	b.click("#layers button") // the first is the top layer
	if got := b.text("#layers [aria-current=true] .name"); got != "lid" {
		b.t.Errorf("the layer shown is %q", got)
	}
	b.changes("a difference of layers", "#map", func() { b.set("#compare", "plane", "change") })
	b.changes("the other layer", "#map", func() { b.set("#other", "2", "change") })
	b.changes("a difference of times", "#map", func() { b.set("#compare", "frame", "change") })
	if other := b.text("#other option:checked"); other != "1 ms" {
		b.t.Errorf("compared with %q", other)
	}
	b.set("#compare", "", "change")
	b.click("[data-value=exploded]")
	b.changes("turning", "#solid", func() { b.key("#solid", "ArrowRight", false) })
	b.changes("spreading", "#solid", func() { b.set("#spread", "90", "input") })
	b.changes("time in 3D", "#solid", func() { b.set("#frame", "2", "input") })
	b.click("#save")
	b.click("[data-value=map]")
	b.click("#save")
	var saved float64
	b.js(`new Promise((done) => setTimeout(() => done(window.lastSaved ?? 0), 200))`, &saved)
	if saved < 5000 {
		b.t.Errorf("the saved picture has %g bytes", saved)
	}
	b.click("#play")
	var moved bool
	b.js(
		`new Promise((done) => { const from = document.getElementById("frame").value; setTimeout(() => done(document.getElementById("frame").value !== from), 600); })`, &moved)
	if !moved {
		b.t.Error("playing does not move the time")
	}
	b.click("#play")
	b.set("#frame", "11", "input")
	b.set("#plane", "2", "input")
}

func checkPointer(b *browser) {
	b.t.Helper()
	b.js(`document.getElementById("map").scrollIntoView({block: "center"})`, nil)
	var box struct{ X, Y, W, H float64 }
	b.js(
		`(() => { const r = document.getElementById("map").getBoundingClientRect(); return {X: r.x, Y: r.y, W: r.width, H: r.height}; })()`, &box)
	at := func(u, v float64) (x, y float64) { return box.X + 50 + u*(box.W-124), box.Y + 30 + v*(box.H-68) }
	mouse := func(kind input.MouseType, x, y float64) chromedp.Action {
		return input.DispatchMouseEvent(kind, x, y).WithButton(input.Left).WithClickCount(1)
	}
	x, y := at(0.5, 0.5)
	b.run(input.DispatchMouseEvent(input.MouseMoved, x, y))
	b.settle()
	if hover := b.text("#readout"); !strings.Contains(hover, "x 5.0") || !strings.Contains(hover, "in feol") {
		b.t.Errorf("hovering over the middle reads %q", hover)
	}
	b.changes("a click", "#profile", func() {
		b.run(mouse(input.MousePressed, x, y), mouse(input.MouseReleased, x, y))
		b.settle()
	})
	if title := b.text("#profile-title"); !strings.Contains(title, "5.0") {
		b.t.Errorf("the profile is titled %q", title)
	}
	b.changes("a drag", "#section", func() {
		x0, y0 := at(0.2, 0.9)
		x1, y1 := at(0.6, 0.1)
		b.run(mouse(input.MousePressed, x0, y0), mouse(input.MouseMoved, (x0+x1)/2, (y0+y1)/2),
			mouse(input.MouseMoved, x1, y1), mouse(input.MouseReleased, x1, y1))
		b.settle()
	})
	// Zoomed on the picked point, 5.0 and 4.0 mm, by two, the eastern quarter of the map is at 6.25 mm.
	b.click("#zoom-in")
	x, y = at(0.75, 0.5)
	b.run(input.DispatchMouseEvent(input.MouseMoved, x, y))
	b.settle()
	if hover := b.text("#readout"); !strings.Contains(hover, "x 6.2") || !strings.Contains(hover, "y 4.0") &&
		!strings.Contains(hover, "y 3.9") {
		b.t.Errorf("hovering over the zoomed map reads %q", hover)
	}
	b.click("#zoom-out")
	before := b.text("#readout")
	b.js(`document.getElementById("map").dispatchEvent(new PointerEvent("pointerleave"))`, nil)
	b.key("#map", "ArrowUp", true)
	b.key("#map", "PageUp", false)
	if after := b.text("#readout"); after == before || b.text("#spoken") != after {
		b.t.Errorf("keys: %q, then %q; spoken %q", before, after, b.text("#spoken"))
	}
	b.key("#map", ",", false)
	if when := b.text("#when"); when != "11 ms" {
		b.t.Errorf("a comma leads to %q", when)
	}
	b.key("#map", ".", false)
}

func checkTables(b *browser) {
	b.t.Helper()
	first := func(id string) string { return b.text("#" + id + " tbody tr td") }
	if got := first("blocks"); got != "core" {
		b.t.Errorf("the hottest block is %q", got)
	}
	b.click("#blocks th:nth-child(1) button")
	if got := first("blocks"); got != "cache" {
		b.t.Errorf("sorted by name, %q comes first", got)
	}
	b.click("#blocks th:nth-child(6) button") // watts, largest first
	if got := first("blocks"); got != "core" {
		b.t.Errorf("sorted by power, %q comes first", got)
	}
	b.click("#blocks th:nth-child(6) button")
	if got := first("blocks"); got != "io" {
		b.t.Errorf("sorted by power upwards, %q comes first", got)
	}
	b.click("#blocks tbody button")
	if got := b.text("#readout"); !strings.Contains(got, "block io") {
		b.t.Errorf("a click on block io shows %q", got)
	}
	b.click("#hotspots tbody button")
	checkCSV(b)
}

// checkLooks compares screenshots with golden ones: wide and narrow, light and dark, and the exploded view.
func checkLooks(b *browser) {
	b.t.Helper()
	for _, c := range []struct {
		name          string
		width, height int64
		scheme, view  string
	}{
		{"wide-light", 1280, 900, "light", "map"}, {"wide-dark", 1280, 900, "dark", "exploded"},
		{"narrow-light", 400, 900, "light", "exploded"}, {"narrow-dark", 400, 900, "dark", "map"},
	} {
		b.look(c.width, c.height, c.scheme)
		b.click("[data-value=" + c.view + "]")
		b.js("scrollTo(0, 0)", nil)
		b.settle()
		var wide bool
		if b.js("document.documentElement.scrollWidth > innerWidth", &wide); wide {
			b.t.Errorf("%s: the page is wider than the window", c.name)
		}
		compareScreenshot(b.t, c.name, b.screenshot(c.name))
	}
}

// measureSolids turns the solids: the time between frames and the processor time of a frame, in ms.
func measureSolids(b *browser) {
	b.t.Helper()
	busy := func() (ms float64) {
		c := chromedp.FromContext(b.ctx)
		all, err := systeminfo.GetProcessInfo().Do(cdp.WithExecutor(b.ctx, c.Browser))
		if err != nil {
			b.t.Fatal(err)
		}
		for _, p := range all {
			ms += p.CPUTime * 1e3
		}
		return ms
	}
	const frames = 60
	b.click("[data-value=solid]")
	before := busy()
	var took float64
	b.js(fmt.Sprintf(`(async () => {
		const solid = document.getElementById("solid"), from = performance.now();
		for (let n = 0; n < %[1]d; n++) {
			solid.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
			await new Promise(requestAnimationFrame);
			await new Promise((done) => setTimeout(done));
		}
		return (performance.now() - from) / %[1]d;
	})()`, frames), &took)
	b.t.Logf("3D: %.1f ms from frame to frame, %.1f ms of processor time each", took, (busy()-before)/frames)
	b.click("[data-value=map]")
}

// TestMeasurePage is for people: -measure-page FILE prints when its map stands, how fast it scrubs and turns, and
// photographs it.
func TestMeasurePage(t *testing.T) {
	if *measurePage == "" {
		t.Skip("-measure-page FILE measures a page")
	}
	b := openBrowser(t)
	b.look(1440, 1000, "light")
	b.open(*measurePage)
	var timing struct{ Shown, Frames, Scrub, DrawMedian, DrawMost float64 }
	b.js(`(async () => {
		const shown = performance.getEntriesByName("map-shown")[0].startTime;
		const slider = document.getElementById("frame");
		const n = Number(slider.max) + 1;
		const draws = [];
		const from = performance.now();
		for (let f = 0; f < n; f++) {
			slider.value = f;
			slider.dispatchEvent(new Event("input", {bubbles: true}));
			await new Promise(requestAnimationFrame);
			draws.push(performance.getEntriesByName("draw")[0].duration);
		}
		const scrub = (performance.now() - from) / n;
		draws.sort((a, b) => a - b);
		return {Shown: shown, Frames: n, Scrub: scrub, DrawMedian: draws[n >> 1], DrawMost: draws[n - 1]};
	})()`, &timing)
	text, _ := json.Marshal(timing)
	t.Logf("%s", text)
	measureSolids(b)
	for _, c := range []struct {
		name          string
		width, height int64
		scheme        string
	}{{"wide-light", 1440, 1000, "light"}, {"wide-dark", 1440, 1000, "dark"}, {"narrow-light", 400, 1800, "light"},
		{"narrow-dark", 400, 1800, "dark"}} {
		b.look(c.width, c.height, c.scheme)
		b.js("scrollTo(0, 0)", nil)
		name := filepath.Base(filepath.Dir(*measurePage)) + "-" + c.name
		b.screenshot(name)
		b.click("[data-value=solid]")
		b.screenshot(name + "-3d")
		b.click("[data-value=map]")
	}
	b.silent()
}
