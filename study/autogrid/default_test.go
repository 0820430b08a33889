package autogrid

import (
	"context"
	"fmt"
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/gridding"
	"thermsim/stack/stackfile"
	"thermsim/study/converge"
)

// usualGrid is a template of init or an example on the grid that a user gets without asking.
type usualGrid struct{ name, file string }

func usualGrids() []usualGrid {
	const templates, examples = "../../cmd/thermsim/templates/", "../../examples/"
	all := []usualGrid{{"plain", templates}, {"3d", templates}, {"hotspot-like", templates}, {"flip-chip", templates},
		{"hbm", templates}, {"fcbga", examples}, {"hbm-package", examples}}
	for i := range all {
		all[i].file += all[i].name + "/stack.toml"
	}
	return testtier.Pick(all[:1], all)
}

// The error of the peak is at most 1 % of the rise on the grid of every template and of every example of a package. The
// change to a grid with half the cell size along x, y and z is at least half of the error for any order from 1.
func TestUsualGrids(t *testing.T) {
	for _, c := range usualGrids() {
		s, err := stackfile.Load(c.file)
		if err != nil {
			t.Fatal(err)
		}
		fine, err := converge.Refine(s)
		if err != nil {
			t.Fatal(err)
		}
		got, finer := solved(t, s)[0], solved(t, fine)[0]
		rise, most := finer-coldest(s), 2*math.Abs(finer-got)
		if most > stack.DefaultRelativeError*rise {
			t.Errorf("%s: the error may be %.3g K of %.4g K", c.name, most, rise)
		}
		row := fmt.Sprintf("| %s | %d x %d, %.3g cells | %.4g | %.2g %% |", c.name, s.Grid.X.Cells, s.Grid.Y.Cells,
			cellsOf(s), got-coldest(s), 100*most/rise)
		if s.Grid.Default {
			a, err := Assess(context.Background(), s)
			if err != nil || a.Doubt != "" {
				t.Fatal(err, a)
			}
			row += fmt.Sprintf(" %.2g %% |", 100*a.Peak/a.Rise)
			if a.Peak < most/2 {
				t.Errorf("%s: estimated error %.3g K, but the finer grid differs by %.3g K", c.name, a.Peak, most/2)
			}
		}
		t.Log(row)
		if *autoTable != "" {
			appendTable(t, row+"\n")
		}
	}
}

// The estimate for the package of a template confirms its grid.
func TestAssess(t *testing.T) {
	s, err := stackfile.Load("../../cmd/thermsim/templates/flip-chip/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	a, err := Assess(t.Context(), s)
	if err != nil || !(a.Peak > 0 && a.Peak < stack.DefaultRelativeError*a.Rise) || a.Larger != 1 {
		t.Errorf("%v %v", a, err)
	}
	s.Boundary = [stack.NumFaces]stack.Boundary{}
	if a, err = Assess(t.Context(), s); err != nil || a.Doubt == "" {
		t.Errorf("without a way out: %v %v", a, err)
	}
}

// A board larger than the sink and a sink larger than the package: the peak converges with the order of the scheme, and
// the default grid is within 1 % of its limit.
func TestSizedSinkConverges(t *testing.T) {
	if testtier.Pick(true, false) {
		t.Skip("two seconds of processor time")
	}
	s, err := stackfile.Parse("stack.toml", []byte(`schema = 1
boundary = { top = { h = 10 }, bottom = { h = 10 } }
[package]
kind = "flip-chip-lid"
size = ["30 mm", "30 mm"]
board = { size = ["100 mm", "80 mm"] }
[[package.die]]
name = "soc"
size = ["10 mm", "10 mm"]
power = { uniform = "30 W" }
[heat_sink]
size = ["50 mm", "50 mm"]
material = "aluminium_6061"
base = "5 mm"
resistance = "0.8 K/W"
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	coarse := gridding.NewDefault(s).On(s, 8)
	study, err := converge.Run(t.Context(), coarse, gpusolve.Options{Device: "cpu", Tol: 1e-4},
		func(_ int, s *stack.Stack) (*mesh.Mesh, error) { return mesh.Build(s) })
	if err != nil {
		t.Fatal(err)
	}
	peak := study.Quantities[0]
	got := solved(t, s)[0]
	t.Logf("%v: %.3f K, order %.2f, extrapolated %.3f K +- %.3f K; default grid %.3f K", study.Grids, peak.Values,
		peak.Order, peak.Extrapolated, peak.Uncertainty, got)
	if rise := peak.Extrapolated - coldest(s); peak.Order < 1 || peak.Order > 2.2 ||
		math.Abs(got-peak.Extrapolated) > stack.DefaultRelativeError*rise {
		t.Errorf("order %.2f; %.3f K on the default grid, extrapolated %.3f K", peak.Order, got, peak.Extrapolated)
	}
}
