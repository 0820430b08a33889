package picture

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"testing"
)

func matrixOf(rows, columns int, value func(r, c int) float64) *Matrix {
	m := &Matrix{Title: "matrix", Down: "warmed", Across: "heated", Unit: "K/W"}
	for r := range rows {
		m.Rows = append(m.Rows, fmt.Sprint("row ", r))
		for c := range columns {
			m.Values = append(m.Values, value(r, c))
		}
	}
	for c := range columns {
		m.Columns = append(m.Columns, fmt.Sprint("column ", c))
	}
	return m
}

// Matrices of any size are drawn, the largest value in the brightest colour.
func TestMatricesOfAnySize(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {2, 30}, {60, 3}, {49, 49}, {200, 150}} {
		m := matrixOf(size[0], size[1], func(r, c int) float64 { return 1 / (1 + math.Abs(float64(r-c))) })
		for _, f := range Formats() {
			var b bytes.Buffer
			if err := m.Write(&b, f); err != nil {
				t.Errorf("%v as %s: %v", size, f, err)
			}
			if f != PNG {
				continue
			}
			img, err := png.Decode(&b)
			if err != nil {
				t.Fatal(err)
			}
			if d := img.Bounds(); d.Dx() > 1800 || d.Dy() > 1800 {
				t.Errorf("%v: %d x %d pixels", size, d.Dx(), d.Dy())
			}
		}
	}
	m := matrixOf(2, 2, func(r, c int) float64 { return []float64{1, 100, 10, 1}[2*r+c] })
	s, err := m.scale()
	if err != nil || !s.log || math.Abs(s.part(10)-0.5) > 1e-15 || s.color(100) != Inferno()[255] {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestBrokenMatrices(t *testing.T) {
	var b bytes.Buffer
	for name, m := range map[string]*Matrix{
		"empty": {}, "short": {Rows: []string{"a"}, Columns: []string{"b", "c"}, Values: []float64{1}},
		"no numbers": matrixOf(2, 2, func(int, int) float64 { return math.NaN() }),
	} {
		if err := m.Write(&b, PNG); err == nil {
			t.Errorf("%s is drawn", name)
		}
	}
	some := matrixOf(2, 2, func(r, c int) float64 { return []float64{1, math.NaN(), -3, math.Inf(1)}[2*r+c] })
	if err := some.Write(&b, PNG); err != nil {
		t.Error(err)
	}
}

// A logarithmic axis has the decades at even distances.
func TestLogarithmicAxes(t *testing.T) {
	p := &plane{x0: 1e-9, x1: 1, logX: true}
	p.area.Max.X, p.area.Max.Y = 900, 100
	at, labels := p.ticksAcross()
	if len(at) != 10 || labels[0] != "1e-9" || labels[9] != "1e0" {
		t.Errorf("%v", labels)
	}
	for n, v := range at {
		if math.Abs(p.px(v)-100*float64(n)) > 1e-9 {
			t.Errorf("%g at pixel %g", v, p.px(v))
		}
	}
}
