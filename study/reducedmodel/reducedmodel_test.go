package reducedmodel_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"thermsim/study/reducedmodel"
)

// random is a model of means: B is the transpose of L, as in projections.
func random(seed uint64, states, inputs, probes int) *reducedmodel.Model {
	rng := rand.New(rand.NewPCG(seed, 2))
	m := &reducedmodel.Model{Title: "random", Ambient: 300, Initial: 310}
	for k := range states {
		m.Tau = append(m.Tau, math.Pow(10, -5*float64(k)/float64(states))*(1+0.1*rng.Float64()))
	}
	m.B, m.L = reducedmodel.NewMatrix(states, inputs), reducedmodel.NewMatrix(inputs+probes, states)
	for k := range states {
		for i := range inputs {
			v := (rng.Float64() - 0.3) / math.Sqrt(float64(states))
			m.B.Data[k*inputs+i] = v
			m.L.Data[i*states+k] = v
		}
		for p := range probes {
			m.L.Data[(inputs+p)*states+k] = rng.Float64() - 0.5
		}
		m.Start = append(m.Start, rng.Float64())
	}
	for i := range inputs {
		m.Inputs = append(m.Inputs, reducedmodel.Input{Name: fmt.Sprintf("die/b%d,", i), Kind: "block", Watts: 1,
			Range: 2 + float64(i)})
		m.Outputs = append(m.Outputs, reducedmodel.Output{Name: m.Inputs[i].Name, Kind: "mean", Rest: 300, Of: i})
	}
	for p := range probes {
		m.Outputs = append(m.Outputs, reducedmodel.Output{Name: fmt.Sprintf("probe/p%d", p), Kind: "probe", Rest: 301.5,
			Of: -1})
	}
	return m
}

// pencil is a random symmetric positive pair of matrices, with a direction that depends on the others.
func pencil(n int) *reducedmodel.Pencil {
	rng := rand.New(rand.NewPCG(4, 4))
	definite := func() reducedmodel.Matrix {
		a := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				a.Set(i, j, rng.NormFloat64())
			}
		}
		s := reducedmodel.NewMatrix(n, n)
		mat.NewDense(n, n, s.Data).Mul(a, a.T())
		return s
	}
	p := &reducedmodel.Pencil{G: definite(), C: definite(), B: reducedmodel.NewMatrix(n, 2),
		L: reducedmodel.NewMatrix(3, n), H: make([]float64, n)}
	for _, v := range [][]float64{p.B.Data, p.L.Data, p.H} {
		for k := range v {
			v[k] = rng.NormFloat64()
		}
	}
	return p
}

// The modes of a pencil answer at real frequencies as its matrices do, solved by a dense factorisation.
func TestDiagonalKeepsThePencil(t *testing.T) {
	const n = 9
	p := pencil(n)
	m := &reducedmodel.Model{Inputs: make([]reducedmodel.Input, 2), Outputs: make([]reducedmodel.Output, 3)}
	if err := p.Diagonal(m); err != nil {
		t.Fatal(err)
	}
	for _, s := range []float64{0, 0.1, 1, 30} {
		a := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				a.Set(i, j, p.G.At(i, j)+s*p.C.At(i, j))
			}
		}
		var x mat.Dense
		if err := x.Solve(a, mat.NewDense(n, 2, p.B.Data)); err != nil {
			t.Fatal(err)
		}
		var want mat.Dense
		want.Mul(mat.NewDense(3, n, p.L.Data), &x)
		h := m.Transfer(s)
		for o := range 3 {
			for i := range 2 {
				if d := math.Abs(h.At(o, i) - want.At(o, i)); d > 1e-8*mat.Max(&want) {
					t.Errorf("H(%g)[%d][%d] = %g, by elimination %g", s, o, i, h.At(o, i), want.At(o, i))
				}
			}
		}
	}
	// What the start has in the directions is C times it: C start = H, so L start = L C^-1 H.
	var c mat.Dense
	if err := c.Solve(p.C.Symmetric(), mat.NewDense(n, 1, p.H)); err != nil {
		t.Fatal(err)
	}
	for o, got := range m.StartResponse(0) {
		want := 0.0
		for k := range n {
			want += p.L.At(o, k) * c.At(k, 0)
		}
		if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("start of output %d: %g, by elimination %g", o, got, want)
		}
	}
}

