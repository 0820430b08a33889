package picture

import (
	"bytes"
	"image/color"
	"image/png"
	"io"
	"math"
	"testing"

	"thermsim/stack"
)

func TestGoldenPictures(t *testing.T) {
	square := sampleMap(10e-3, 10e-3, 120, 120, hills)
	square.Blocks = []Outline{block("core", 2e-3, 1e-3, 2.5e-3, 4e-3), block("cache", 4.5e-3, 1e-3, 4e-3, 4e-3)}
	cache := append(square.Blocks[1].Rects(), stack.Rect{X: 4.5e-3, Y: 5e-3, Width: 1e-3, Height: 3e-3})
	square.Blocks[1].Rects = func() []stack.Rect { return cache }
	square.Regions = []Outline{block("die", 1e-3, 0.5e-3, 8e-3, 9e-3)}
	wide := sampleMap(20e-3, 2e-3, 200, 20, hills)
	tiny := sampleMap(3e-3, 3e-3, 3, 3, hills)
	uniform := sampleMap(4e-3, 3e-3, 20, 20, func(x, y float64) float64 { return 350 })
	plan := &Floorplan{
		Title: "floorplan", Subtitle: "layer logic, 5 W", Extent: stack.Rect{Width: 10e-3, Height: 8e-3},
		Blocks: []Outline{block("core", 0, 0, 5e-3, 4e-3), block("tall", 5e-3, 0, 1e-3, 8e-3),
			block("x", 0, 4e-3, 5e-3, 4e-3)},
		Density: []float64{120, 40, 0},
	}
	section := &CrossSection{
		Title: "stack", Subtitle: "10 x 8 mm", Width: 10e-3, Top: "top: h = 1000 W/(m² K)", Bottom: "bottom: adiabatic",
		West: "west: 20 °C", Notes: []string{"heights are stretched", "north: adiabatic"},
		Slabs: []Slab{
			{Name: "die", Material: 0, Thickness: 100e-6, Cells: []string{"silicon", "130", "100 µm", "2", "5 W"},
				Powered: true, Contact: true},
			{Name: "mould", Material: 1, Thickness: 1e-3, Cells: []string{"mould", "0.8", "1 mm", "4", "-"},
				Parts: []Part{{Name: "spreader", Note: ": copper", Material: 9, X0: 2e-3, X1: 7e-3}}},
		},
	}
	for name, p := range map[string]interface{ Write(io.Writer, Format) error }{
		"square": square, "wide": wide, "tiny": tiny, "uniform": uniform, "floorplan": plan, "stack": section,
	} {
		t.Run(name, func(t *testing.T) { checkGolden(t, name, render(t, p)) })
	}
}

// A single hot cell among four million must be seen in the picture.
func TestHotCellSurvivesReduction(t *testing.T) {
	const n = 2000
	m := sampleMap(10e-3, 10e-3, n, n, func(x, y float64) float64 { return 300 })
	m.Kelvin[1234*n+567] = 400
	m.Hi = 400
	f, err := newFrame("", "", stack.Rect{Width: 10e-3, Height: 10e-3},
		temperatureScale(m.Lo, m.Hi, &Look{}), Look{}, PNG)
	if err != nil {
		t.Fatal(err)
	}
	m.paint(f)
	hottest := Inferno()[255]
	x, y := int(f.px(567.5/n*10e-3)), int(f.py(1234.5/n*10e-3))
	if got := f.img.RGBAAt(x, y); got != hottest {
		t.Errorf("pixel (%d, %d) is %v, want the colour of the maximum %v", x, y, got, hottest)
	}
}

