package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/gif"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// written is a figure of a format; with PICTURES set to a folder, it is kept there to be looked at.
func written(t testing.TB, name string, p interface{ Write(io.Writer, Format) error }, format Format) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("PICTURES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+"."+string(format)), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func sampleSection() *Section {
	s := &Section{
		Title: "memory on logic, hybrid bonded", Subtitle: "section along x at y = 4.2 mm, max 96.80 °C", Axis: "x",
		Across: linspace(0, 10e-3, 100),
		Layers: []Interval{{"logic", 0, 100e-6}, {"bond", 100e-6, 102e-6}, {"memory", 102e-6, 152e-6},
			{"tim", 152e-6, 202e-6}, {"spreader", 202e-6, 1.202e-3}},
		Lo: 310, Hi: 370,
	}
	s.Z = append(s.Z, linspace(0, 100e-6, 4)...)
	s.Z = append(s.Z, 102e-6, 127e-6, 152e-6, 177e-6, 202e-6)
	s.Z = append(s.Z, linspace(202e-6, 1.202e-3, 4)[1:]...)
	for k := range len(s.Z) - 1 {
		for i := range 100 {
			s.Kelvin = append(s.Kelvin, 310+60*math.Exp(-math.Pow(float64(i-30)/12, 2)-float64(k)/4))
		}
	}
	return s
}

func sampleChart() *Chart {
	c := &Chart{Title: "memory on logic", Subtitle: "hottest point of each block", X: "time (ms)",
		Y: "temperature (°C)"}
	for n, name := range []string{"core", "cache", "a block with a rather long name"} {
		k := Curve{Name: name}
		for i := range 61 {
			x := float64(i) * 2
			k.X, k.Y = append(k.X, x), append(k.Y, 27+float64(20+10*n)*(1-math.Exp(-x/float64(10+20*n))))
		}
		c.Curves = append(c.Curves, k)
	}
	c.Curves[1].Y[30] = math.NaN()
	return c
}

// Of an axis of one unit per pixel, curves that differ by less than one are one line, and a limit may double the axis.
func TestChartsOfTraces(t *testing.T) {
	p := &plane{area: image.Rect(0, 0, 100, 100), y1: 100}
	x := []float64{0, 1}
	groups := p.coinciding([]Curve{{Name: "a", X: x, Y: []float64{0, 50}}, {Name: "b", X: x, Y: []float64{0, 52}},
		{Name: "c", X: x, Y: []float64{0.5, 50.9}}, {Name: "d", X: []float64{0, 2}, Y: []float64{0, 50}}})
	if len(groups) != 3 || len(groups[0]) != 2 || groups[0][1].Name != "c" {
		t.Errorf("the groups are %v", groups)
	}
	c := &Chart{Curves: []Curve{{Name: "a", X: x, Y: []float64{20, 60}}},
		Limits: []Limit{{Name: "near", Y: 100}, {Name: "far", Y: 141}}}
	if _, _, _, top, _ := c.bounds(c.Curves); math.Abs(top-103.2) > 1e-9 {
		t.Errorf("the axis ends at %g, want 103.2: the limit of 100 and 4 %% of the span", top)
	}
	c.Limits = []Limit{{Name: "up", Y: 200, Always: true}, {Name: "down", Y: -100, Always: true}}
	if _, _, low, high, _ := c.bounds(c.Curves); low != -112 || high != 212 {
		t.Errorf("the axis is from %g to %g, want -112 to 212", low, high)
	}
	c.Curves[0].Points = true // whole points inside the frame, and visible together with a line
	if groups = p.coinciding([]Curve{c.Curves[0], {X: x, Y: c.Curves[0].Y}}); len(groups) != 2 {
		t.Errorf("points and a line are %d groups", len(groups))
	}
	if west, east, _, _, _ := c.bounds(c.Curves); west != -pointPad || east != 1+pointPad {
		t.Errorf("the axis of points is from %g to %g", west, east)
	}
	c.LogX, c.Curves[0].X = true, []float64{1, 100}
	if west, east, _, _, _ := c.bounds(c.Curves); !(west > 0.9 && west < 1 && east > 100) {
		t.Errorf("the logarithmic axis of points is from %g to %g", west, east)
	}
}

func samplePanels() *Panels {
	p := &Panels{Title: "memory on logic, hybrid bonded", Subtitle: "layers with power", Lo: 310, Hi: 371}
	for n, name := range []string{"logic", "memory_1", "memory_2"} {
		m := sampleMap(10e-3, 8e-3, 60, 48, func(x, y float64) float64 { return 310 + (hills(x, y)-310)/float64(n+1) })
		m.Title = name
		m.Blocks = labelled().Blocks
		p.Maps = append(p.Maps, *m)
	}
	return p
}

