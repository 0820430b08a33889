package fourier

import "math"

// Gain bounds the largest error in K that a residual of at most 1 W in every cell stands for, the maximum norm of the
// inverse. A is an M-matrix, so it is the largest value of the state that 1 W in every cell leads to, and ground that
// is left out only makes it larger. Left out are the held sides, or all but those along one axis; the least of the
// bounds counts.
func (l *Layered) Gain() float64 {
	return min(l.columnGain(), axisGain(l.NX, l.X, l.GX), axisGain(l.NY, l.Y, l.GY))
}

// columnGain solves the column of a laterally uniform state.
func (l *Layered) columnGain() float64 {
	toGround, sums := make([]float64, l.NZ), make([]float64, l.NZ)
	for k := range l.NZ {
		toGround[k], sums[k] = l.ground(k), 1
		if k > 0 {
			f := l.GZ[k] / (l.GZ[k] + toGround[k-1])
			toGround[k] += f * toGround[k-1]
			sums[k] += f * sums[k-1]
		}
	}
	top := l.NZ - 1
	if toGround[top] == 0 {
		return math.Inf(1)
	}
	x := sums[top] / toGround[top]
	largest := x
	for k := top - 1; k >= 0; k-- {
		x = (sums[k] + l.GZ[k+1]*x) / (toGround[k] + l.GZ[k+1])
		largest = max(largest, x)
	}
	return largest
}

// axisGain is that of rows of n cells each, of which the ends lead to the ground.
func axisGain(n int, ends Ends, g []float64) float64 {
	least := math.Inf(1)
	for _, v := range g {
		least = min(least, v)
	}
	cells := float64(n)
	switch ends {
	case Held:
		return (cells*cells + 1) / 8 / least
	case HeldLow, HeldHigh:
		return cells * cells / 2 / least
	}
	return math.Inf(1)
}
