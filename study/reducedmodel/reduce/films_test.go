package reduce_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/reducedmodel"
	"thermsim/study/reducedmodel/compact"
	"thermsim/study/reducedmodel/reduce"
)

func films(t *testing.T, s *stack.Stack, tol float64, films []reducedmodel.Film) *reducedmodel.Parametric {
	t.Helper()
	p, err := reduce.RunFilms(t.Context(), s, mesh.Build, films,
		reduce.Options{Tol: tol, Solve: gpusolve.Options{Device: "cpu"}})
	if err != nil {
		t.Fatalf("%s: %v", s.Title, err)
	}
	return p
}

// withH is a stack with h on top, bottom and all sides.
func withH(s *stack.Stack, h []float64) *stack.Stack {
	q := *s
	for f := range q.Boundary {
		q.Boundary[f] = stack.Boundary{Kind: stack.Convective, H: h[2], Temperature: s.Ambient}
	}
	q.Boundary[stack.Top].H, q.Boundary[stack.Bottom].H = h[0], h[1]
	return &q
}

// topBottomSides are films of all faces.
func topBottomSides() []reducedmodel.Film {
	return []reducedmodel.Film{{Name: "top", From: 10, To: 1e4}, {Name: "bottom", From: 1, To: 1e3},
		{Name: "sides", From: 1, To: 100}}
}

// checkFilms compares steady states at n random h with the full model: errors of all means are within the bound for
// these h, and that within the tolerance.
func checkFilms(t *testing.T, s *stack.Stack, p *reducedmodel.Parametric, n int) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, uint64(n)))
	watts := make([]float64, len(p.Inputs))
	for i := range watts {
		watts[i] = p.Inputs[i].Range
	}
	worst, largest, rise, beyond := 0.0, 0.0, 0.0, 0
	for range n {
		h := make([]float64, len(p.Films))
		for f, film := range p.Films {
			h[f] = film.From * math.Pow(film.To/film.From, random.Float64())
		}
		m, err := mesh.Build(withH(s, h))
		if err != nil {
			t.Fatal(err)
		}
		full, err := gpusolve.SolveMany(t.Context(), m, gpusolve.Options{Device: "cpu", Tol: 1e-5},
			gpusolve.Many{Watts: [][]float64{watts}})
		if err != nil || !full.Status.Converged {
			t.Fatal(err, full.Status.Reason)
		}
		bound, err := p.BoundK(h, 0)
		if err != nil {
			t.Fatal(err)
		}
		kelvin := settled(t, p, h, watts)
		for i, mean := range full.Mean[0] {
			e := math.Abs(kelvin[i] - mean)
			if e > bound+1e-5 {
				t.Errorf("%s: h = %g: mean of %s is %g K off, bound %g K", s.Title, h, p.Inputs[i].Name, e, bound)
			}
			worst, rise = math.Max(worst, e), math.Max(rise, mean-s.Ambient)
		}
		if largest = math.Max(largest, bound); bound > p.Error.BoundK {
			beyond++
		}
	}
	t.Logf("%s: %d states, %d solves; at %d random h error %.2g K, bound %.2g K, %d above the stated %.2g K; "+
		"rises to %.3g K", s.Title, p.States(), p.Error.Solves, n, worst, largest, beyond, p.Error.BoundK, rise)
	if worst > p.Error.BoundK || p.Error.BoundK > p.Error.WantedK || largest > 2*p.Error.WantedK {
		t.Errorf("%s: error %g K, stated bound %g K, wanted %g K", s.Title, worst, p.Error.BoundK, p.Error.WantedK)
	}
}

// settled are the steady temperatures.
func settled(t *testing.T, p *reducedmodel.Parametric, h, watts []float64) []float64 {
	t.Helper()
	m, err := p.At(h, 0)
	if err != nil {
		t.Fatal(err)
	}
	run, err := reducedmodel.NewStepper(m)
	if err == nil {
		err = run.Settle(watts)
	}
	if err != nil {
		t.Fatal(err)
	}
	kelvin := make([]float64, len(m.Outputs))
	run.Temperatures(kelvin)
	return kelvin
}

