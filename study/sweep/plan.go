// Package sweep manages parameter sweeps of a stack: the list and order of runs, the stored results, and the resumption
// of interrupted sweeps. It does not solve.
package sweep

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"thermsim/stack/stackfile"
)

// Plan lists the runs of a sweep, numbered from 0.
type Plan struct {
	Labels  []string // of the parameters, in the order of their columns.
	Numbers []bool   // which parameters are numbers with one unit in all runs.
	Units   []string // of these numbers.

	keys   [][]string // of each parameter
	count  int
	values func(run int) []string
}

// Count is the number of runs.
func (p *Plan) Count() int { return p.count }

// Values of a run, one for each label.
func (p *Plan) Values(run int) []string { return p.values(run) }

// Set returns the overrides of a run.
func (p *Plan) Set(run int) ([]stackfile.Override, error) {
	var set []stackfile.Override
	for i, value := range p.Values(run) {
		for _, key := range p.keys[i] {
			o, err := stackfile.NewOverride(key, value)
			if err != nil {
				return nil, fmt.Errorf("%s=%s: %w", key, value, err)
			}
			set = append(set, o)
		}
	}
	return set, nil
}

// maxRuns is the maximum number of runs, and maxValues that of all their values.
const maxRuns, maxValues = 1_000_000, 10_000_000

// ErrNothing reports a sweep file without parameters.
var ErrNothing = errors.New("nothing varies; add a [[vary]] table, or points")

// New creates the runs of a sweep file. points is the content of its CSV file, if it names one.
func New(f *stackfile.SweepFile, points []byte) (*Plan, error) {
	if f.Points != "" {
		return fromPoints(f.Points, points)
	}
	if len(f.Vary) == 0 {
		return nil, ErrNothing
	}
	sampled := f.Method == "latin-hypercube"
	for i := range f.Vary {
		if f.Vary[i].Spread != nil && !sampled {
			return nil, fmt.Errorf("%s has a spread. Fix: method = \"latin-hypercube\", or thermsim tolerance",
				f.Vary[i].Label)
		}
	}
	if sampled {
		if err := fits(f.Samples, len(f.Vary)); err != nil {
			return nil, err
		}
	}
	p := newPlan(f)
	switch f.Method {
	case "list":
		p.count = f.Vary[0].Count
		p.values = func(run int) []string {
			return p.each(func(i int) string { return valueOf(&f.Vary[i], run, f.Vary[i].Count) })
		}
	case "latin-hypercube":
		p.hypercube(f)
	default:
		if err := p.grid(f); err != nil {
			return nil, err
		}
	}
	return p, p.measure()
}

// newPlan has the parameters of a sweep file, and no runs.
func newPlan(f *stackfile.SweepFile) *Plan {
	p := &Plan{}
	for i := range f.Vary {
		p.Labels = append(p.Labels, f.Vary[i].Label)
		p.keys = append(p.keys, f.Vary[i].Keys)
	}
	return p
}

// Sampled has runs at given points of the unit cube, one coordinate for each parameter.
func Sampled(f *stackfile.SweepFile, runs int, at func(run, parameter int) float64) (*Plan, error) {
	if runs > maxRuns {
		return nil, fmt.Errorf("%d runs exceed the limit of %d", runs, maxRuns)
	}
	if err := fits(runs, len(f.Vary)); err != nil {
		return nil, err
	}
	p := newPlan(f)
	p.sample(f, runs, at)
	return p, p.measure()
}

// sample takes the values at points of the unit cube.
func (p *Plan) sample(f *stackfile.SweepFile, runs int, at func(run, parameter int) float64) {
	p.count = runs
	p.values = func(run int) []string {
		return p.each(func(i int) string {
			switch v := &f.Vary[i]; {
			case v.Values != nil:
				return v.Values[min(int(at(run, i)*float64(len(v.Values))), len(v.Values)-1)]
			case v.Spread != nil:
				return withUnit(v.Spread.Quantile(at(run, i)), v.Spread.Unit, 10)
			default:
				return between(v, at(run, i))
			}
		})
	}
}

// fits checks the limit of values.
func fits(runs, parameters int) error {
	if runs*parameters > maxValues {
		return fmt.Errorf("%d runs of %d parameters exceed %d values; use fewer runs, or vary several keys "+
			"together with keys", runs, parameters, maxValues)
	}
	return nil
}

// each collects a value for every parameter.
func (p *Plan) each(value func(parameter int) string) []string {
	list := make([]string, len(p.Labels))
	for i := range list {
		list[i] = value(i)
	}
	return list
}