func TestGoldenFigures(t *testing.T) {
	toScale := sampleSection()
	toScale.ToScale = true
	log := &Chart{Title: "convergence", X: "iteration", Y: "residual (W)", Log: true,
		Curves: []Curve{{Name: "multigrid"}}}
	for i := range 13 {
		log.Curves[0].X, log.Curves[0].Y = append(log.Curves[0].X, float64(i)),
			append(log.Curves[0].Y, 20*math.Pow(0.13, float64(i)))
	}
	difference := labelled()
	difference.Difference, difference.Subtitle = true, "difference of two runs"
	for i := range difference.Kelvin {
		difference.Kelvin[i] = (difference.Kelvin[i] - 330) / 1000
	}
	difference.Lo, difference.Hi = -0.02, 0.04
	column := samplePanels()
	column.Look = Look{Width: 3.35 * 72, DPI: 220}
	for name, p := range map[string]interface{ Write(io.Writer, Format) error }{
		"section": sampleSection(), "section_to_scale": toScale, "traces": sampleChart(), "history": log,
		"panels": samplePanels(), "difference": difference, "panels_column": column,
	} {
		t.Run(name, func(t *testing.T) { checkGolden(t, name, written(t, name, p, PNG)) })
	}
}

// Every figure comes in every format, its texts as texts.
func TestFiguresAsVectors(t *testing.T) {
	for name, p := range map[string]interface{ Write(io.Writer, Format) error }{"section": sampleSection(),
		"traces": sampleChart(), "panels": samplePanels()} {
		texts := svgTexts(t, written(t, name, p, SVG))
		for _, want := range map[string][]string{
			"section": {"spreader", "z (µm)", "1202"}, "traces": {"time (ms)", "a block with a rather long name"},
			"panels": {"memory_2", "y (mm)"},
		}[name] {
			if !strings.Contains(texts, "\n"+want+"\n") {
				t.Errorf("the SVG of %s lacks the text %q", name, want)
			}
		}
		if doc := written(t, name, p, PDF); !bytes.HasPrefix(doc, []byte("%PDF-")) {
			t.Errorf("%s is no PDF", name)
		}
	}
}

func sampleAnimation(frames, cells int) *Animation {
	a := &Animation{Map: *sampleMap(10e-3, 10e-3, cells, cells, hills), Delay: 120 * time.Millisecond}
	a.Map.Blocks = labelled().Blocks
	a.Map.Title = "memory on logic"
	for n := range frames {
		m := sampleMap(10e-3, 10e-3, cells, cells, func(x, y float64) float64 {
			return 310 + (hills(x, y)-310)*float64(n+1)/float64(frames)
		})
		a.Frames = append(a.Frames, AnimationFrame{Subtitle: "t = " + label(float64(n), 1) + " ms", Kelvin: m.Kelvin})
	}
	a.Map.Kelvin = nil
	return a
}

func TestAnimation(t *testing.T) {
	a := sampleAnimation(5, 40)
	g, err := gif.DecodeAll(bytes.NewReader(written(t, "animation", a, GIF)))
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Image) != 5 || g.Delay[0] != 12 || g.Config.Width != animationWidth {
		t.Errorf("%d frames of %d hundredths, %d wide", len(g.Image), g.Delay[0], g.Config.Width)
	}
	doc := written(t, "animation", a, APNG)
	first, err := png.Decode(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	if first.Bounds() != g.Image[0].Bounds() {
		t.Errorf("the first frame is %v as APNG and %v as GIF", first.Bounds(), g.Image[0].Bounds())
	}
	kinds := chunks(t, doc)
	if kinds["fcTL"] != 5 || kinds["fdAT"] != 4 || kinds["acTL"] != 1 || kinds["IDAT"] != 1 {
		t.Errorf("chunks are %v", kinds)
	}
	if err := a.Write(io.Discard, PNG); err == nil {
		t.Error("an animation came as plain PNG")
	}
}

// chunks counts the chunks of a PNG by kind and checks their sums.
func chunks(t *testing.T, doc []byte) map[string]int {
	t.Helper()
	kinds := map[string]int{}
	for at := 8; at < len(doc); {
		n := int(binary.BigEndian.Uint32(doc[at:]))
		body := doc[at+4 : at+8+n]
		if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(doc[at+8+n:]) {
			t.Errorf("the checksum of chunk %s is wrong", body[:4])
		}
		kinds[string(body[:4])]++
		at += 12 + n
	}
	return kinds
}

func BenchmarkAnimation50(b *testing.B) {
	a := sampleAnimation(50, 256)
	for _, format := range []Format{GIF, APNG} {
		b.Run(string(format), func(b *testing.B) {
			for range b.N {
				if err := a.Write(io.Discard, format); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMap1871(b *testing.B) {
	m := sampleMap(10e-3, 10e-3, 1871, 1871, hills)
	for range b.N {
		if err := m.Write(io.Discard, PNG); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMaps512(b *testing.B) {
	m := sampleMap(10e-3, 10e-3, 512, 512, hills)
	for range b.N {
		for range 10 {
			if err := m.Write(io.Discard, PNG); err != nil {
				b.Fatal(err)
			}
		}
	}
}
