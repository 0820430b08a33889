package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/gpusolve/methods"
)

// External is a measurement of a table's system by another program or on another machine.
type External struct {
	Program  string `json:"program"`
	Version  string `json:"version"`
	Device   string `json:"device"`
	Settings string `json:"settings"` // of the program
	Source   string `json:"source"`   // who measured it, or the publication.
	Rule     string `json:"rule"`     // stopping criterion of the solve.
}

// Method is the text in the column of methods.
func (e *External) Method() string { return fmt.Sprintf("%s %s (external)", e.Program, e.Version) }

// String formats all fields on one line.
func (e *External) String() string {
	return fmt.Sprintf("%s: on %s; %s; to %s; source: %s", e.Method(), e.Device, e.Settings, e.Rule, e.Source)
}

// notes lists the sources of the external rows of a table and the settings of ranked methods, one line each.
func (t *Sheet) notes() []string {
	var all []string
	for _, r := range t.Rows {
		if r.External != nil && !slices.Contains(all, r.External.String()) {
			all = append(all, r.External.String())
		}
		if r.Settings != "" {
			all = append(all, r.Method+": "+r.Settings)
		}
	}
	return all
}

// ExternalRow is a row of a file of external measurements.
type ExternalRow struct {
	External
	Table      string // of externalTables
	Case       string // name of the system; empty if the grid identifies it.
	Grid       string // NXxNYxNZ
	Unknowns   int
	Iterations int // 0 if unknown.
	SetupS     Number
	SolveS     Number
	ResidualW  Number
	// Errors of the table floorplans, as in Row.
	MaxAEK, MAEK, TopMaxAEK, TopMAEK Number

	location string // file, line and column, for messages
}

// externalTables are the tables with external rows.
var externalTables = []string{"floorplans", "steady", "transient", "graphs"}

// of reports whether the row belongs to the system of another row.
func (e *ExternalRow) of(r *Row) bool {
	return r.External == nil && (e.Case == "" || strings.EqualFold(e.Case, r.Case)) &&
		(e.Grid == "" || e.Grid == r.Grid)
}

// System names the row's table and system.
func (e *ExternalRow) System() string {
	return strings.Join(strings.Fields(e.Table+" "+e.Case+" "+e.Grid), " ")
}

// LeftOut lists the external rows whose table or system is missing.
func (r *Result) LeftOut(rows []ExternalRow) (left []ExternalRow) {
	for _, e := range rows {
		here := func(t Sheet) bool { return t.Name == e.Table && t.lastOf(&e) >= 0 }
		if !slices.ContainsFunc(r.Tables, here) {
			left = append(left, e)
		}
	}
	return left
}

// AddExternal adds external rows to the tables, each after the rows of its system, and skips those of LeftOut. The
// error names a row whose number of unknowns does not match the system.
func (r *Result) AddExternal(rows []ExternalRow) error {
	for _, e := range rows {
		for n := range r.Tables {
			if t := &r.Tables[n]; t.Name == e.Table && t.lastOf(&e) >= 0 {
				if err := r.addExternal(t, e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// lastOf is the index of the last row of an external row's system, -1 without one.
func (t *Sheet) lastOf(e *ExternalRow) int {
	for n := len(t.Rows) - 1; n >= 0; n-- {
		if e.of(&t.Rows[n]) {
			return n
		}
	}
	return -1
}

func (r *Result) addExternal(t *Sheet, e ExternalRow) error {
	last := t.lastOf(&e)
	system := t.Rows[last]
	if e.Unknowns != system.Cells {
		return fmt.Errorf("%s: unknowns: got %d; expected %d, as %s of table %s has", e.location, e.Unknowns,
			system.Cells, strings.TrimSpace(system.Case+" "+system.Grid), t.Name)
	}
	row := e.row(&system)
	if e.Device == r.Device.Name {
		row.ToDefault = row.SolveS / r.solveOf(t.Name, row.Case, methods.Names()[0], "")
		row.ToDirect = row.SolveS / r.solveOf(t.Name, row.Case, directMethod, "")
	}
	same := func(o Row) bool {
		return o.External != nil && *o.External == *row.External && o.Case == row.Case && o.Grid == row.Grid
	}
	if n := slices.IndexFunc(t.Rows, same); n >= 0 {
		t.Rows[n] = row
		return nil
	}
	for last+1 < len(t.Rows) && t.Rows[last+1].External != nil {
		last++
	}
	t.Rows = slices.Insert(t.Rows, last+1, row)
	return nil
}

// row of the table, for the system of another row.
func (e *ExternalRow) row(system *Row) Row {
	row := newRow()
	row.Case, row.Grid, row.Cells, row.Steps = system.Case, system.Grid, system.Cells, system.Steps
	row.Method = e.External.Method()
	row.Iterations, row.SetupS, row.SolveS, row.ResidualW, row.Converged = e.Iterations, e.SetupS, e.SolveS,
		e.ResidualW, true
	row.MaxAEK, row.MAEK, row.TopMaxAEK, row.TopMAEK = e.MaxAEK, e.MAEK, e.TopMaxAEK, e.TopMAEK
	if row.TotalS = e.SolveS; e.SetupS.Known() {
		row.TotalS += e.SetupS
	}
	external := e.External
	row.External, row.Note = &external, "external, on "+e.Device
	return row
}

// unknown is a value that was not reported.
var unknown = Number(math.NaN())
