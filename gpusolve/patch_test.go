package gpusolve_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// patchedStack is a small stack of uniform layers with rectangles and maps on its faces, some of which cut cells.
func patchedStack(rng *rand.Rand) *stack.Stack {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{5e-3, 4e-3},
		Grid: stack.Grid{X: stack.Axis{Cells: 3 + rng.IntN(4)}, Y: stack.Axis{Cells: 2 + rng.IntN(4)}}}
	for n := range 2 + rng.IntN(2) {
		k := math.Exp(5 * rng.Float64())
		s.Materials = append(s.Materials, stack.Material{Name: fmt.Sprint("m", n), K: [3]float64{k, k, k}, C: 2e6})
		s.Layers = append(s.Layers, stack.Layer{Name: fmt.Sprint("l", n), Material: n, Thickness: 1e-3 * rng.Float64(),
			Cells:  1 + rng.IntN(2),
			Powers: []stack.Power{{Area: s.Domain(), Uniform: 3 * rng.Float64()}}})
	}
	for f := range stack.Face(stack.NumFaces) {
		if f != stack.Top && rng.IntN(2) == 0 {
			continue
		}
		size := s.FaceSize(f)
		own := randomCondition(rng)
		s.Boundary[f] = own
		for n := range 1 + rng.IntN(3) {
			w, h := size[0]*(0.2+0.7*rng.Float64()), size[1]*(0.2+0.7*rng.Float64())
			p := stack.Patch{Name: fmt.Sprint("p", n), Boundary: randomCondition(rng),
				Rects: []stack.Rect{{X: (size[0] - w) * rng.Float64(), Y: (size[1] - h) * rng.Float64(), Width: w,
					Height: h}}}
			if p.Kind == stack.Convective && rng.IntN(2) == 0 {
				p.H, p.Map = 0, &stack.FilmMap{NX: 3, NY: 2, Values: []float64{100, 0, 2000, 30, 500, 8000}}
			}
			s.Boundary[f].Patches = append(s.Boundary[f].Patches, p)
		}
	}
	s.Boundary[stack.Top].Patches[0].Boundary = stack.Boundary{Kind: stack.Convective, H: 1e4, Temperature: 310}
	s.Boundary[stack.Top].Patches[0].Map = nil
	return s
}

func randomCondition(rng *rand.Rand) stack.Boundary {
	t := 290 + 10*float64(rng.IntN(4))
	switch rng.IntN(5) {
	case 0:
		return stack.Boundary{Kind: stack.FixedTemperature, Temperature: t}
	case 1:
		return stack.Boundary{Kind: stack.HeatFlux, Flux: 1e4 * float64(rng.IntN(3)-1)}
	case 2:
		return stack.Boundary{Kind: stack.LumpedResistance, Resistance: math.Exp(3 * rng.Float64()), Temperature: t}
	}
	return stack.Boundary{Kind: stack.Convective, H: 50 * math.Exp(5*rng.Float64()), Temperature: t}
}

// part is a rectangle of a face that is driven by one condition.
type part struct {
	box  [4]float64 // x0, x1, y0, y1
	who  int        // number of the patch, -1 for the face
	film float64    // W/(m2 K) of a map
}