// Cells wider than a pixel are drawn to the pixel: in a 3 x 3 map each quarter-way point has its own cell's colour.
func TestCellsAreCrisp(t *testing.T) {
	m := sampleMap(3e-3, 3e-3, 3, 3, func(x, y float64) float64 { return 300 + 10*x + 30*y })
	m.X = []float64{0, 0.5e-3, 1e-3, 3e-3} // graded
	f, err := newFrame("", "", stack.Rect{Width: 3e-3, Height: 3e-3},
		temperatureScale(m.Lo, m.Hi, &Look{}), Look{}, PNG)
	if err != nil {
		t.Fatal(err)
	}
	m.paint(f)
	for j := range 3 {
		for i := range 3 {
			want := f.scale.colors.At(f.scale.part(m.Kelvin[3*j+i] - 273.15))
			for _, at := range []float64{0.02, 0.98} {
				x := int(f.px(m.X[i] + at*(m.X[i+1]-m.X[i])))
				y := int(f.py(m.Y[j] + at*(m.Y[j+1]-m.Y[j])))
				if got := f.img.RGBAAt(x, y); got != want {
					t.Errorf("cell (%d, %d) at (%d, %d): %v, want %v", i, j, x, y, got, want)
				}
			}
		}
	}
}

// The scale of both axes is the same, for any shape of die.
func TestEqualAspect(t *testing.T) {
	for _, size := range [][2]float64{{10, 10}, {20, 2}, {2, 20}, {30, 24}, {3, 8}} {
		w, h := areaSize(stack.Rect{Width: size[0] * 1e-3, Height: size[1] * 1e-3}, 0)
		if ratio := float64(w) / float64(h) / (size[0] / size[1]); math.Abs(ratio-1) > 0.01 {
			t.Errorf("%v mm: %d x %d pixels, off by %g", size, w, h, ratio)
		}
	}
}

// The label of a bar below a map lies inside the picture, however long it is.
func TestLabelOfALyingBar(t *testing.T) {
	m := &HeatMap{Title: "strip", X: []float64{0, 1e-4}, Y: []float64{0, 1e-5}, Kelvin: []float64{5}, Lo: 4, Hi: 6,
		Unit: "log10 years"}
	img, err := png.Decode(bytes.NewReader(written(t, "strip", m, PNG)))
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Max.X - 8; x < b.Max.X; x++ {
			if r, _, _, _ := img.At(x, y).RGBA(); r != 0xffff {
				t.Fatalf("ink at %d, %d of %v", x, y, b)
			}
		}
	}
}

func TestBrokenMaps(t *testing.T) {
	m := sampleMap(1e-3, 1e-3, 4, 4, hills)
	m.Kelvin = m.Kelvin[:15]
	if err := m.Write(io.Discard, PNG); err == nil {
		t.Error("a map with a cell missing was drawn")
	}
	m = sampleMap(1e-3, 1e-3, 4, 4, func(x, y float64) float64 { return math.NaN() })
	if err := m.Write(io.Discard, PNG); err != nil {
		t.Errorf("a map of NaN must be drawn grey: %v", err)
	}
	m = sampleMap(1e-3, 1e-3, 1, 1, hills)
	picture, err := png.Decode(bytes.NewReader(render(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	r, g, b, _ := picture.At(picture.Bounds().Dx()/2, picture.Bounds().Dy()/2).RGBA()
	if (color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}) == white {
		t.Error("a map of one cell is empty")
	}
}

func BenchmarkHeatMap512(b *testing.B) {
	m := sampleMap(10e-3, 10e-3, 512, 512, hills)
	for j := range 6 {
		for i := range 10 {
			m.Blocks = append(m.Blocks, block("block", float64(i)*1e-3, float64(j)*10e-3/6, 1e-3, 10e-3/6))
		}
	}
	for b.Loop() {
		if err := m.Write(io.Discard, PNG); err != nil {
			b.Fatal(err)
		}
	}
}

// Text of any size keeps its proportions, kerning included.
func TestTextScales(t *testing.T) {
	text, err := newTypesetter()
	if err != nil {
		t.Fatal(err)
	}
	large, _ := text.size(style{size: 400}, "FPAdd 11.4")
	small, _ := text.size(style{size: 10}, "FPAdd 11.4")
	if want := float64(large) / 40; math.Abs(float64(small)-want) > 1.5 {
		t.Errorf("10 pixel text is %d wide, want %.1f", small, want)
	}
}
