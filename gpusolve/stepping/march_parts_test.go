package stepping

import (
	"math"
	"testing"

	"thermsim/gpusolve/driver"
)

// The error of a step falls with the third power of its length: so many halves bring it below one, but no more than six
// at a time.
func TestHalvesThatAnErrorAsksFor(t *testing.T) {
	for excess, want := range map[float64]int{1.1: 1, 8: 1, 8.1: 2, 64: 2, 512: 3, 513: 4, 1e9: 6, math.Inf(1): 3} {
		if got := shorter(excess); got != want {
			t.Errorf("an error %g times too large asks for %d halves, want %d", excess, got, want)
		}
		if got := math.Pow(8, -float64(shorter(excess))) * excess; excess < 1e5 && got > 1 {
			t.Errorf("an error %g times too large is then %g times", excess, got)
		}
	}
}

// Means over a run are joules by seconds; coolant is a way out as faces are, and nothing flowing is no imbalance.
func TestMeansOfARun(t *testing.T) {
	q := heat{in: 12, leaked: 2, stored: 4, coolant: []float64{6}}
	q.faces[1], q.faces[3] = 5, -1
	b := q.mean(2, &Engine{})
	if b.In != 7 || b.Stored != 2 || b.ByFace[1] != 2.5 || b.ByFace[3] != -0.5 || b.Coolant[0] != 3 || b.Out != 5 ||
		b.Scale != 7 || b.ImbalanceRel != 0 {
		t.Errorf("%+v", b)
	}
	q.in++
	if b := q.mean(2, &Engine{}); math.Abs(b.ImbalanceRel-0.5/7.5) > 1e-15 {
		t.Errorf("half a watt of 7.5 is missing: %+v", b)
	}
	if b := (&heat{}).mean(2, &Engine{}); b.ImbalanceRel != 0 {
		t.Errorf("nothing flows: %+v", b)
	}
	if b := (&heat{in: 1}).mean(1, &Engine{Exchanged: 1e9}); b.Scale != idleShare*1e9 {
		t.Errorf("a scale of %g W, want that of the faces", b.Scale)
	}
}

// A step may take an equal part of what the steps before have left of the tolerance, told as the tolerance of a whole
// run of such steps, and never less than its own.
func TestAllowanceOfSteps(t *testing.T) {
	r := &stepper{opts: driver.Options{Tol: 1e-4}, plan: TransientOptions{Steps: 10}}
	for _, c := range []struct {
		spent float64
		n     int
		want  float64
	}{{0, 0, 1e-4}, {2e-5, 5, 1.6e-4}, {5e-5, 5, 1e-4}, {0, 9, 1e-3}, {2e-4, 5, 1e-4}, {1e-4, 5, 1e-4}} {
		r.errorK = c.spent
		if got := r.allowance(c.n); math.Abs(got-c.want) > 1e-18 {
			t.Errorf("step %d after %g K: %g K, want %g", c.n, c.spent, got, c.want)
		}
	}
}
