package verify

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
)

var tight = solver{options: gpusolve.Options{Device: "cpu", RTol: 1e-12}}

// couplings stored in FP32 move a field by up to about this much of its largest rise.
const couplingRounding = 1e-6

func solved(t *rapid.T, st *stack.Stack) *field {
	f, err := tight.steady(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// largest absolute value.
func largest(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = math.Max(m, math.Abs(x))
	}
	return m
}

// warmestFace is the largest distance of a face's temperature from the ambient: a cell between a cold and a warm face
// may lie near the ambient and still feel the rounding of both conductances.
func warmestFace(st *stack.Stack) float64 {
	m := 0.0
	for _, b := range st.Boundary {
		if b.Driven() {
			m = math.Max(m, math.Abs(b.Temperature-ambient))
		}
	}
	return m
}

// temperatureRounding is that of temperatures near the ambient, in K.
const temperatureRounding = 1e-12

// same reports the first cell in which got and want differ by more than rel times the largest magnitude wanted.
func same(t rapid.TB, what string, got, want []float64, rel float64) {
	t.Helper()
	within(t, what, got, want, rel*largest(want))
}

func within(t rapid.TB, what string, got, want []float64, limit float64) {
	t.Helper()
	limit += temperatureRounding
	for c := range want {
		if !(math.Abs(got[c]-want[c]) <= limit) {
			t.Fatalf("%s: cell %d is %.12g, want %.12g (limit on the difference %.2g)", what, c, got[c], want[c], limit)
		}
	}
}

func TestSteadyMatchesDirectSolver(t *testing.T) { rapid.Check(t, steadyMatchesDirect) }

func FuzzSteady(f *testing.F) {
	addStreams(f)
	f.Fuzz(rapid.MakeFuzz(steadyMatchesDirect))
}

// addStreams gives bytes enough for whole stacks, to which a fuzzer gets late from nothing.
func addStreams(f *testing.F) {
	for seed := range byte(4) {
		stream := make([]byte, 4096)
		rand.NewChaCha8([32]byte{seed}).Read(stream)
		f.Add(stream)
	}
}

func steadyMatchesDirect(t *rapid.T) {
	st := drawStack(t, false)
	want := newDirect(st).steady()
	within(t, "rise", solved(t, st).rise, want, couplingRounding*math.Max(largest(want), warmestFace(st)))
}

// Conductivities that are 2 % higher must fail, on every stack.
func TestPerturbedStacksDifferFromDirectSolver(t *testing.T) {
	draw := rapid.Custom(func(t *rapid.T) *stack.Stack { return drawStack(t, false) })
	s := solver{options: tight.options, perturb: func(st *stack.Stack) {
		for m := range st.Materials {
			perturbConductivity(&st.Materials[m])
		}
	}}
	for seed := range 20 {
		st := draw.Example(seed)
		want := newDirect(st).steady()
		f, err := s.steady(t.Context(), st)
		if err != nil {
			t.Fatal(err)
		}
		limit := couplingRounding * math.Max(largest(want), warmestFace(st))
		off := 0.0
		for c := range want {
			off = math.Max(off, math.Abs(f.rise[c]-want[c]))
		}
		if !(off > limit) {
			t.Errorf("seed %d: conductivities 2 %% higher differ by %.2g K only, limit %.2g K", seed, off, limit)
		}
	}
}

func TestTransientMatchesDirectSolver(t *testing.T) { rapid.Check(t, transientMatchesDirect) }

func FuzzTransient(f *testing.F) {
	addStreams(f)
	f.Fuzz(rapid.MakeFuzz(transientMatchesDirect))
}

func transientMatchesDirect(t *rapid.T) {
	st := drawStack(t, false)
	const steps = 4
	dt := logUniform(t, 1e-6, 1, "dt")
	factors := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.2, 1, 1.7}), steps, steps).Draw(t, "factors")
	for l := range st.Layers {
		for p := range st.Layers[l].Powers {
			for n, factor := range factors {
				st.Layers[l].Powers[p].Schedule = append(st.Layers[l].Powers[p].Schedule,
					stack.ScalePoint{Time: float64(n) * dt, Factor: factor})
			}
		}
	}
	st.Transient.Initial = ambient + drawKelvin(t, -10, 40, "initial rise")
	d := newDirect(st)
	want := slices.Repeat([]float64{st.Transient.Initial - ambient}, len(d.rhs))
	warmest := math.Max(largest(want), warmestFace(st))
	for _, factor := range factors {
		want = d.step(dt, want, factor)
		warmest = math.Max(warmest, largest(want))
	}
	f, err := tight.transient(t.Context(), st, steps, dt)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "rise after the last step", f.rise, want, couplingRounding*warmest)
}

func TestMirroredStackGivesMirroredField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := drawStack(t, false)
		f, g := solved(t, st), solved(t, mirrored(st))
		for row := range slices.Chunk(g.rise, g.NX()) {
			slices.Reverse(row)
		}
		within(t, "rise", g.rise, f.rise, couplingRounding*math.Max(largest(f.rise), warmestFace(st)))
	})
}

// Sources alone and boundaries alone add up to both.
func TestFieldsSuperpose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		both := drawStack(t, false)
		share := rapid.SampledFrom([]float64{0, 1, 0.3, -0.5, 1.7})
		sources, faces := share.Draw(t, "share of the sources"), share.Draw(t, "share of the boundaries")
		f := solved(t, both)
		a, b := solved(t, scaled(both, sources, faces)), solved(t, scaled(both, 1-sources, 1-faces))
		sum := make([]float64, len(f.rise))
		for c := range sum {
			sum[c] = a.rise[c] + b.rise[c]
		}
		within(t, "sum of the parts", sum, f.rise, 1e-8*(largest(a.rise)+largest(b.rise)+largest(f.rise)))
	})
}

