package electrothermal_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/summary"
	"thermsim/stack"
	"thermsim/study/electrothermal"
)

// copper has a linear resistance about 293.15 K.
const (
	tcr       = 0.0039
	reference = 293.15
)

// layered is a stack of a heated layer of unit conductivity with a power grid in micrometres.
func layered(size [2]float64, cells [2]int, thickness float64, deck string, metals ...stack.Metal) *stack.Stack {
	for n := range metals {
		m := &metals[n]
		m.TCR, m.At = tcr, reference
		m.Width, m.Thickness = max(m.Width, 1e-6), max(m.Thickness, 1e-6)
	}
	return &stack.Stack{Schema: 1, Ambient: 300, Size: size,
		Grid:      stack.Grid{X: stack.Axis{Cells: cells[0]}, Y: stack.Axis{Cells: cells[1]}},
		Materials: []stack.Material{{Name: "m", K: [3]float64{1, 1, 1}, C: 1e6}},
		Layers:    []stack.Layer{{Name: "metal", Thickness: thickness, Cells: 1}},
		PowerGrid: &stack.PowerGrid{File: "grid.sp", Data: []byte(deck), Unit: 1e-6, Metals: metals}}
}

// solved solves a stack, and checks the energy of both networks: heat in is heat out, and Joule heat is the power of
// the sources without that of the loads.
func solved(t *testing.T, s *stack.Stack, tol float64) (*solution.Solution, *mesh.Mesh, *summary.PowerGrid) {
	t.Helper()
	ctx := context.Background()
	g, err := electrothermal.New(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	sol, outcome, err := g.Steady(ctx, m, gpusolve.Options{Device: "cpu", Tol: tol})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sol.Close)
	sum := g.Summary(outcome)
	if !sol.Status.Converged {
		return sol, m, sum
	}
	if other := m.Power.Requested; math.Abs(sol.Energy.In-sum.JouleW-watts(s)) > 1e-9*sol.Energy.In {
		t.Errorf("%g W of heat, of which the power grid has %g W (%g W at 0 K)", sol.Energy.In, sum.JouleW, other)
	}
	if math.Abs(sol.Energy.In-sol.Energy.Out) > 1e-6*sol.Energy.In {
		t.Errorf("%g W of heat in, %g W out", sol.Energy.In, sol.Energy.Out)
	}
	if lost := sum.SourcesW - sum.LoadsW - sum.JouleW - sum.OutsideW; math.Abs(lost) >
		1e-9*sum.SourcesW+100*tol*tcr*sum.JouleW {
		t.Errorf("sources of %g W, loads of %g W, Joule heat of %g W: %g W are lost", sum.SourcesW, sum.LoadsW,
			sum.JouleW+sum.OutsideW, lost)
	}
	return sol, m, sum
}

// watts of the blocks.
func watts(s *stack.Stack) (w float64) {
	for p := range stack.Sources(s.Layers) {
		if p.Map == nil {
			w += p.Watts()
		}
	}
	return w
}

// chain is a wire along x of n equal resistors with a current through it.
func chain(n int, from, step, ohms, amperes float64) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "R%d n1_%.9g_5 n1_%.9g_5 %.17g\n", i, from+float64(i)*step, from+float64(i+1)*step, ohms)
	}
	fmt.Fprintf(&b, "V1 n1_%.9g_5 0 1\nI1 n1_%.9g_5 0 %.17g\n", from, from+float64(n)*step, amperes)
	return b.String()
}