// A stack with films on all faces agrees with the full model at random h, in steady states and after steps of power,
// and is passive outside the ranges.
func TestFilms(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 6, NY: 5})
	s.Boundary[stack.West] = stack.Boundary{Kind: stack.Convective, H: 5, Temperature: s.Ambient}
	p := films(t, s, 1, topBottomSides())
	checkFilms(t, s, p, testtier.Pick(6, 1000))
	h := []float64{300, 40, 7}
	m, err := p.At(h, s.Ambient+40)
	if err != nil {
		t.Fatal(err)
	}
	q := withH(s, h)
	q.Transient.Initial = s.Ambient + 40
	if d := deviation(t, q, m, 0.01, 10); d > p.Error.StepK+0.01 {
		t.Errorf("%g K off after steps, %g K estimated", d, p.Error.StepK)
	}
	if _, err := p.At(make([]float64, 3), 0); err == nil || !strings.Contains(err.Error(), "no heat leaves") {
		t.Errorf("all h are 0: %v", err)
	}
	for _, h := range [][]float64{{0, 0, 1e-3}, {1e8, 0, 0}, {1e8, 1e8, 1e8}} {
		if _, err := p.At(h, 0); err != nil {
			t.Errorf("h = %g: %v", h, err)
		}
	}
	var text bytes.Buffer
	if err := p.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	again, err := reducedmodel.ReadFilms(text.Bytes())
	if err != nil || !reducedmodel.HasFilms(text.Bytes()) || !reflect.DeepEqual(again, p) {
		t.Errorf("another model is read from its file: %v", err)
	}
}

// Films of a patch whose edges cut cells, and of the rest of its face, beside a face with a fixed h; its netlist has
// the same temperatures.
func TestFilmsOfPatches(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 6, NY: 5})
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.Convective, H: 50, Temperature: s.Ambient}
	cooled := stack.Boundary{Kind: stack.Convective, H: 800, Temperature: s.Ambient}
	s.Boundary[stack.Top].Patches = []stack.Patch{{Name: "plate", Boundary: cooled,
		Rects: []stack.Rect{{X: 0.21 * s.Size[0], Y: 0.33 * s.Size[1], Width: 0.4 * s.Size[0],
			Height: 0.45 * s.Size[1]}}}}
	p := films(t, s, 1, []reducedmodel.Film{{Name: "top", From: 10, To: 1e4}, {Name: "top/plate", From: 10, To: 1e4}})
	if h := p.Nominal(); h[0] != 1e4 || h[1] != 800 {
		t.Errorf("h = %g of the stack, want 10000 and 800", h)
	}
	watts := make([]float64, len(p.Inputs))
	watts[0] = 3
	for _, h := range [][]float64{{10, 9000}, {300, 20}} {
		q := *s
		q.Boundary[stack.Top].ClonePatches()
		q.Boundary[stack.Top].H, q.Boundary[stack.Top].Patches[0].H = h[0], h[1]
		m, err := mesh.Build(&q)
		if err != nil {
			t.Fatal(err)
		}
		full, err := gpusolve.SolveMany(t.Context(), m, gpusolve.Options{Device: "cpu", Tol: 1e-5},
			gpusolve.Many{Watts: [][]float64{watts}})
		if err != nil {
			t.Fatal(err)
		}
		bound, err := p.BoundK(h, 0)
		if err != nil {
			t.Fatal(err)
		}
		kelvin := settled(t, p, h, watts)
		for i, mean := range full.Mean[0] {
			if e := math.Abs(kelvin[i] - mean); e > bound+1e-5 {
				t.Errorf("h = %g: mean of %s is %g K off, bound %g K", h, p.Inputs[i].Name, e, bound)
			}
		}
		if got := netlist(t, p, h, watts[0]); math.Abs(got-kelvin[0]) > 1e-5 {
			t.Errorf("h = %g: ngspice has %.7f K, want %.7f K", h, got, kelvin[0])
		}
	}
}

