package fourier

import (
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/internal/testtier"
)

// segments are cells of a graded axis: twice the same refined stretch, as of two equal dies, whose modes come in pairs
// that agree to rounding.
func segments(n int, ratio float64) []float64 {
	edges := []float64{0}
	for i := range n {
		at := math.Abs(math.Sin(2 * math.Pi * (float64(i) + 0.5) / float64(n)))
		edges = append(edges, edges[i]+math.Pow(ratio, at))
	}
	return relativeWidths(edges)
}

// The vectors satisfy their definition, also on grids with widths from 1 to 1e6 and with pairs of equal eigenvalues:
// V^T W V = 1 up to rounding, and so each D v = l W v: of its own terms, and of l for vectors of length 1.
func TestBasisDiagonalises(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 15))
	for _, n := range testtier.Pick([]int{1, 2, 3, 10, 101, 160}, []int{1, 2, 3, 10, 101, 160, 400}) {
		for ends := Adiabatic; ends <= HeldHigh; ends++ {
			for _, w := range [][]float64{randomWidths(rng, n), segments(n, 1), segments(n, 10), segments(n, 1e6)} {
				a := axis{n: n, ends: ends, widths: w, basis: &memo{}}
				b, err := a.eigenbasis()
				if err != nil {
					t.Fatal(err)
				}
				checkBasis(t, a, b)
			}
		}
	}
}

func checkBasis(t *testing.T, a axis, b *eigenbasis) {
	t.Helper()
	n, w, c := a.n, a.widths, a.couplings()
	const unit = 1e-14
	limit := unit * math.Sqrt(float64(n))
	for k, l := range b.eigenvalues {
		v := b.vectors[k*n : (k+1)*n]
		if k > 0 && l < b.eigenvalues[k-1] {
			t.Fatalf("%d cells, ends %d: eigenvalue %d is %g after %g", n, a.ends, k, l, b.eigenvalues[k-1])
		}
		for other := range k + 1 {
			sum, want := 0.0, 0.0
			for i := range n {
				sum += v[i] * w[i] * b.vectors[other*n+i]
			}
			if other == k {
				want = 1
			}
			if math.Abs(sum-want) > limit {
				t.Fatalf("%d cells, ends %d: product of vectors %d and %d is %g", n, a.ends, k, other, sum)
			}
		}
		for i := range n {
			flow, size := (c[i]+c[i+1])*v[i], (c[i]+c[i+1])/math.Sqrt(w[i]) // a vector is W^-1/2 times one of length 1
			if i > 0 {
				flow, size = flow-c[i]*v[i-1], size+c[i]/math.Sqrt(w[i-1])
			}
			if i+1 < n {
				flow, size = flow-c[i+1]*v[i+1], size+c[i+1]/math.Sqrt(w[i+1])
			}
			if d := math.Abs(flow - l*w[i]*v[i]); d > limit*(size+l*math.Sqrt(w[i])) {
				t.Fatalf("%d cells, ends %d: vector %d leaves %g of %g in cell %d", n, a.ends, k, d, size, i)
			}
		}
	}
}

// Of equal cells the eigenvalues are those of cosines and sines, to a few roundings of each, the smallest too.
func TestBasisOfEqualCells(t *testing.T) {
	for _, n := range []int{1, 2, 7, 64, 150} {
		for ends := Adiabatic; ends <= HeldHigh; ends++ {
			a := axis{n: n, ends: ends, widths: segments(n, 1), basis: &memo{}}
			b, err := a.eigenbasis()
			if err != nil {
				t.Fatal(err)
			}
			for k, want := range ends.eigenvalues(n) {
				if math.Abs(b.eigenvalues[k]-want) > 1e-14*math.Sqrt(float64(n))*want {
					t.Errorf("%d cells, ends %d: eigenvalue %d is %.17g, want %.17g", n, ends, k, b.eigenvalues[k],
						want)
				}
			}
		}
	}
}
