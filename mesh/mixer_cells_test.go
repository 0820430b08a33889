package mesh

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/stack"
	"thermsim/stack/geometry"
	"thermsim/stack/packaging"
)

// Rectangles anywhere on a grid of many cells: the area of each material in each cell is that of the pieces between all
// edges, each of the material that lies on top of it, and the mirror image of a layer has the mirror image of its
// properties. A circle in a corner of the layer changes nothing elsewhere.
func TestRectanglesOnManyCells(t *testing.T) {
	const nx, ny = 7, 5
	rng := rand.New(rand.NewPCG(11, 12))
	for trial := range 200 {
		s := three()
		s.Grid = stack.Grid{X: stack.Axis{Cells: nx}, Y: stack.Axis{Cells: ny}}
		w, h := s.Size[0], s.Size[1]
		for range 1 + rng.IntN(1+trial/5) {
			at := func(length float64, cells int) (lo, hi float64) {
				lo, hi = rng.Float64(), rng.Float64()
				if rng.IntN(3) == 0 { // on lines of the grid
					lo = math.Round(lo*float64(cells)) / float64(cells)
				}
				if lo > hi {
					lo, hi = hi, lo
				}
				if rng.IntN(2) == 0 {
					hi = min(1, lo+(hi-lo)/8)
				}
				return lo * length, hi * length
			}
			x0, x1 := at(w, nx)
			y0, y1 := at(h, ny)
			s.Layers[1].Regions = append(s.Layers[1].Regions,
				stack.Region{Material: rng.IntN(3), Rect: stack.Rect{X: x0, Y: y0, Width: x1 - x0, Height: y1 - y0}})
		}
		m := mustBuild(t, s)
		xs, ys := []float64{}, []float64{}
		for i := range nx + 1 {
			xs = append(xs, w*float64(i)/nx)
		}
		for j := range ny + 1 {
			ys = append(ys, h*float64(j)/ny)
		}
		for _, r := range s.Layers[1].Regions {
			xs, ys = append(xs, r.Rect.X, r.Rect.X+r.Rect.Width), append(ys, r.Rect.Y, r.Rect.Y+r.Rect.Height)
		}
		slices.Sort(xs)
		slices.Sort(ys)
		var heat, up [ny][nx]float64
		for b := range ys[1:] {
			for a := range xs[1:] {
				x, y := (xs[a]+xs[a+1])/2, (ys[b]+ys[b+1])/2
				of := s.Materials[1]
				for _, r := range s.Layers[1].Regions {
					if x > r.Rect.X && x < r.Rect.X+r.Rect.Width && y > r.Rect.Y && y < r.Rect.Y+r.Rect.Height {
						of = s.Materials[r.Material]
					}
				}
				share := (xs[a+1] - xs[a]) * (ys[b+1] - ys[b]) * nx * ny / w / h
				i, j := min(nx-1, int(x/w*nx)), min(ny-1, int(y/h*ny))
				heat[j][i] += share * of.C
				up[j][i] += share * of.K[2]
			}
		}
		mirrored := *s
		mirrored.Layers = slices.Clone(s.Layers)
		mirrored.Layers[1].Regions = slices.Clone(s.Layers[1].Regions)
		for n := range mirrored.Layers[1].Regions {
			r := &mirrored.Layers[1].Regions[n].Rect
			r.X = w - r.X - r.Width
		}
		other := mustBuild(t, &mirrored)
		rounded := *s
		rounded.Layers = slices.Clone(s.Layers)
		circle := geometry.Circle{X: w / nx / 2, Y: h / ny / 2, Diameter: min(w/nx, h/ny) / 2}
		rounded.Layers[1].Regions = slices.Concat([]stack.Region{{Rect: stack.Around(circle), Shape: circle}},
			s.Layers[1].Regions)
		round := mustBuild(t, &rounded)
		for j := range ny {
			for i := range nx {
				got, mirror := m.At(i, j, 2), other.At(nx-1-i, j, 2)
				if beside := round.At(i, j, 2); i+j > 0 && *beside != *got {
					t.Fatalf("trial %d, cell %d, %d: %+v with a circle elsewhere, %+v without", trial, i, j, *beside,
						*got)
				}
				// Edges are FP32, and parts below a millionth of a cell's width are rounding.
				for n, pair := range [][2]float64{
					{got.C, heat[j][i]}, {got.K[2], up[j][i]}, {got.C, mirror.C}, {got.K[0], mirror.K[0]},
					{got.K[1], mirror.K[1]},
					{got.Half[west], mirror.Half[east]}, {got.Half[east], mirror.Half[west]},
					{got.Half[south], mirror.Half[south]},
				} {
					if math.Abs(pair[0]-pair[1]) > 2e-5*pair[1] {
						t.Fatalf("trial %d, cell %d, %d, property %d: %.9g, want %.9g", trial, i, j, n, pair[0],
							pair[1])
					}
				}
			}
		}
	}
}

