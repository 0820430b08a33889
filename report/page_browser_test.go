package report

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/report/webpage"
)

var (
	regenPages  = flag.Bool("regen-pages", false, "write the golden screenshots of the page anew; look at them before committing")
	measurePage = flag.String("measure-page", "", "measure how fast this report.html shows and scrubs, and photograph it into -shots")
	shots       = flag.String("shots", "", "folder for full-size screenshots")
)

// browser is a headless Chromium with one tab, which counts what it complains of.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
	requests   []string
}

// openBrowser starts Chromium, or skips the test where there is none.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium here to look at the page with: apt-get install chromium")
	}
	// Not t.TempDir, which fails a test where a file comes late: Chromium tidies up while it ends.
	profile, err := os.MkdirTemp("", "thermsim-chromium-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(profile) })
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options, chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(profile), chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("font-render-hinting", "none"), chromedp.WindowSize(1280, 900))
	allocated, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	timed, cancelTime := context.WithTimeout(allocated, 2*time.Minute)
	t.Cleanup(cancelTime)
	ctx, cancelTab := chromedp.NewContext(timed)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits until Chromium has ended
		cancelTab()
	})
	b := &browser{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, b.hear)
	b.run(network.Enable(), log.Enable(), runtime.Enable())
	return b
}

