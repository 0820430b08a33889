package guess

import (
	"math"
	"testing"

	"thermsim/internal/testtier"
)

// chain is a continuation that has seen differences whose last is at place n of a sequence of vectors.
func chain(n int, difference func(n int) []float64) *Continuation {
	c := &Continuation{linked: 5, known: 5}
	for i := range c.gram {
		for j := range c.gram {
			for k, v := range difference(n - i) {
				c.gram[i][j] += v * difference(n - j)[k]
			}
		}
	}
	return c
}

// guess is the next difference that the weights make of those before it, and how far it is from what it should be.
func guess(a [4]float64, n int, difference func(n int) []float64) (wrong, size float64) {
	for k, want := range difference(n + 1) {
		got := 0.0
		for i, w := range a {
			got += w * difference(n - i)[k]
		}
		wrong, size = wrong+(got-want)*(got-want), size+want*want
	}
	return math.Sqrt(wrong), math.Sqrt(size)
}

// decay is a sum of modes that each fall by a factor in a step, of any sizes in many places.
func decay(factors []float64) func(n int) []float64 {
	return func(n int) []float64 {
		d := make([]float64, 40)
		for m, f := range factors {
			for k := range d {
				d[k] += math.Sin(float64(1+3*k*(m+1))) * math.Pow(f, float64(n))
			}
		}
		return d
	}
}

// So many modes as weights are followed exactly, and only as many weights are used as there are modes: the modes'
// factors are the roots of z^m = sum of a_i z^(m-i).
func TestGuessFollowsModes(t *testing.T) {
	for m := 1; m <= 4; m++ {
		factors := []float64{0.9, 0.35, 0.6, 0.2}[:m]
		difference := decay(factors)
		a := chain(5, difference).weights(4, false)
		if wrong, size := guess(a, 5, difference); wrong > 1e-5*size {
			t.Errorf("%d modes: the guess is wrong by %g of %g", m, wrong, size)
		}
		for i := m; i < len(a); i++ {
			if a[i] != 0 {
				t.Errorf("%d modes: weight %d is %g", m, i, a[i])
			}
		}
		for _, f := range factors {
			sum := 0.0
			for i, w := range a {
				sum += w * math.Pow(f, float64(-1-i))
			}
			if math.Abs(sum-1) > 1e-4 {
				t.Errorf("%d modes: the weights %g follow no mode of factor %g", m, a, f)
			}
		}
	}
}

// With more modes than weights, as many as a stack has, the guess errs by no more than what the weights leave of the
// last difference, nor than that difference itself.
func TestGuessErrsByLessThanTheRest(t *testing.T) {
	t.Parallel()
	var factors []float64
	for m := range 30 {
		factors = append(factors, 1/(1+0.01*math.Pow(1.4, float64(m))))
	}
	difference := decay(factors)
	for n := 4; n < testtier.Pick(15, 40); n += 5 {
		for links := 0; links <= 4; links++ {
			c := chain(n, difference)
			a := c.weights(links, false)
			shifted := func(at int) []float64 { return difference(at - 1) }
			rest, last := guess(a, n, shifted)
			wrong, _ := guess(a, n, difference)
			if wrong > rest*(1+1e-9) || rest > last*(1+1e-9) {
				t.Errorf("difference %d, %d behind it: the guess is wrong by %g, the weights leave %g of %g", n, links,
					wrong, rest, last)
			}
		}
	}
}

// Where every step has another power, nothing follows from the steps before unless they show it; what leads nowhere is
// no guess.
func TestGuessOfDrivenSteps(t *testing.T) {
	sine := func(n int) []float64 {
		s, c := math.Sincos(0.3 * float64(n))
		return []float64{s, c, 2*s - c, 1}
	}
	a := chain(9, sine).weights(4, true)
	if wrong, size := guess(a, 9, sine); wrong > 1e-5*size {
		t.Errorf("of powers that follow a sine the guess is wrong by %g of %g", wrong, size)
	}
	random := func(n int) []float64 {
		d := make([]float64, 40)
		for k := range d {
			d[k] = math.Sin(float64(1e4*(k+1)) * math.Sin(float64(n*n+7)))
		}
		return d
	}
	if a := chain(9, random).weights(4, true); a != [4]float64{} {
		t.Errorf("of powers by chance the weights are %g", a)
	}
	strange := chain(9, random)
	strange.gram[0][2], strange.gram[2][2] = math.NaN(), math.NaN()
	for n := range 5 {
		for _, w := range strange.weights(n, false) {
			if w-w != 0 {
				t.Errorf("a product that is no number makes weights %g", strange.weights(n, false))
			}
		}
	}
}
