package verify

import (
	"cmp"
	"math"
	"slices"

	"thermsim/stack"
)

// tiledBlock is the exact solution of a block of a power map: one material, a flux that is constant on each tile of the
// top, convection on the bottom, adiabatic sides. The rise is a double cosine series.
type tiledBlock struct {
	length, height float64 // m
	k, h           float64
	modes          int       // along each axis
	flux           []float64 // amplitudes of cos(i pi x/length) cos(j pi y/length), W/m2
}

func newTiledBlock(st *stack.Stack, modes int) *tiledBlock {
	block, tiles := st.Layers[0], st.Layers[0].Powers[0].Map
	b := &tiledBlock{length: st.Size[0], height: block.Thickness, k: st.Materials[block.Material].K[0],
		h: st.Boundary[stack.Bottom].H, modes: modes, flux: make([]float64, modes*modes)}
	n := tiles.NX
	means := make([][]float64, modes) // of each cosine over the tiles, twice that for those of norm 1/2
	for i := range means {
		means[i] = make([]float64, n)
		for tile := range n {
			middle, half := math.Pi*float64(i)*(float64(tile)+0.5)/float64(n), math.Pi*float64(i)/float64(2*n)
			if means[i][tile] = 1; i > 0 {
				means[i][tile] = 2 * math.Cos(middle) * math.Sin(half) / half
			}
		}
	}
	for j := range modes {
		row := make([]float64, n)
		for tile, watts := range tiles.Values {
			row[tile%n] += means[j][tile/n] * watts
		}
		for i := range modes {
			for tile, watts := range row {
				b.flux[j*modes+i] += means[i][tile] * watts / (b.length * b.length)
			}
		}
	}
	return b
}

// response is the amplitude of the rise at a height per amplitude of the flux, in m2 K/W, for mode i, j; with
// Biot = h/(k gamma), (cosh gamma z + Biot sinh gamma z)/(k gamma (sinh gamma H + Biot cosh gamma H)).
func (b *tiledBlock) response(i, j int, z float64) float64 {
	if i+j == 0 {
		return 1/b.h + z/b.k
	}
	gamma := math.Pi / b.length * math.Hypot(float64(i), float64(j))
	biot := b.h / (b.k * gamma)
	return math.Exp(gamma*(z-b.height)) / (b.k * gamma) * (1 + biot + (1-biot)*math.Exp(-2*gamma*z)) /
		(1 + biot - (1-biot)*math.Exp(-2*gamma*b.height))
}

// seriesRises are the rises at the points of each map. Heights recur, so the responses are found once for each.
func seriesRises(blocks map[string]*tiledBlock, points map[string][][4]float64) map[string][]float64 {
	type target struct {
		name  string
		point int
		z     float64
	}
	var targets []target
	rises := map[string][]float64{}
	for name := range blocks {
		rises[name] = make([]float64, len(points[name]))
		for n, p := range points[name] {
			targets = append(targets, target{name, n, p[2]})
		}
	}
	slices.SortFunc(targets, func(a, b target) int { return cmp.Compare(a.z, b.z) })
	var responses []float64
	for n, at := range targets {
		b := blocks[at.name]
		if n == 0 || at.z != targets[n-1].z {
			responses = b.responses(at.z)
		}
		rises[at.name][at.point] = b.rise(responses, points[at.name][at.point])
	}
	return rises
}

// responses of modes 0 <= i <= j, row by row; deeper than a few wavelengths they are zero.
func (b *tiledBlock) responses(z float64) []float64 {
	all := make([]float64, b.modes*b.modes)
	for j := range b.modes {
		for i := range j + 1 {
			if math.Pi/b.length*math.Hypot(float64(i), float64(j))*(b.height-z) > 30 {
				break
			}
			v := b.response(i, j, z)
			all[j*b.modes+i], all[i*b.modes+j] = v, v
		}
	}
	return all
}

func (b *tiledBlock) rise(responses []float64, p [4]float64) float64 {
	modes := b.modes
	if deep := b.height - p[2]; deep > 0 {
		modes = min(modes, int(30*b.length/(math.Pi*deep))+1)
	}
	along := make([]float64, modes)
	for i := range along {
		along[i] = math.Cos(math.Pi * float64(i) * p[0] / b.length)
	}
	sum := 0.0
	for j := range modes {
		row := 0.0
		for i, v := range along {
			row += v * b.flux[j*b.modes+i] * responses[j*b.modes+i]
		}
		sum += row * math.Cos(math.Pi*float64(j)*p[1]/b.length)
	}
	return sum
}
