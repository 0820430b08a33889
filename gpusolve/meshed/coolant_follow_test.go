package meshed_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// followedCooled is a random stack with cavities whose materials follow the temperature, or have the constants of one,
// with faces that follow it too.
func followedCooled(seed uint64, kelvin float64) *stack.Stack {
	r := rand.New(rand.NewPCG(seed, 153))
	s := cases.Cooled(r, 5+r.IntN(4), 4+r.IntN(5))
	curve := func(k float64) *stack.Curve {
		return &stack.Curve{Law: stack.PowerLaw, Value: k, At: 300, Exponent: 0.4 + r.Float64(),
			Range: [2]float64{290, 420}}
	}
	walls := len(s.Materials) // their k along z sets the efficiency of fins, at the reference temperature
	for l := range s.Layers {
		if y := &s.Layers[l]; y.Coolant != nil {
			own := s.Materials[y.Material]
			own.Name = y.Name + " walls"
			s.Materials = append(s.Materials, own)
			y.Material = len(s.Materials) - 1
		}
	}
	for i := range s.Materials {
		m := &s.Materials[i]
		for axis, k := range m.K {
			if i < walls || axis < 2 {
				m.KCurve[axis] = curve(k)
			}
		}
		m.CCurve = &stack.Curve{Law: stack.PolynomialLaw, Coefficients: []float64{m.C, m.C * 1e-3}, At: 300,
			Range: [2]float64{250, 500}}
		if kelvin > 0 {
			*m = m.At(kelvin)
			m.KCurve, m.CCurve = [3]*stack.Curve{}, nil
		}
	}
	if seed%2 == 1 {
		for _, f := range []stack.Face{stack.West, stack.North, stack.Top} {
			s.Boundary[f] = stack.Boundary{Kind: stack.Convective, H: 50, Temperature: 305,
				Film: stack.Film{Emissivity: 0.8}}
		}
	}
	return s
}

// cooledForm is what a system with coolant holds: A by its product with vectors, the right side, what leaves a state,
// what it stores and what lies out of range.
type cooledForm struct {
	products [][]float64
	b        []float64
	heat     [6]float64
	stored   float64
	outside  []int64
}

func cooledFormOf(t *testing.T, sys ops.System, x, old ops.Vector) cooledForm {
	t.Helper()
	source, err := sys.NewSource(true)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	f := cooledForm{b: make([]float64, x.Len()), heat: sys.FaceHeat(x), outside: sys.OutOfRange()}
	if sys.TimeStep() > 0 {
		f.stored = sys.Stored(x, old)
	}
	source.Read(f.b)
	v, _ := sys.New64()
	y, _ := sys.New64()
	r := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		values := make([]float64, x.Len())
		for c := range values {
			values[c] = r.Float64() - 0.5
		}
		sys.Write(v, values)
		sys.Apply(y, v)
		product := make([]float64, x.Len())
		sys.Read(y, product)
		f.products = append(f.products, product)
	}
	sys.Release(v, y)
	return f
}

// TestRefreshAtWithCoolant forms systems with coolant at random states: processor and GPU hold the same numbers. At a
// uniform temperature they are those of a stack with these constants.
func TestRefreshAtWithCoolant(t *testing.T) {
	open := solves.Executors(t)
	for seed := range uint64(8) {
		dt := float64(seed/2%2) * 1e-3
		formed := map[string]cooledForm{}
		var sizes []float64
		for name := range open {
			dev := open[name]()
			defer dev.Close()
			defer dev.Bind()()
			sys := assembledAt(t, dev, followedCooled(seed, 0), dt)
			defer sys.Free()
			x, _ := sys.New64()
			old, _ := sys.New64()
			rng := rand.New(rand.NewPCG(seed, 7))
			a, b := make([]float64, x.Len()), make([]float64, x.Len())
			for c := range a {
				a[c], b[c] = -20+160*rng.Float64(), -30+100*rng.Float64()
			}
			sys.Write(x, a)
			sys.Write(old, b)
			if err := sys.RefreshAt(x, old); err != nil {
				t.Fatal(err)
			}
			formed[name] = cooledFormOf(t, sys, x, old)
			if name == "host" {
				sizes = rowSizes(matrixOf(t, sys))
				uniformly(t, dev, sys, seed, dt)
			}
		}
		onHost, device := formed["host"], formed["interpreter"]
		for n, p := range onHost.products {
			for c, v := range p {
				if math.Abs(v-device.products[n][c]) > 1e-14*sizes[c] {
					t.Errorf("stack %d: row %d of the product is %.15g, on the interpreter %.15g", seed, c, v,
						device.products[n][c])
				}
			}
		}
		if !slices.Equal(onHost.b, device.b) || !slices.Equal(onHost.outside, device.outside) ||
			onHost.outside[0] == 0 {
			t.Errorf("stack %d: right sides or cells out of range differ: %v and %v", seed, onHost.outside,
				device.outside)
		}
		for f := range onHost.heat {
			if math.Abs(onHost.heat[f]-device.heat[f]) > 1e-12*(math.Abs(onHost.heat[f])+1e-3) {
				t.Errorf("stack %d, face %d: %.15g W and %.15g W", seed, f, onHost.heat[f], device.heat[f])
			}
		}
		if math.Abs(onHost.stored-device.stored) > 1e-12*math.Abs(onHost.stored) {
			t.Errorf("stack %d: stored %.15g W and %.15g W", seed, onHost.stored, device.stored)
		}
	}
}

