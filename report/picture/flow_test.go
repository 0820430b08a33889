package picture

import (
	"bytes"
	"image/png"
	"testing"

	"thermsim/stack"
)

// Arrows stand in the middle of narrow lanes, spread over the picture, and none outside of it.
func TestArrowsStandInLanes(t *testing.T) {
	var w Flow
	for n := range 50 {
		at := 50e-6 + float64(n)*200e-6
		w.Lanes = append(w.Lanes, Lane{From: at, To: at + 100e-6, Speed: 1})
	}
	places := w.places(0, 10e-3)
	if len(places) != mostArrows {
		t.Fatalf("%d places", len(places))
	}
	for _, p := range places {
		n := (p.From - 100e-6) / 200e-6
		if d := n - float64(int(n+0.5)); d > 1e-9 || d < -1e-9 {
			t.Errorf("an arrow at %g, in no channel", p.From)
		}
	}
	if got := w.places(9.96e-3, 10e-3); len(got) != 0 {
		t.Errorf("arrows %v beyond the last channel", got)
	}
	wide := Flow{Lanes: []Lane{{To: 3e-3, Speed: 1}, {From: 3e-3, To: 10e-3, Speed: 0.5}}}
	if got := wide.places(0, 10e-3); len(got) != mostArrows || got[0].Speed != 1 || got[5].Speed != 0.5 {
		t.Errorf("%v", got)
	}
}

// An arrow's head lies downstream: the picture of a flow is not that of the opposite one, and reads white at the heads.
func TestArrowsPointDownstream(t *testing.T) {
	draw := func(w *Flow) []byte {
		m := &HeatMap{Title: "flow", X: []float64{0, 5e-3, 10e-3}, Y: []float64{0, 5e-3, 10e-3},
			Kelvin: []float64{300, 300, 300, 300}, Lo: 300, Hi: 310, Flow: w}
		var out bytes.Buffer
		if err := m.Write(&out, PNG); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	lane := []Lane{{To: 10e-3, Speed: 1}}
	none, east, west := draw(nil), draw(&Flow{Lanes: lane}), draw(&Flow{Lanes: lane, Backward: true})
	if bytes.Equal(none, east) || bytes.Equal(east, west) {
		t.Error("directions look alike")
	}
	f, err := newFrame("", "", stack.Rect{Width: 10e-3, Height: 10e-3},
		scale{colors: Inferno(), lo: 0, hi: 1, unit: "K"}, Look{}, PNG)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(east))
	if err != nil {
		t.Fatal(err)
	}
	// Middle row, third place: the barbs of an arrow of 0.9 mm end some pixels behind its head, which is at 5.45 mm.
	head := [2]int{int(f.px(5.45e-3)), int(f.py(4.1667e-3))}
	bright := func(x, y int) bool { r, _, _, _ := img.At(x, y).RGBA(); return r > 0xc000 }
	if !bright(head[0]-6, head[1]-3) && !bright(head[0]-6, head[1]-4) && !bright(head[0]-7, head[1]-4) {
		t.Error("no barb behind the head")
	}
}
