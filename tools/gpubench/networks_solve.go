package main

import (
	"context"
	"fmt"
	"time"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/cmg"
	"thermsim/gpusolve/precond/ddilu"
	"thermsim/gpusolve/precond/ilu"
	"thermsim/gpusolve/precond/jacobi"
	"thermsim/gpusolve/precond/parac"
)

// eachDevice runs body on the selected devices, on the processor once for every number of threads.
func (b *bench) eachDevice(body func(d ops.Device, name string, threads int) error) error {
	for _, name := range *b.devices {
		threads := *b.threads
		if name != "cpu" {
			threads = []int{0}
		}
		for _, n := range threads {
			d, err := open(name, n)
			if err != nil {
				return err
			}
			unbind := d.Bind()
			err = body(d, name, n)
			unbind()
			if closed := d.Close(); err == nil {
				err = closed
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// definition finds a method by its name.
func definition(spec string) (method.Definition, precond.Settings, error) {
	name, settings := precond.Split(spec)
	for _, d := range []method.Definition{cmg.Definition(), parac.Definition(), ilu.Definition(),
		ilu.DefinitionOfCholesky(), ddilu.Definition(), jacobi.Definition(), jacobi.DefinitionOfNone()} {
		if d.Name == name {
			set, err := precond.Parse(settings, d.Keys)
			return d, set, err
		}
	}
	return method.Definition{}, precond.Settings{}, fmt.Errorf("there is no method %q here", name)
}

// problem is a system to solve.
type problem struct {
	name    string
	load    func(d ops.Device) (ops.Operator, error)
	n       int
	entries int64
	source  []float64
	right   string // its kind, if a table has several
	rtol    float64
}

// solved is the solution of a measurement.
type solved struct {
	x        []float64
	products []networkRow // one for each level of cmg
}

// solve measures a system by a method on a device: the median of the runs after a warm-up.
func (b *bench) solve(d ops.Device, p problem, spec string) (networkRow, solved, error) {
	var all []networkRow
	var left solved
	for n := range b.runs + 1 {
		r, s, err := once(d, p, spec, n == b.runs)
		if err != nil {
			return r, s, fmt.Errorf("%s, %s: %w", p.name, spec, err)
		}
		left = s
		if !r.Converged {
			r.Note = "not converged"
			return r, solved{x: s.x}, nil
		}
		if n > 0 || b.runs == 0 {
			all = append(all, r)
		}
	}
	r := all[len(all)-1]
	r.Runs = b.runs
	for n, middle := range r.times.all() {
		var v []float64
		for i := range all {
			v = append(v, *all[i].times.all()[n])
		}
		*middle = median(v)
	}
	return r, left, nil
}

// once solves a system once.
func once(d ops.Device, p problem, spec string, last bool) (r networkRow, left solved, err error) {
	r = networkRow{Case: p.name, Unknowns: p.n, Entries: p.entries, Method: spec, Right: p.right, RTol: p.rtol}
	def, set, err := definition(spec)
	if err != nil {
		return r, left, err
	}
	began := time.Now()
	a, err := p.load(d)
	if err != nil {
		return r, left, err
	}
	defer a.Free()
	x, err := a.New64()
	if err != nil {
		return r, left, err
	}
	right, err := a.New64()
	if err != nil {
		return r, left, err
	}
	r.LoadS = time.Since(began).Seconds()
	start := time.Now()
	solver, m, err := def.SetUp(a, set)
	if err != nil {
		return r, left, err
	}
	defer m.Close()
	defer solver.Close()
	rule := krylov.Rule{RTol: p.rtol, MaxIter: 20000}
	solver.Prepare(rule, x)
	r.SetupS = time.Since(start).Seconds()
	start = time.Now()
	a.Write(right, p.source)
	a.Fill(x, 0)
	solver.StartFromZero()
	r.TransferS = time.Since(start).Seconds()
	start = time.Now()
	o := solver.Solve(context.Background(), rule, a.SourceOf(right), x)
	r.SolveS = time.Since(start).Seconds()
	start = time.Now()
	left.x = make([]float64, p.n)
	a.Read(x, left.x)
	r.TransferS += time.Since(start).Seconds()
	r.WholeS = time.Since(began).Seconds()
	r.TotalS = r.SetupS + r.SolveS
	r.Iterations, r.Residual, r.Converged = o.Iterations, o.Norms.Residual/o.Norms.Source, o.Converged
	if err := a.Err(); err != nil {
		return r, left, err
	}
	products := r.describe(m.Unwrap())
	if last {
		left.products, err = timeProducts(a, products, r)
	}
	return r, left, err
}

// describe adds what a method reports of its setup, and returns the products of a cycle.
func (r *networkRow) describe(m any) []cmg.Product {
	switch f := m.(type) {
	case *parac.Factor:
		about := f.Report()
		r.OrderS, r.FactorS, r.SortS = about.Ordering, about.Factor, about.Sort
		r.elimination = elimination{Order: about.Order.String(), Fill: about.Fill, FactorEntries: about.Entries,
			Depth: about.Depth, Tree: about.Tree, Grown: about.Retries}
	case *cmg.Cycle:
		products := f.Products()
		r.Levels = len(products) + 1
		return products
	}
	return nil
}
