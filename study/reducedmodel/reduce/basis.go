package reduce

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
	"thermsim/study/reducedmodel"
)

// basis contains the directions of the projection as fields in FP32, and their products in FP64: with G and C, with the
// inputs and with the outputs. Rounding the fields to FP32 does not affect the accuracy, because the products are those
// of the rounded fields.
type basis struct {
	ops     *operators
	inputs  []functional
	outputs []functional
	fields  [][]float32
	g, c    reducedmodel.Matrix
	b       []float64 // by field and input
	l       []float64 // by field and output
	// initial heat by cell in J, relative to the field without power; nil if they are equal
	stored []float64
	heat   []float64 // by field, the product with stored
}

// extend adds fields.
func (b *basis) extend(fields [][]float32) {
	for len(fields) > 0 {
		n := min(together, len(fields))
		b.add(fields[:n])
		fields = fields[n:]
	}
}

// add adds several fields.
func (b *basis) add(fields [][]float32) {
	first, n := len(b.fields), len(fields)
	columns := make([][]float64, 2*n)
	for k := range columns {
		columns[k] = make([]float64, len(b.ops.capacity))
	}
	for k, x := range fields {
		b.ops.apply(x, columns[k], columns[n+k])
	}
	b.fields = append(b.fields, fields...)
	sums := products(b.fields, columns)
	b.g, b.c = b.g.Grown(first+n, first+n), b.c.Grown(first+n, first+n)
	for k, x := range fields {
		for v := range first + k + 1 {
			b.g.SetBoth(first+k, v, sums[v*2*n+k])
			b.c.SetBoth(first+k, v, sums[v*2*n+n+k])
		}
		if b.stored != nil {
			b.heat = append(b.heat, products([][]float32{x}, [][]float64{b.stored})[0])
		}
		b.b, b.l = append(b.b, values(b.inputs, x)...), append(b.l, values(b.outputs, x)...)
	}
}

func values(of []functional, x []float32) []float64 {
	v := make([]float64, len(of))
	for n := range of {
		v[n] = of[n].of(x)
	}
	return v
}

// model is the projection on the basis.
func (b *basis) model(like *reducedmodel.Model) (*reducedmodel.Model, error) {
	p := reducedmodel.Pencil{G: b.g, C: b.c, B: b.heats(), L: b.readings(), H: b.heat}
	m := *like
	return &m, p.Diagonal(&m)
}

// heats are the products with the inputs, fields x inputs.
func (b *basis) heats() reducedmodel.Matrix {
	return reducedmodel.Matrix{Rows: len(b.fields), Cols: len(b.inputs), Data: b.b}
}

// readings are the products with the outputs, outputs x fields.
func (b *basis) readings() reducedmodel.Matrix {
	return reducedmodel.Matrix{Rows: len(b.fields), Cols: len(b.outputs), Data: b.l}.Transposed()
}

// functional is a weighted sum of the temperatures of cells.
type functional struct {
	cells   []int32
	weights []float64
}

func (f *functional) add(cell int, weight float64) {
	if weight != 0 {
		f.cells, f.weights = append(f.cells, int32(cell)), append(f.weights, weight)
	}
}

// of a field.
func (f *functional) of(x []float32) float64 {
	sum := 0.0
	for n, c := range f.cells {
		sum += f.weights[n] * float64(x[c])
	}
	return sum
}

// heats are the watts by cell for 1 W in each input, as in the solver.
func heats(m *mesh.Mesh, sys ops.System, inputs int) ([]functional, error) {
	source, err := sys.NewSource(false)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	vectors := m.Power.Vectors()
	watts, dense := make([]float64, inputs), make([]float64, m.Cells())
	all := make([]functional, inputs)
	for i := range all {
		watts[i] = 1
		source.SetPower(vectors.Of(watts))
		watts[i] = 0
		source.Read(dense)
		for c, w := range dense {
			all[i].add(c, w)
		}
	}
	return all, nil
}

// outputsOf are the functionals of the outputs. peaks are the hottest cells of the inputs.
func outputsOf(m *mesh.Mesh, inputs []ports.Input, outputs []ports.Output, peaks []mesh.Term) []functional {
	points := ports.Points(m)
	sheet := m.NX() * m.NY()
	all := make([]functional, len(outputs))
	for n, o := range outputs {
		switch o.Kind {
		case ports.Mean:
			all[n] = meanOf(inputs[o.Of].Heated(m), m.NX(), sheet)
		case ports.Layer:
			in := &inputs[o.Of]
			all[n] = meanOf(in.Under(m, m.LayerPlanes[in.Layer]), m.NX(), sheet)
		case ports.Peak:
			all[n].add(peaks[o.Of].Plane*sheet+peaks[o.Of].Cell, 1)
		case ports.Probe:
			for _, t := range points[o.Of].Terms {
				all[n].add(t.Plane*sheet+t.Cell, t.Weight)
			}
		}
	}
	return all
}

// meanOf is the mean over rectangles of cells.
func meanOf(group []reduction.Rect, nx, sheet int) functional {
	var f functional
	total := 0.0
	for n := range group {
		r := &group[n]
		for j, y := range r.Y {
			for i, x := range r.X {
				w := x * y * r.Z
				f.add(r.Plane*sheet+(r.J+j)*nx+r.I+i, w)
				total += w
			}
		}
	}
	for n := range f.weights {
		f.weights[n] /= total
	}
	return f
}