// A rod of silicon with power per length q ends anywhere in a cell that else holds air; it is cooled at its other end.
// Its free end is q L^2 / (2 k A) warmer than that.
func TestEndInACellOfAir(t *testing.T) {
	const (
		cells, width, k = 6, 1e-3, 130.0
		q               = 1000.0
	)
	for _, shape := range []bool{false, true} {
		for _, part := range []float64{0.001, 0.01, 0.1, 0.25, 0.49, 0.8} {
			length := (cells - 1 + part) * width
			r := stack.Rect{Width: length, Height: width}
			s := &stack.Stack{Ambient: 300, Size: [2]float64{cells * width, width},
				Grid: stack.Grid{X: stack.Axis{Cells: cells}, Y: stack.Axis{Cells: 1}},
				Materials: []stack.Material{{Name: "air", K: [3]float64{0.026, 0.026, 0.026}, C: 1e3},
					{Name: "silicon", K: [3]float64{k, k, k}, C: 1e6}},
				Layers: []stack.Layer{{Name: "rod", Thickness: width, Cells: 1,
					Regions: []stack.Region{{Material: 1, Rect: r}},
					Powers:  []stack.Power{{Area: r, Uniform: q * length}}}}}
			if shape {
				s.Layers[0].Regions[0].Shape = geometry.Polygon{{}, {X: length}, {X: length, Y: width}, {Y: width}}
			}
			m := mustBuild(t, s)
			var coupling [cells]float64
			m.CouplingX(0, 0, coupling[:])
			flow := q * length
			rise := flow * width / 2 / (k * width * width)
			for i, w := range m.Power.Layers[0].Watts()[:cells-1] {
				flow -= w
				rise += flow / coupling[i]
			}
			if want := q * length * length / 2 / (k * width * width); math.Abs(rise-want) > 0.03*want {
				t.Errorf("shape %v: the end in %g of a cell of air is %.3f K warmer, want %.3f", shape, part,
					rise, want)
			}
		}
	}
}

// A cell is open space or solid, whichever covers more, so that open space does not connect board and lid past the body
// between them. The rest of a solid cell is its largest material.
func TestOpenSpaceTakesPartInNoMixture(t *testing.T) {
	for _, shape := range []bool{false, true} {
		for _, tt := range []struct {
			body, die float64 // west parts of a cell that they cover
			kz, kx    float64
		}{{0.4, 0.2, 1000, 1e-5}, {0.6, 0, 5, 5}, {0.7, 0.3, 0.3*100 + 0.7*5, 0}} {
			s := &stack.Stack{Size: [2]float64{1e-3, 1e-3},
				Grid: stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}},
				Materials: []stack.Material{{Name: packaging.OpenSpace, K: [3]float64{1e-5, 1e-5, 1000}, C: 1e3},
					{Name: "body", K: [3]float64{5, 5, 5}, C: 1e6},
					{Name: "die", K: [3]float64{100, 100, 100}, C: 1e6}},
				Layers: []stack.Layer{{Name: "l", Thickness: 1e-3, Cells: 1}}}
			for n, part := range []float64{tt.body, tt.die} {
				r := stack.Region{Material: n + 1, Rect: stack.Rect{Width: part * 1e-3, Height: 1e-3}}
				if shape {
					r.Shape = r.Box().Polygon()
				}
				if part > 0 {
					s.Layers[0].Regions = append(s.Layers[0].Regions, r)
				}
			}
			got := mustBuild(t, s).At(0, 0, 0)
			if math.Abs(got.K[2]-tt.kz) > 1e-5*tt.kz || tt.kx > 0 && got.K[0] != tt.kx {
				t.Errorf("shape %v, %g of body, %g of die: k %v, want %g along z and %g along x", shape, tt.body,
					tt.die, got.K, tt.kz, tt.kx)
			}
		}
	}
}
