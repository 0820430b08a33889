package report

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/field"
	"thermsim/report/quantity"
	"thermsim/stack"
)

// ErrIncomparable reports stacks that cannot be compared.
var ErrIncomparable = errors.New("the stacks cannot be compared")

// overlay interpolates the field of one run to the grid of another.
type overlay struct {
	same    bool
	field   solution.Field
	grid    *mesh.Mesh
	from    *mesh.Mesh
	planes  []int // plane of from for every plane of the grid; -1 if the layer is missing
	missing []string
	x, y    []float64 // centres of the grid's cells, in m
	plane   []float64
}

// newOverlay interpolates the field of b to the grid of a.
func newOverlay(a, b *Run) (*overlay, error) {
	s, t := a.Mesh.Stack, b.Mesh.Stack
	for axis := range s.Size {
		if math.Abs(s.Size[axis]-t.Size[axis]) > 1e-6*s.Size[axis] {
			return nil, fmt.Errorf("%w: their sizes are %s x %s and %s x %s mm; expected equal sizes",
				ErrIncomparable,
				quantity.Trimmed(s.Size[0]*1e3), quantity.Trimmed(s.Size[1]*1e3), quantity.Trimmed(t.Size[0]*1e3),
				quantity.Trimmed(t.Size[1]*1e3))
		}
	}
	o := &overlay{field: b.Solution.Field, grid: a.Mesh, from: b.Mesh, planes: make([]int, a.Mesh.NZ())}
	found := false
	for l := range s.Layers {
		n := slices.IndexFunc(t.Layers, func(y stack.Layer) bool { return y.Name == s.Layers[l].Name })
		span := a.Mesh.LayerPlanes[l]
		if n < 0 {
			o.missing = append(o.missing, s.Layers[l].Name)
		}
		for k := span[0]; k < span[1]; k++ {
			o.planes[k] = -1
			if n >= 0 {
				found = true
				theirs := b.Mesh.LayerPlanes[n]
				share := (float64(k-span[0]) + 0.5) / float64(span[1]-span[0])
				o.planes[k] = theirs[0] + int(share*float64(theirs[1]-theirs[0]))
			}
		}
	}
	if !found {
		return nil, fmt.Errorf("%w: they have no layer with the same name", ErrIncomparable)
	}
	for l := range t.Layers {
		if !slices.ContainsFunc(s.Layers, func(y stack.Layer) bool { return y.Name == t.Layers[l].Name }) {
			o.missing = append(o.missing, t.Layers[l].Name)
		}
	}
	o.same = slices.Equal(a.Mesh.X, b.Mesh.X) && slices.Equal(a.Mesh.Y, b.Mesh.Y)
	if o.same {
		return o, nil
	}
	o.plane = make([]float64, b.Mesh.NX()*b.Mesh.NY())
	o.x, o.y = field.Centres(a.Mesh.X), field.Centres(a.Mesh.Y)
	return o, nil
}

// has reports whether both stacks have layer l of the grid.
func (o *overlay) has(l int) bool {
	return o.planes[o.grid.LayerPlanes[l][0]] >= 0
}

// Plane reads plane k of the grid. If the grids differ, it interpolates to cell centers as probes do. It is NaN if the
// layer is missing.
func (o *overlay) Plane(k int, dst []float64) error {
	from := o.planes[k]
	if from < 0 {
		for n := range dst {
			dst[n] = math.NaN()
		}
		return nil
	}
	if o.same {
		return o.field.Plane(from, dst)
	}
	if err := o.field.Plane(from, o.plane); err != nil {
		return err
	}
	warm := o.from.Warmed(func(plane, cell int) (float64, bool) { return o.plane[cell], plane == from })
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for j := range o.y {
		g.Go(func() error {
			o.row(warm, from, j, dst[j*len(o.x):][:len(o.x)])
			return nil
		})
	}
	return g.Wait()
}

// row interpolates row j of the grid in plane from of the other field. The mesh has the properties at the temperatures
// of that field.
func (o *overlay) row(m *mesh.Mesh, from, j int, dst []float64) {
	for i, x := range o.x {
		at := m.InPlane(from, x, o.y[j])
		v := at.Constant
		for n, w := range at.Weight {
			if w != 0 {
				v += w * o.plane[at.Cell[n]]
			}
		}
		dst[i] = v
	}
}
