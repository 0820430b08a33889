package main

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse/graphs"
)

// poissonProblem is a Poisson problem with a right side of independent normal numbers, or of their product with the
// matrix.
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
		if !b.wanted(c.String()) {
			continue
		}
		p := b.poissonProblem(c)
		if err := b.eachMethod("poisson", p); err != nil {
			return err
		}
	}
	return nil
}

// eachMethod measures a system on all devices by all methods.
func (b *bench) eachMethod(table string, p problem) error {
	return b.eachDevice(func(d ops.Device, name string, threads int) error {
		for _, spec := range b.methods {
			r, left, err := b.solve(d, p, spec)
			if err != nil {
				return err
			}
			r.Table, r.Device, r.Threads = table, name, threads
			if err := b.addAll(r, left.products); err != nil {
				return err
			}
		}
		return nil
	})
}

// scaling measures the uniform problem over numbers of threads.
func (b *bench) scaling() error {
	b.devices = []string{"cpu"}
	return b.eachMethod("scaling", b.poissonProblem(graphs.Uniform))
}
