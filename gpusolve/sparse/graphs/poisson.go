package graphs

import (
	"math/rand/v2"

	"thermsim/gpusolve/sparse"
)

// Coefficients of a Poisson problem.
type Coefficients int

// The problems that solvers of Laplacians are often compared on.
const (
	Uniform      Coefficients = iota // 1 everywhere
	Anisotropic                      // 1 along x and y, 1/100 along z
	HighContrast                     // cubes of 9 cells a side of 1 or 1e5, drawn at random; couplings are harmonic means
)

func (c Coefficients) String() string {
	return [...]string{"uniform", "anisotropic", "high contrast"}[c]
}

// Poisson is the seven-point matrix of -div(k grad u) on side^3 cells of unit size, u = 0 on the neighbours beyond all faces: side^3 unknowns and 7 side^3 - 6 side^2
// entries, 14.3 million and 100 million at a side of 243.
func Poisson(side int, c Coefficients) *sparse.Diagonals {
	const block, contrast, weak = 9, 1e5, 0.01
	d := sparse.NewDiagonals(side, side, side)
	blocks := (side + block - 1) / block
	k := make([]float64, blocks*blocks*blocks)
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range k {
		k[i] = 1
		if c == HighContrast && rng.IntN(2) == 1 {
			k[i] = contrast
		}
	}
	at := func(x, y, z int) float64 { return k[((z/block)*blocks+y/block)*blocks+x/block] }
	scale := [3]float64{1, 1, 1}
	if c == Anisotropic {
		scale[2] = weak
	}
	for z, cell := 0, 0; z < side; z++ {
		for y := range side {
			for x := range side {
				own := at(x, y, z)
				link := func(band []float64, offset, place int, w float64, next func() float64) {
					if place == 0 {
						d.Main[cell] += w * own
					}
					if place == side-1 {
						d.Main[cell] += w * own
						return
					}
					other := next()
					g := w * 2 * own * other / (own + other)
					band[cell] = -g
					d.Main[cell] += g
					d.Main[cell+offset] += g
				}
				link(d.X, 1, x, scale[0], func() float64 { return at(x+1, y, z) })
				link(d.Y, side, y, scale[1], func() float64 { return at(x, y+1, z) })
				link(d.Z, side*side, z, scale[2], func() float64 { return at(x, y, z+1) })
				cell++
			}
		}
	}
	return d
}
