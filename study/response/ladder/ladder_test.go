package ladder

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// foster is the Foster network of a ladder, by the eigenvalues of C^-1/2 K C^-1/2.
func foster(t *testing.T, c *Cauer) *Foster {
	t.Helper()
	n := len(c.R)
	a := mat.NewSymDense(n, nil)
	for k := range n {
		g := 1 / c.R[k]
		a.SetSym(k, k, a.At(k, k)+g/c.C[k])
		if k+1 < n {
			a.SetSym(k+1, k+1, a.At(k+1, k+1)+g/c.C[k+1])
			a.SetSym(k, k+1, -g/math.Sqrt(c.C[k]*c.C[k+1]))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		t.Fatal("no eigenvalues")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	f := &Foster{}
	for k, lambda := range e.Values(nil) {
		f.R, f.Tau = append(f.R, v.At(0, k)*v.At(0, k)/c.C[0]/lambda), append(f.Tau, 1/lambda)
	}
	return f
}

// package5 has the sections of a die, its attach, a leadframe and what cools it.
func package5() *Cauer {
	return &Cauer{R: []float64{0.05, 0.4, 0.1, 1.2, 8}, C: []float64{2e-4, 1e-3, 0.08, 0.5, 6}}
}

func TestLadderOfAKnownNetwork(t *testing.T) {
	want := package5()
	got, err := foster(t, want).Cauer()
	if err != nil {
		t.Fatal(err)
	}
	for k := range want.R {
		if math.Abs(got.R[k]/want.R[k]-1) > 1e-9 || math.Abs(got.C[k]/want.C[k]-1) > 1e-9 {
			t.Errorf("section %d: %g K/W and %g J/K, want %g and %g", k, got.R[k], got.C[k], want.R[k], want.C[k])
		}
	}
}

// rod is the impedance of a uniform rod of 1 K/W and 1 J/K whose far end is held: Z(s) = tanh(sqrt s)/sqrt s, which has
// the poles below.
func rod(n int) *Foster {
	f := &Foster{}
	for k := range n {
		x := math.Pi * (float64(k) + 0.5)
		f.R, f.Tau = append(f.R, 2/(x*x)), append(f.Tau, 1/(x*x))
	}
	return f
}

// A rod's ladder of 100 sections has the capacitance of a uniform line. Its sections grow towards the far end, as they
// do in any ladder that ends; the last are no line.
func TestLadderOfARod(t *testing.T) {
	c, err := rod(100).Cauer()
	if err != nil {
		t.Fatal(err)
	}
	s := c.Structure()
	for k := range s.R {
		if r := s.R[k]; r > 0.1 && r < 0.65 && (math.Abs(s.C[k]/r-1) > 0.025 || math.Abs(s.K[k]-1) > 0.02) {
			t.Errorf("at %g K/W: %g J/K and %g W2 s/K2, want %g and 1", r, s.C[k], s.K[k], r)
		}
	}
}

// logTimes are so many times per decade.
func logTimes(from, to float64, perDecade int) []float64 {
	var t []float64
	for n := 0; ; n++ {
		v := from * math.Pow(10, float64(n)/float64(perDecade))
		if v > to*1.0001 {
			return t
		}
		t = append(t, v)
	}
}

func stepOf(f *Foster, times []float64) []float64 {
	var z []float64
	for _, t := range times {
		z = append(z, f.Step(t))
	}
	return z
}

// follows says that a network has the response of another, within 1 % and 1e-4 of its end.
func follows(t *testing.T, f, exact *Foster, times []float64) {
	t.Helper()
	for n, want := range stepOf(exact, times) {
		if got := f.Step(times[n]); math.Abs(got-want) > 0.01*want+1e-4*exact.Total() {
			t.Errorf("%g K/W at %g s, want %g", got, times[n], want)
		}
	}
}

// The response of a known ladder alone tells its sections: the spectrum has its peaks, and the capacitance up to each
// of its resistances is that of the ladder.
func TestStructureFunctionRecoversALadder(t *testing.T) {
	known := package5()
	exact := foster(t, known)
	times := logTimes(1e-7, 1e3, 20)
	f, err := Deconvolve(times, stepOf(exact, times), exact.Total(), 3000)
	if err != nil {
		t.Fatal(err)
	}
	follows(t, f, exact, times)
	if d := math.Abs(f.Total()/exact.Total() - 1); d > 1e-12 {
		t.Errorf("the resistances add up to %g K/W, want %g", f.Total(), exact.Total())
	}
	c, err := f.Cauer()
	if err != nil {
		t.Fatal(err)
	}
	s := c.Structure()
	r, heat := 0.0, 0.0
	for k := range known.R {
		heat += known.C[k]
		middle := r + known.R[k]/2
		r += known.R[k]
		if got := at(s, middle); math.Abs(got/heat-1) > 0.12 {
			t.Errorf("%g J/K up to the middle of section %d, want %g", got, k, heat)
		}
	}
}

// The response of a rod tells that its structure function is straight.
func TestStructureFunctionOfARodIsStraight(t *testing.T) {
	exact := rod(20000)
	times := logTimes(1e-6, 1e2, 20)
	f, err := Deconvolve(times, stepOf(exact, times), 1, 3000)
	if err != nil {
		t.Fatal(err)
	}
	follows(t, f, exact, times)
	c, err := f.Cauer()
	if err != nil {
		t.Fatal(err)
	}
	s := c.Structure()
	for _, r := range []float64{0.02, 0.05, 0.1, 0.2, 0.4, 0.6} {
		if got := at(s, r); math.Abs(got/r-1) > 0.05 {
			t.Errorf("%g J/K up to %g K/W, want %g", got, r, r)
		}
	}
}

// at reads a cumulative structure function on logarithmic axes.
func at(s *Structure, r float64) float64 {
	for k := range s.R {
		if k > 0 && s.R[k] >= r {
			part := math.Log(r/s.R[k-1]) / math.Log(s.R[k]/s.R[k-1])
			return s.C[k-1] * math.Pow(s.C[k]/s.C[k-1], part)
		}
	}
	return math.NaN()
}

func TestWhatHasNoLadder(t *testing.T) {
	for _, f := range []Foster{{}, {R: []float64{1, -1}, Tau: []float64{1, 2}}, {R: []float64{1}, Tau: []float64{0}},
		{R: []float64{math.Inf(1)}, Tau: []float64{1}}} {
		if _, err := f.Cauer(); err == nil {
			t.Errorf("%v has a ladder", f)
		}
	}
	c, err := (&Foster{R: []float64{1, 2}, Tau: []float64{3, 3}}).Cauer()
	if err != nil || len(c.R) != 1 || math.Abs(c.R[0]-3) > 1e-15 || math.Abs(c.C[0]-1) > 1e-15 {
		t.Errorf("%+v, %v: two equal time constants are one of 3 K/W and 1 J/K", c, err)
	}
	for _, z := range [][]float64{{1}, {1, math.NaN()}, {1, 2, 3}} {
		if _, err := Deconvolve([]float64{1, 2}, z, 3, 1); err == nil {
			t.Errorf("%v has a spectrum", z)
		}
	}
}

// What is cut off changes the impedance by less than its part of the resistance.
func TestFarSectionsOfHardlyAnyResistance(t *testing.T) {
	c := &Cauer{R: []float64{1, 2, 1e-5, 1e-6}, C: []float64{1, 3, 1e9, 1e12}}
	w := c.Within(1e-4)
	if len(w.R) != 2 || math.Abs(w.R[1]-2.000011) > 1e-12 {
		t.Errorf("%+v", w)
	}
	for _, s := range []float64{0, 1e-15, 1e-6, 1, 1e3} {
		if d := math.Abs(w.At(s) - c.At(s)); d > 1e-4*3 {
			t.Errorf("at %g: %g and %g", s, w.At(s), c.At(s))
		}
	}
	if w := (&Cauer{R: []float64{1}, C: []float64{2}}).Within(2); len(w.R) != 1 || w.R[0] != 1 {
		t.Errorf("%+v", w)
	}
}
