package fit_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/study/fit"
	"thermsim/study/response"
	"thermsim/study/response/ladder"
)

// read takes the rows of a file.
func read(t *testing.T, header string, a, b []float64) []fit.Curve {
	t.Helper()
	text := "# from a tester\n" + header + "\n"
	for n := range a {
		text += fmt.Sprintf("%.17g, %.17g\n", a[n], b[n])
	}
	curves, err := fit.ReadCurves("data.csv", []byte(text))
	if err != nil || len(curves) != 1 {
		t.Fatal(err, curves)
	}
	return curves
}

// A network is the same response as time constants, as a ladder and as its structure function, within the bound of the
// inversion.
func TestFormsOfANetwork(t *testing.T) {
	network := &ladder.Foster{R: []float64{0.2, 0.5, 1.5}, Tau: []float64{1e-3, 0.1, 2}}
	cauer, err := network.Cauer()
	if err != nil {
		t.Fatal(err)
	}
	var r, c []float64
	sumR, sumC := 0.0, 0.0
	for k := range cauer.R {
		sumR, sumC = sumR+cauer.R[k], sumC+cauer.C[k]
		r, c = append(r, sumR), append(c, sumC)
	}
	for header, numbers := range map[string][2][]float64{"R_K_per_W,tau_s": {network.R, network.Tau},
		"r_k_per_w,C_J_per_K": {cauer.R, cauer.C}, "R_sum_K_per_W,C_sum_J_per_K": {r, c}} {
		curve := read(t, header, numbers[0], numbers[1])[0]
		for n, at := range curve.Times {
			if want := network.Step(at); math.Abs(curve.Z[n]/want-1) > response.FilterBound {
				t.Errorf("%s at %g s: got %g K/W; expected %g", header, at, curve.Z[n], want)
			}
		}
		if first, last := curve.Times[0], curve.Times[len(curve.Times)-1]; first > 2e-3 || last < 10 {
			t.Errorf("%s: got times from %g to %g s", header, first, last)
		}
	}
}

func TestFaultyCurves(t *testing.T) {
	for text, want := range map[string]string{
		"probe,temperature [K]\na,300\n":          "",
		"time_s,Zth_K_per_W\n1,x\n":               `row 1: Zth_K_per_W: got "x"; expected a finite number`,
		"time_s,Zth_K_per_W\n0,1\n":               "times: got 0; expected positive values",
		"time_s,Zth_K_per_W\n1e-10,1\n1e10,2\n":   "expected 15 decades at most",
		"R_K_per_W,tau_s\n1,-1\n":                 "time constants: got -1",
		"R_K_per_W,C_J_per_K\n0,1\n":              "resistances: got 0",
		"R_sum_K_per_W,C_sum_J_per_K\n2,1\n1,2\n": "resistances: got -1",
		"R_K_per_W,tau_s\n1\n":                    "wrong number of fields",
	} {
		curves, err := fit.ReadCurves("data.csv", []byte(text))
		if want == "" && (err != nil || len(curves) > 0) || want != "" && (err == nil ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %v; expected %q", text, err, want)
		}
	}
}

// Responses of a stack with two inputs and probes: those named by the data, at times between the computed ones, are
// those that zth computes.
func TestNamedResponses(t *testing.T) {
	s := load(t, packageText+probesText(), nil, nil)
	s.Measured = stack.Measured{}
	o := response.Options{Solver: gpusolve.Options{Device: "cpu"}, Mesh: mesh.Build}
	x, err := response.StepResponses(t.Context(), s, o, response.Request{From: []int{0}, To: []int{1}, Probes: true,
		Start: 1e-3 * math.Pow(10, 0.025), End: 10})
	if err != nil {
		t.Fatal(err)
	}
	m := &fit.Model{Solver: o.Solver, Mesh: o.Mesh}
	for _, name := range []string{"", "die/cache", "probe/lida", "die/core:peak"} {
		m.Curves = append(m.Curves, fit.Curve{Heated: "core", Output: name, Times: x.Times})
	}
	values, err := m.Compute(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for n, c := range m.Curves {
		for _, k := range x.Curves {
			if k.To.Name != c.Output && !(c.Output == "" && k.Own()) {
				continue
			}
			for i, z := range k.Z {
				if got := values[n*len(x.Times)+i]; math.Abs(got-z) > 2e-4*k.Steady {
					t.Errorf("%q at %g s: got %g K/W; expected %g", c.Output, x.Times[i], got, z)
				}
			}
		}
	}
	for _, faulty := range []fit.Curve{{Heated: "die/x", Times: x.Times}, {Times: x.Times},
		{Heated: "core", Output: "probe/x", Times: x.Times}} {
		m.Curves = []fit.Curve{faulty}
		if _, err := m.Compute(t.Context(), s); !errors.Is(err, fit.ErrData) {
			t.Errorf("%q to %q: got %v", faulty.Heated, faulty.Output, err)
		}
	}
}

func TestParseParameter(t *testing.T) {
	for text, want := range map[string]string{
		"layer.tim.thickness=20:100 um":            "layer.tim.thickness [20 100] um start 60 log false",
		"layer.tim.thickness=20 um:100 um,50:5 um": "layer.tim.thickness [20 100] um start 60 log false prior {50 5}",
		`layer."a.b".k = 1:100`:                    `layer."a.b".k [1 100]  start 10 log true`,
		"boundary.top.ambient=-10:90 degC":         "boundary.top.ambient [-10 90] degC start 40 log false",
		"boundary.top.h":                           "write KEY=LOW:HIGH",
		"boundary.top.h=5":                         "expected two numbers",
		"boundary..h=1:2":                          "a key is empty",
		"k=1 um:2 mm":                              `got the units "um" and "mm"`,
		"k=2:2":                                    "expected LOW below HIGH",
		"k=1:2,3":                                  "expected two numbers",
		"k=1:2 um,1:1 mm":                          "expected MEAN:SIGMA in the unit of the range",
		"k=1:2,1:0":                                "and SIGMA above 0",
	} {
		p, err := fit.ParseParameter(text)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprintf("%s [%g %g] %s start %.5g log %v", p.Key, p.Low, p.High, p.Unit, p.Start, p.Logarithmic())
			if p.Prior != nil {
				got += fmt.Sprintf(" prior %v", *p.Prior)
			}
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: got %q; expected %q", text, got, want)
		}
	}
}
