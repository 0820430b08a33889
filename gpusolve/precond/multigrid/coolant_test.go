package multigrid

import (
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/cases"
	"thermsim/stack"
)

// cooledLevels are the levels of a stack with two cavities, on the processor.
func cooledLevels(t *testing.T, model stack.CavityModel, n int) (*hostOperations, *Cycle) {
	t.Helper()
	s := cases.Tiers(n, 2, 2e-7, model)
	m := build(t, s)
	d := host.Open()
	t.Cleanup(func() { d.Close() })
	sys, err := d.Assemble(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(sys)
	if err != nil {
		t.Fatal(err)
	}
	return c.ops.(*hostOperations), c
}

// vector makes one of random values, or of ones.
func vector(t *testing.T, s *hostOperations, l Level, rng *rand.Rand) ops.Vector {
	t.Helper()
	v, err := s.NewVector(l)
	if err != nil {
		t.Fatal(err)
	}
	for i := range host.Singles(v) {
		host.Singles(v)[i] = 1
		if rng != nil {
			host.Singles(v)[i] = float32(rng.NormFloat64())
		}
	}
	return v
}

// rest is b - A x of a level in FP64, from its couplings alone; with columns, what couples columns acts on nothing but
// the diagonal.
func rest(l *hostLevel, x, b []float64, columns bool) (r, size []float64) {
	r, size = append([]float64(nil), b...), make([]float64, len(b))
	add := func(c, d int, g float64, lateral bool) {
		from := x[d]
		if lateral && columns {
			from = 0
		}
		r[c] += g * (from - x[c])
		size[c] += g * (math.Abs(from) + math.Abs(x[c]))
	}
	both := func(c, d int, g float32, lateral bool) {
		if g != 0 {
			add(c, d, float64(g), lateral)
			add(d, c, float64(g), lateral)
		}
	}
	for c := range b {
		k, cell, at := c/l.sheet, c%l.sheet, l.pad+c
		both(c, c+1, l.gx[at], true)
		both(c, c+l.nx, l.gy[at], true)
		both(c, c+l.sheet, l.gz[at], false)
		if far := l.cool.far[k]; far != nil {
			both(c, c+2*l.sheet, far[cell], false)
		}
		if g := l.ground[k]; g != nil {
			r[c] -= float64(g[cell]) * x[c]
		}
		if f := l.cool.at[k]; f != nil {
			i, j := cell%l.nx, cell/l.nx
			heat := float64(f.heat[f.line(i, j)])
			up, step := 0.0, f.step(l)
			inlet := f.of.Along == 1 && (step > 0 && j == 0 || step < 0 && j == l.ny-1) || f.of.Along == 0 &&
				(step > 0 && i == 0 || step < 0 && i == l.nx-1)
			if !inlet && !columns {
				up = x[c-step]
			}
			r[c] += heat * (up - x[c])
			size[c] += heat * (math.Abs(up) + math.Abs(x[c]))
		}
	}
	return r, size
}

func wide(v ops.Vector) []float64 {
	var w []float64
	for _, x := range host.Singles(v) {
		w = append(w, float64(x))
	}
	return w
}

// On every level columns and lines solve their own equations, coolant and couplings two planes apart included.
func TestColumnsAndLinesOfCoolantAreExact(t *testing.T) {
	for _, model := range []stack.CavityModel{stack.ResolvedChannels, stack.PorousCavity} {
		s, c := cooledLevels(t, model, 17)
		rng := rand.New(rand.NewPCG(5, 6))
		for n, rung := range c.levels {
			l := rung.level.(*hostLevel)
			b, x := vector(t, s, l, rng), vector(t, s, l, rng)
			s.Start(l, x, b, 1)
			r, size := rest(l, wide(x), wide(b), true)
			for i := range r {
				if math.Abs(r[i]) > 1e-4*(size[i]+math.Abs(wideAt(b, i))) {
					t.Fatalf("%s, level %d: a column leaves %g of %g", model, n, r[i], size[i])
				}
			}
			for _, f := range l.cool.flows {
				for _, lines := range f.lines {
					for colour, occurs := range lines.colours {
						if occurs {
							linesAreExact(t, s, l, lines, int32(colour), rng)
						}
					}
				}
			}
		}
	}
}

// linesAreExact solves lines of one colour.
func linesAreExact(t *testing.T, s *hostOperations, l *hostLevel, lines *hostLines, colour int32, rng *rand.Rand) {
	t.Helper()
	b, x := vector(t, s, l, rng), vector(t, s, l, rng)
	(&streamTask{l, lines, colour, values(x), values(b)}).Run(0, len(lines.heat), 0)
	r, size := rest(l, wide(x), wide(b), false)
	for cell := range l.sheet {
		at := lines.plane*l.sheet + cell
		if lines.colour[lines.f.line(cell%l.nx, cell/l.nx)] == colour &&
			math.Abs(r[at]) > 1e-5*(size[at]+math.Abs(wideAt(b, at))) {
			t.Fatalf("%d x %d cells, colour %d: a line leaves %g of %g", l.nx, l.ny, colour, r[at], size[at])
		}
	}
}

// Coarse levels carry as much heat out of the stack as the finest: A times one, summed up, is what the coolant of all
// lines carries out. The restriction of a residual keeps its sum.
func TestCoarseLevelsKeepWhatCoolantCarries(t *testing.T) {
	for _, model := range []stack.CavityModel{stack.ResolvedChannels, stack.PorousCavity} {
		s, c := cooledLevels(t, model, 17)
		rng := rand.New(rand.NewPCG(7, 8))
		for n, rung := range c.levels {
			l := rung.level.(*hostLevel)
			one := vector(t, s, l, nil)
			r, _ := rest(l, wide(one), make([]float64, l.cells), false)
			sum, want := 0.0, 0.0
			for _, v := range r {
				sum -= v
			}
			for _, f := range l.cool.flows {
				for _, h := range f.of.Heat {
					want += h
				}
			}
			if math.Abs(sum-want) > 1e-6*want {
				t.Errorf("%s, level %d: %g W/K leave, want %g", model, n, sum, want)
			}
			if n+1 == len(c.levels) {
				continue
			}
			next := c.levels[n+1].level
			b, x, coarse := vector(t, s, l, rng), vector(t, s, l, rng), vector(t, s, next, nil)
			s.Restrict(l, next, coarse, b, Smoothed{At: x})
			r, size := rest(l, wide(x), wide(b), false)
			fine, scale, got := 0.0, 0.0, 0.0
			for i, v := range r {
				fine += v
				scale += size[i] + math.Abs(wideAt(b, i))
			}
			for _, v := range wide(coarse) {
				got += v
			}
			if math.Abs(got-fine) > 1e-6*scale {
				t.Errorf("%s, level %d: a residual of %g W becomes %g", model, n, fine, got)
			}
		}
	}
}

func wideAt(v ops.Vector, i int) float64 { return float64(host.Singles(v)[i]) }

// Prolongation of ones is one in every cell, of walls and of coolant.
func TestInterpolationAroundCoolantKeepsConstants(t *testing.T) {
	for _, model := range []stack.CavityModel{stack.ResolvedChannels, stack.PorousCavity} {
		s, c := cooledLevels(t, model, 17)
		for n := range c.levels[1:] {
			l, next := c.levels[n].level.(*hostLevel), c.levels[n+1].level
			x := vector(t, s, l, nil)
			s.Prolong(l, next, x, vector(t, s, next, nil))
			for i, v := range host.Singles(x) {
				if math.Abs(float64(v)-2) > 1e-6 {
					t.Fatalf("%s, level %d: cell %d becomes %g", model, n, i, v)
				}
			}
		}
	}
}