// A direction that is a sum of others is left out, and nothing changes.
func TestDiagonalDropsWhatDepends(t *testing.T) {
	p := pencil(5)
	more := &reducedmodel.Pencil{G: reducedmodel.NewMatrix(6, 6), C: reducedmodel.NewMatrix(6, 6),
		B: reducedmodel.NewMatrix(6, 2), L: reducedmodel.NewMatrix(3, 6)}
	row := func(r int) []float64 { // of the old directions
		w := make([]float64, 5)
		if r < 5 {
			w[r] = 1
		} else {
			w[1], w[3] = 0.5, -2
		}
		return w
	}
	for r := range 6 {
		for c := range 6 {
			g, cc := 0.0, 0.0
			for i, a := range row(r) {
				for j, b := range row(c) {
					g += a * b * p.G.At(i, j)
					cc += a * b * p.C.At(i, j)
				}
			}
			if c >= r {
				more.G.SetBoth(r, c, g)
				more.C.SetBoth(r, c, cc)
			}
		}
		for i, a := range row(r) {
			for k := range 2 {
				more.B.Data[r*2+k] += a * p.B.At(i, k)
			}
			for o := range 3 {
				more.L.Data[o*6+r] += a * p.L.At(o, i)
			}
		}
	}
	p.H = nil
	a, b := &reducedmodel.Model{}, &reducedmodel.Model{}
	if err := errors.Join(p.Diagonal(a), more.Diagonal(b)); err != nil {
		t.Fatal(err)
	}
	if len(a.Tau) != 5 || len(b.Tau) != 5 {
		t.Fatalf("%d and %d states", len(a.Tau), len(b.Tau))
	}
	for k := range a.Tau {
		if math.Abs(a.Tau[k]-b.Tau[k]) > 1e-8*a.Tau[0] {
			t.Errorf("time constant %d: %g and %g s", k, a.Tau[k], b.Tau[k])
		}
	}
}

// Exact steps follow the sum of exponentials, however the time is cut, and Settle is where they end.
func TestStepper(t *testing.T) {
	m := random(1, 12, 3, 2)
	watts := []float64{1, -0.5, 3}
	run, err := reducedmodel.NewStepper(m)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, len(m.Outputs))
	time := 0.0
	for _, dt := range []float64{1e-6, 3e-4, 3e-4, 0.02, 1.5} {
		if err := run.Step(dt, watts); err != nil {
			t.Fatal(err)
		}
		time += dt
		run.Temperatures(got)
		h, left := m.StepResponse(time), m.StartResponse(time)
		for o := range got {
			want := m.Outputs[o].Rest + left[o]
			for i, w := range watts {
				want += h.At(o, i) * w
			}
			if math.Abs(got[o]-want) > 1e-10 {
				t.Errorf("output %d at %g s: %.12g K, of the exponentials %.12g", o, time, got[o], want)
			}
		}
	}
	for range 4000 {
		if err := run.Step(0.05, watts); err != nil {
			t.Fatal(err)
		}
	}
	run.Temperatures(got)
	settled := make([]float64, len(got))
	if err := run.Settle(watts); err != nil {
		t.Fatal(err)
	}
	run.Temperatures(settled)
	for o := range got {
		if math.Abs(got[o]-settled[o]) > 1e-9 {
			t.Errorf("output %d ends at %g K, its steady state is %g", o, got[o], settled[o])
		}
	}
}