// netlist is the temperature of the first output by ngspice, with watts in the first input.
func netlist(t *testing.T, p *reducedmodel.Parametric, h []float64, watts float64) float64 {
	t.Helper()
	if _, err := exec.LookPath("ngspice"); err != nil {
		t.Skip("ngspice is not installed: the netlist is not run")
	}
	var text bytes.Buffer
	if err := p.WriteSPICE(&text); err != nil {
		t.Fatal(err)
	}
	pins := (&reducedmodel.Model{Outputs: p.Outputs}).Pins()
	fmt.Fprintf(&text, "Vamb amb 0 %.10g\nXm amb %s thermal", p.Ambient, strings.Join(pins, " "))
	for f := range h {
		fmt.Fprintf(&text, " %s=%g", p.Films[f].Parameter(), h[f])
	}
	fmt.Fprintf(&text, "\nI1 0 %s %g\n.control\noption numdgt=10\nop\nprint v(%s)\nquit\n.endc\n.end\n", pins[0], watts,
		pins[0])
	file := filepath.Join(t.TempDir(), "run.cir")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("ngspice", "-b", file).CombinedOutput()
	_, value, found := strings.Cut(string(out), "v("+pins[0]+") = ")
	value, _, _ = strings.Cut(value, "\n")
	kelvin, wrong := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !found || wrong != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return kelvin
}

// In a slab heat flows straight to top and bottom. Its resistances, and those of the compact models, have a closed
// form.
func TestFilmsOfASlab(t *testing.T) {
	const k, below, heated, above, side = 2.0, 1e-3, 0.5e-3, 2e-3, 10e-3
	s := &stack.Stack{Size: [2]float64{side, side}, Ambient: 300, Grid: stack.Grid{X: stack.Axis{Cells: 1},
		Y: stack.Axis{Cells: 1}}, Materials: []stack.Material{{Name: "m", K: [3]float64{k, k, k}, C: 2e6}}}
	for n, d := range []float64{below, heated, above} {
		s.Layers = append(s.Layers, stack.Layer{Name: fmt.Sprint(n), Thickness: d, Cells: 1})
	}
	s.Layers[1].Powers = []stack.Power{{Uniform: 3, Area: s.Domain()}}
	p := films(t, s, 0.01, topBottomSides()[:2])
	if p.Error.BoundK > 0.01 {
		t.Errorf("a bound of %g K, wanted 0.01 K", p.Error.BoundK)
	}
	up, down := (heated/2+above)/k, (heated/2+below)/k
	for _, h := range [][]float64{{10, 1}, {1e4, 1}, {1e3, 1e3}, {0, 20}} {
		conductance := h[1] / (1 + h[1]*down)
		conductance += h[0] / (1 + h[0]*up)
		want := 3 / (side * side * conductance)
		if got := settled(t, p, h, []float64{3})[0] - 300; math.Abs(got-want) > 1e-3+1e-5*want {
			t.Errorf("h = %g: a rise of %g K, want %g K", h, got, want)
		}
	}
	models, ok, err := compact.Of(p)
	if err != nil || !ok || len(models.Networks) != 3 {
		t.Fatalf("%+v, %v", models, err)
	}
	for _, n := range models.Networks {
		if n.JunctionMax > 1e-4 || n.HeatMax > 1e-4 {
			t.Errorf("%s: errors %+v", n.Name, n)
		}
		for r, want := range []float64{down, up} { // by name: bottom, top
			if got := n.Resistors[r].KPerW * side * side; math.Abs(got/want-1) > 1e-3 {
				t.Errorf("%s: resistor %+v, want %g K/W", n.Name, n.Resistors[r], want/side/side)
			}
		}
	}
}

