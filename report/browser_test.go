package report

import (
	"bytes"
	"context"
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
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var (
	regenPages = flag.Bool("regen-pages", false, "write the golden screenshots of the page anew; look at them "+
		"before committing")
	measurePage = flag.String("measure-page", "", "measure how fast this report.html shows and scrubs, and "+
		"photograph it into -shots")
	shots = flag.String("shots", "", "folder for full-size screenshots")
)

// patience is how long Chromium may take on a busy machine: below half of Go's limit for a package.
const patience = 4 * time.Minute

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
	options = append(options, chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(profile), chromedp.NoFirstRun,
		chromedp.Flag("enable-unsafe-swiftshader", true), // WebGL
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("font-render-hinting", "none"),
		chromedp.WSURLReadTimeout(patience), chromedp.WindowSize(1280, 900))
	allocated, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	timed, cancelTime := context.WithTimeout(allocated, patience)
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
		if !strings.Contains(e.Entry.Text, "GPU stall due to ReadPixels") { // the price of rendering in software
			b.complaints = append(b.complaints, e.Entry.Text)
		}
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

// open loads a page, waits until it is unpacked, and shows all of the stack.
func (b *browser) open(path string) {
	b.t.Helper()
	b.load(path)
	b.click("#zoom-all")
}

// load loads a page and waits until it is unpacked.
func (b *browser) load(path string) {
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
	b.js(
		`new Promise((done) => { let n = 2; const next = () => n-- ? requestAnimationFrame(next) : setTimeout(() => done(true)); next(); })`, nil)
}

// js evaluates an expression, awaiting promises.
func (b *browser) js(expression string, out any) {
	b.t.Helper()
	if out == nil {
		out = new(any)
	}
	b.run(chromedp.Evaluate(expression, out, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true)
	}))
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
	b.js(fmt.Sprintf("{ const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event(%q, "+
		"{bubbles: true})); }", selector, value, event), nil)
	b.settle()
}

func (b *browser) key(selector, key string, shift bool) {
	b.t.Helper()
	b.js(fmt.Sprintf("document.querySelector(%q).dispatchEvent(new KeyboardEvent('keydown', {key: %q, shiftKey: %v, "+
		"bubbles: true, cancelable: true}))", selector, key, shift), nil)
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
		emulation.SetEmulatedMedia().WithFeatures(
			[]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
				{Name: "prefers-reduced-motion", Value: "reduce"}}))
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

// compareScreenshot shrinks to squares of 8 pixels, which makes fonts alike: the mean difference must stay below 4
// levels, and no more than one square in 40 may differ by over 48.
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
			for _, d := range [3]float64{float64(a.R) - float64(r>>8), float64(a.G) - float64(g>>8),
				float64(a.B) - float64(bl>>8)} {
				sum += math.Abs(d) / 3
				worst = max(worst, math.Abs(d))
			}
			if n++; worst > 48 {
				far++
			}
		}
	}
	if mean := sum / float64(n); mean > 4 || far*40 > n {
		t.Errorf("%s differs from its golden screenshot: %.1f levels on average, %d of %d squares far off; if that "+
			"is meant, run with -regen-pages and look", name, mean, far, n)
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
