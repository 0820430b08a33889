package powergrid_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/sparse/netlist"
	"thermsim/internal/testtier"
	"thermsim/study/powergrid"
)

// solved runs a deck to 1e-13 of its right-hand sides.
func solved(t *testing.T, text string, method string) *powergrid.Run {
	t.Helper()
	g, err := netlist.Read("grid.sp", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := powergrid.New(g)
	if err == nil {
		err = r.Solve(context.Background(), gpusolve.Options{Device: "cpu", Preconditioner: method, RTol: 1e-13})
	}
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return r
}

func (w waveforms) check(t *testing.T, what string, tol float64, want func(t float64, n int) []float64) {
	t.Helper()
	for n, row := range w {
		for k, v := range want(row[0], n) {
			if math.Abs(row[1+k]-v) > tol {
				t.Errorf("%s: step %d, column %d: %.15g V, want %.15g", what, n, k, row[1+k], v)
				return
			}
		}
	}
}

type waveforms [][]float64

// Charging a capacitor through a resistor, and an inductor from a voltage source, in the discrete form of backward
// Euler: 1 - (1 + h/tau)^-n.
func TestFirstOrder(t *testing.T) {
	r := solved(t, `I1 0 a PULSE(0 2m 0 1f 1f 1)
R1 a 0 1k
C1 a 0 1p
V1 s 0 PULSE(0 3 0 1f 1f 1)
L1 s b 2n
R2 b 0 10
.tran 50p 2n
.print tran v(a) v(b)
`, "")
	if len(r.Waveforms) != 41 {
		t.Fatalf("%d rows", len(r.Waveforms))
	}
	waveforms(r.Waveforms).check(t, "RC and RL", 1e-11, func(_ float64, n int) []float64 {
		return []float64{2 * (1 - math.Pow(1+50e-12/1e-9, -float64(n))),
			3 * (1 - math.Pow(1+50e-12*10/2e-9, -float64(n)))}
	})
}

// ladder is a row of nodes between two of 0 V with capacitors to ground, which starts in an eigenmode, sin(k pi
// j/(n+1)), with the eigenvalue lambda = (2 - 2 cos(k pi/(n+1)))/(R C).
func ladder(nodes, mode int, h float64, steps int) (text string, lambda float64) {
	const ohm, farad = 2.0, 3e-12
	angle := math.Pi * float64(mode) / float64(nodes+1)
	mu := (2 - 2*math.Cos(angle)) / ohm
	var b strings.Builder
	fmt.Fprintf(&b, "R0 0 n1 %g\n", ohm)
	for j := 1; j <= nodes; j++ {
		next := fmt.Sprintf("n%d", j+1)
		if j == nodes {
			next = "0"
		}
		fmt.Fprintf(&b, "R%d n%d %s %g\nC%d n%d 0 %g\n", j, j, next, ohm, j, j, farad)
		fmt.Fprintf(&b, "I%d 0 n%d PWL(0 %.17g\n+ %g 0)\n", j, j, mu*math.Sin(angle*float64(j)), h/2)
	}
	fmt.Fprintf(&b, ".tran %g %g\n.print v(n1) v(n%d)\n", h, float64(steps)*h, nodes/2)
	return b.String(), mu / farad
}

// An eigenmode decays by 1/(1 + h lambda) in each step, in every method.
func TestEigenmodesOfLadder(t *testing.T) {
	const nodes, h, steps = 30, 4e-12, 20
	for _, method := range []string{"cmg", "parac", "jacobi", "none", "ddilu"} {
		for _, mode := range []int{1, 2, 7, 30} {
			text, lambda := ladder(nodes, mode, h, steps)
			r := solved(t, text, method)
			what := fmt.Sprint(method, " mode ", mode)
			waveforms(r.Waveforms).check(t, what, 1e-11, func(_ float64, n int) []float64 {
				angle := math.Pi * float64(mode) / (nodes + 1)
				decay := math.Pow(1+h*lambda, -float64(n))
				return []float64{math.Sin(angle) * decay, math.Sin(angle*nodes/2) * decay}
			})
		}
	}
}

// grid is a power grid of two nets, each with packages of V, L and R at some nodes, decoupling capacitors and pulsed
// loads between the nets. It ends after a number of pulses of each load, and returns the charge that these move from
// the one net to the other, and the number of packages of each net.
func grid(side, pulses int) (text string, charge float64, packages int) {
	var b strings.Builder
	x := uint64(12345)
	random := func() float64 { // in [0, 1), as by Knuth's MMIX
		x = x*6364136223846793005 + 1442695040888963407
		return float64(x>>11) / (1 << 53)
	}
	var print strings.Builder
	for net, volts := range []float64{1.8, 0} {
		node := func(i, j int) string { return fmt.Sprintf("n%d_%d_%d", net, i, j) }
		for i := range side {
			for j := range side {
				id := fmt.Sprintf("%d_%d_%d", net, i, j)
				if i+1 < side {
					fmt.Fprintf(&b, "Rx%s %s %s %.4g\n", id, node(i, j), node(i+1, j), 0.3+0.2*random())
				}
				if j+1 < side {
					fmt.Fprintf(&b, "Ry%s %s %s %.4g\n", id, node(i, j), node(i, j+1), 0.3+0.2*random())
				}
				if i%16 == 8 && j%16 == 8 {
					fmt.Fprintf(&b, "V%s p%s 0 %g\nL%s p%s q%s 10p\nR%s q%s %s 10m\n", id, id, volts, id, id, id, id,
						id, node(i, j))
					fmt.Fprintf(&print, "v(q%s) v(%s) ", id, node(i, j))
					packages++
				}
				if net > 0 {
					continue
				}
				fmt.Fprintf(&b, "C%s n0_%d_%d n1_%d_%d 30f\n", id, i, j, i, j)
				if random() < 0.1 {
					amperes := math.Round(1000*random()) * 1e-6
					fmt.Fprintf(&b, "I%s n0_%d_%d n1_%d_%d PULSE(0 %g %dp 50p 50p 100p 400p)\n", id, i, j, i, j,
						amperes, 100+50*int(4*random()))
					charge += amperes * 150e-12 * float64(pulses)
				}
			}
		}
	}
	fmt.Fprintf(&b, ".tran 10p %dp\n.print %s\n", 60+400*pulses, &print)
	return b.String(), charge, packages / 2
}

// The charge of the loads is that of the packages and of the capacitors. Periods and corners of the pulses are
// multiples of the step, so that the sum over the steps is the exact charge.
func TestCharge(t *testing.T) {
	text, load, packages := grid(testtier.Pick(24, 224), testtier.Pick(1, 3))
	r := solved(t, text, "")
	index := map[string]int{}
	for n := range r.Voltages {
		index[r.Node(n)] = n
	}
	for net, sign := range []float64{1, -1} {
		delivered := 0.0
		for _, row := range r.Waveforms[1:] {
			for k := range packages {
				at := 1 + 2*(net*packages+k)
				delivered += 10e-12 * (row[at] - row[at+1]) / 10e-3
			}
		}
		stored := 0.0
		for n := range r.Voltages {
			var i, j int
			if _, err := fmt.Sscanf(r.Node(n), "n0_%d_%d", &i, &j); err == nil {
				other := index[fmt.Sprintf("n1_%d_%d", i, j)]
				stored += 30e-15 * (r.Voltages[n] - r.Voltages[other] - 1.8)
			}
		}
		t.Logf("net %d: %.9g C delivered, %.9g C stored, %.9g C of loads", net, delivered, stored, load)
		if off := math.Abs(sign*delivered - stored - load); off > 1e-7*load {
			t.Errorf("net %d: %g C of %g C missing", net, off, load)
		}
	}
}

func TestStepThatDoesNotConverge(t *testing.T) {
	text, _ := ladder(30, 1, 1e-12, 3)
	g, err := netlist.Read("grid.sp", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := powergrid.New(g)
	if err != nil {
		t.Fatal(err)
	}
	err = r.Solve(context.Background(), gpusolve.Options{Device: "cpu", Preconditioner: "none", MaxIter: 1})
	if !errors.Is(err, powergrid.ErrStep) || !strings.HasPrefix(err.Error(), "operating point: not converged") {
		t.Error(err)
	}
}
