package analytic

import "testing"

var block = Manufactured{A: 4e-3, B: 3e-3, L: 0.5e-3, K: [3]float64{20, 50, 10}, Mu: 1.2, Amplitude: 0.4}

// The source must equal -div(k grad rise), here by central differences, and be positive.
func TestManufacturedSource(t *testing.T) {
	const d = 1e-6
	for _, p := range [][3]float64{{1e-3, 0.4e-3, 0.1e-3}, {3.7e-3, 0.2e-3, 0.4e-3}, {2.1e-3, 2.9e-3, 0.25e-3}} {
		laplacian := 0.0
		for axis := range 3 {
			lo, hi := p, p
			lo[axis] -= d
			hi[axis] += d
			laplacian += block.K[axis] * (block.Rise(lo[0], lo[1], lo[2]) + block.Rise(hi[0], hi[1], hi[2]) -
				2*block.Rise(p[0], p[1], p[2])) / (d * d)
		}
		lo := [3]float64{p[0] - d, p[1] - d, p[2] - d}
		hi := [3]float64{p[0] + d, p[1] + d, p[2] + d}
		near(t, "source density", block.Watts(lo, hi)/(8*d*d*d), -laplacian, 1e-3)
		if laplacian >= 0 {
			t.Errorf("source at %v is negative", p)
		}
	}
}

// All the heat must leave through the cooled face: H times the integral of the rise there.
func TestManufacturedBalance(t *testing.T) {
	const n = 200
	out := 0.0
	for i := range n {
		for j := range n {
			out += block.H() * block.Rise((float64(i)+0.5)/n*block.A, (float64(j)+0.5)/n*block.B, block.L) / (n * n)
		}
	}
	near(t, "heat out", out*block.A*block.B, block.Watts([3]float64{}, [3]float64{block.A, block.B, block.L}), 1e-9)
}