// A bar between ends of a fixed temperature, whose current I heats it by its resistance: with the excess u over the
// temperature at which the linear law has no resistance, u” = -m² u, m² = I² r tcr/(k A) for the resistance r per
// length at the reference. Then u = u0 cos(m (x - L/2))/cos(m L/2), and the voltage is I r tcr u0 (2/m) tan(m L/2).
func TestBar(t *testing.T) {
	const length, amperes, perLength, side = 1e-3, 0.005, 4.4e3, 10e-6
	m := math.Sqrt(amperes * amperes * perLength * tcr / (side * side))
	zero := reference - 1/tcr
	half := m * length / 2
	bar := func(n int) (middle, volts float64) {
		step := length / float64(n)
		s := layered([2]float64{length, side}, [2]int{n, 1}, side, chain(n, 0, step*1e6, perLength*step, amperes),
			stack.Metal{Nodes: []string{"n1"}, Width: side, Thickness: side})
		for _, f := range []stack.Face{stack.West, stack.East} {
			s.Boundary[f] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 320}
		}
		_, _, sum := solved(t, s, 1e-8)
		for _, e := range sum.All {
			middle = max(middle, e.TemperatureK)
		}
		return middle, sum.Nets[0].WorstV
	}
	wantV := amperes * perLength * tcr * (320 - zero) * 2 / m * math.Tan(half)
	coarseK, coarseV := bar(51)
	fineK, fineV := bar(153)
	wantK := zero + (320-zero)/math.Cos(half)
	t.Logf("m L/2 = %.3f: %.6f K, %.6f K; %.6f V, %.6f V", half, fineK, wantK, fineV, wantV)
	for _, c := range []struct {
		what               string
		coarse, fine, want float64
		near               float64
	}{{"temperature in the middle", coarseK, fineK, wantK, 1e-6}, {"voltage", coarseV, fineV, wantV, 1e-6}} {
		if order := math.Log((c.coarse-c.want)/(c.fine-c.want)) / math.Log(3); math.Abs(order-2) > 0.05 {
			t.Errorf("%s: %g, %g, want %g: order %g", c.what, c.coarse, c.fine, c.want, order)
		}
		if x := (9*c.fine - c.coarse) / 8; math.Abs(x-c.want) > c.near*c.want {
			t.Errorf("%s: %.9g extrapolated, want %.9g", c.what, x, c.want)
		}
	}
}

// lump is a wire of two resistors of an ohm each in one cell behind a resistance in K/W.
func lump(deck string) (s *stack.Stack, resistance float64) {
	s = layered([2]float64{20e-6, 10e-6}, [2]int{1, 1}, 1e-6, deck, stack.Metal{Nodes: []string{"n1"},
		EM: &stack.Electromigration{Lifetime: 3e8, Density: 2e10, At: 370, Exponent: 2, Energy: 0.9 * 1.602176634e-19}})
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 5e6, Temperature: 300}
	return s, 1 / float64(float32(2e-10/(1/5e6+1e-6/2)))
}

