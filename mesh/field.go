package mesh

import (
	"fmt"
	"math"

	"thermsim/stack"
)

// PlaneReader is a temperature field that can be copied plane by plane, in K.
type PlaneReader interface {
	Plane(k int, dst []float64) error
}

// ReadField copies all planes of a field on the mesh, x fastest.
func (m *Mesh) ReadField(f PlaneReader) ([]float64, error) {
	sheet := m.NX() * m.NY()
	all := make([]float64, m.Cells())
	for k := range m.NZ() {
		if err := f.Plane(k, all[k*sheet:(k+1)*sheet]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// RemappedField is the field of one mesh on the cells of another: each cell has the mean of the field over its volume,
// which conserves the integral.
type RemappedField struct {
	of      PlaneReader
	from    *Mesh
	x, y, z [][]overlap // of each cell of the other mesh
	nx      int
	same    bool

	plane, blend, rows []float64
}

// overlap is a cell of an axis, and the share that it has of another cell.
type overlap struct {
	cell  int
	share float64
}

// sameSize is the relative difference up to which lengths count as equal.
const sameSize = 1e-6

// Remap transfers a field of another mesh to m. Both must have the same size along x, y and z; otherwise the error
// states the difference. Identical cells keep their temperatures bit for bit.
func (m *Mesh) Remap(from *Mesh, of PlaneReader) (*RemappedField, error) {
	axes := [3]struct {
		name     string
		old, now []float64
	}{{"long", from.X, m.X}, {"wide", from.Y, m.Y}, {"high", from.Z, m.Z}}
	r := &RemappedField{of: of, from: from, nx: m.NX(), same: true}
	for n, into := range []*[][]overlap{&r.x, &r.y, &r.z} {
		a := &axes[n]
		was, is := a.old[len(a.old)-1]-a.old[0], a.now[len(a.now)-1]-a.now[0]
		if math.Abs(was-is) > sameSize*is {
			return nil, fmt.Errorf("it belongs to a stack %.6g mm %s; this stack is %.6g mm %[2]s", 1e3*was, a.name,
				1e3*is)
		}
		*into = overlaps(a.old, a.now, is)
		r.same = r.same && oneToOne(*into)
	}
	r.plane = make([]float64, from.NX()*from.NY())
	r.blend = make([]float64, len(r.plane))
	r.rows = make([]float64, from.NX())
	return r, nil
}

// overlaps finds the cells of one axis that overlap each cell of another axis of the same length. Edges that differ
// only by rounding count as equal.
func overlaps(old, now []float64, length float64) [][]overlap {
	all := make([][]overlap, len(now)-1)
	first := 0
	for c := range all {
		lo, hi := now[c]-now[0], now[c+1]-now[0]
		sum := 0.0
		for o := first; o < len(old)-1; o++ {
			a, b := old[o]-old[0], old[o+1]-old[0]
			if a >= hi-1e-9*length && len(all[c]) > 0 {
				break
			}
			shared := math.Min(b, hi) - math.Max(a, lo)
			if shared <= 1e-9*math.Min(b-a, hi-lo) {
				continue
			}
			if len(all[c]) == 0 {
				first = o
			}
			all[c] = append(all[c], overlap{o, shared})
			sum += shared
		}
		for i := range all[c] {
			all[c][i].share /= sum
		}
	}
	return all
}

// oneToOne reports whether the cells are the same.
func oneToOne(axis [][]overlap) bool {
	for c, below := range axis {
		if len(below) != 1 || below[0].cell != c {
			return false
		}
	}
	return true
}

// Plane copies the temperatures in K of z plane k into dst (length nx*ny, x fastest).
func (r *RemappedField) Plane(k int, dst []float64) error {
	if err := checkPlane(k, dst, len(r.x), len(r.y), len(r.z)); err != nil {
		return err
	}
	if r.same && len(r.plane) == len(dst) {
		return r.of.Plane(k, dst)
	}
	clear(r.blend)
	for _, z := range r.z[k] {
		if err := r.of.Plane(z.cell, r.plane); err != nil {
			return err
		}
		for c, kelvin := range r.plane {
			r.blend[c] += z.share * kelvin
		}
	}
	width := r.from.NX()
	for j, below := range r.y {
		clear(r.rows)
		for _, y := range below {
			for i, kelvin := range r.blend[y.cell*width : (y.cell+1)*width] {
				r.rows[i] += y.share * kelvin
			}
		}
		row := dst[j*r.nx : (j+1)*r.nx]
		for i, under := range r.x {
			row[i] = 0
			for _, x := range under {
				row[i] += x.share * r.rows[x.cell]
			}
		}
	}
	return nil
}

func checkPlane(k int, dst []float64, nx, ny, nz int) error {
	if k < 0 || k >= nz || len(dst) != nx*ny {
		return fmt.Errorf("plane %d into %d values: the mesh has %d planes of %d x %d", k, len(dst), nz, nx, ny)
	}
	return nil
}

// InitialField is a temperature field on a mesh, defined by layers and areas: a cell that edges cut has the mean over
// its area.
type InitialField struct {
	mesh   *Mesh
	layers []stack.InitialLayer
}

// Initial defines an initial field by temperatures of layers and areas, one entry for each layer of the stack.
func (m *Mesh) Initial(layers []stack.InitialLayer) (*InitialField, error) {
	if len(layers) != len(m.Stack.Layers) {
		return nil, fmt.Errorf("initial temperatures of %d layers for a stack of %d layers", len(layers),
			len(m.Stack.Layers))
	}
	return &InitialField{m, layers}, nil
}

// Plane copies the temperatures in K of z plane k into dst (length nx*ny, x fastest).
func (f *InitialField) Plane(k int, dst []float64) error {
	m := f.mesh
	if err := checkPlane(k, dst, m.NX(), m.NY(), m.NZ()); err != nil {
		return err
	}
	l := &f.layers[m.Planes[k].Layer]
	for c := range dst {
		dst[c] = l.Kelvin
	}
	for i := range l.Areas {
		a := &l.Areas[i]
		i0, xs := coverage(m.X, a.X, a.X+a.Width)
		j0, ys := coverage(m.Y, a.Y, a.Y+a.Height)
		for j, y := range ys {
			row := dst[(j0+j)*m.NX()+i0:]
			for i, x := range xs {
				row[i] += x.length() * y.length() * (a.Kelvin - l.Kelvin)
			}
		}
	}
	return nil
}
