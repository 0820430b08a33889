package multigrid_test

import "thermsim/gpusolve/precond/multigrid"

// bottom checks a cycle in one operation against the same cycle in single ones.
func (f *probe) bottom(finest multigrid.Level, s multigrid.Smoothing) {
	rungs := []multigrid.Rung{{Level: finest}}
	nx, ny := f.nx, f.ny
	for nx > 1 || ny > 1 {
		c := multigrid.Coarsening{Weighted: make([]bool, f.nz)}
		if nx > 1 {
			c.X = f.pairing(nx, false)
		}
		if ny > 1 {
			c.Y = f.pairing(ny, false)
		}
		c.Weighted[0] = true
		next, err := f.m.Coarsen(rungs[len(rungs)-1].Level, c)
		if err != nil {
			f.Fatal(err)
		}
		rungs = append(rungs, multigrid.Rung{Level: next})
		nx, ny, _ = next.Shape()
	}
	for n := range rungs {
		r := &rungs[n]
		r.B, r.Z, r.X = f.Must(f.m.NewVector(r.Level)), f.Must(f.m.NewVector(r.Level)), f.Must(f.m.NewVector(r.Level))
	}
	cycle, err := f.m.Bottom(rungs, s)
	if err != nil {
		f.Fatal(err)
	}
	if cycle == nil {
		return
	}
	f.Random(rungs[0].B)
	f.plainCycle(rungs, s)
	want := f.Read(rungs[0].Z)
	f.Sys.Write(rungs[0].Z, make([]float64, len(want)))
	cycle()
	f.Near("Bottom", f.Read(rungs[0].Z), want, largest(want), 100*eps32)
}

func (f *probe) plainCycle(rungs []multigrid.Rung, s multigrid.Smoothing) {
	r := rungs[0]
	if len(rungs) == 1 {
		f.m.Start(r.Level, r.Z, r.B, 1)
		return
	}
	next := rungs[1]
	f.m.Start(r.Level, r.X, r.B, s.First)
	if s.Momentum == 0 {
		f.m.RestrictStart(r.Level, next.Level, next.B, r.B, r.X, s.First)
		f.plainCycle(rungs[1:], s)
		f.m.Prolong(r.Level, next.Level, r.X, next.Z)
		f.m.Step(r.Level, r.Z, r.X, nil, r.B, 0, s.First)
		return
	}
	f.m.Step(r.Level, r.Z, r.X, nil, r.B, s.Momentum, s.Second)
	f.m.Restrict(r.Level, next.Level, next.B, r.B, r.Z)
	f.plainCycle(rungs[1:], s)
	f.m.Prolong(r.Level, next.Level, r.Z, next.Z)
	f.m.Step(r.Level, r.X, r.Z, nil, r.B, 0, s.First)
	f.m.Step(r.Level, r.Z, r.X, r.Z, r.B, s.Momentum, s.Second)
}
