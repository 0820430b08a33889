package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"thermsim/internal/inputfile"
)

// externalCell is a field of a row as it stands in a file.
type externalCell struct {
	text  string
	place string // FILE:LINE:COLUMN
}

// externalField is a field that rows may have.
type externalField struct {
	name     string
	required bool
	set      func(e *ExternalRow, text string) error
}

// externalFields are the fields of external rows: all that there are, and those that a row must have.
var externalFields = []externalField{
	{"table", true, func(e *ExternalRow, v string) error {
		if e.Table = v; !slices.Contains(externalTables, v) {
			return fmt.Errorf("there is no such table for external rows; there are %s",
				strings.Join(externalTables, ", "))
		}
		return nil
	}},
	{"case", false, func(e *ExternalRow, v string) error { e.Case = v; return nil }},
	{"grid", false, func(e *ExternalRow, v string) error {
		e.Grid = v
		if nx, ny, nz, given := e.cells(); !given || e.Grid != fmt.Sprintf("%dx%dx%d", nx, ny, nz) ||
			min(nx, ny, nz) < 1 || max(nx, ny, nz) > 1e6 {
			return fmt.Errorf("write it as NXxNYxNZ, such as 714x714x10")
		}
		return nil
	}},
	{"unknowns", true, func(e *ExternalRow, v string) (err error) { e.Unknowns, err = wholeNumber(v); return err }},
	{"program", true, func(e *ExternalRow, v string) error { e.Program = v; return nil }},
	{"version", true, func(e *ExternalRow, v string) error { e.Version = v; return nil }},
	{"device", true, func(e *ExternalRow, v string) error { e.Device = v; return nil }},
	{"settings", true, func(e *ExternalRow, v string) error { e.Settings = v; return nil }},
	{"source", true, func(e *ExternalRow, v string) error { e.Source = v; return nil }},
	{"rule", true, func(e *ExternalRow, v string) error { e.Rule = v; return nil }},
	{"setup_s", false, func(e *ExternalRow, v string) (err error) { e.SetupS, err = atLeastZero(v); return err }},
	{"solve_s", true, func(e *ExternalRow, v string) (err error) {
		if e.SolveS, err = atLeastZero(v); err == nil && e.SolveS == 0 {
			err = fmt.Errorf("a solve takes more than 0 s")
		}
		return err
	}},
	{"iterations", false, func(e *ExternalRow, v string) (err error) {
		e.Iterations, err = wholeNumber(v)
		return err
	}},
	{"residual_W", false, func(e *ExternalRow, v string) (err error) { e.ResidualW, err = atLeastZero(v); return err }},
}

// wholeNumber of at least 1.
func wholeNumber(text string) (int, error) {
	n, err := inputfile.Number(text)
	if err != nil || n < 1 || n > 1e15 || n != math.Trunc(n) {
		return 0, fmt.Errorf("it must be a whole number of at least 1")
	}
	return int(n), nil
}

// atLeastZero is a number of at least 0.
func atLeastZero(text string) (Number, error) {
	v, err := inputfile.Number(text)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return unknownTime, fmt.Errorf("it must be a finite number of at least 0")
	}
	return Number(v), nil
}

// cells of the grid along x, y and z.
func (e *ExternalRow) cells() (nx, ny, nz int, given bool) {
	n, _ := fmt.Sscanf(e.Grid, "%dx%dx%d", &nx, &ny, &nz)
	return nx, ny, nz, n == 3
}

// longestText of a field.
const longestText = 300

// externalRow makes a row of its fields. place is where it begins.
func externalRow(place string, cells map[string]externalCell) (ExternalRow, error) {
	e := ExternalRow{SetupS: unknownTime, ResidualW: unknownTime, place: place}
	for name, c := range cells {
		if !isField(name) {
			return e, unknownField(c.place, name)
		}
	}
	for _, f := range externalFields {
		c, there := cells[f.name]
		if !there || c.text == "" {
			if f.required {
				return e, fmt.Errorf("%s: the row has no %s; docs/reference/bench.md lists what rows must have", place,
					f.name)
			}
			continue
		}
		if len(c.text) > longestText || strings.ContainsFunc(c.text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return e, fmt.Errorf("%s: %s: it must be one line of at most %d printable characters", c.place, f.name,
				longestText)
		}
		if err := f.set(&e, c.text); err != nil {
			return e, fmt.Errorf("%s: %s: %q: %w", c.place, f.name, c.text, err)
		}
	}
	if nx, ny, nz, given := e.cells(); given && nx*ny*nz != e.Unknowns {
		return e, fmt.Errorf("%s: unknowns: a grid of %s has %d, not %d", cells["unknowns"].place, e.Grid, nx*ny*nz,
			e.Unknowns)
	}
	if e.Case == "" && e.Grid == "" {
		return e, fmt.Errorf("%s: the row has neither a case nor a grid; give the one that names its system", place)
	}
	return e, nil
}

func isField(name string) bool {
	return slices.ContainsFunc(externalFields, func(f externalField) bool { return f.name == name })
}

func unknownField(place, name string) error {
	var all []string
	for _, f := range externalFields {
		all = append(all, f.name)
	}
	return fmt.Errorf("%s: %q is no field of external rows; they are %s", place, name, strings.Join(all, ", "))
}
