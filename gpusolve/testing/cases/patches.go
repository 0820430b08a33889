package cases

import (
	"fmt"
	"math"
	"math/rand/v2"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// Patch lays one to four patches of any kind over some faces of a stack, at least over one: rectangles, circles,
// triangles and maps, whose edges cut cells.
func Patch(rng *rand.Rand, s *stack.Stack) {
	certain := stack.Face(rng.IntN(stack.NumFaces))
	for f := range stack.Face(stack.NumFaces) {
		if f != certain && rng.IntN(3) > 0 {
			continue
		}
		size := s.FaceSize(f)
		for n := range 1 + rng.IntN(4) {
			s.Boundary[f].Patches = append(s.Boundary[f].Patches, patch(rng, n, s.Ambient, size))
		}
	}
}

func patch(rng *rand.Rand, n int, ambient float64, size [2]float64) stack.Patch {
	p := stack.Patch{Name: fmt.Sprint("patch", n)}
	w, h := size[0]*(0.1+0.7*rng.Float64()), size[1]*(0.1+0.7*rng.Float64())
	x, y := (size[0]-w)*rng.Float64(), (size[1]-h)*rng.Float64()
	warm := ambient + 10*float64(rng.IntN(3)-1)
	switch rng.IntN(4) {
	case 0:
		d := math.Min(w, h)
		p.Shape = geometry.Circle{X: x + d/2, Y: y + d/2, Diameter: d}
	case 1:
		p.Shape = geometry.Polygon{{X: x, Y: y}, {X: x + w, Y: y + h/3}, {X: x + w/2, Y: y + h}}
	default:
		p.Rects = []stack.Rect{{X: x, Y: y, Width: w, Height: h}}
	}
	switch rng.IntN(5) {
	case 0:
		p.Boundary = stack.Boundary{Kind: stack.FixedTemperature, Temperature: warm}
	case 1:
		p.Boundary = stack.Boundary{Kind: stack.HeatFlux, Flux: 1e4 * float64(rng.IntN(3)-1)}
	case 2:
		p.Boundary = stack.Boundary{Kind: stack.LumpedResistance, Resistance: math.Exp(3 * rng.Float64()),
			Temperature: warm}
	default:
		p.Boundary = stack.Boundary{Kind: stack.Convective, H: 100 * math.Exp(4*rng.Float64()), Temperature: warm}
		if p.Shape == nil && rng.IntN(2) == 0 {
			p.Map = &stack.FilmMap{NX: 3, NY: 2, Values: []float64{10, 200, 0, 3000, 40, 500}}
			p.H = 0
		}
	}
	return p
}
