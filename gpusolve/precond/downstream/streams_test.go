package downstream

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

func (f *probe) single() ops.Vector { return f.Must(f.Sys.New32()) }

// Sums and differences of two numbers are exact to a rounding.
const eps = 1e-15

func (f *probe) elements() {
	t, y, r, s := f.double(), f.double(), f.single(), f.single()
	rv, yv := f.Random(r), f.Random(y)
	want := make([]float64, len(rv))
	f.o.residual(t, r, nil)
	f.Near("r", f.Read(t), rv, 1, 0)
	f.o.residual(t, r, y)
	floats.SubTo(want, rv, yv)
	f.Near("r - y", f.Read(t), want, 10, eps)
	f.Sys.Write(t, yv)
	f.o.residual(t, r, t)
	f.Near("r - y in place", f.Read(t), want, 10, eps)
	f.o.narrow(s, y)
	for c, v := range yv {
		want[c] = float64(float32(v))
	}
	f.Near("y in FP32", f.Read(s), want, 1, 0)
	f.o.add(y, r)
	floats.AddTo(want, yv, rv)
	f.Near("y + r", f.Read(y), want, 10, eps)
}

// sweep compares with elimination of each line's own rows, which are taken from products with unit vectors.
func (f *probe) sweep() {
	z, t := f.double(), f.double()
	zv, tv := f.Random(z), f.Random(t)
	want := slices.Clone(zv)
	for _, v := range f.Sys.Mesh().Cavities {
		for line, wet := range v.Lines {
			if !wet || !v.Of.Central {
				continue
			}
			cells := f.line(v, line)
			rows := make([][]float64, len(cells))
			for n := range rows {
				rows[n] = make([]float64, len(cells)+1)
				rows[n][len(cells)] = tv[cells[n]]
			}
			for col, c := range cells {
				unit := make([]float64, len(zv))
				unit[c] = 1
				for n, v := range f.Times(unit) {
					if row := slices.Index(cells, n); row >= 0 {
						rows[row][col] = v
					}
				}
			}
			for n, v := range gauss(rows) {
				want[cells[n]] += v
			}
		}
	}
	f.o.sweep(z, t)
	f.Near("z after a sweep", f.Read(z), want, floats.Norm(want, math.Inf(1)), 1e-11)
}

// line has the cells of a line in the order of the flow.
func (f *probe) line(v *mesh.Cavity, line int) (cells []int) {
	nx, ny, _ := f.Shape()
	for at := range nx * ny {
		if v.Line(at%nx, at/nx) == line {
			cells = append(cells, v.Fluid*nx*ny+at)
		}
	}
	if v.Backward {
		slices.Reverse(cells)
	}
	return cells
}

// gauss solves a dense system, the right side in the last column, with exchange of rows.
func gauss(a [][]float64) []float64 {
	n := len(a)
	for p := range n {
		best := p
		for r := p; r < n; r++ {
			if math.Abs(a[r][p]) > math.Abs(a[best][p]) {
				best = r
			}
		}
		a[p], a[best] = a[best], a[p]
		for r := p + 1; r < n; r++ {
			if m := a[r][p] / a[p][p]; m != 0 {
				floats.AddScaled(a[r][p:], -m, a[p][p:])
			}
		}
	}
	x := make([]float64, n)
	for p := n - 1; p >= 0; p-- {
		x[p] = (a[p][n] - floats.Dot(a[p][p+1:n], x[p+1:])) / a[p][p]
	}
	return x
}
