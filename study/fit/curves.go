package fit

import (
	"bytes"
	"encoding/csv"
	"errors"
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
	{[2]string{"time_s", "zth_k_per_w"}, func(t, z []float64) ([]float64, []float64, error) {
		return t, z, positive("times", t)
	}},
	{[2]string{"r_k_per_w", "tau_s"}, foster},
	{[2]string{"r_k_per_w", "c_j_per_k"}, cauer},
	{[2]string{"r_sum_k_per_w", "c_sum_j_per_k"}, structure},
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
// "heated" and "output" are optional. It returns none where the file has other columns.
func ReadCurves(path string, data []byte) (curves []Curve, err error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	r.Comment, r.TrimLeadingSpace = '#', true
	header, _ := r.Read()
	form, columns, ok := formOf(header)
	if !ok {
		return nil, nil
	}
	fail := func(err error) error {
		return &stack.Error{Pos: stack.Pos{File: path}, Msg: err.Error(), Err: err}
	}
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fail(err)
	}
	for n, row := range rows {
		var names [2]string
		for k, name := range []string{"heated", "output"} {
			if column := columnOf(header, name); column >= 0 {
				names[k] = row[column]
			}
		}
		var x [2]float64
		for k, column := range columns {
			if x[k], err = strconv.ParseFloat(strings.TrimSpace(row[column]), 64); err != nil || x[k]-x[k] != 0 {
				return nil, fail(fmt.Errorf("row %d: %s: got %q; expected a finite number", n+1, header[column],
					row[column]))
			}
		}
		at := slices.IndexFunc(curves, func(o Curve) bool { return o.Heated == names[0] && o.Output == names[1] })
		if at < 0 {
			at = len(curves)
			curves = append(curves, Curve{Heated: names[0], Output: names[1]})
		}
		curves[at].Times, curves[at].Z = append(curves[at].Times, x[0]), append(curves[at].Z, x[1])
	}
	for n := range curves {
		c := &curves[n]
		c.Times, c.Z, err = forms[form].curve(c.Times, c.Z)
		if err == nil && slices.Max(c.Times) > mostRatio*slices.Min(c.Times) {
			err = fmt.Errorf("times: got %g to %g s; expected 15 decades at most", slices.Min(c.Times),
				slices.Max(c.Times))
		}
		if err != nil {
			return nil, fail(err)
		}
	}
	return curves, nil
}

// mostRatio is the largest ratio of times: more than any stack has.
const mostRatio = 1e15

// Beyond these multiples of the time constants, responses of networks are not compared.
const before, after = 0.1, 5

// foster is the response of a Foster network.
func foster(r, tau []float64) (times, z []float64, err error) {
	if err := positive("time constants", tau); err != nil {
		return nil, nil, err
	}
	times, z = response.StepOf(before*slices.Min(tau), after*slices.Max(tau), (&ladder.Foster{R: r, Tau: tau}).At)
	return times, z, nil
}

// positive refuses other values, in words of what they are.
func positive(what string, x []float64) error {
	if least := slices.Min(x); !(least > 0) {
		return fmt.Errorf("%s: got %g; expected positive values", what, least)
	}
	return nil
}

// cauer is the response of a Cauer network, from the time constant of its first section.
func cauer(r, c []float64) (times, z []float64, err error) {
	if err := errors.Join(positive("resistances", r), positive("capacitances", c)); err != nil {
		return nil, nil, err
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
	var dr, dc []float64
	lastR, lastC := 0.0, 0.0
	for k := range r {
		if r[k] == lastR && c[k] == lastC {
			continue
		}
		dr, dc = append(dr, r[k]-lastR), append(dc, c[k]-lastC)
		lastR, lastC = r[k], c[k]
	}
	return cauer(dr, dc)
}
