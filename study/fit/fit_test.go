package fit_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/fit"
)

const packageText = `
schema = 1
size = ["12 mm", "12 mm"]
ambient = "25 degC"
grid = { nx = 8, ny = 8 }
boundary.top = { h = "3000 W/(m^2 K)" }
boundary.bottom = { h = "400 W/(m^2 K)" }
materials.organic = { k = "15 W/(m K)", c = "1.9e6 J/(m^3 K)" }
materials.grease = { k = "4 W/(m K)", c = "2e6 J/(m^3 K)" }
[[layer]]
name = "substrate"
material = "organic"
thickness = "1 mm"
[[layer]]
name = "die"
material = "silicon"
thickness = "0.5 mm"
power = { block = [
  { name = "core", x = "1 mm", y = "1 mm", width = "4 mm", height = "4 mm", power = "20 W" },
  { name = "cache", x = "6 mm", y = "5 mm", width = "5 mm", height = "6 mm", power = "8 W" } ] }
[[layer]]
name = "tim"
material = "grease"
thickness = "80 um"
[[layer]]
name = "lid"
material = "copper"
thickness = "1.5 mm"
`

// probesText are thermocouples and diodes on three levels.
func probesText() string {
	var text strings.Builder
	for _, layer := range []string{"substrate", "die", "lid"} {
		for _, at := range []string{"a 2 3", "b 5 9", "c 8 7", "d 10 2"} {
			w := strings.Fields(at)
			text.WriteString("[[probe]]\nname = \"" + layer + w[0] + "\"\nlayer = \"" + layer + "\"\nx = \"" + w[1] +
				" mm\"\ny = \"" + w[2] + " mm\"\n")
		}
	}
	return text.String()
}

var fiveParameters = []string{"materials.grease.k=1:10 W/(m K)", "boundary.top.h=1000:10000",
	"boundary.bottom.h=100:1000", "layer.die.power.block.core.power=10:40 W", "materials.organic.k=5:50 W/(m K)"}

// load reads a stack with parameters.
func load(t *testing.T, text string, parameters []fit.Parameter, x []float64) *stack.Stack {
	t.Helper()
	var set []stackfile.Override
	for i := range parameters {
		o, err := stackfile.SetNumber(parameters[i].Key, x[i], parameters[i].Unit)
		if err != nil {
			t.Fatal(err)
		}
		set = append(set, o)
	}
	s, err := stackfile.Parse("stack.toml", []byte(text), nil, set...)
	if err != nil {
		t.Fatal(err)
	}
	for p := range s.Probes {
		s.Measured.Values = append(s.Measured.Values, stack.MeasuredValue{Probe: p, Time: math.NaN(), Kelvin: 300})
	}
	return s
}

// problem is one without values.
func problem(t *testing.T, text string, curves []fit.Curve, texts ...string) *fit.Problem {
	t.Helper()
	m := &fit.Model{Curves: curves, Solver: gpusolve.Options{Device: "cpu"}, Mesh: mesh.Build}
	p := &fit.Problem{Known: true}
	for _, text := range texts {
		one, err := fit.ParseParameter(text)
		if err != nil {
			t.Fatal(err)
		}
		p.Parameters = append(p.Parameters, one)
	}
	p.Compute = func(ctx context.Context, x []float64) ([]float64, error) {
		return m.Compute(ctx, load(t, text, p.Parameters, x))
	}
	return p
}

