package threedice

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// The numbers that the same lines of C give, compiled by gcc and clang for x86-64.
func TestDivideAs3DICE(t *testing.T) {
	for _, c := range []struct {
		slot, step   float64
		whole, times string
		kept         [2]uint32
		steps        int
	}{
		{0.01, 0.001, "10", "1", [2]uint32{10, 1}, 10},
		{0.25, 0.1, "25", "10", [2]uint32{25, 10}, 2},
		{2, 2, "2", "2", [2]uint32{2, 2}, 1},
		{0.000906, 0.000302, "9060000000000002", "3020000000000000", [2]uint32{2712289282, 2335752192}, 1},
		{0.05, 0.0007, "500000000000000000", "7000000000000001", [2]uint32{3551657984, 2171437057}, 1},
		{0.0003, 0.0001, "29999999999999996", "10000000000000000", [2]uint32{1329790972, 1874919424}, 0},
	} {
		q := divide(c.slot, c.step)
		got := fmt.Sprintf("%.0f %.0f %v %d", q.slot, q.step, [2]uint32{q.slotKept, q.stepKept}, q.steps())
		if want := fmt.Sprintf("%s %s %v %d", c.whole, c.times, c.kept, c.steps); got != want {
			t.Errorf("slot %g, step %g: %s, want %s", c.slot, c.step, got, want)
		}
		if want := len(c.whole) > 10; q.overflows() != want {
			t.Errorf("slot %g, step %g: overflow %v, want %v", c.slot, c.step, q.overflows(), want)
		}
	}
	for v, want := range map[float64]uint32{1 << 32: 0, 1<<32 + 7: 7, 1 << 63: 0, 1e300: 0, math.Inf(1): 0,
		math.MaxUint32: math.MaxUint32} {
		if got := keep32(v); got != want {
			t.Errorf("%g becomes %d, want %d", v, got, want)
		}
	}
}