func TestStepperStartsSavesAndRefuses(t *testing.T) {
	m := random(2, 6, 2, 0)
	run, err := reducedmodel.NewStepper(m)
	if err != nil {
		t.Fatal(err)
	}
	at := func() []float64 {
		v := make([]float64, len(m.Outputs))
		run.Temperatures(v)
		return v
	}
	start := at()
	if err := run.Begin(305); err != nil { // half the rise of 310 K over the ambient
		t.Fatal(err)
	}
	for o, v := range at() {
		if want := 300 + (start[o]-300)/2; math.Abs(v-want) > 1e-12 {
			t.Errorf("from 305 K output %d is at %g K, not %g", o, v, want)
		}
	}
	for what, err := range map[string]error{
		"one power":      run.Step(1, []float64{1}),
		"no number":      run.Step(1, []float64{math.NaN(), 1}),
		"no time":        run.Step(0, []float64{1, 1}),
		"time back":      run.Step(-1, []float64{1, 1}),
		"no power given": run.Settle(nil),
	} {
		if err == nil {
			t.Errorf("%s is taken", what)
		}
	}
	m.Outputs[0].Rest = 320 // no uniform state without power
	if run.Begin(305) == nil {
		t.Error("a start that the model does not know is taken")
	}
	if err := run.Begin(310); err != nil {
		t.Error(err)
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	m := random(3, 20, 4, 1)
	run, err := reducedmodel.NewStepper(m)
	if err != nil {
		t.Fatal(err)
	}
	watts, out := []float64{1, 2, 3, 4}, make([]float64, len(m.Outputs))
	n := testing.AllocsPerRun(50, func() {
		watts[0]++
		if err := run.Step(1e-3, watts); err != nil {
			t.Fatal(err)
		}
		run.Temperatures(out)
	})
	if n != 0 {
		t.Errorf("%g allocations a step", n)
	}
}

func TestJSONReturnsTheSameBits(t *testing.T) {
	m := random(4, 7, 3, 2)
	m.Inputs[1].Name, m.Outputs[1].Name = "a \"quoted\",\"name\"],[},{", "a \"quoted\",\"name\"],[},{"
	m.Error = reducedmodel.Accuracy{WantedK: 0.1, EstimateK: 0.05, HeldOut: []float64{1.0 / 3},
		Shifts: []float64{0, 1e5}, BasisStates: 9}
	var b bytes.Buffer
	if err := m.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	back, err := reducedmodel.ReadJSON(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(m, back) {
		t.Errorf("%+v\nbecame\n%+v", m, back)
	}
}

func TestJSONRefuses(t *testing.T) {
	var b bytes.Buffer
	if err := random(5, 3, 2, 1).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	for _, c := range []struct{ old, new, want string }{
		{"{", "[", "line"},
		{`"format": "thermsim reduced model 1"`, `"format": "thermsim reduced model 2"`, "got format"},
		{`"title"`, `"titel"`, "unknown field"},
		{`"tau_s": [`, `"tau_s": [-1,`, "values; expected"},
		{`"mean"`, `"peak"`, "must be the mean"},
		{`"input":"die/b0,"`, `"input":"die/b9"`, "not an input"},
		{`{"name":"die/b1,"`, `{"name":"die/b0,"`, "two inputs"},
		{"\n}\n", "\n}\n{}", "data after the end"},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		if _, err := reducedmodel.ReadJSON([]byte(bad)); err == nil || !errors.Is(err, reducedmodel.ErrModel) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s in place of %s: %v", c.new, c.old, err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	for want, spoil := range map[string]func(m *reducedmodel.Model){
		"expected descending order":            func(m *reducedmodel.Model) { m.Tau[2] = 2 * m.Tau[0] },
		"ambient temperature of -1 K":          func(m *reducedmodel.Model) { m.Ambient = -1 },
		"invalid range of input die/b1,: -2 W": func(m *reducedmodel.Model) { m.Inputs[1].Range = -2 },
	} {
		m := random(5, 3, 2, 1)
		spoil(m)
		if err := m.Check(); !errors.Is(err, reducedmodel.ErrModel) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	var b bytes.Buffer
	if err := random(6, 3, 2, 1).WriteJSON(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := reducedmodel.ReadJSON(data)
		if err != nil {
			return
		}
		run, err := reducedmodel.NewStepper(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Step(1, make([]float64, len(m.Inputs))); err != nil {
			t.Fatal(err)
		}
	})
}

// What is left of a model differs after steps by no more than was asked for, keeps its steady states, and is smaller.
func TestCompress(t *testing.T) {
	m := random(7, 60, 4, 2)
	for _, bound := range []float64{0.3, 0.03} {
		r, err := m.Compress(bound)
		if err != nil {
			t.Fatal(err)
		}
		if r.States() >= m.States() || r.Error.BasisStates != m.States() {
			t.Errorf("%d states of %d", r.States(), m.States())
		}
		a, b := m.Transfer(0), r.Transfer(0)
		for k := range a.Data[:4*4] {
			if math.Abs(a.Data[k]-b.Data[k]) > 1e-9 {
				t.Errorf("steady state %d: %g and %g K/W", k, a.Data[k], b.Data[k])
			}
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for range 200 {
			time := math.Pow(10, -7+8*rng.Float64())
			x, y := m.StepResponse(time), r.StepResponse(time)
			for o := range m.Outputs {
				sum := 0.0
				for i, in := range m.Inputs {
					sum += rng.Float64() * in.Range * (x.At(o, i) - y.At(o, i))
				}
				if math.Abs(sum) > 1.02*bound { // the bound looks at eight times in a decade
					t.Errorf("bound %g K, %d states: output %d differs by %g K at %g s", bound, r.States(), o, sum,
						time)
				}
			}
		}
	}
}

// Networks of one input keep the resistance and the delay of its driving point, and the step response within the bound.
func TestOnePort(t *testing.T) {
	m := random(8, 80, 3, 0)
	whole, ok := m.DrivingPoint(1)
	if !ok {
		t.Fatal("no driving point")
	}
	const bound = 0.02
	p, err := m.OnePort(1, bound)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Foster.R) >= len(whole.R)/2 {
		t.Errorf("%d sections of %d", len(p.Foster.R), len(whole.R))
	}
	delay := func(r, tau []float64) (sum float64) {
		for k := range r {
			sum += r[k] * tau[k]
		}
		return sum
	}
	if a, b := p.Foster.Total(), whole.Total(); math.Abs(a-b) > 1e-12*b {
		t.Errorf("%g K/W of %g", a, b)
	}
	if a, b := delay(p.Foster.R, p.Foster.Tau), delay(whole.R, whole.Tau); math.Abs(a-b) > 1e-12*b {
		t.Errorf("first moments %g and %g", a, b)
	}
	for _, time := range reducedmodel.LogTimes(1e-7, 30, 31) {
		want := m.StepResponse(time).At(1, 1)
		if d := m.Inputs[1].Range * math.Abs(p.Foster.Step(time)-want); d > 1.05*bound {
			t.Errorf("at %g s the network is %g K off", time, d)
		}
	}
	total := 0.0
	for k, r := range p.Cauer.R {
		if total += r; !(p.Cauer.C[k] > 0) || !(r > 0) {
			t.Errorf("section %d of the ladder has %g K/W and %g J/K", k, r, p.Cauer.C[k])
		}
	}
	if math.Abs(total-whole.Total()) > 1e-6*total {
		t.Errorf("the ladder has %g K/W, the model %g", total, whole.Total())
	}
}

// A step with new powers and all temperatures, of as many states, inputs and outputs as memory over logic with 49
// blocks has, and of tens of states.
func BenchmarkStep(b *testing.B) {
	for _, size := range [][3]int{{180, 49, 0}, {40, 10, 2}} {
		b.Run(fmt.Sprintf("%d states", size[0]), func(b *testing.B) {
			m := random(1, size[0], size[1], size[2])
			run, err := reducedmodel.NewStepper(m)
			if err != nil {
				b.Fatal(err)
			}
			watts, out := make([]float64, len(m.Inputs)), make([]float64, len(m.Outputs))
			for b.Loop() {
				watts[0]++
				if err := run.Step(1e-3, watts); err != nil {
					b.Fatal(err)
				}
				run.Temperatures(out)
			}
		})
	}
}
