package fit

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"thermsim/stack"
	"thermsim/study/response"
	"thermsim/study/response/ladder"
)

// Curve is a measured response to a power step of 1 W.
type Curve struct {
	Heated string // name of an input; empty for the only one
	Output string // name of an output; empty for the mean of the heated input
	Times  []float64
	Z      []float64 // K/W
}

// forms are the columns that a response can be given in: its values, the time constants of a Foster network, or the
// sections of a Cauer network, one by one or added up as in a structure function.
var forms = [...]struct {
	columns [2]string
	curve   func(a, b []float64) (times, z []float64, err error)
}{
	{[2]string{"time_s", "zth_k_per_w"}, func(t, z []float64) ([]float64, []float64, error) { return t, z, nil }},
	{[2]string{"r_k_per_w", "tau_s"}, foster},
	{[2]string{"r_k_per_w", "c_j_per_k"}, cauer},
	{[2]string{"r_sum_k_per_w", "c_sum_j_per_k"}, structure},
}

// IsCurve reports whether a file has the columns of a response.
func IsCurve(data []byte) bool {
	header, _ := csvReader(data).Read()
	_, _, ok := formOf(header)
	return ok
}

func csvReader(data []byte) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	r.Comment, r.TrimLeadingSpace = '#', true
	return r
}

// formOf finds the form of a file, and the columns of its numbers.
func formOf(header []string) (form int, columns [2]int, ok bool) {
	for form := range forms {
		for k, name := range forms[form].columns {
			columns[k] = columnOf(header, name)
		}
		if columns[0] >= 0 && columns[1] >= 0 {
			return form, columns, true
		}
	}
	return 0, columns, false
}

// columnOf is the index of a column, -1 if there is none.
func columnOf(header []string, name string) int {
	return slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) })
}

// ReadCurves reads responses as the files of zth have them: zth.csv, zth_spectrum.csv or zth_structure.csv. The columns
// "heated" and "output" are optional.
func ReadCurves(path string, data []byte) (curves []Curve, err error) {
	r := csvReader(data)
	fail := func(format string, a ...any) error {
		line, _ := r.FieldPos(0)
		return &stack.Error{Pos: stack.Pos{File: path, Line: line}, Msg: fmt.Sprintf(format, a...)}
	}
	rows, err := r.ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, &stack.Error{Pos: stack.Pos{File: path}, Msg: fmt.Sprintf("not a CSV table: %v", err)}
	}
	form, columns, _ := formOf(rows[0])
	heated, output := columnOf(rows[0], "heated"), columnOf(rows[0], "output")
	for n, row := range rows[1:] {
		c := Curve{}
		if heated >= 0 {
			c.Heated = row[heated]
		}
		if output >= 0 {
			c.Output = row[output]
		}
		var x [2]float64
		for k, column := range columns {
			if x[k], err = strconv.ParseFloat(strings.TrimSpace(row[column]), 64); err != nil || x[k]-x[k] != 0 {
				return nil, fail("row %d: %s: got %q; expected a finite number", n+1, rows[0][column], row[column])
			}
		}
		at := slices.IndexFunc(curves, func(o Curve) bool { return o.Heated == c.Heated && o.Output == c.Output })
		if at < 0 {
			at = len(curves)
			curves = append(curves, c)
		}
		curves[at].Times, curves[at].Z = append(curves[at].Times, x[0]), append(curves[at].Z, x[1])
	}
	for n := range curves {
		c := &curves[n]
		c.Times, c.Z, err = forms[form].curve(c.Times, c.Z)
		if err == nil && (len(c.Times) == 0 || !(slices.Min(c.Times) > 0)) {
			err = fmt.Errorf("got a time of %g s; expected positive times", slices.Min(c.Times))
		}
		if err != nil {
			return nil, fail("%v", err)
		}
	}
	return curves, nil
}

// Beyond these multiples of the time constants, responses of networks are not compared.
const before, after = 0.1, 5

// foster is the response of a Foster network.
func foster(r, tau []float64) (times, z []float64, err error) {
	f := &ladder.Foster{R: r, Tau: tau}
	if !(slices.Min(tau) > 0) {
		return nil, nil, fmt.Errorf("got a time constant of %g s; expected positive ones", slices.Min(tau))
	}
	times, z = response.StepOf(before*slices.Min(tau), after*slices.Max(tau), f.At)
	for n := range times {
		z[n] = f.Step(times[n])
	}
	return times, z, nil
}

// cauer is the response of a Cauer network, from the time constant of its first section.
func cauer(r, c []float64) (times, z []float64, err error) {
	if !(slices.Min(r) > 0 && slices.Min(c) > 0) {
		return nil, nil, fmt.Errorf("got a resistance of %g K/W and a capacitance of %g J/K; expected positive ones",
			slices.Min(r), slices.Min(c))
	}
	slowest, rest := 0.0, 0.0
	for k := len(r) - 1; k >= 0; k-- {
		rest += r[k]
		slowest += c[k] * rest
	}
	end := after * slowest
	start := max(r[0]*c[0], end*math.Pow(10, -response.Decades))
	times, z = response.StepOf(start, end, (&ladder.Cauer{R: r, C: c}).At)
	return times, z, nil
}

// structure is the response of the path that a cumulative structure function describes, with a section between each
// point and the previous one.
func structure(r, c []float64) (times, z []float64, err error) {
	var own [2][]float64
	for k := range r {
		dr, dc := r[k], c[k]
		if k > 0 {
			dr, dc = r[k]-r[k-1], c[k]-c[k-1]
		}
		if !(dr >= 0 && dc >= 0) {
			return nil, nil, fmt.Errorf("got a structure function that decreases at %g K/W, %g J/K; expected ascending "+
				"values", r[k], c[k])
		}
		if dr > 0 && dc > 0 {
			own[0], own[1] = append(own[0], dr), append(own[1], dc)
		}
	}
	if len(own[0]) == 0 {
		return nil, nil, fmt.Errorf("got a structure function without sections; expected ascending values")
	}
	return cauer(own[0], own[1])
}
