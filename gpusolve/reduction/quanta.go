package reduction

import (
	"math"

	"thermsim/gpusolve/ops"
)

// Quanta reduces planes by maximum over squares of Factor x Factor cells, and counts temperatures in quanta (K) above
// Base (K).
type Quanta struct {
	Factor        int
	Base, Quantum float64
}

// Missing marks cells without a finite temperature, and Widest is the largest count: farther temperatures are cut off.
const (
	Missing = -1 << 30
	Widest  = 1 << 28
)

// Side is the number of squares along n cells.
func (q Quanta) Side(n int) int { return (n + q.Factor - 1) / q.Factor }

// Plane rounds a plane of nx cells a row (K) to quanta. Cells without a number are passed over where a square has
// others.
func (q Quanta) Plane(dst []int32, kelvin []float64, nx int) {
	if q.Factor > 1 {
		kelvin = Squares(kelvin, nx, q.Factor)
	}
	for n, v := range kelvin {
		dst[n] = q.round(v)
	}
}

func (q Quanta) round(kelvin float64) int32 {
	v := math.Round((kelvin - q.Base) / q.Quantum)
	switch {
	case v-v != 0:
		return Missing
	case math.Abs(v) > Widest:
		return int32(math.Copysign(Widest, v))
	}
	return int32(v)
}

// Squares reduces a plane of nx cells a row by maximum over squares of n x n cells.
func Squares[T float64 | int32](plane []T, nx, n int) []T {
	ny := len(plane) / nx
	w, h := (nx+n-1)/n, (ny+n-1)/n
	out := make([]T, w*h)
	for j := range ny {
		line := out[j/n*w:][:w]
		row := plane[j*nx:][:nx]
		fresh := j%n == 0
		for p := range line {
			cells := row[p*n : min((p+1)*n, nx)]
			best := cells[0]
			for _, v := range cells[1:] {
				if v > best || best != best {
					best = v
				}
			}
			if fresh || best > line[p] || line[p] != line[p] {
				line[p] = best
			}
		}
	}
	return out
}

// Bins say which cells of an axis each of them shows: First[b] to Last[b], both included.
type Bins struct{ First, Last []int32 }

// Maxima shows the planes from Planes[0] up to, but without, Planes[1] in bins along x and y, by maximum: that of the
// planes cell by cell first, then over the rows of a column, then over the columns. A temperature that is no number
// stays where it is the first.
type Maxima struct {
	Planes [2]int
	X, Y   Bins
}

// Count is the number of bins.
func (m *Maxima) Count() int { return len(m.X.First) * len(m.Y.First) }

// Binning is a Reducer that shows planes in bins where they are.
type Binning interface {
	Reducer
	// Maxima fills dst with the bins of x, x fastest. offset is added to every value. It says false, and has done
	// nothing, where the device has no memory left for it.
	Maxima(x ops.Vector, offset float64, m *Maxima, dst []float64) (done bool)
}

// Row fills dst with row q of the bins. planes are those from Planes[0] on, of nx cells a row; scratch has nx values.
func (m *Maxima) Row(dst []float64, q int, planes [][]float64, offset float64, nx int, scratch []float64) {
	for j := int(m.Y.First[q]); j <= int(m.Y.Last[q]); j++ {
		row, first := planes[0][j*nx:][:nx], j == int(m.Y.First[q])
		for i, cell := range row {
			cell += offset
			for _, plane := range planes[1:] {
				if v := plane[j*nx+i] + offset; v > cell {
					cell = v
				}
			}
			if first || cell > scratch[i] {
				scratch[i] = cell
			}
		}
	}
	for p := range dst {
		best := scratch[m.X.First[p]]
		for _, v := range scratch[m.X.First[p]+1 : m.X.Last[p]+1] {
			if v > best {
				best = v
			}
		}
		dst[p] = best
	}
}

// Of shows one plane of nx cells a row.
func (m *Maxima) Of(plane []float64, nx int) []float64 {
	w := len(m.X.First)
	out, scratch := make([]float64, m.Count()), make([]float64, nx)
	for q := range m.Y.First {
		m.Row(out[q*w:(q+1)*w], q, [][]float64{plane}, 0, nx, scratch)
	}
	return out
}
