package reduce

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"

	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

const (
	// stripes is the number of parts of the cells whose sums are added in order, so that the bits do not depend on the
	// number of cores.
	stripes = 64
	// chunk is the number of cells processed together, so that they stay in a core's cache.
	chunk = 1024
	// together is the number of vectors that are multiplied with G and C before the others are read.
	together = 4
)

// operators multiply fields with G, the conductances, and C, the heat capacities, in FP64 on the processor, for any
// solver device.
type operators struct {
	sys      ops.System
	x, y     ops.Vector
	capacity []float64 // J/K
}

func newOperators(m *mesh.Mesh, dev ops.Device) (*operators, error) {
	o := &operators{capacity: make([]float64, m.Cells())}
	for k := range m.NZ() {
		for j := range m.NY() {
			m.Capacity(k, j, o.capacity[(k*m.NY()+j)*m.NX():][:m.NX()])
		}
	}
	var err error
	if o.sys, err = dev.Assemble(m, 0); err != nil {
		return nil, err
	}
	for _, v := range []*ops.Vector{&o.x, &o.y} {
		if *v, err = o.sys.New64(); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// apply sets g = G x and c = C x.
func (o *operators) apply(x []float32, g, c []float64) {
	for n, v := range x {
		c[n] = float64(v)
	}
	o.sys.Write(o.x, c)
	o.sys.Apply(o.y, o.x)
	o.sys.Read(o.y, g)
	for n, v := range o.capacity {
		c[n] *= v
	}
}

// fastest is the largest heating or cooling rate in K/s of a cell for the given watts by cell.
func (o *operators) fastest(watts []float64) float64 {
	top := 0.0
	for c, w := range watts {
		top = max(top, math.Abs(w)/o.capacity[c])
	}
	return top
}

// products are the sums v'Gx and v'Cx of vectors v, by rows, with several vectors x: columns of G x first, then those
// of C x.
func products(vectors [][]float32, columns [][]float64) []float64 {
	cells, n := len(columns[0]), len(vectors)*len(columns)
	partial := make([][]float64, stripes)
	var next atomic.Int32
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			row := make([]float64, chunk)
			for {
				s := int(next.Add(1)) - 1
				if s >= stripes {
					return
				}
				partial[s] = make([]float64, n)
				for from, end := s*cells/stripes, (s+1)*cells/stripes; from < end; from += chunk {
					to := min(from+chunk, end)
					multiply(vectors, columns, from, to, row[:to-from], partial[s])
				}
			}
		})
	}
	wait.Wait()
	for _, p := range partial[1:] {
		floats.Add(partial[0], p)
	}
	return partial[0]
}

// multiply adds the products of cells from..to-1.
func multiply(vectors [][]float32, columns [][]float64, from, to int, row, sums []float64) {
	for v := range vectors {
		for n, x := range vectors[v][from:to] {
			row[n] = float64(x)
		}
		for c := range columns {
			sums[v*len(columns)+c] += floats.Dot(row, columns[c][from:to])
		}
	}
}
