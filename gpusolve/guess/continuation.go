package guess

import (
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/snapshot"
)

// Continuation guesses the state at the end of a step from the differences of the states before it: d0 is that of the
// last two, d1 the one before it, and so on. While the power stays the same, each determines the next.
//
//	next = G d0,  d0 = G d1,  d1 = G d2 ...,  G = (C/dt + A)^-1 C/dt.
//
// This also holds where the last of them is the difference of the step in which the power changed. The weights a that
// fit d0 best by the differences behind it, in the sum of squares, are those of the guess for the next.
//
//	d0 = a1 d1 + a2 d2 + a3 d3 + a4 d4 + rest,  next = a1 d0 + a2 d1 + a3 d2 + a4 d3 + G rest.
//
// The error of the guess is then G rest. It is smaller than the rest in the norm of C and in the maximum norm, and the
// rest is no larger than d0.
type Continuation struct {
	Past    [4]ops.Vector // d1 to d4 when the next step begins
	gram    [5][5]float64 // inner products of d0 to d4
	linked  int           // how many differences follow from each other
	known   int           // how many there are
	changed bool          // the power of the last step was another than that of the step before it
}

func NewContinuation(sys ops.System) (c Continuation, err error) {
	for n := range c.Past {
		if c.Past[n], err = sys.New32(); err != nil {
			break
		}
	}
	return c, err
}

// Extrapolate makes x the guess for the next step, whose power is that of the last one or not, and the last state the
// former one. leaks says that powers depend on temperature.
func (c *Continuation) Extrapolate(sys ops.System, x, old ops.Vector, changes, leaks bool) {
	var weights [4]float64
	driven := changes && c.changed
	if c.known > 0 {
		for n := len(c.gram) - 1; n > 0; n-- {
			copy(c.gram[n][1:], c.gram[n-1][:4])
		}
		for n, v := range sys.Differences(x, old, c.Past) {
			c.gram[0][n], c.gram[n][0] = v, v
		}
		fitted := c.linked
		if driven {
			fitted = c.known
		}
		weights = c.weights(fitted-1, driven)
		if leaks && c.square(&weights) > c.gram[0][0] {
			weights = [4]float64{} // steps that grow must not be carried past a solution
		}
	}
	sys.Extrapolate(x, old, c.Past, weights)
	c.Past = [4]ops.Vector{c.Past[3], c.Past[0], c.Past[1], c.Past[2]}
	c.known = min(c.known+1, len(c.gram))
	if c.linked = min(c.linked+1, len(c.gram)); changes {
		c.linked = 1
	}
	c.changed = changes
}

// independent is the part of the square of a difference that must be independent of the differences before it for it to
// count: well above the rounding of FP32.
const independent = 1e-11

// growth of the sum of squares that a guess may predict: in the norm of C differences never grow while the power stays.
const growth = 4

// weights fits d0 by the n differences behind it. Where the power changes with every step, so that nothing bounds the
// guess, the fit must leave less than half of d0.
func (c *Continuation) weights(n int, driven bool) (a [4]float64) {
	if n < 1 {
		return a
	}
	var l [4][4]float64 // of Cholesky, of the inner products of d1 to dn
	var y [4]float64
	rest := c.gram[0][0]
	kept := 0
	for i := range min(n, len(a)) {
		for j := range i {
			v := c.gram[i+1][j+1]
			for q := range j {
				v -= l[i][q] * l[j][q]
			}
			l[i][j] = v / l[j][j]
		}
		pivot, v := c.gram[i+1][i+1], c.gram[0][i+1]
		for q := range i {
			pivot -= l[i][q] * l[i][q]
			v -= l[i][q] * y[q]
		}
		if !(pivot > independent*c.gram[i+1][i+1]) {
			break
		}
		l[i][i] = math.Sqrt(pivot)
		y[i] = v / l[i][i]
		rest -= y[i] * y[i]
		kept++
	}
	for i := kept - 1; i >= 0; i-- {
		v := y[i]
		for q := i + 1; q < kept; q++ {
			v -= l[q][i] * a[q]
		}
		a[i] = v / l[i][i]
	}
	if far := c.square(&a); !(far <= growth*c.gram[0][0]) || driven && !(rest <= c.gram[0][0]/4) {
		return [4]float64{}
	}
	return a
}

// square is that of the guess for the next difference.
func (c *Continuation) square(a *[4]float64) float64 {
	sum := 0.0
	for i := range a {
		for j := range a {
			if a[i] != 0 && a[j] != 0 {
				sum += a[i] * a[j] * c.gram[i][j]
			}
		}
	}
	return sum
}

// Forget leaves no past.
func (c *Continuation) Forget() { c.linked, c.known, c.changed = 0, 0, false }

// Snapshot takes what the weights go by, the vectors aside.
func (c *Continuation) Snapshot(to *snapshot.Coder) {
	to.Int(&c.linked, &c.known)
	to.Bool(&c.changed)
	for n := range c.gram {
		to.Values(c.gram[n][:])
	}
}

// Past is a state with its continuation.
type Past struct {
	Values        [][]float64
	Extrapolation Continuation // of a mesh's system, whose vectors are among the values
	Power         float64
}
