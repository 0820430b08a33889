package main

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse/graphs"
)

// graphs measures networks by all methods.
func (b *bench) graphs() error {
	for _, f := range graphs.All() {
		if !wanted(f.Name, *b.cases) {
			continue
		}
		a := f.Build(b.size, 1)
		p := problem{
			name: f.Name, n: a.N(), entries: int64(a.Entries()), source: graphs.Source(a.N(), 3), rtol: 1e-6,
			load: func(d ops.Device) (ops.Operator, error) { return d.LoadCSR(a) },
		}
		if err := b.eachMethod("graphs", p, nil); err != nil {
			return err
		}
	}
	return nil
}

// poissonProblem is a Poisson problem whose right-hand side is independent normal numbers, or the product of the matrix
// and such numbers.
func (b *bench) poissonProblem(c graphs.Coefficients) problem {
	a, side := graphs.Poisson(b.side, c), b.side
	source := graphs.Source(a.N(), 3)
	if b.right == "product" {
		x := source
		source = make([]float64, len(x))
		a.Multiply(source, x)
	}
	return problem{
		name: c.String(), n: a.N(), entries: int64(7*side*side*side - 6*side*side), source: source, right: b.right,
		rtol: 1e-6,
		load: func(d ops.Device) (ops.Operator, error) { return d.LoadDiagonals(a) },
	}
}

// poisson measures the problems by all methods: the ParAC paper's table of GPUs.
func (b *bench) poisson() error {
	for _, c := range graphs.AllCoefficients() {
		if !wanted(c.String(), *b.cases) {
			continue
		}
		if err := b.eachMethod("poisson", b.poissonProblem(c), nil); err != nil {
			return err
		}
	}
	return nil
}

// eachMethod measures a system on all devices by all methods. complete adds to the row what depends on the solution;
// nil for nothing.
func (b *bench) eachMethod(table string, p problem, complete func(r *networkRow, x []float64)) error {
	return b.eachDevice(func(d ops.Device, name string, threads int) error {
		for _, spec := range *b.methods {
			r, left, err := b.solve(d, p, spec)
			if err != nil {
				return err
			}
			r.Table, r.Device, r.Threads = table, name, threads
			if complete != nil {
				complete(&r, left.x)
			}
			if err := b.addAll(r, left.products); err != nil {
				return err
			}
		}
		return nil
	})
}