// partsOf cuts a box of a face along all edges of its patches and their tiles, but for those that are nearer to others
// than a share of the box: an independent account of what is seen.
func partsOf(b *stack.Boundary, box [4]float64, least float64) (parts []part) {
	cuts := [2][]float64{{box[0], box[1]}, {box[2], box[3]}}
	for _, p := range b.Patches {
		r, nx, ny := p.Rects[0], 1, 1
		if p.Map != nil {
			nx, ny = p.Map.NX, p.Map.NY
		}
		for i := range nx + 1 {
			cuts[0] = append(cuts[0], r.X+r.Width*float64(i)/float64(nx))
		}
		for j := range ny + 1 {
			cuts[1] = append(cuts[1], r.Y+r.Height*float64(j)/float64(ny))
		}
	}
	for a := range cuts {
		cuts[a] = slices.DeleteFunc(cuts[a], func(v float64) bool { return v < box[2*a] || v > box[2*a+1] })
		slices.Sort(cuts[a])
		kept := cuts[a][:1]
		for _, v := range cuts[a][1:] {
			if side := box[2*a+1] - box[2*a]; v-kept[len(kept)-1] < least*side {
				kept[len(kept)-1] = v
			} else {
				kept = append(kept, v)
			}
		}
		kept[0], kept[len(kept)-1] = box[2*a], box[2*a+1]
		cuts[a] = kept
	}
	for i := range len(cuts[0]) - 1 {
		for j := range len(cuts[1]) - 1 {
			q := part{box: [4]float64{cuts[0][i], cuts[0][i+1], cuts[1][j], cuts[1][j+1]}, who: -1}
			x, y := (q.box[0]+q.box[1])/2, (q.box[2]+q.box[3])/2
			for n, p := range b.Patches {
				if r := p.Rects[0]; x > r.X && x < r.X+r.Width && y > r.Y && y < r.Y+r.Height {
					q.who = n
					if m := p.Map; m != nil {
						q.film = m.Values[int((y-r.Y)/r.Height*float64(m.NY))*m.NX+int((x-r.X)/r.Width*float64(m.NX))]
					}
				}
			}
			parts = append(parts, q)
		}
	}
	return parts
}

func (p *part) area() float64 { return (p.box[1] - p.box[0]) * (p.box[3] - p.box[2]) }

// patchMatrix is A and b of a stack of patchedStack by an independent code, dense, with the roundings to FP32 that the
// format of A has. Patches less than a share of a cell wide are left out.
func patchMatrix(m *mesh.Mesh, least float64) (a [][]float64, b []float64) {
	s, nx, ny, nz := m.Stack, m.NX(), m.NY(), m.NZ()
	n := nx * ny * nz
	a, b = make([][]float64, n), make([]float64, n)
	for c := range a {
		a[c] = make([]float64, n)
	}
	k := func(plane int) float64 { return s.Materials[s.Layers[m.Planes[plane].Layer].Material].K[0] }
	couple := func(p, q int, g float64) {
		g = float64(float32(g))
		a[p][p] += g
		a[q][q] += g
		a[p][q] -= g
		a[q][p] -= g
	}
	var seen [6][]float64 // area of each patch and, last, of the rest
	for f := range s.Boundary {
		seen[f] = make([]float64, len(s.Boundary[f].Patches)+1)
		size := s.FaceSize(stack.Face(f))
		for _, p := range partsOf(&s.Boundary[f], [4]float64{0, size[0], 0, size[1]}, 0) {
			who := p.who
			if who < 0 {
				who = len(seen[f]) - 1
			}
			seen[f][who] += p.area()
		}
	}
	for c := range n {
		i, j, l := c%nx, c/nx%ny, c/(nx*ny)
		dx, dy, dz := m.DX(i), m.DY(j), m.DZ(l)
		layer := m.Planes[l].Layer
		planes := m.LayerPlanes[layer]
		b[c] += s.Layers[layer].Powers[0].Uniform * dx * dy / (s.Size[0] * s.Size[1]) / float64(planes[1]-planes[0])
		if i+1 < nx {
			couple(c, c+1, dy*dz*k(l)/((dx+m.DX(i+1))/2))
		}
		if j+1 < ny {
			couple(c, c+nx, dx*dz*k(l)/((dy+m.DY(j+1))/2))
		}
		if l+1 < nz {
			couple(c, c+nx*ny, dx*dy/(dz/(2*k(l))+m.DZ(l+1)/(2*k(l+1))))
		}
		boxes := [3][4]float64{{m.X[i], m.X[i+1], m.Y[j], m.Y[j+1]}, {m.Y[j], m.Y[j+1], m.Z[l], m.Z[l+1]},
			{m.X[i], m.X[i+1], m.Z[l], m.Z[l+1]}}
		halves := [3]float64{dz / (2 * k(l)), dx / (2 * k(l)), dy / (2 * k(l))}
		var g, gt [6]float64
		ground, largest := float32(0), -1
		for f := range s.Boundary {
			if !m.OnFace(stack.Face(f), i, j, l) {
				continue
			}
			for _, p := range partsOf(&s.Boundary[f], boxes[f/2], least) {
				cond, area := &s.Boundary[f], seen[f][len(seen[f])-1]
				h := cond.H
				if p.who >= 0 {
					patch := &cond.Patches[p.who]
					cond, area, h = &patch.Boundary, seen[f][p.who], patch.H
					if patch.Map != nil {
						h = p.film
					}
				}
				part := 0.0
				switch cond.Kind {
				case stack.HeatFlux:
					b[c] += cond.Flux * p.area()
				case stack.FixedTemperature:
					part = p.area() / halves[f/2]
				case stack.LumpedResistance:
					part = p.area() / (cond.Resistance*area + halves[f/2])
				case stack.Convective:
					if h > 0 {
						part = p.area() / (1/h + halves[f/2])
					}
				}
				g[f] += part
				gt[f] += part * (cond.Temperature - s.Ambient)
			}
			ground += float32(g[f])
			if largest < 0 || float32(g[f]) > float32(g[largest]) {
				largest = f
			}
		}
		for f := range g {
			if g[f] == 0 {
				continue
			}
			held := float64(float32(g[f]))
			if f == largest {
				held = float64(ground)
				for e := range g {
					if e != f {
						held -= float64(float32(g[e]))
					}
				}
			}
			a[c][c] += held
			b[c] += held * gt[f] / g[f]
		}
	}
	return a, b
}