// measure puts the temperatures at x into a problem, with noise.
func measure(t *testing.T, p *fit.Problem, x []float64, sigma float64, noise *rand.Rand) {
	t.Helper()
	exact, err := p.Compute(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	p.Values = nil
	for _, v := range exact {
		if noise != nil {
			v += sigma * noise.NormFloat64()
		}
		p.Values = append(p.Values, fit.Value{Kind: fit.Temperature, Measured: v, Sigma: sigma})
	}
}

// fast changes the stack itself instead of reading it again, which takes most of the time of small grids.
func fast(t *testing.T, p *fit.Problem, text string) {
	base := load(t, text, nil, nil)
	m := &fit.Model{Solver: gpusolve.Options{Device: "cpu"}, Mesh: mesh.Build}
	p.Compute = func(ctx context.Context, x []float64) ([]float64, error) {
		s := *base
		s.Materials, s.Layers = slices.Clone(s.Materials), slices.Clone(s.Layers)
		organic, die, tim := s.Layers[0].Material, &s.Layers[1], s.Layers[2].Material
		s.Materials[tim].K, s.Materials[organic].K = [3]float64{x[0], x[0], x[0]}, [3]float64{x[4], x[4], x[4]}
		s.Boundary[stack.Top].H, s.Boundary[stack.Bottom].H = x[1], x[2]
		die.Powers = slices.Clone(die.Powers)
		die.Powers[0].Blocks = slices.Clone(die.Powers[0].Blocks)
		die.Powers[0].Blocks[0].Watts = x[3]
		return m.Compute(ctx, &s)
	}
}

// Five parameters of a package from 12 temperatures with noise of 0.02 K: the 95 % intervals hold the true values in
// 95 % of the trials, and the errors have the stated variance. So does the joint region, which is curved: the ellipsoid
// of the covariance holds them in about 71 % of the trials.
func TestIntervalsHold(t *testing.T) {
	trials := testtier.Pick(20, 100)
	truth := []float64{4, 3000, 400, 20, 15}
	p := problem(t, packageText+probesText(), nil, fiveParameters...)
	exact, err := p.Compute(t.Context(), truth)
	if err != nil {
		t.Fatal(err)
	}
	fast(t, p, packageText+probesText())
	if same, err := p.Compute(t.Context(), truth); err != nil || !slices.Equal(same, exact) {
		t.Fatal(err, same, exact)
	}
	noise := rand.New(rand.NewPCG(11, 7))
	within, squares, jointly := make([]int, 5), make([]float64, 5), 0
	for range trials {
		measure(t, p, truth, 0.02, noise)
		r, err := fit.Run(t.Context(), p)
		if err != nil || !r.Converged || len(r.Weak) > 0 {
			t.Fatal(err, r)
		}
		increase := -r.ChiSquare
		for n, v := range r.Values {
			increase += math.Pow((exact[n]-v.Measured)/v.Sigma, 2)
		}
		if increase <= r.Region.Increase {
			jointly++
		}
		if r.Region.Ends < 10*r.Region.Increase || math.Abs(r.Region.Increase-11.0705) > 1e-4 { // of 5 squares
			t.Errorf("joint region: got %+v; expected a curved one", *r.Region)
		}
		for i, e := range r.Fitted {
			scale := math.Log
			if !p.Parameters[i].Logarithmic() {
				scale = func(x float64) float64 { return x }
			}
			low, high := e.Interval[0], e.Interval[1]
			deviation := (scale(high) - scale(low)) / 2 / 1.959964
			squares[i] += math.Pow((scale(e.Value)-scale(truth[i]))/deviation, 2)
			if low <= truth[i] && truth[i] <= high {
				within[i]++
			}
		}
	}
	t.Logf("%d of %d joint regions hold the truth", jointly, trials)
	if jointly < testtier.Pick(15, 87) {
		t.Errorf("%d of %d joint regions hold the truth; expected 95 %%", jointly, trials)
	}
	for i := range within {
		variance := squares[i] / float64(trials)
		t.Logf("%s: %d of %d intervals hold the truth, errors have %.2f of the stated variance", p.Parameters[i].Key,
			within[i], trials, variance)
		// Outside these bounds with a probability of about 1 in 1000.
		least := testtier.Pick(15, 87)
		low, high := testtier.Pick(0.25, 0.6), testtier.Pick(2.4, 1.5)
		if within[i] < least || variance < low || variance > high {
			t.Errorf("expected 95 %%, and a variance of 1 within %g and %g", low, high)
		}
	}
}

// Thickness and conductivity of a thin layer appear in the data as their ratio only: the fit says so, and the other
// parameters keep their intervals.
func TestNamesWhatIsNotDetermined(t *testing.T) {
	p := problem(t, packageText+probesText(), nil, "materials.grease.k=1:10 W/(m K)", "layer.tim.thickness=20:200 um",
		"boundary.top.h=1000:10000")
	measure(t, p, []float64{4, 80, 3000}, 0.05, rand.New(rand.NewPCG(1, 2)))
	r, err := fit.Run(t.Context(), p)
	if err != nil || !r.Converged {
		t.Fatal(err, r)
	}
	if len(r.Weak) != 1 || !slices.Equal(r.Weak[0].Keys, []string{r.Fitted[0].Key, r.Fitted[1].Key}) ||
		r.Fitted[0].State != fit.NotDetermined || r.Fitted[1].State != fit.NotDetermined ||
		r.Fitted[2].State != fit.Fitted {
		t.Fatalf("got %+v, %+v", r.Weak, r.Fitted)
	}
	// d ln k = d ln t
	k, thickness := r.Weak[0].Changes[0]/r.Fitted[0].Value, r.Weak[0].Changes[1]/r.Fitted[1].Value
	if math.Abs(k-thickness) > 0.01*k || k < 0.15 || r.Weak[0].Effect > 0.1 {
		t.Errorf("got changes by %g and %g with an effect of %g; expected equal ones, without effect", k, thickness,
			r.Weak[0].Effect)
	}
	if ratio := r.Fitted[0].Value / r.Fitted[1].Value * 20; math.Abs(ratio-1) > 0.02 {
		t.Errorf("k/t is %g of the true one", ratio)
	}
	if h := r.Fitted[2].Interval; !(h[0] <= 3000 && 3000 <= h[1] && h[1] < 1.01*h[0]) {
		t.Errorf("h: got %v; expected 3000 within 1 %%", h)
	}
	// A prior of the thickness determines both.
	p.Parameters[1].Prior = &fit.Prior{Mean: 80, Sigma: 2}
	if r, err = fit.Run(t.Context(), p); err != nil || len(r.Weak) > 0 {
		t.Fatalf("with a prior: %v, %+v", err, r)
	}
	if e := r.Fitted[1]; math.Abs((e.Interval[1]-e.Interval[0])/2/1.96-2) > 0.1 || math.Abs(e.Value-80) > 0.1 {
		t.Errorf("thickness with a prior of 80 +- 2: got %+v", e)
	}
}

// Without noise and without known uncertainties the truth is found; a bound that excludes it is reported.
func TestExactDataAndBounds(t *testing.T) {
	p := problem(t, packageText+probesText(), nil, "materials.grease.k=1:10 W/(m K)", "boundary.top.h=1000:5000")
	measure(t, p, []float64{4, 3000}, 1, nil)
	p.Known = false
	r, err := fit.Run(t.Context(), p)
	if err != nil || !r.Converged || len(r.Weak) > 0 {
		t.Fatal(err, r)
	}
	if e := r.Fitted; math.Abs(e[0].Value-4) > 1e-3 || math.Abs(e[1].Value-3000) > 0.1 || r.Sigma > 1e-4 {
		t.Errorf("got %+v, residuals of %g K", e, r.Sigma)
	}
	p.Parameters[1].High = 2950
	if r, err = fit.Run(t.Context(), p); err != nil || !r.Converged {
		t.Fatal(err, r)
	}
	if e := r.Fitted; e[1].State != fit.AtBound || e[1].Value != 2950 || e[1].Interval != nil ||
		e[0].State != fit.Fitted {
		t.Errorf("got %+v; expected the bound 2950", r.Fitted)
	}
	p.Values = p.Values[:2]
	if _, err := fit.Run(t.Context(), p); !errors.Is(err, fit.ErrData) {
		t.Errorf("two values for two parameters: got %v", err)
	}
}

// The problem Misra1a of the Statistical Reference Datasets (National Institute of Standards and Technology): certified
// parameters, their standard deviations and the residual standard deviation.
func TestCertifiedProblem(t *testing.T) {
	y := []float64{10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78}
	x := []float64{77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0}
	p := &fit.Problem{Parameters: []fit.Parameter{{Key: "b1", Range: stackfile.Range{Low: 100, High: 600}, Start: 500},
		{Key: "b2", Range: stackfile.Range{Low: 1e-4, High: 9e-4}, Start: 1e-4}}}
	for n := range y {
		p.Values = append(p.Values, fit.Value{Kind: fit.Temperature, Measured: y[n], Scale: 1, Sigma: 1})
	}
	p.Compute = func(_ context.Context, b []float64) (values []float64, _ error) {
		for n := range x {
			values = append(values, -b[0]*math.Expm1(-b[1]*x[n]))
		}
		return values, nil
	}
	r, err := fit.Run(t.Context(), p)
	if err != nil || !r.Converged || math.Abs(r.Sigma/1.0187876330e-1-1) > 1e-6 {
		t.Fatal(err, r)
	}
	// Twice the quantile of the F distribution with 2 and 12 degrees of freedom; Ends was calculated separately.
	if g := r.Region; math.Abs(g.Increase-2*3.885294) > 1e-5 || math.Abs(g.Ends-12.164) > 0.01 {
		t.Errorf("joint region: got %+v", *g)
	}
	const quantile = 2.178813 // of Student's distribution with 12 degrees of freedom
	for i, want := range [][2]float64{{2.3894212918e2, 2.7070075241}, {5.5015643181e-4, 7.2668688436e-6}} {
		e := r.Fitted[i]
		deviation := (e.Interval[1] - e.Interval[0]) / 2 / quantile
		if math.Abs(e.Value/want[0]-1) > 1e-5 || math.Abs(deviation/want[1]-1) > 1e-4 {
			t.Errorf("%s: got %g with a standard deviation of %g; expected %g", e.Key, e.Value, deviation, want)
		}
	}
}
