package reduction

import "math"

// Quanta reduces planes by maximum over squares of Factor x Factor cells, and counts temperatures in quanta (K) above
// Base (K).
type Quanta struct {
	Factor        int
	Base, Quantum float64
}

// Missing stands for cells without a finite temperature, and Widest is the largest count: farther temperatures are cut
// off.
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
