package graphs

import (
	"math/rand/v2"

	"thermsim/gpusolve/sparse"
)

// Coefficients of a Poisson problem.
type Coefficients int

// The problems that solvers of Laplacians are often compared on. Those with ParAC in their name are the matrices of the
// ParAC paper (Liang et al. 2025) as its generator, Laplacians.jl, makes them at 1e8 entries: wgrid_sddm(1e8, 1e4) and
// checkered_grid_sddm(1e8, 64, 64, 64, 1e7). Its uniform problem is Uniform.
const (
	Uniform Coefficients = iota // 1 everywhere
	WeakZ                       // 1 along x and y, 1/100 along z
	// cubes of 9 cells a side of 1 or 1e5, drawn at random; couplings are harmonic means
	RandomCubes
	StrongZ          // 1 along x and y, 1000 along z
	Checkerboard     // cubes of 9 cells a side of 1 and 1e7 in turn; couplings are harmonic means
	ParACAnisotropic // 1 along x, 1e-4 along y and z
	// cubes of 3 cells a side of 1e7 and 1 in turn; a coupling has the coefficient of the lower cell
	ParACCheckered
)

// problem says what k(x, y, z) is and how couplings come of it.
type problem struct {
	name     string
	axes     [3]float64 // factors of couplings along x, y, z
	block    int        // cells a side of cubes of one coefficient, 0 for one everywhere
	contrast float64    // the coefficient of some of the cubes, 1 that of the others
	drawn    bool       // at random, rather than in turn
	// couplings have the coefficient of the cell with the lower place, rather than the harmonic mean
	lowerCell bool
}

var problems = [...]problem{
	Uniform:          {name: "uniform", axes: [3]float64{1, 1, 1}},
	WeakZ:            {name: "weak along z", axes: [3]float64{1, 1, 0.01}},
	RandomCubes:      {name: "random cubes", axes: [3]float64{1, 1, 1}, block: 9, contrast: 1e5, drawn: true},
	StrongZ:          {name: "strong along z", axes: [3]float64{1, 1, 1000}},
	Checkerboard:     {name: "checkerboard", axes: [3]float64{1, 1, 1}, block: 9, contrast: 1e7},
	ParACAnisotropic: {name: "ParAC's anisotropic", axes: [3]float64{1, 1e-4, 1e-4}},
	ParACCheckered:   {name: "ParAC's checkered", axes: [3]float64{1, 1, 1}, block: 3, contrast: 1e7, lowerCell: true},
}

// AllCoefficients lists the problems.
func AllCoefficients() []Coefficients {
	var all []Coefficients
	for c := range problems {
		all = append(all, Coefficients(c))
	}
	return all
}

func (c Coefficients) String() string { return problems[c].name }

// Poisson is the seven-point matrix of -div(k grad u) on side^3 cells of unit size, u = 0 on the neighbors beyond all
// faces. It has side^3 unknowns and 7 side^3 - 6 side^2 entries: 14.3 million and 100 million at a side of 243.
//
// Neighbours beyond a face belong to the cubes as cells do where a coupling has the coefficient of its lower cell:
// cubes begin with them. Elsewhere they have the coefficient of the cell before them.
func Poisson(side int, c Coefficients) *sparse.Diagonals {
	p := problems[c]
	at := p.coefficients(side)
	d := sparse.NewDiagonals(side, side, side)
	bands, strides := [3][]float64{d.X, d.Y, d.Z}, [3]int{1, side, side * side}
	for z, cell := 0, 0; z < side; z++ {
		for y := range side {
			for x := range side {
				position := [3]int{x, y, z}
				own := at(position)
				for axis, w := range p.axes {
					if position[axis] == 0 {
						d.Main[cell] += w * p.toFace(own, at, position, axis)
					}
					if position[axis] == side-1 {
						d.Main[cell] += w * own
						continue
					}
					g := w * p.coupling(own, at, position, axis)
					bands[axis][cell] = -g
					d.Main[cell] += g
					d.Main[cell+strides[axis]] += g
				}
				cell++
			}
		}
	}
	return d
}

// coupling of a cell with the next one along an axis.
func (p *problem) coupling(own float64, at func([3]int) float64, position [3]int, axis int) float64 {
	if p.lowerCell {
		return own
	}
	position[axis]++
	other := at(position)
	return 2 * own * other / (own + other)
}

// toFace is the coupling of a first cell with its neighbour of u = 0 below.
func (p *problem) toFace(own float64, at func([3]int) float64, position [3]int, axis int) float64 {
	if !p.lowerCell {
		return own
	}
	position[axis]--
	return at(position)
}

// coefficients gives k of a cell, counted from 0; -1 is the neighbour beyond the face.
func (p *problem) coefficients(side int) func([3]int) float64 {
	if p.block == 0 {
		return func([3]int) float64 { return 1 }
	}
	pick := [2]float64{1, p.contrast}
	if !p.drawn {
		first := 0 // the place of cell 0 in its cube
		if p.lowerCell {
			first, pick = 1, [2]float64{p.contrast, 1}
		}
		block := p.block
		return func(c [3]int) float64 { return pick[((c[0]+first)/block+(c[1]+first)/block+(c[2]+first)/block)%2] }
	}
	block, blocks := p.block, (side+p.block-1)/p.block
	k := make([]float64, blocks*blocks*blocks)
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range k {
		k[i] = pick[rng.IntN(2)]
	}
	return func(c [3]int) float64 { return k[((c[2]/block)*blocks+c[1]/block)*blocks+c[0]/block] }
}
