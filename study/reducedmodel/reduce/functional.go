package reduce

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
)

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

// heats are the watts that 1 W in each input brings to the cells, as the solver draws them.
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

// outputsOf are what the outputs read. peaks are the hottest cells of the inputs.
func outputsOf(m *mesh.Mesh, inputs []ports.Input, outputs []ports.Output, peaks []mesh.Term) []functional {
	points := ports.Points(m)
	sheet := m.NX() * m.NY()
	all := make([]functional, len(outputs))
	for n, o := range outputs {
		switch o.Kind {
		case ports.Mean:
			all[n] = meanOf(inputs[o.Of].Heated(m), m.NX(), sheet)
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