// The stated errors of compact models hold for the networks as they are written, at all limits of h.
func TestErrorsOfCompactModels(t *testing.T) {
	s, err := stackfile.Parse("patch.toml", []byte(`schema = 1
ambient = "25 degC"
size = ["20 mm", "16 mm"]
grid = { nx = 20, ny = 16 }
boundary.bottom = { h = "50 W/(m^2 K)" }
boundary.top = { h = "20 W/(m^2 K)", patch = [{ name = "cooler", x = "6 mm", y = "5 mm", width = "8 mm",
	height = "6 mm", h = "4000 W/(m^2 K)" }] }
layer = [{ name = "die", material = "silicon", thickness = "0.5 mm", block = [{ name = "a", x = "9 mm", y = "7 mm",
	width = "4 mm", height = "2 mm", power = "10 W" }] }, { name = "lid", material = "copper", thickness = "1 mm" }]
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := films(t, s, 0.1, []reducedmodel.Film{{Name: "bottom", From: 1, To: 1e4}, {Name: "top", From: 1, To: 1e4},
		{Name: "top/cooler", From: 1, To: 1e4}})
	models, ok, err := compact.Of(p)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	sameInAnotherOrder(t, p, models)
	for i := range models.Networks {
		n := &models.Networks[i]
		if open := models.Open(n); fmt.Sprint(open) != "[]" && (n.Name != "two-resistor" || len(open) != 1) {
			t.Errorf("%s does not connect %q", n.Name, open)
		}
		worst := 0.0
		for corner := range 8 {
			h := make([]float64, 3)
			for f := range h {
				h[f] = math.Pow(1e4, float64(corner>>f&1))
			}
			want := (settled(t, p, h, []float64{10})[0] - s.Ambient) / 10
			worst = math.Max(worst, math.Abs(riseOf(n, p.Films, h)/want-1))
		}
		if worst > n.JunctionMax*(1+1e-6) || n.Name != "two-resistor" && n.JunctionMax > 0.4 {
			t.Errorf("%s: an error of %g at the limits, %g stated", n.Name, worst, n.JunctionMax)
		}
	}
}

// The order of films changes no compact model.
func sameInAnotherOrder(t *testing.T, p *reducedmodel.Parametric, want *compact.Models) {
	t.Helper()
	q, order := *p, []int{2, 0, 1}
	q.Films, q.F, q.Surfaces = nil, nil, reducedmodel.NewMatrix(len(order), p.States())
	for n, f := range order {
		q.Films, q.F = append(q.Films, p.Films[f]), append(q.F, p.F[f])
		copy(q.Surfaces.Row(n), p.Surfaces.Row(f))
	}
	got, ok, err := compact.Of(&q)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("films in another order:\n%s", diff)
	}
}

// riseOf is the rise of the junction of a network in K/W, by nodal analysis.
func riseOf(n *compact.Network, films []reducedmodel.Film, h []float64) float64 {
	index := map[string]int{"junction": len(films)}
	a, b := mat.NewDense(len(films)+1, len(films)+1, nil), mat.NewVecDense(len(films)+1, nil)
	add := func(i, j int, g float64) { a.Set(i, j, a.At(i, j)+g) }
	for f, film := range films {
		index[film.Name] = f
		add(f, f, h[f]*film.Area)
	}
	for _, r := range n.Resistors {
		i, j, g := index[r.From], index[r.To], 1/r.KPerW
		add(i, i, g)
		add(j, j, g)
		add(i, j, -g)
		add(j, i, -g)
	}
	b.SetVec(len(films), 1)
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil {
		return math.NaN()
	}
	return x.AtVec(len(films))
}

// Packages with a board: steady states at 1000 random h of top, bottom and sides, in the extended tier.
func TestFilmsOfPackages(t *testing.T) {
	for _, kind := range testtier.Pick([]string{}, []string{"flip-chip-lid", "wire-bond", "fan-out"}) {
		text := strings.ReplaceAll("schema = 1\ntitle = 'KIND'\n[package]\nkind = 'KIND'\nsize = ['16 mm', '16 mm']\n"+
			"[[package.die]]\nname = 'die'\nsize = ['8 mm', '6 mm']\npower = { uniform = '3 W' }\n", "KIND", kind)
		s, err := stackfile.Parse(kind+".toml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Grid = stack.Grid{X: stack.Axis{Cells: 16}, Y: stack.Axis{Cells: 16}}
		p := films(t, s, 0.1, topBottomSides())
		checkFilms(t, s, p, 1000)
		models, _, err := compact.Of(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range models.Networks {
			t.Logf("%s: %+v", kind, n)
		}
	}
}

// Films that a stack does not have, and stacks whose temperatures without power depend on h, are refused.
func TestRefusedFilms(t *testing.T) {
	warm := cases.Stack10(cases.Options{NX: 4, NY: 4})
	warm.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 320}
	for name, c := range map[string]struct {
		s    *stack.Stack
		film reducedmodel.Film
	}{
		"no such face":      {warm, reducedmodel.Film{Name: "lid", From: 1, To: 2}},
		"other than the am": {warm, reducedmodel.Film{Name: "top", From: 1, To: 2}},
		"0 < from < to":     {warm, reducedmodel.Film{Name: "top", From: 2, To: 2}},
	} {
		_, err := reduce.RunFilms(t.Context(), c.s, mesh.Build, []reducedmodel.Film{c.film}, reduce.Options{Tol: 1})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
