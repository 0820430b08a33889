package picture

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"thermsim/stack"
)

var regen = flag.Bool("regen", false, "write the golden pictures anew; look at them before committing")

// shrink averages squares of 4 x 4 pixels: goldens stay small, and a pixel of antialiasing here or there does not
// matter.
func shrink(src image.Image) *image.RGBA {
	const n = 4
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

// checkGolden compares a picture with testdata/<name>.png: the mean difference per channel must stay below one level,
// and no more than one pixel in a thousand may differ by over 40.
func checkGolden(t *testing.T, name string, picture []byte) {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	got := shrink(full)
	path := filepath.Join("testdata", name+".png")
	if *regen {
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, got); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make it with go test ./report/picture -regen", err)
	}
	want, err := png.Decode(bytes.NewReader(golden))
	if err != nil {
		t.Fatal(err)
	}
	if got.Bounds() != want.Bounds() {
		t.Fatalf("the picture is %v, the golden one %v", got.Bounds(), want.Bounds())
	}
	sum, far, pixels := 0.0, 0, got.Rect.Dx()*got.Rect.Dy()
	for y := range got.Rect.Dy() {
		for x := range got.Rect.Dx() {
			a := got.RGBAAt(x, y)
			r, g, b, _ := want.At(x, y).RGBA()
			worst := 0.0
			for _, d := range [3]float64{float64(a.R) - float64(r>>8), float64(a.G) - float64(g>>8),
				float64(a.B) - float64(b>>8)} {
				sum += math.Abs(d) / 3
				worst = max(worst, math.Abs(d))
			}
			if worst > 40 {
				far++
			}
		}
	}
	if mean := sum / float64(pixels); mean > 1 || far*1000 > pixels {
		t.Errorf("%s differs from its golden picture: %.2f levels on average, %d pixels far off; if that is meant, "+
			"run with -regen and look", name, mean, far)
	}
}

func hills(x, y float64) float64 {
	g := func(a, b, s, h float64) float64 { return h * math.Exp(-((x-a)*(x-a)+(y-b)*(y-b))/(s*s)) }
	return 310 + g(.3, .3, .2, 60) + g(.7, .6, .15, 40) + g(.2, .8, .1, 20)
}

// sampleMap is w x h m with nx x ny cells; f is on the unit square.
func sampleMap(w, h float64, nx, ny int, f func(x, y float64) float64) *HeatMap {
	m := &HeatMap{
		Title: "two dies in mould", Subtitle: "layer logic, hills", X: linspace(0, w, nx), Y: linspace(0, h, ny),
		Lo: math.Inf(1), Hi: math.Inf(-1),
	}
	for j := range ny {
		for i := range nx {
			v := f((float64(i)+.5)/float64(nx), (float64(j)+.5)/float64(ny))
			m.Kelvin = append(m.Kelvin, v)
			m.Lo, m.Hi = min(m.Lo, v), max(m.Hi, v)
		}
	}
	return m
}

func block(name string, x, y, w, h float64) Outline {
	return Outline{Name: name, Note: "1 W", Rects: func() []stack.Rect {
		return []stack.Rect{{X: x, Y: y, Width: w, Height: h}}
	}}
}

func render(t testing.TB, p interface{ Write(io.Writer, Format) error }) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b, PNG); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
