package estimates_test

import (
	"math"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/mesh"
	"thermsim/stack"
)

// network is the conductance network of a grid with all nodes eliminated, in FP64. Eliminating a node turns its star of
// conductances into the mesh of its neighbours; every term is positive, so nothing cancels, however small the
// conductances to ground are (Grassmann, Taksar, Heyman 1985).
type network struct {
	order  []int       // node of each row of the elimination
	band   int         // neighbours lie at most so many rows on
	share  [][]float64 // of the heat of a row that goes to each of the next ones
	total  []float64   // W/K, of all conductances at a row when it is eliminated
	ground []float64
}

// eliminate factors A with ground W/K from each cell to the temperatures of the faces.
func eliminate(a *sparse.Diagonals, ground []float64) *network {
	n := a.N()
	w := &network{order: make([]int, n), share: make([][]float64, n), total: make([]float64, n),
		ground: make([]float64, n)}
	size, stride := [3]int{a.NX, a.NY, a.NZ}, [3]int{1, a.NX, a.NX * a.NY}
	axes := [3]int{0, 1, 2}
	for i := range axes { // short sides first
		for j := i + 1; j < 3; j++ {
			if size[axes[j]] < size[axes[i]] {
				axes[i], axes[j] = axes[j], axes[i]
			}
		}
	}
	w.band = size[axes[0]] * size[axes[1]]
	offsets := [3]int{1, size[axes[0]], w.band}
	upper := [3][]float64{a.X, a.Y, a.Z}
	for row := range n {
		at := [3]int{row % offsets[1], row / offsets[1] % size[axes[1]], row / w.band}
		cell := 0
		for i, axis := range axes {
			cell += at[i] * stride[axis]
		}
		w.order[row], w.ground[row] = cell, ground[cell]
		w.share[row] = make([]float64, w.band+1)
		for i, axis := range axes {
			if at[i]+1 < size[axis] {
				w.share[row][offsets[i]] -= upper[axis][cell]
			}
		}
	}
	for row := range n {
		w.eliminateRow(row)
	}
	return w
}

func (w *network) eliminateRow(row int) {
	own := w.share[row][:min(w.band+1, len(w.order)-row)]
	total := w.ground[row]
	for _, g := range own {
		total += g
	}
	w.total[row] = total
	for j, g := range own {
		if g == 0 {
			continue
		}
		f := g / total
		w.ground[row+j] += f * w.ground[row]
		to := w.share[row+j]
		for k := j + 1; k < len(own); k++ {
			to[k-j] += f * own[k]
		}
	}
	for j := range own {
		own[j] /= total
	}
}

// solve returns A^-1 b.
func (w *network) solve(b []float64) []float64 {
	n := len(w.order)
	heat := make([]float64, n)
	for row, cell := range w.order {
		heat[row] = b[cell]
	}
	for row := range n {
		for j, f := range w.share[row][:min(w.band+1, n-row)] {
			heat[row+j] += f * heat[row]
		}
	}
	for row := n - 1; row >= 0; row-- {
		x := heat[row] / w.total[row]
		for j, f := range w.share[row][:min(w.band+1, n-row)] {
			x += f * heat[min(row+j, n-1)]
		}
		heat[row] = x
	}
	x := make([]float64, n)
	for row, cell := range w.order {
		x[cell] = heat[row]
	}
	return x
}

// exact solves the steady system of its mesh's powers on the processor, with corrections for the very A and b that
// solvers work on: residuals come from the executor.
func exact(s ops.System) ([]float64, error) {
	d, err := s.(ops.Forms).Diagonals()
	if err != nil {
		return nil, err
	}
	defer d.Release()
	b, err := s.NewSource(true)
	if err != nil {
		return nil, err
	}
	b.SetPower(s.Mesh().Power.Steady())
	return refined(s, b, eliminate(d.Download(), grounds(s)))
}

// refined solves for a right-hand side by the elimination of the operator.
func refined(s ops.System, b ops.Source, w *network) ([]float64, error) {
	x, err := s.New64()
	if err != nil {
		return nil, err
	}
	defer s.Release(x)
	r, err := s.NewWork()
	if err != nil {
		return nil, err
	}
	single, err := s.Single(r)
	if err != nil {
		return nil, err
	}
	field, rest := make([]float64, x.Len()), make([]float64, x.Len())
	for last := math.Inf(1); ; {
		s.Write(x, field)
		s.Residual(r, single, b, x)
		s.Read(r, rest)
		step := 0.0
		for i, v := range w.solve(rest) {
			field[i] += v
			step = math.Max(step, math.Abs(v))
		}
		if !(step < last/4) {
			return field, s.Err()
		}
		last = step
	}
}

// grounds are the conductances in W/K from each cell to the temperatures of the faces, rounded as executors do.
func grounds(s ops.System) []float64 {
	m := s.Mesh()
	g := make([]float64, m.Cells())
	nx, ny, nz := m.NX(), m.NY(), m.NZ()
	for c := range g {
		i, j, k := c%nx, c/nx%ny, c/(nx*ny)
		for f, on := range [6]bool{k == 0, k == nz-1, i == 0, i == nx-1, j == 0, j == ny-1} {
			if on {
				g[c] += float64(float32(m.FaceConductance(stack.Face(f), i, j, k)))
			}
		}
	}
	return g
}

// exactSteps are the rises after steps of backward Euler from the ambient temperature.
func exactSteps(m *mesh.Mesh, dt float64, steps int) ([]float64, error) {
	dev := host.Open()
	defer dev.Close()
	s, err := dev.Assemble(m, dt)
	if err != nil {
		return nil, err
	}
	defer s.Free()
	d, err := s.(ops.Forms).Diagonals()
	if err != nil {
		return nil, err
	}
	b, err := s.NewSource(true)
	if err != nil {
		return nil, err
	}
	old, err := s.New64()
	if err != nil {
		return nil, err
	}
	b.SetPower(m.Power.Steady())
	b.SetOld(old)
	ground, row := grounds(s), make([]float64, m.NX())
	for c := 0; c < len(ground); c += len(row) {
		m.Capacity(c/(m.NX()*m.NY()), c/m.NX()%m.NY(), row)
		for i, v := range row {
			ground[c+i] += float64(float32(v / dt))
		}
	}
	w := eliminate(d.Download(), ground)
	x := make([]float64, m.Cells())
	for range steps {
		s.Write(old, x)
		if x, err = refined(s, b, w); err != nil {
			return nil, err
		}
	}
	return x, nil
}