// withSolver imports the transient case with another step and slot.
func withSolver(t *testing.T, step, slot string, compat bool) *importer.Result {
	t.Helper()
	file := filepath.Join("testdata", "transient", "case.stk")
	r, err := Format.Import(importer.Request{Files: []string{file}, Compat: compat, Direct: true,
		Open: func(path string) ([]byte, error) {
			data, err := os.ReadFile(path)
			if path != file {
				return data, err
			}
			return []byte(strings.Replace(string(data), "step 0.001, slot 0.01", "step "+step+", slot "+slot, 1)), err
		}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Where 3D-ICE's 32 bits overflow, both numbers of steps are told, and --compat makes 3D-ICE's.
func TestOverflowOfSlotsIsTold(t *testing.T) {
	for _, c := range []struct {
		step, slot             string
		told                   string
		own, compat            int // steps in all the case's five slots
		perSlot, compatPerSlot int
	}{
		{"0.001", "0.01", "", 50, 50, 10, 10},
		{"0.000302", "0.000906", "3D-ICE makes 1 step per slot, 3 here unless --compat", 15, 5, 3, 1},
		// its quotient is 0, and then it takes a remainder by that
		{"0.000003", "0.000009", "3D-ICE divides by zero and ends, 3 here", 15, 15, 3, 3},
		{"0.0007", "0.05", "3D-ICE makes 1 step per slot, 71 here unless --compat", 357, 5, 71, 1},
		{"0.001", "0.0025", "", 13, 10, 2, 2}, // cut, without any overflow
	} {
		for _, compat := range []bool{false, true} {
			r := withSolver(t, c.step, c.slot, compat)
			steps, perSlot := c.own, c.perSlot
			if compat {
				steps, perSlot = c.compat, c.compatPerSlot
			}
			if got := r.Stack.Transient.Steps; got != steps {
				t.Errorf("step %s, slot %s, compat %v: %d steps, want %d", c.step, c.slot, compat, got, steps)
			}
			if got := r.Outputs.(*Outputs).StepsPerSlot; got != perSlot {
				t.Errorf("step %s, slot %s, compat %v: %d steps per slot, want %d", c.step, c.slot, compat, got,
					perSlot)
			}
			told := ""
			for _, n := range r.Notes {
				if n.Kind == importer.Warning {
					told += n.String()
				}
			}
			if (c.told == "") != (told == "") || !strings.Contains(told, c.told) {
				t.Errorf("step %s, slot %s: warned %q, want %q", c.step, c.slot, told, c.told)
			}
		}
	}
}

// A project that is calculated as 3D-ICE does is solved as far as its files can tell.
func TestCompatIsSolvedTightly(t *testing.T) {
	for compat, want := range map[bool]float64{false: 0, true: compatTol} {
		if got := withSolver(t, "0.001", "0.01", compat).Stack.Solver.Tol; got != want {
			t.Errorf("compat %v: tolerance %g K, want %g", compat, got, want)
		}
	}
}

// A chip of 3 mm x 2 mm, lengths in um and figures per um: sizes, cells, heights, places, watts and properties in SI
// units, by hand. 3D-ICE lists elements from the top and the layers of dies from the top too.
func TestPlacesByHand(t *testing.T) {
	stk := strings.NewReplacer("chip length 1000, width 1000", "chip length 3000, width 2000",
		"cell length 100, width 100", "cell length 150, width 250",
		"thermal conductivity     4e-4, 4e-4, 3e-4", "thermal conductivity     1e-4, 2e-4, 3e-4",
		"T (LOWER, 500, 500", "T (LOWER, 900, 250").Replace(wholeStk)
	r, err := importFiles(map[string]string{"case.stk": stk,
		"a.flp": "core :\n  position  300, 125 ;\n  dimension 600, 1000 ;\n  power values 1.5, 2 ;\ncache :\n" +
			"  rectangle (1200, 0, 750, 500) ;\n  rectangle (2100, 500, 900, 1500) ;\n  power values 0.5, 0.25 ;\n",
		"bond.mlt": "SI :\n  rectangle (300, 250, 450, 750) ;\n"}, false)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Stack
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12*math.Max(1e-3, math.Abs(want)) {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	box := func(what string, got stack.Rect, want [4]float64) {
		t.Helper()
		for n, v := range [4]float64{got.X, got.Y, got.Width, got.Height} {
			near(fmt.Sprintf("%s, number %d", what, n), v, want[n])
		}
	}
	near("size in x", s.Size[0], 3e-3)
	near("size in y", s.Size[1], 2e-3)
	near("h", s.Boundary[stack.Top].H, 1e4)
	if s.Grid.X.Cells != 20 || s.Grid.Y.Cells != 8 {
		t.Errorf("%d x %d cells, want 20 x 8", s.Grid.X.Cells, s.Grid.Y.Cells)
	}
	heights := []float64{2e-6, 100e-6, 2e-6, 2e-6, 100e-6}
	if len(s.Layers) != len(heights) {
		t.Fatalf("%d layers", len(s.Layers))
	}
	for l, want := range heights {
		near(s.Layers[l].Name, s.Layers[l].Thickness, want)
	}
	bond := &s.Layers[2]
	for axis, k := range [3]float64{100, 200, 300} {
		near("k of the bond", s.Materials[bond.Material].K[axis], k)
		near("k of the patch", s.Materials[bond.Regions[0].Material].K[axis], 130)
	}
	near("c of the bond", s.Materials[bond.Material].C, 3.45e6)
	box("patch", bond.Regions[0].Rect, [4]float64{300e-6, 250e-6, 450e-6, 750e-6})
	for _, l := range []int{0, 3} {
		p := s.Layers[l].Powers[0]
		box("core", p.Blocks[0].Rects[0], [4]float64{300e-6, 125e-6, 600e-6, 1e-3})
		box("cache, first", p.Blocks[1].Rects[0], [4]float64{1.2e-3, 0, 750e-6, 500e-6})
		box("cache, second", p.Blocks[1].Rects[1], [4]float64{2.1e-3, 500e-6, 900e-6, 1.5e-3})
		for slot, want := range [][]float64{{1.5, 0.5}, {2, 0.25}} {
			near("start of a slot", p.Trace.Times[slot], 0.002*float64(slot))
			for b := range want {
				near("watts of "+p.Blocks[b].Name, p.Trace.Watts[slot][b], want[b])
			}
		}
	}
}

// 3D-ICE counts the channels of its two-resistor model as the quotient of length and pitch, rounded, and gives each
// that part of the flow, whatever the chip has room for.
func TestChannelsOfTwoResistors(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"case.stk", "lower.flp", "upper.flp"} {
		text, err := os.ReadFile(filepath.Join("testdata/channels2rm", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	whole := files["case.stk"]
	for length, count := range map[int]int{840: 4, 900: 5, 960: 5, 1020: 5, 1080: 5, 1140: 6} {
		files["case.stk"] = strings.Replace(whole, "chip length 840, width 800 ;\n   cell length 70",
			fmt.Sprintf("chip length %d, width 800 ;\n   cell length 60", length), 1)
		for _, compat := range []bool{false, true} {
			r, err := importFiles(files, compat)
			if err != nil {
				t.Fatal(err)
			}
			want := 6e-6 / 60
			if compat {
				want *= float64(length) / float64(count*200)
			}
			for _, l := range r.Stack.Layers {
				if w := l.Coolant; w != nil && math.Abs(w.Flow-want) > 1e-12*want {
					t.Errorf("%d um, compat %v: a flow of %g m3/s, want %g", length, compat, w.Flow, want)
				}
			}
		}
	}
}
