package netlist

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// wave is the value of a source over time in V or A.
type wave struct {
	form   string // pulse, pwl or sin
	values []float64
}

// forms of waves with their numbers of values.
var forms = map[string]struct {
	least, most int
	usage       string
}{
	"pulse": {2, 7, "PULSE(V1 V2 TD TR TF PW PER)"},
	"pwl":   {2, math.MaxInt, "PWL(T1 V1 T2 V2 ...)"},
	"sin":   {3, 5, "SIN(VO VA FREQ TD THETA)"},
}

// check finds the first value that is not valid; at is its position.
func (w *wave) check() (at int, remedy, problem string) {
	f, n := forms[w.form], len(w.values)
	if n < f.least || n > f.most || w.form == "pwl" && n%2 > 0 {
		return n - 1, "write " + f.usage, fmt.Sprintf("%s has %d values", strings.ToUpper(w.form), n)
	}
	for i := 2; i < n; i++ {
		switch v := w.values[i]; {
		case w.form == "pwl" && i%2 == 0 && v <= w.values[i-2]:
			return i, "write the points in order of time", fmt.Sprintf("the time %g s of PWL is not later than %g s "+
				"before it", v, w.values[i-2])
		case w.form == "pulse" && i > 2 && v < 0:
			return i, "write " + f.usage, fmt.Sprintf("a time of PULSE must not be negative, got %g s", v)
		}
	}
	return 0, "", ""
}

// complete sets the values of a pulse that are absent or 0 as SPICE does: rise and fall take a time step, width and
// period are the end of the run.
func (w *wave) complete(step, stop float64) {
	if w.form != "pulse" {
		return
	}
	w.values = append(w.values, make([]float64, 7-len(w.values))...)
	for i, v := range []float64{step, step, stop, stop} {
		if w.values[3+i] == 0 {
			w.values[3+i] = v
		}
	}
}

// negate changes the sign of a source; w may be nil.
func (w *wave) negate() {
	if w == nil {
		return
	}
	for i := range w.values {
		if w.form == "pwl" && i%2 > 0 || w.form != "pwl" && i < 2 {
			w.values[i] = -w.values[i]
		}
	}
}

// at is the value at a time in s.
func (w *wave) at(t float64) float64 {
	v := w.values
	switch w.form {
	case "pwl":
		n := len(v) / 2
		switch k := sort.Search(n, func(i int) bool { return v[2*i] > t }); k {
		case 0:
			return v[1]
		case n:
			return v[2*n-1]
		default:
			t0, v0, t1, v1 := v[2*k-2], v[2*k-1], v[2*k], v[2*k+1]
			return v0 + (v1-v0)*(t-t0)/(t1-t0)
		}
	case "sin":
		v = append(v[:len(v):len(v)], 0, 0)
		if t -= v[3]; t <= 0 {
			return v[0]
		}
		return v[0] + v[1]*math.Exp(-v[4]*t)*math.Sin(2*math.Pi*v[2]*t)
	}
	rise, fall, width, period := v[3], v[4], v[5], v[6]
	if t -= v[2]; t > period {
		t = math.Mod(t, period)
	}
	switch {
	case t <= 0 || t >= rise+width+fall:
		return v[0]
	case t < rise:
		return v[0] + (v[1]-v[0])*t/rise
	case t <= rise+width:
		return v[1]
	}
	return v[1] + (v[0]-v[1])*(t-rise-width)/fall
}