// scaled multiplies all powers, and all that the faces drive.
func scaled(s *stack.Stack, sources, faces float64) *stack.Stack {
	m := mirrored(mirrored(s)) // a deep copy
	for f := range m.Boundary {
		m.Boundary[f].Flux *= faces
		m.Boundary[f].Temperature = ambient + faces*(m.Boundary[f].Temperature-ambient)
	}
	for l := range m.Layers {
		for p := range m.Layers[l].Powers {
			power := &m.Layers[l].Powers[p]
			power.Uniform *= sources
			for b := range power.Blocks {
				power.Blocks[b].Watts *= sources
			}
			if power.Map != nil {
				for v := range power.Map.Values {
					power.Map.Values[v] *= sources
				}
			}
		}
	}
	return m
}

func TestMorePowerCoolsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := drawStack(t, false)
		before := solved(t, st)
		more := mirrored(mirrored(st))
		l := rapid.IntRange(0, len(st.Layers)-1).Draw(t, "heated layer")
		more.Layers[l].Powers = append(more.Layers[l].Powers,
			uniformPower(logUniform(t, 1e-3, 1, "added"), drawRect(t, st)))
		after := solved(t, more)
		slack := 1e-9*math.Max(largest(before.rise), largest(after.rise)) + temperatureRounding
		for c := range before.rise {
			if after.rise[c] < before.rise[c]-slack {
				t.Fatalf("cell %d fell from %.12g to %.12g", c, before.rise[c], after.rise[c])
			}
		}
	})
}

func TestBetterCoolingHeatsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := drawStack(t, true)
		better := *st
		gain := rapid.Float64Range(1, 10).Draw(t, "gain")
		for f := range better.Boundary {
			better.Boundary[f].H *= gain
			better.Boundary[f].Resistance /= gain
		}
		before, after := solved(t, st), solved(t, &better)
		slack := 1e-9*largest(before.rise) + temperatureRounding
		if after.max() > before.max()+slack {
			t.Fatalf("the hottest rise grew from %.12g to %.12g", before.max(), after.max())
		}
	})
}

// wattsRounding is that of sums of powers of some watts which cancel.
const wattsRounding = 1e-12

// The balance closes to the rounding of the conductances to the faces, stored in FP32, times the rises behind them.
func TestHeatInEqualsHeatOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := drawStack(t, false)
		f := solved(t, st)
		d := newDirect(st)
		watts, flow, gross, out := 0.0, 0.0, 0.0, 0.0
		for c, rise := range f.rise {
			watts += d.sources[c]
			gross += d.ground[c] * math.Abs(rise)
		}
		e := f.solution.Energy
		for _, w := range e.ByFace {
			out += w
			flow = math.Max(flow, math.Abs(w))
		}
		limit := 2e-7*gross + 1e-9*flow + wattsRounding
		if math.Abs(out-watts) > limit || math.Abs(e.Out-out) > limit ||
			math.Abs(e.In-watts) > wattsRounding*(1+flow) || e.ImbalanceRel*flow > limit {
			t.Fatalf("in %.9g W (sources %.9g), out %.9g W (faces %.9g), imbalance %.2g", e.In, watts, e.Out, out,
				e.ImbalanceRel)
		}
	})
}

// A quarter with planes of symmetry must give what the whole plate gives.
func TestQuarterEqualsWholePlate(t *testing.T) {
	p := onePlate
	quarter, err := tight.steady(t.Context(), p.quarter(1))
	if err != nil {
		t.Fatal(err)
	}
	whole := p.quarter(1)
	whole.Size = [2]float64{p.plate.A, p.plate.B}
	for _, a := range []*stack.Axis{&whole.Grid.X, &whole.Grid.Y} {
		half := a.Segments // from the centre outwards
		edge := p.plate.A / 2
		a.Cells *= 2
		a.Segments = []stack.Segment{
			{To: edge - half[0].To, Cells: half[1].Cells, Ratio: 1},
			{To: edge + half[0].To, Cells: 2 * half[0].Cells, Ratio: 1},
			{To: 2 * edge, Cells: half[1].Cells, Ratio: 1},
		}
	}
	surface := &whole.Layers[len(whole.Layers)-1]
	surface.Powers = []stack.Power{uniformPower(p.source.Watts, stack.Rect{
		X: p.source.X - p.source.Width/2, Y: p.source.Y - p.source.Height/2, Width: p.source.Width,
		Height: p.source.Height})}
	f, err := tight.steady(t.Context(), whole)
	if err != nil {
		t.Fatal(err)
	}
	nx, ny := quarter.NX(), quarter.NY()
	for k := range f.NZ() {
		for j := range ny {
			for i := range nx {
				got, want := f.at(nx+i, ny+j, k), quarter.at(i, j, k)
				if math.Abs(got-want) > couplingRounding*quarter.max() {
					t.Fatalf("cell (%d, %d, %d) is %.9g in the whole plate, %.9g in the quarter", i, j, k, got, want)
				}
			}
		}
	}
}

// The meshes of random stacks must have the direct solver's cells.
func TestMeshHasTheStacksCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := drawStack(t, false)
		m, err := mesh.Build(st)
		if err != nil {
			t.Fatal(err)
		}
		d := newDirect(st)
		for axis, faces := range [][]float64{m.X, m.Y, m.Z} {
			if len(faces) != len(d.faces[axis]) {
				t.Fatalf("%d faces along axis %d, want %d", len(faces), axis, len(d.faces[axis]))
			}
			same(t, "faces", faces, d.faces[axis], 1e-13)
		}
	})
}