// uniformly compares the entries of a system formed at one temperature with those of a stack with its constants, to a
// rounding of FP32 or two.
func uniformly(t *testing.T, dev ops.Device, sys ops.System, seed uint64, dt float64) {
	t.Helper()
	const kelvin = 371.5
	x, _ := sys.New64()
	sys.Fill(x, kelvin-300)
	if err := sys.RefreshAt(x, nil); err != nil {
		t.Fatal(err)
	}
	plain := assembledAt(t, dev, followedCooled(seed, kelvin), dt)
	defer plain.Free()
	if plain.Mesh().Laws != nil { // of faces
		y, _ := plain.New64()
		plain.Fill(y, kelvin-300)
		if err := plain.RefreshAt(y, nil); err != nil {
			t.Fatal(err)
		}
	}
	got, want := matrixOf(t, sys), matrixOf(t, plain)
	for r := range got.N() {
		cols, vals := got.Row(r)
		others, wanted := want.Row(r)
		if !slices.Equal(cols, others) {
			t.Fatalf("stack %d: row %d has entries %v, of constants %v", seed, r, cols, others)
		}
		for n, v := range vals {
			if math.Abs(v-wanted[n]) > 2.4e-7*math.Abs(wanted[n]) {
				t.Errorf("stack %d: entry %d, %d is %g, of constants %g", seed, r, cols[n], v, wanted[n])
			}
		}
	}
}

func assembledAt(t *testing.T, dev ops.Device, s *stack.Stack, dt float64) ops.System {
	t.Helper()
	if err := stack.Validate(s); err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := dev.Assemble(m, dt)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

func matrixOf(t *testing.T, sys ops.System) *sparse.CSR {
	t.Helper()
	rows, err := sys.(ops.Forms).Rows()
	if err != nil {
		t.Fatal(err)
	}
	return rows.Download()
}

// rowSizes are the sums of magnitudes.
func rowSizes(a *sparse.CSR) []float64 {
	sizes := make([]float64, a.N())
	for r := range sizes {
		_, vals := a.Row(r)
		for _, v := range vals {
			sizes[r] += math.Abs(v)
		}
	}
	return sizes
}

// TestCooledLawsMemory holds the memory that is stated before a solve against what it holds, with materials and leakage
// that follow the temperature.
func TestCooledLawsMemory(t *testing.T) {
	s := followedCooled(2, 0)
	s.Grid.X.Cells, s.Grid.Y.Cells = 24, 21
	for l := range s.Layers {
		y := &s.Layers[l]
		y.Regions = nil
		if w := y.Coolant; w != nil {
			w.Model, w.Channels, w.Pins, w.Central, w.Flow = stack.PorousCavity, nil,
				&stack.Pins{Diameter: 50e-6, Pitch: 120e-6}, false, 1e-6
		} else {
			law := &stack.Curve{Law: stack.ExponentialLaw, Value: 1, Exponent: 0.01, At: 358,
				Range: [2]float64{250, 700}}
			y.Powers[0].Uniform, y.Powers[0].Leakage = 1, stack.Leakage{Watts: 0.1, Factor: law}
		}
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, inTime := range []bool{false, true} {
		o := gpusolve.Options{Executor: host.Open()}
		var sol *gpusolve.Solution
		if inTime {
			sol, err = gpusolve.Transient(t.Context(), m, o, gpusolve.TransientOptions{Steps: 1, Dt: 1e-3})
		} else {
			sol, err = gpusolve.Steady(t.Context(), m, o)
		}
		if err != nil || !sol.Status.Converged {
			t.Fatal(err, sol)
		}
		// with the workers' scratch, which is not part of a device
		held, need := sol.Memory.DeviceBytes+256<<10, memory.OfSystem(m, "", inTime, false)
		sol.Close()
		ratio := float64(solves.Held(need)) / float64(held)
		t.Logf("in time %v: %.1f bytes a cell, %.3f of them stated", inTime, float64(held)/float64(m.Cells()), ratio)
		if ratio < 1 || ratio > 1.25 {
			t.Errorf("in time %v: %d bytes stated for %d held", inTime, solves.Held(need), held)
		}
	}
}