// 20 random stacks with patches, on the processor and by the kernels, against elimination of an independent matrix; and
// the heat of the patches adds up to that of the faces and to the power.
func TestPatchesAgainstElimination(t *testing.T) {
	t.Parallel()
	machine := devices.Machine(interpreter.Options{})
	worst := 0.0
	for n := range uint64(20) {
		s := patchedStack(rand.New(rand.NewPCG(n, 19)))
		worst = math.Max(worst, patchesAgainstElimination(t, s, gpusolve.Options{Device: "cpu"}))
		if n%testtier.Pick[uint64](5, 1) == 0 {
			worst = math.Max(worst,
				patchesAgainstElimination(t, s, gpusolve.Options{Executor: solves.OnInterpreter(t, machine)}))
		}
	}
	t.Logf("largest difference %.2g of the largest rise", worst)
}

// patchesAgainstElimination is the largest difference, over the largest rise.
func patchesAgainstElimination(t *testing.T, s *stack.Stack, o gpusolve.Options) (worst float64) {
	t.Helper()
	if err := stack.Validate(s); err != nil {
		t.Fatal(err)
	}
	rise := func(least float64) []float64 {
		a, b := patchMatrix(solves.Build(t, s), least)
		for c := range a {
			a[c] = append(a[c], b[c])
		}
		return solves.Eliminate(a)
	}
	want := rise(0)
	slivers := solves.LargestDifference(want, rise(4e-9)) // some of which are painted
	span := 0.0
	for _, v := range want {
		span = math.Max(span, math.Abs(v))
	}
	o.Tol, o.Preconditioner = 1e-10, "multigrid"
	sol := solves.Steady(t, s, o)
	for c, v := range solves.Field(t, s, sol.Field) {
		off := math.Abs(v-s.Ambient-want[c]) / span
		if worst = math.Max(worst, off); off > 1e-9+2*slivers/span {
			t.Fatalf("%+v: cell %d is %.12g K above ambient, want %.12g", s, c, v-s.Ambient, want[c])
		}
	}
	states, err := solves.Build(t, s).Patches(sol.Field.Plane)
	if err != nil {
		t.Fatal(err)
	}
	var byFace [6]float64
	flows := 1e-3
	for _, p := range states {
		byFace[p.Face] += p.Heat
		flows += math.Abs(p.Heat)
	}
	out := 0.0
	for f, w := range byFace {
		out += sol.Energy.ByFace[f]
		if s.Boundary[f].Patches != nil && math.Abs(w-sol.Energy.ByFace[f]) > 1e-9*flows {
			t.Errorf("%v W through the patches of face %d, %v through the face", w, f, sol.Energy.ByFace[f])
		}
	}
	if math.Abs(out-sol.Energy.In) > 1e-8*flows {
		t.Errorf("%v W leave, %v come in; flows %v", out, sol.Energy.In, flows)
	}
	return worst
}
