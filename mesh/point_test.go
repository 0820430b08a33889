package mesh

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/stack"
)

// at evaluates a sample.
func (s Sample) at(nx, ny int, field []float64) float64 {
	v := s.Constant
	for _, t := range s.Terms {
		v += t.Weight * field[t.Plane*nx*ny+t.Cell]
	}
	return v
}

// slab is one material of a wall, with the resistance to the next one.
type slab struct {
	k, thickness, contact float64
	cells                 int
}

var wall = []slab{{100, 1e-3, 1e-5, 3}, {0.5, 1e-4, 0, 1}, {400, 2e-3, 2e-6, 2}, {3, 3e-4, 0, 4}}

// profile is the temperature in a wall through which the flux q passes upwards from a lower surface at t0, in closed
// form; at a contact that of the lower side, or of the upper one.
func profile(w []slab, t0, q, z float64, above bool) float64 {
	t, bottom := t0, 0.0
	for n, s := range w {
		top := bottom + s.thickness
		if n == len(w)-1 || z < top-1e-12 || z < top+1e-12 && !above {
			return t - q*(z-bottom)/s.k
		}
		t -= q * (s.thickness/s.k + s.contact)
		bottom = top
	}
	panic("a wall of nothing")
}

func thickness(w []slab) (l, r float64) {
	for _, s := range w {
		l += s.thickness
		r += s.thickness/s.k + s.contact
	}
	return l, r
}

// pair is a condition on both outer faces of a wall: q flows through it, and its lower surface is at t0.
type pair struct {
	name        string
	bottom, top stack.Boundary
	q, t0       float64
}

// pairs of conditions, with the flux and the temperature of the lower surface by adding resistances in series. area is
// that of the face.
func pairs(r, area float64) []pair {
	const q = 2e5
	fixed := func(t float64) stack.Boundary { return stack.Boundary{Kind: stack.FixedTemperature, Temperature: t} }
	film := func(h, t float64) stack.Boundary { return stack.Boundary{Kind: stack.Convective, H: h, Temperature: t} }
	flux := stack.Boundary{Kind: stack.HeatFlux, Flux: q}
	lumped := stack.Boundary{Kind: stack.LumpedResistance, Resistance: 3e-4 / area, Temperature: 290}
	across := 80 / (r + 3e-4)
	return []pair{
		{"flux and film", flux, film(5000, 310), q, 310 + q*(r+1.0/5000)},
		{"fixed on both", fixed(400), fixed(300), 100 / r, 400},
		{"fixed and lumped", fixed(370), lumped, across, 370},
		{"film and fixed", film(2000, 500), fixed(320), 180 / (r + 1.0/2000), 500 - 180/(r+1.0/2000)/2000},
		{"adiabatic and film", stack.Boundary{}, film(100, 345), 0, 345},
	}
}

// Through slabs in series the discrete solution is exact: with the exact temperatures at the centres, a probe anywhere
// shows the closed form, on both sides of a contact and on the surfaces.
func TestProbesInAWallAlongZ(t *testing.T) {
	height, r := thickness(wall)
	for _, c := range pairs(r, 6e-3*4e-3) {
		s := two()
		s.Layers = nil
		s.Materials = nil
		for n, y := range wall {
			s.Materials = append(s.Materials, stack.Material{Name: fmt.Sprint(n), K: [3]float64{1, 2, y.k}, C: 1})
			s.Layers = append(s.Layers, stack.Layer{Name: fmt.Sprint(n), Material: n, Thickness: y.thickness,
				Cells: y.cells, ContactResistance: y.contact})
		}
		s.Boundary[stack.Bottom], s.Boundary[stack.Top] = c.bottom, c.top
		m := mustBuild(t, s)
		field := make([]float64, m.Cells())
		for n := range field {
			field[n] = profile(wall, c.t0, c.q, (m.Z[n/6]+m.Z[n/6+1])/2, false)
		}
		heights := append([]float64(nil), m.Z...)
		for n := range 997 {
			heights = append(heights, height*float64(n)/996)
		}
		for _, z := range heights {
			for _, side := range []stack.Side{"", stack.Below, stack.Above} {
				got := m.SampleAt(1.3e-3, 3.9e-3, z, side).at(3, 2, field)
				near(t, fmt.Sprintf("%s at %g m %s", c.name, z, side), got,
					profile(wall, c.t0, c.q, z, side == stack.Above))
			}
		}
	}
}

// The same wall on its side, as regions whose edges lie on faces of graded cells: along x, and along y.
func TestProbesInAWallAcross(t *testing.T) {
	var w []slab
	for _, s := range wall {
		s.contact = 0
		w = append(w, s)
	}
	length, r := thickness(w)
	for axis := range 2 {
		for _, c := range pairs(r, 4e-3*1e-3) {
			s := two()
			s.Size[axis], s.Size[1-axis] = length, 4e-3
			s.Layers = []stack.Layer{{Name: "wall", Thickness: 1e-3, Cells: 1}}
			s.Materials = nil
			var along stack.Axis
			from := 0.0
			for n, y := range w {
				k := [3]float64{7, 7, 7}
				k[axis] = y.k
				s.Materials = append(s.Materials, stack.Material{Name: fmt.Sprint(n), K: k, C: 1})
				rect := stack.Rect{X: from, Width: y.thickness, Height: 4e-3}
				if axis == 1 {
					rect = stack.Rect{Y: from, Height: y.thickness, Width: 4e-3}
				}
				s.Layers[0].Regions = append(s.Layers[0].Regions, stack.Region{Material: n, Rect: rect})
				from += y.thickness
				along.Segments = append(along.Segments, stack.Segment{To: from, Cells: y.cells, Ratio: 1.7})
				along.Cells += y.cells
			}
			s.Grid.X, s.Grid.Y = along, stack.Axis{Cells: 3}
			s.Boundary[stack.West], s.Boundary[stack.East] = c.bottom, c.top
			if axis == 1 {
				s.Grid.X, s.Grid.Y = s.Grid.Y, s.Grid.X
				s.Boundary = [stack.NumFaces]stack.Boundary{stack.South: c.bottom, stack.North: c.top}
			}
			m := mustBuild(t, s)
			field := make([]float64, m.Cells())
			for n := range field {
				x, y, _ := m.Center(n%m.NX(), n/m.NX(), 0)
				field[n] = profile(w, c.t0, c.q, [2]float64{x, y}[axis], false)
			}
			for n := range 501 {
				v := length * float64(n) / 500
				x, y := v, 1.1e-3
				if axis == 1 {
					x, y = y, x
				}
				got := m.SampleAt(x, y, 0.7e-3, "").at(m.NX(), m.NY(), field)
				near(t, fmt.Sprintf("%s at %g m along axis %d", c.name, v, axis), got, profile(w, c.t0, c.q, v, false))
			}
		}
	}
}

