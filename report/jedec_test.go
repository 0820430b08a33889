package report

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"testing"

	"thermsim/gpusolve"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/report/summary"
	"thermsim/report/tables"
	"thermsim/report/webpage"
	"thermsim/stack/gridding"
	"thermsim/stack/stackfile"
)

// solvePackage summarises a stack file.
func solvePackage(t *testing.T, text string) *summary.Summary {
	t.Helper()
	return solvePackageTo(t, text, 1e-8)
}

// solvePackageTo solves to a largest error in K, and expects the heat to be in balance to the same number.
func solvePackageTo(t *testing.T, text string, tol float64) *summary.Summary {
	t.Helper()
	s, err := stackfile.Parse("stack.toml", []byte(text), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if s.Grid.Default {
		s = gridding.NewDefault(s).On(s, 2) // a quarter of the cells
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := gpusolve.Steady(context.Background(), m, gpusolve.Options{Device: "cpu", Tol: tol})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	sum, err := Summarise(&Run{Command: "steady", Mesh: m, Solution: sol})
	if err != nil {
		t.Fatal(err)
	}
	if !sum.Solver.Converged || sum.Energy.ImbalanceRel > tol {
		t.Errorf("converged %v, imbalance %g", sum.Solver.Converged, sum.Energy.ImbalanceRel)
	}
	return sum
}

func figure(t *testing.T, s *summary.Summary, name string) float64 {
	t.Helper()
	for _, f := range s.Jedec.Figures {
		if f.Name == name {
			return f.KPerW
		}
	}
	t.Fatalf("no %s in %+v", name, s.Jedec)
	return 0
}

// sorted is the number that a column of the page sorts by.
func sorted(t *testing.T, c webpage.Cell) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(c.Sort, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A die as large as its package makes every path straight: from the middle of the heated 5 um to the case, sums of
// thickness over conductivity.
func TestStraightPathsToTheCase(t *testing.T) {
	const silicon, mould, gel, copper, um, side = 148.0, 0.96, 3.5, 401.0, 1e-6, 10e-3
	const dieLeft = 775*um - 2.5*um
	for kind, want := range map[string]float64{
		"flip-chip":     dieLeft / silicon,
		"flip-chip-lid": dieLeft/silicon + 50*um/gel + 1000*um/copper,
		"wire-bond":     2.5*um/silicon + 400*um/mould,
		"fan-out":       (350*um-2.5*um)/silicon + 100*um/mould,
		"interposer":    dieLeft/silicon + 50*um/gel + 1000*um/copper,
		"hbm":           (60*um - 2.5*um) / silicon,
	} {
		more := ""
		if kind == "flip-chip-lid" || kind == "interposer" {
			more = "lid = { foot = 0 }\n"
		}
		if kind == "interposer" {
			more += "interposer = { margin = 0 }\n"
		}
		s := solvePackage(t, fmt.Sprintf("schema = 1\ngrid = { nx = 4, ny = 4 }\n[package]\nkind = %q\nsize = [%v, "+
			"%v]\nenvironment = \"jesd51-14\"\n%s[[package.die]]\nname = \"d\"\nsize = [%[2]v, %[3]v]\npower = { "+
			"uniform = 10 }\n",
			kind, side, side, more))
		if got := figure(t, s, "theta_JC(top)"); math.Abs(got*side*side/want-1) > 1e-6 {
			t.Errorf("%s: theta_JC(top) is %.9g K/W, want %.9g", kind, got, want/side/side)
		}
		shown := tables.Jedec(s).Page(2, nil).Rows
		for n, f := range s.Jedec.Figures {
			near(t, kind+": the reference on the page", sorted(t, shown[n][3]), f.ReferenceK, 1e-4)
		}
		if s.Energy.ByFaceW.Top < 9.9999 {
			t.Errorf("%s: %g of 10 W leave through the case", kind, s.Energy.ByFaceW.Top)
		}
	}
}

// Memory dies heat in turn: the watts of all dies above pass every bond. From the base die down everything is cold,
// since the heat leaves upwards.
func TestStraightPathThroughMemory(t *testing.T) {
	const silicon, solder, underfill, um, side = 148.0, 58.0, 0.5, 1e-6, 10e-3
	s := solvePackage(t, fmt.Sprintf("schema = 1\ngrid = { nx = 4, ny = 4 }\n[package]\nkind = \"hbm\"\nsize = [%v, "+
		"%v]\nenvironment = \"jesd51-14\"\n[[package.die]]\nname = \"d\"\nsize = [%[1]v, %[2]v]\ntiers = "+
		"3\ntier_power = 3\npower = { uniform = 2 }\n", side, side))
	f := math.Pi / 4 * 25 * 25 / (55 * 55)
	bond := 20 * um / (f*solder + (1-f)*underfill)
	// 2 W out of the base die, 1 W more from each memory die: heated at its lower surface.
	rise := 2*(60*um-2.5*um)/silicon + (2+3+4)*bond + (2.5*um)/silicon*(2+3+4) + (3+4+5)*(50*um-2.5*um)/silicon
	if got := figure(t, s, "theta_JC(top)") * 5; math.Abs(got*side*side/rise-1) > 1e-6 {
		t.Errorf("the base die rises by %.9g K, want %.9g", got, rise/side/side)
	}
}

// Heat that can leave downwards alone: the sum over the die's bumps, substrate, balls and board of the same formulas,
// worked out here.
func TestStraightPathToTheBoard(t *testing.T) {
	const um, mm, side = 1e-6, 1e-3, 10e-3
	const copper, abf, fr4, solder, underfill, air, silicon = 401.0, 0.4, 0.29, 58.0, 0.5, 0.0263, 148.0
	s := solvePackage(t, `schema = 1
boundary.bottom = { temperature = "25 degC" }
grid = { nx = 4, ny = 4 }
[jedec]
environment = "jesd51-2a"
case = "case_top"
[package]
kind = "flip-chip"
size = [0.01, 0.01]
[[package.die]]
name = "d"
size = [0.01, 0.01]
power = { uniform = 10 }
`)
	along := func(f, ki, km float64) float64 { return f*ki + (1-f)*km }
	disc := func(d, p float64) float64 { return math.Pi / 4 * d * d / p / p }
	pile := 1.2 * mm / (8*15*um/along(0.6, copper, abf) + 2*25*um/along(0.8, copper, abf) + (1200-120-50)*um/abf)
	want := 2.5*um/silicon + 75*um/along(disc(80, 180), solder, underfill) + 1.2*mm/along(0.003, copper, pile) +
		0.5*mm/along(disc(0.6, 1), solder, air) +
		70*um/along(4*0.4*10*math.Log(1+2*25.0/10)/(8*25), copper, fr4) + 70*um/along(0.05, copper, fr4) +
		70*um/copper + (1600-210)*um/fr4
	if got := figure(t, s, "theta_JA"); math.Abs(got*side*side/want-1) > 1e-6 {
		t.Errorf("from the junction to the bottom of the board %.9g K/W, want %.9g", got, want/side/side)
	}
}

// All heat reaches the ring of a cold plate through the board, half of it on each side or so, and the package hardly
// anything else.
func TestRingColdPlate(t *testing.T) {
	s := solvePackage(t, "schema = 1\n[package]\nkind = \"wire-bond\"\nsize = [0.015, 0.015]\nenvironment = "+
		"\"jesd51-8\"\n[[package.die]]\nname = \"d\"\nsize = [0.006, 0.006]\npower = { uniform = 2 }\n")
	above, below := 0.0, 0.0
	for _, r := range s.Regions {
		if r.Name == "cold_plate" && r.MaxK > s.Temperature.AmbientK+1.5 {
			t.Errorf("the ring is at %g K in layer %s", r.MaxK, r.Layer)
		}
	}
	above, below = s.Energy.ByFaceW.Top, s.Energy.ByFaceW.Bottom
	if math.Abs(above+below-2) > 1e-6 || above < 0.5 || below < 0.5 {
		t.Errorf("%g W leave above, %g W below", above, below)
	}
	// The case is next to adiabatic: it is as warm as the die.
	var onCase float64
	for _, p := range s.Probes {
		if p.Name == "case_top" {
			onCase = p.TemperatureK
		}
	}
	if drop := s.Temperature.MaxK - onCase; drop > 0.02*(s.Temperature.MaxK-s.Temperature.AmbientK) {
		t.Errorf("%g K fall from junction to case", drop)
	}
}

// The room above a board passes the film on: a heated board under it is as warm as one whose own face has the film.
func TestOpenSpacePassesTheFilm(t *testing.T) {
	const board = `schema = 1
size = ["80 mm", "60 mm"]
grid = { nx = 40, ny = 30 }
boundary.top = { h = 12 }
boundary.bottom = { h = 7 }
[materials.open_space]
k = [1e-5, 1e-5, 1e3]
c = 1200
[[layer]]
name = "board"
material = "pcb_2s2p"
thickness = "1.6 mm"
cells = 4
power = { uniform = 3, area = ["30 mm", "20 mm", "15 mm", "15 mm"] }
[[probe]]
name = "p"
x = "37 mm"
y = "27 mm"
z = "1.6 mm"
side = "below"
`
	const space = "[[layer]]\nname = \"space\"\nmaterial = \"open_space\"\nthickness = \"3 mm\"\ncells = 3\n"
	bare := solvePackage(t, board[:len(board)-len("side = \"below\"\n")])
	under := solvePackage(t, board+space)
	rise := bare.Temperature.MaxK - bare.Temperature.AmbientK
	if d := under.Temperature.MaxK - bare.Temperature.MaxK; math.Abs(d) > 1e-3*rise {
		t.Errorf("the board is %g K warmer under open space, of %g", d, rise)
	}
	if d := under.Probes[0].TemperatureK - bare.Probes[0].TemperatureK; math.Abs(d) > 1e-3*rise {
		t.Errorf("its face is %g K warmer under open space, of %g", d, rise)
	}
}

// Every kind in every environment conserves energy, has its figures, and they stand in order: the case and the board
// lie between junction and air.
func TestFiguresOfAllKinds(t *testing.T) {
	for _, kind := range testtier.Pick([]string{"flip-chip-lid", "wire-bond"},
		[]string{"flip-chip-lid", "flip-chip", "wire-bond", "fan-out", "interposer"}) {
		text := func(environment string) string {
			return fmt.Sprintf("schema = 1\n[package]\nkind = %q\nsize = [0.02, 0.018]\nenvironment = %q\nh = "+
				"15\n[[package.die]]\nname = \"d\"\nsize = [0.008, 0.007]\npower = { uniform = 2 }\n", kind,
				environment)
		}
		still, moving := solvePackage(t, text("jesd51-2a")), solvePackage(t, text("jesd51-6"))
		ja, jt, jb := figure(t, still, "theta_JA"), figure(t, still, "psi_JT"), figure(t, still, "psi_JB")
		if !(0 < jt && jt < ja && 0 < jb && jb < ja) {
			t.Errorf("%s: theta_JA %g, psi_JT %g, psi_JB %g", kind, ja, jt, jb)
		}
		if wind := figure(t, moving, "theta_JA"); !(wind < ja) {
			t.Errorf("%s: theta_JA is %g in still and %g in moving air", kind, ja, wind)
		}
		ring, top := figure(t, solvePackage(t, text("jesd51-8")), "theta_JB"),
			figure(t, solvePackage(t, text("jesd51-14")), "theta_JC(top)")
		// Only some of the heat goes where psi points, all of it where theta does.
		if !(jb < ring && jt < top) {
			t.Errorf("%s: psi_JB %g, theta_JB %g, psi_JT %g, theta_JC %g", kind, jb, ring, jt, top)
		}
	}
}