// One cell: T = 300 K + R_th I² R(T), which is linear for a given current and quadratic for a given voltage, of which
// the heat falls with the temperature. Lifetimes follow Black's equation.
func TestLump(t *testing.T) {
	const twoOhms = "R1 n1_0_5 n1_10_5 1\nR2 n1_10_5 n1_20_5 1\nV1 n1_0_5 0 5\n"
	factor := func(kelvin float64) float64 { return 1 + tcr*(kelvin-reference) }
	check := func(what string, amperes func(kelvin float64) float64, deck string) {
		t.Helper()
		s, rth := lump(twoOhms + deck)
		_, _, sum := solved(t, s, 1e-8)
		low, high := 300.0, 1999.0
		for range 100 {
			mid := (low + high) / 2
			if 300+rth*math.Pow(amperes(mid), 2)*2*factor(mid) > mid {
				low = mid
			} else {
				high = mid
			}
		}
		for _, e := range sum.All {
			i := amperes(low)
			life := 3e8 * math.Pow(i/1e-12/2e10, -2) * math.Exp(0.9*1.602176634e-19/1.380649e-23*(1/low-1./370))
			if math.Abs(e.TemperatureK-low) > 1e-6 || math.Abs(e.CurrentA-i) > 1e-8*i ||
				math.Abs(e.LifetimeS-life) > 1e-5*life {
				t.Errorf("%s: %+v, want %g K, %g A, %g s", what, e, low, i, life)
			}
		}
		t.Logf("%s: %.4f K after %d iterations", what, low, sum.Iterations)
	}
	for _, amperes := range []float64{1e-3, 0.05, 0.15} {
		check("current", func(float64) float64 { return amperes }, fmt.Sprintf("I1 n1_20_5 0 %g", amperes))
	}
	// The last heats itself to more than 500 K, where currents at 300 K would run away.
	for _, volts := range []float64{5 - 0.01, 5 - 0.2, 5 - 0.5, 5 - 1} {
		check("voltage", func(kelvin float64) float64 { return (5 - volts) / 2 / factor(kelvin) },
			fmt.Sprintf("V2 n1_20_5 0 %g", volts))
	}
	s, rth := lump(twoOhms + "I1 n1_20_5 0 1")
	sol, _, sum := solved(t, s, 1e-4)
	gain := rth * 2 * tcr
	if l := sol.Status.Nonlinear.Leakage; sol.Status.Reason != solution.ReasonRunaway ||
		math.Abs(l.Factor*gain-1) > 1e-3 {
		t.Errorf("%s with %+v, want a runaway above a factor of %g", sol.Status.Reason, l, 1/gain)
	} else if math.Abs(sum.CurrentFactor-math.Sqrt(l.Factor)) > 1e-12 || math.Abs(sum.JouleW-l.Watts) > 1e-6*l.Watts ||
		math.Abs(sum.All[0].CurrentA-sum.CurrentFactor) > 1e-9 {
		t.Errorf("the power grid of %g W at %g times 1 A, with %g A; the leakage is %g W", sum.JouleW,
			sum.CurrentFactor, sum.All[0].CurrentA, l.Watts)
	}
	// Where the linear law leads to a state above its range, the run says so.
	s, _ = lump(twoOhms + fmt.Sprintf("I1 n1_20_5 0 %g", math.Sqrt(0.95/gain)))
	if sol, _, sum = solved(t, s, 1e-4); sol.Status.Converged || sol.Status.Reason != solution.ReasonOutOfRange ||
		sum.OutOfRange == nil || sum.OutOfRange.From != "n1_0_5" || sum.OutOfRange.TemperatureK < 2000 {
		t.Errorf("%s with %+v, want a segment out of range", sol.Status.Reason, sum.OutOfRange)
	}
}

// Segments that are equal but for the error of the solver are in the order of their names.
func TestTies(t *testing.T) {
	s := layered([2]float64{100e-6, 10e-6}, [2]int{40, 4}, 1e-6, chain(10, 0, 10, 0.5, 0.02),
		stack.Metal{Nodes: []string{"n1"}, Width: 10e-6})
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1e6, Temperature: 300}
	_, _, sum := solved(t, s, 1e-4)
	for n, e := range sum.All {
		if want := fmt.Sprintf("n1_%d_5", n*10); e.From != want {
			t.Errorf("segment %d is from %s, want %s", n, e.From, want)
		}
	}
}