// patched is a stack whose cells all have materials of their own.
func patched(rng *rand.Rand, boundary func(f stack.Face) stack.Boundary) *stack.Stack {
	s := two()
	s.Materials = nil
	for n := range 24 {
		k := func() float64 { return math.Exp(8*rng.Float64() - 2) }
		s.Materials = append(s.Materials, stack.Material{Name: fmt.Sprint(n), K: [3]float64{k(), k(), k()}, C: 1})
	}
	for l := range s.Layers {
		for range 9 {
			s.Layers[l].Regions = append(s.Layers[l].Regions, stack.Region{Material: rng.IntN(24), Rect: stack.Rect{
				X: 3e-3 * rng.Float64(), Y: 2e-3 * rng.Float64(), Width: 3e-3 * rng.Float64(),
				Height: 2e-3 * rng.Float64()}})
		}
	}
	for f := range s.Boundary {
		s.Boundary[f] = boundary(stack.Face(f))
	}
	return s
}

// Whatever the materials: in a plane of cells the temperature is continuous, also into the corners where four materials
// meet; it is that of the cell at its centre; and a stack at the temperature of all its faces has it everywhere.
// Between layers only a contact makes a jump.
func TestProbesAreContinuousAndConsistent(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 21))
	for trial := range 40 {
		s := patched(rng, func(f stack.Face) stack.Boundary {
			return []stack.Boundary{{}, {Kind: stack.Convective, H: 1e4, Temperature: 350},
				{Kind: stack.FixedTemperature, Temperature: 350}}[(trial+int(f))%3]
		})
		m := mustBuild(t, s)
		nx, ny := m.NX(), m.NY()
		field, flat := make([]float64, m.Cells()), make([]float64, m.Cells())
		for n := range field {
			field[n], flat[n] = 300+100*rng.Float64(), 350
		}
		const step = 1e-12
		for range 200 {
			x, y, z := 6e-3*rng.Float64(), 4e-3*rng.Float64(), 400e-6*rng.Float64()
			near(t, "flat field", m.SampleAt(x, y, z, "").at(nx, ny, flat), 350)
			switch rng.IntN(3) {
			case 0:
				x = m.X[rng.IntN(nx+1)]
			case 1:
				y = m.Y[rng.IntN(ny+1)]
			default:
				x, y = m.X[rng.IntN(nx+1)], m.Y[rng.IntN(ny+1)]
			}
			here := m.SampleAt(x, y, z, "").at(nx, ny, field)
			for n := range 4 {
				dx, dy := step*float64(n%2*2-1), step*float64(n/2*2-1)
				if there := m.SampleAt(x+dx, y+dy, z, "").at(nx, ny, field); math.Abs(there-here) > 1e-5 {
					t.Fatalf("trial %d: %g K at (%g, %g, %g), %g K beside it", trial, here, x, y, z, there)
				}
			}
		}
		for n, want := range field {
			x, y, z := m.Center(n%nx, n/nx%ny, n/(nx*ny))
			near(t, "centre", m.SampleAt(x, y, z, "").at(nx, ny, field), want)
			below, above := m.SampleAt(x, y, 50e-6, stack.Below), m.SampleAt(x, y, 50e-6, stack.Above)
			near(t, "within a layer", above.at(nx, ny, field), below.at(nx, ny, field))
		}
	}
}

// Where four cells are alike, the temperature between their centres is the bilinear one, on a graded grid too.
func TestProbesBetweenCellsAlike(t *testing.T) {
	s := two()
	s.Size = [2]float64{6e-3, 4e-3}
	s.Grid.X = stack.Axis{Cells: 5, Segments: []stack.Segment{{To: 6e-3, Cells: 5, Ratio: 3}}}
	s.Grid.Y = stack.Axis{Cells: 4, Segments: []stack.Segment{{To: 4e-3, Cells: 4, Ratio: 0.5}}}
	m := mustBuild(t, s)
	f := func(x, y float64) float64 { return 300 + 1e3*x - 2e3*y + 4e5*x*y }
	field := make([]float64, m.Cells())
	for n := range field {
		x, y, _ := m.Center(n%5, n/5%4, 0)
		field[n] = f(x, y)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	x0, y0, _ := m.Center(0, 0, 0)
	x1, y1, _ := m.Center(4, 3, 0)
	for range 300 {
		x, y := x0+(x1-x0)*rng.Float64(), y0+(y1-y0)*rng.Float64()
		near(t, "bilinear", m.SampleAt(x, y, 180e-6, "").at(5, 4, field), f(x, y))
	}
}