// valueOf is the n-th of the given number of values of a parameter.
func valueOf(v *stackfile.Vary, n, of int) string {
	if v.Values != nil {
		return v.Values[n]
	}
	if of == 1 {
		return between(v, 0)
	}
	return between(v, float64(n)/float64(of-1))
}

// between is a value between the first (at = 0) and the last (at = 1).
func between(v *stackfile.Vary, at float64) string {
	x := v.From + (v.To-v.From)*at
	if v.Log {
		x = v.From * math.Pow(v.To/v.From, at)
		if ratio := v.To / v.From; ratio == 0 || math.IsInf(ratio, 0) {
			x = math.Pow(v.From, 1-at) * math.Pow(v.To, at)
		}
	}
	if at == 1 {
		x = v.To
	}
	return withUnit(x, v.Unit, 6)
}

// withUnit is a number with its unit as text.
func withUnit(x float64, unit string, digits int) string {
	text := strconv.FormatFloat(x, 'g', digits, 64)
	if unit != "" {
		text += " " + unit
	}
	return text
}

// grid contains every combination; the last parameter changes fastest.
func (p *Plan) grid(f *stackfile.SweepFile) error {
	p.count = 1
	for i := range f.Vary {
		if p.count *= f.Vary[i].Count; p.count > maxRuns {
			return fmt.Errorf("the grid has more than %d runs; use fewer values, or a Latin hypercube", maxRuns)
		}
	}
	if err := fits(p.count, len(f.Vary)); err != nil {
		return err
	}
	p.values = func(run int) []string {
		list := make([]string, len(f.Vary))
		for i := len(f.Vary) - 1; i >= 0; i-- {
			n := f.Vary[i].Count
			list[i] = valueOf(&f.Vary[i], run%n, n)
			run /= n
		}
		return list
	}
	return nil
}

// hypercube divides each parameter into as many equal parts as there are runs and uses one random value in each part:
// M. D. McKay, R. J. Beckman and W. J. Conover, Technometrics 21, 239 (1979).
func (p *Plan) hypercube(f *stackfile.SweepFile) {
	at := make([][]float64, len(f.Vary))
	for i := range f.Vary {
		r := rand.New(rand.NewPCG(f.Seed, uint64(i)))
		at[i] = make([]float64, f.Samples)
		for run, part := range r.Perm(f.Samples) {
			at[i][run] = (float64(part) + r.Float64()) / float64(f.Samples)
		}
	}
	p.sample(f, f.Samples, func(run, i int) float64 { return at[i][run] })
}

// fromPoints reads runs from a CSV file: a header of keys, then a row of values for each run.
func fromPoints(path string, data []byte) (*Plan, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	r.Comment, r.TrimLeadingSpace = '#', true
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("%s:1: expected a header of keys and a row of values for each run", path)
	}
	if len(rows)-1 > maxRuns {
		return nil, fmt.Errorf("%s:%d: too many runs; the limit is %d", path, maxRuns+2, maxRuns)
	}
	p := &Plan{Labels: rows[0], count: len(rows) - 1, values: func(run int) []string { return rows[run+1] }}
	for i, key := range rows[0] {
		if _, err := stackfile.NewOverride(key, "1"); err != nil {
			return nil, fmt.Errorf("%s:1: column %d, %q: %w; name the columns by keys of the stack file", path, i+1,
				key, err)
		}
		p.keys = append(p.keys, []string{key})
	}
	return p, p.measure()
}

// measure finds the parameters that are numbers with one unit in all runs. It rejects line breaks, because a row of the
// table is a line, and names of other columns.
func (p *Plan) measure() error {
	for i, label := range p.Labels {
		if strings.ContainsAny(label, "\r\n") {
			return fmt.Errorf("the name %q has a line break", label)
		}
		if slices.Contains(p.Labels[:i], label) || slices.Contains(fixed, label) || label == "run" ||
			label == "message" {
			return fmt.Errorf("two columns would have the name %q; set a label for this parameter", label)
		}
	}
	p.Numbers, p.Units = make([]bool, len(p.Labels)), make([]string, len(p.Labels))
	for i := range p.Numbers {
		p.Numbers[i] = true
	}
	for run := range p.count {
		for i, text := range p.values(run) {
			if strings.ContainsAny(text, "\r\n") {
				return fmt.Errorf("a value of %s has a line break", p.Labels[i])
			}
			_, unit, err := stackfile.SplitQuantity(text)
			if run == 0 {
				p.Units[i] = unit
			}
			p.Numbers[i] = p.Numbers[i] && err == nil && unit == p.Units[i]
		}
	}
	return nil
}