// Oblique wires and wires at edges keep their heat on graded grids, whose cells are no tiles, in layers of several
// planes, with a second layer of other heat.
func TestGradedGrid(t *testing.T) {
	s := layered([2]float64{1e-3, 8e-4}, [2]int{0, 0}, 2e-5, `V1 pad 0 1
Rp pad n1_0_0 0.1
R1 n1_0_0 n1_1000_0 1
R2 n1_0_0 VDD_930_770_2 R=2
R3 n1_1000_0 VDD_930_770_2 1
Rv n1_1000_0 n1_1000_0 1
R4 n1_1000_0 n1_1000_800 3
I1 VDD_930_770_2 0 0.1
I2 n1_1000_800 0 0.2`, stack.Metal{Nodes: []string{"n1"}, Width: 3e-5},
		stack.Metal{Nodes: []string{"VDD_2 n1"}, Layer: 1, Width: 1e-5})
	for _, a := range []*stack.Axis{&s.Grid.X, &s.Grid.Y} {
		*a = stack.Axis{Cells: 20, Segments: []stack.Segment{{To: 3e-4, Cells: 8, Ratio: 0.2},
			{To: 1e-3, Cells: 12, Ratio: 5}}}
	}
	s.Grid.Y.Segments[1].To = 8e-4
	s.Layers[0].Cells = 3
	s.Layers = append(s.Layers, stack.Layer{Name: "upper", Thickness: 1e-5, Cells: 1, Powers: []stack.Power{
		{Uniform: 0.02, Area: s.Domain()}}})
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.Convective, H: 3e4, Temperature: 310}
	sol, m, sum := solved(t, s, 1e-7)
	if len(sum.All) != 4 || sum.OutsideW < 0.1*0.3*0.3*0.99 || sum.OutsideW > 0.1*0.3*0.3*1.01 {
		t.Errorf("%d segments, %g W outside", len(sum.All), sum.OutsideW)
	}
	at := slices.IndexFunc(sum.All, func(e summary.Segment) bool { return e.To == "n1_1000_800" })
	plane, mean := make([]float64, m.NX()*m.NY()), 0.0 // at the east edge 15 um are inside, cell by cell
	for k := range 3 {
		if err := sol.Field.Plane(k, plane); err != nil {
			t.Fatal(err)
		}
		for j := range m.NY() {
			mean += plane[j*m.NX()+m.NX()-1] * (m.Y[j+1] - m.Y[j]) / 8e-4 / 3
		}
	}
	if m.X[m.NX()]-m.X[m.NX()-1] < 15e-6 || math.Abs(sum.All[at].TemperatureK-mean) > 1e-6 {
		t.Errorf("%g K of the eastern wire, want %g K", sum.All[at].TemperatureK, mean)
	}
}

// Netlists with faults are refused with the line and a remedy.
func TestFaults(t *testing.T) {
	const grid = "V1 n1_0_5 0 1\nR1 n1_0_5 n1_10_5 1\nI1 n1_10_5 0 1m\n"
	for _, c := range []struct{ deck, want string }{
		{"R1 a b 1\nV1 a 0 1\n", "grid.sp: no resistor lies in the stack; the names of both its nodes must end in"},
		{grid + "R2 n1_10_5 n2_10_5 1\n", `grid.sp:4:4: no metal has the resistor between "n1_10_5" and "n2_10_5"; ` +
			`add [[power_grid.metal]] with nodes = ["n1 n2"]`},
		{grid + "R2 n1_10_5 n1_30_5 1\n", `grid.sp:4:12: node "n1_30_5" is at x = 0.03 mm, y = 0.005 mm, outside the ` +
			`domain of 0.02 mm by 0.01 mm; correct unit or origin`},
		{grid + "R2 n1_10_5 n1_-1_5 1\n", `node "n1_-1_5" is at x = -0.001 mm`},
		{grid + "R2 n1_10_5 n1_1e999_5 1\n", ""},
		{grid + "R2 n1_15_5 n1_20_5 1\n", `no source holds node "n1_15_5"`},
		{grid + "R2 n1_15_5 n1_20_5\n", `grid.sp:4:`},
		{"R1 n1_0_5 n1_10_5 1\nV1 n1_0_5 0 1\nV2 n1_10_5 0 2", "sources hold all nodes"},
		{"\x1f\x8bnonsense", "cannot be unpacked"},
		{"", "the netlist has no resistors"},
	} {
		s := layered([2]float64{20e-6, 10e-6}, [2]int{2, 1}, 1e-6, c.deck, stack.Metal{Nodes: []string{"n1"}})
		_, err := electrothermal.New(context.Background(), s)
		if c.want == "" && err == nil {
			continue // outside the stack: no coordinates
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.deck, err, c.want)
		}
	}
	s := layered([2]float64{20e-6, 10e-6}, [2]int{20000, 20000}, 1e-6, grid,
		stack.Metal{Nodes: []string{"n1"}, Width: 2})
	if _, err := electrothermal.New(context.Background(), s); err == nil ||
		!strings.Contains(err.Error(), "cells in all; check the width of this metal") {
		t.Errorf("a wire of 2 m: %v", err)
	}
}
