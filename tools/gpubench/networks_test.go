package main

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse/netlist"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
)

// A grid of tracks x tracks has 4 tracks^2 nodes, 2 tracks^2 vias and at most 4 tracks (tracks - 1) pieces of wire. Its
// voltages by both methods, on the processor and by the kernels of a GPU, are those of a direct solve to 1e-9 V.
func TestNetlists(t *testing.T) {
	const tracks = 17
	var text bytes.Buffer
	if err := writeGrid(&text, tracks, 0, 1); err != nil {
		t.Fatal(err)
	}
	grid, err := netlist.Read("grid.sp", &text)
	if err != nil {
		t.Fatal(err)
	}
	c := grid.Counts()
	wires := c.Resistors + c.Shorts - 2*tracks*tracks
	if c.Nodes != 4*tracks*tracks || wires > 4*tracks*(tracks-1) || wires < 4*tracks*(tracks-1)*95/100 ||
		c.Shorts < tracks*tracks/30 || c.Shorts > tracks*tracks/4 {
		t.Errorf("%+v", c)
	}
	system, err := netlist.NewSystem(grid)
	if err != nil {
		t.Fatal(err)
	}
	p := problem{
		name: "grid", n: len(system.B), entries: int64(system.Entries()), source: system.B, rtol: 1e-12,
		load: func(d ops.Device) (ops.Operator, error) { return d.LoadCSR(system.CSR) },
	}
	b := bench{}
	want := system.Voltages(direct(t, system))
	for n, d := range []ops.Device{host.Open(), devices.OnInterpreter(interpreter.Options{})(t)} {
		for _, spec := range []string{"cmg:direct=64", "parac:order=nnz"}[:2-n] { // parac is slow there
			r, left, err := b.solve(d, p, spec)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Converged || r.Residual > 1e-12 || r.Iterations < 5 || r.TotalS < r.SetupS ||
				(spec != "parac:order=nnz") != (len(left.products) > 0) {
				t.Errorf("%s: %+v with %d products", spec, r, len(left.products))
			}
			v := system.Voltages(left.x)
			for i := range v {
				if !(math.Abs(v[i]-want[i]) <= 1e-9) {
					t.Fatalf("%s: %s has %g V, not %g", spec, system.Node(i), v[i], want[i])
				}
			}
			for n, q := range left.products {
				if *q.Level != n || q.ProductS <= 0 || q.TBPerS <= 0 || q.PerCycle < 2 {
					t.Errorf("product %d: %+v", n, q)
				}
			}
		}
	}
}

// direct solves a system by a dense Cholesky factor.
func direct(t *testing.T, s *netlist.System) []float64 {
	a := mat.NewSymDense(len(s.B), nil)
	for i := range s.B {
		cols, values := s.Row(i)
		for k, c := range cols {
			a.SetSym(i, int(c), values[k])
		}
	}
	var factor mat.Cholesky
	var x mat.VecDense
	if !factor.Factorize(a) {
		t.Fatal("the system is not positive definite")
	}
	if err := factor.SolveVecTo(&x, mat.NewVecDense(len(s.B), s.B)); err != nil {
		t.Fatal(err)
	}
	return x.RawVector().Data
}

// The table of time steps has a row for each method, which agree on the worst drop.
func TestTransients(t *testing.T) {
	b := bench{output: &output{}, steps: 3, nodes: &[]int{4 * 40 * 40}, devices: &[]string{"cpu"},
		methods: &[]string{"cmg", "jacobi"}}
	if err := b.transients(); err != nil {
		t.Fatal(err)
	}
	r := b.result.Rows
	if len(r) != 2 || r[0].Steps != 3 || r[0].Capacitors != 1600 || r[0].Inductors != 2 || r[0].Initial == 0 ||
		r[0].Most < r[0].Iterations/3 || math.Abs(r[0].DropV-r[1].DropV) > 1e-5*r[0].DropV || r[0].DropV == 0 {
		t.Errorf("%+v", r)
	}
}