func (b *browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		for _, a := range e.Args {
			b.complaints = append(b.complaints, string(a.Value)+a.Description)
		}
	case *log.EventEntryAdded:
		b.complaints = append(b.complaints, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

func (b *browser) run(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// open loads a page and waits until it is unpacked.
func (b *browser) open(path string) {
	b.t.Helper()
	absolute, err := filepath.Abs(path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.run(chromedp.Navigate("file://"+absolute), chromedp.WaitReady(`html[data-state="complete"]`, chromedp.ByQuery))
	b.settle()
}

// settle waits until what was asked for has been drawn.
func (b *browser) settle() {
	b.t.Helper()
	b.js(`new Promise((done) => { let n = 4; const next = () => n-- ? requestAnimationFrame(next) : setTimeout(() => done(true)); next(); })`, nil)
}

// js evaluates an expression, awaiting promises.
func (b *browser) js(expression string, out any) {
	b.t.Helper()
	if out == nil {
		out = new(any)
	}
	b.run(chromedp.Evaluate(expression, out, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
}

func (b *browser) text(selector string) string {
	b.t.Helper()
	var s string
	b.js(fmt.Sprintf("document.querySelector(%q).textContent", selector), &s)
	return strings.TrimSpace(s)
}

func (b *browser) click(selector string) {
	b.t.Helper()
	b.js(fmt.Sprintf("document.querySelector(%q).click()", selector), nil)
	b.settle()
}

// set gives a control a value, as a user's hand does.
func (b *browser) set(selector, value, event string) {
	b.t.Helper()
	b.js(fmt.Sprintf("{ const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event(%q, {bubbles: true})); }", selector, value, event), nil)
	b.settle()
}

func (b *browser) key(selector, key string, shift bool) {
	b.t.Helper()
	b.js(fmt.Sprintf("document.querySelector(%q).dispatchEvent(new KeyboardEvent('keydown', {key: %q, shiftKey: %v, bubbles: true, cancelable: true}))", selector, key, shift), nil)
	b.settle()
}

// picture is what a canvas shows, as a fingerprint.
func (b *browser) picture(selector string) string {
	b.t.Helper()
	var s string
	b.js(fmt.Sprintf("document.querySelector(%q).toDataURL()", selector), &s)
	return s
}

func (b *browser) changes(what, selector string, act func()) {
	b.t.Helper()
	before := b.picture(selector)
	act()
	if b.picture(selector) == before {
		b.t.Errorf("%s changes nothing", what)
	}
}

// look sets the size of the window and the colour scheme.
func (b *browser) look(width, height int64, scheme string) {
	b.t.Helper()
	b.run(emulation.SetDeviceMetricsOverride(width, height, 1, false),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}))
	b.settle()
}

func (b *browser) screenshot(name string) []byte {
	b.t.Helper()
	var shot []byte
	b.run(chromedp.CaptureScreenshot(&shot))
	if *shots != "" {
		if err := os.WriteFile(filepath.Join(*shots, name+".png"), shot, 0o666); err != nil {
			b.t.Fatal(err)
		}
	}
	return shot
}

// silent checks that the page raised no error, wrote nothing on the console and asked nothing of a network.
func (b *browser) silent() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		b.t.Errorf("the console says: %s", c)
	}
	for _, r := range b.requests {
		if !strings.HasPrefix(r, "file:") && !strings.HasPrefix(r, "data:") && !strings.HasPrefix(r, "blob:") {
			b.t.Errorf("the page asks for %s", r)
		}
	}
}

// heating is the sample's field, growing with time.
type heating struct {
	m *mesh.Mesh
	t float64
}

func heatingAt(t, x, y, z float64) float64 { return 300 + (bumps(x, y, z)-300)*t }

func (h heating) Plane(k int, dst []float64) error {
	return formulaField{h.m, func(x, y, z float64) float64 { return heatingAt(h.t, x, y, z) }}.Plane(k, dst)
}

const pageSteps = 12

// transientPage writes the page of a transient of the sample stack.
func transientPage(t *testing.T, dir string) *Run {
	t.Helper()
	r := sampleRun(t, 60, 48)
	r.Command = "transient"
	out, err := NewOutputs(r.Mesh, pageSteps, OutputOptions{Dir: dir, Page: true})
	if err != nil {
		t.Fatal(err)
	}
	r.Solution.Dt = 1e-3
	for n := range pageSteps {
		at := float64(n+1) / pageSteps
		r.Solution.Field = heating{r.Mesh, at}
		step := gpusolve.Step{Time: float64(n+1) * 1e-3, MaxK: heatingAt(at, 2.8e-3, 2.3e-3, 201e-6), PowerW: 16, Iterations: 4, Converged: true}
		r.Solution.Steps = append(r.Solution.Steps, step)
		if err := out.Add(n+1, step.Time, r.Solution.Field); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := out.Finish(context.Background(), r, summarise(t, r), nil, nil); err != nil {
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
	t.Run("tables", func(t *testing.T) { b.t = t; checkTables(b) })
	t.Run("looks", func(t *testing.T) { b.t = t; checkLooks(b) })
	b.t = t
	b.silent()
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
	b.click("[data-value=solid]")
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
	b.js(`new Promise((done) => { const from = document.getElementById("frame").value; setTimeout(() => done(document.getElementById("frame").value !== from), 600); })`, &moved)
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
	b.js(`(() => { const r = document.getElementById("map").getBoundingClientRect(); return {X: r.x, Y: r.y, W: r.width, H: r.height}; })()`, &box)
	at := func(u, v float64) (x, y float64) { return box.X + 44 + u*(box.W-118), box.Y + 30 + v*(box.H-68) }
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
		b.run(mouse(input.MousePressed, x0, y0), mouse(input.MouseMoved, (x0+x1)/2, (y0+y1)/2), mouse(input.MouseMoved, x1, y1), mouse(input.MouseReleased, x1, y1))
		b.settle()
	})
	// Zoomed on the picked point, 5.0 and 4.0 mm, by two, the eastern quarter of the map is at 6.25 mm.
	b.click("#zoom-in")
	x, y = at(0.75, 0.5)
	b.run(input.DispatchMouseEvent(input.MouseMoved, x, y))
	b.settle()
	if hover := b.text("#readout"); !strings.Contains(hover, "x 6.2") || !strings.Contains(hover, "y 4.0") && !strings.Contains(hover, "y 3.9") {
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
}

// checkLooks compares screenshots with golden ones: wide and narrow, light and dark, and the exploded view.
func checkLooks(b *browser) {
	b.t.Helper()
	for _, c := range []struct {
		name          string
		width, height int64
		scheme, view  string
	}{
		{"wide-light", 1280, 900, "light", "map"}, {"wide-dark", 1280, 900, "dark", "solid"}, {"narrow-light", 400, 900, "light", "solid"}, {"narrow-dark", 400, 900, "dark", "map"},
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

// compareScreenshot shrinks to squares of 8 pixels, which makes fonts alike: the mean difference must stay below 4 levels, and no more than one square in 40
// may differ by over 48.
func compareScreenshot(t *testing.T, name string, shot []byte) {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	got := shrunk(full, 8)
	path := filepath.Join("testdata", "page-"+name+".png")
	if *regenPages {
		var out bytes.Buffer
		if err := png.Encode(&out, got); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make it with go test ./report -regen-pages", err)
	}
	want, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if got.Bounds() != want.Bounds() {
		t.Fatalf("%s is %v, the golden one %v", name, got.Bounds(), want.Bounds())
	}
	sum, far, n := 0.0, 0, 0
	for y := range got.Rect.Dy() {
		for x := range got.Rect.Dx() {
			a := got.RGBAAt(x, y)
			r, g, bl, _ := want.At(x, y).RGBA()
			worst := 0.0
			for _, d := range [3]float64{float64(a.R) - float64(r>>8), float64(a.G) - float64(g>>8), float64(a.B) - float64(bl>>8)} {
				sum += math.Abs(d) / 3
				worst = max(worst, math.Abs(d))
			}
			if n++; worst > 48 {
				far++
			}
		}
	}
	if mean := sum / float64(n); mean > 4 || far*40 > n {
		t.Errorf("%s differs from its golden screenshot: %.1f levels on average, %d of %d squares far off; if that is meant, run with -regen-pages and look", name, mean, far, n)
	}
}

func shrunk(src image.Image, n int) *image.RGBA {
	b := src.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx()/n, b.Dy()/n))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			var sum [3]int
			for k := range n * n {
				r, g, bl, _ := src.At(b.Min.X+n*x+k%n, b.Min.Y+n*y+k/n).RGBA()
				sum[0], sum[1], sum[2] = sum[0]+int(r>>8), sum[1]+int(g>>8), sum[2]+int(bl>>8)
			}
			out.SetRGBA(x, y, color.RGBA{uint8(sum[0] / n / n), uint8(sum[1] / n / n), uint8(sum[2] / n / n), 255})
		}
	}
	return out
}

// TestMeasurePage is for people: -measure-page FILE tells when its map stands and how fast it scrubs, and photographs it.
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
	for _, c := range []struct {
		name          string
		width, height int64
		scheme        string
	}{{"wide-light", 1440, 1000, "light"}, {"wide-dark", 1440, 1000, "dark"}, {"narrow-light", 400, 1800, "light"}, {"narrow-dark", 400, 1800, "dark"}} {
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
