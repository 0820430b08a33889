// Package bench measures the solver on the systems of the CUTh-Solver paper (Wang et al., arXiv:2606.17850) and
// reproduces the paper's tables for all preconditioners.
package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/methods"
)

// Options of a benchmark.
type Options struct {
	Device     string   // as in gpusolve.Options.
	Tables     []string // names or the paper's numbers; default all.
	Methods    []string // as for --precond; default DefaultMethods.
	MaxCells   int      // skip larger systems; 0: limit of the device.
	MinCells   int      // skip smaller systems.
	Systems    []string // by name or family (SystemSets); default all.
	Grids      [][2]int // nx and ny; default those of the systems.
	Runs       int      // counted runs after a warm-up; default 3.
	RowSeconds float64  // time limit of a row; default 60.
	MaxIter    int      // per linear system; default 50000.
	// FromPrevious starts time steps from the previous step, as in the paper, instead of an extrapolation.
	FromPrevious bool
	MapsDir      string         // folder of error maps; "" for none.
	Version      string         // of the program, for the result.
	Watch        func(Event)    // receives all events; may be nil.
	External     []ExternalRow  // rows measured by others, added to the tables.
	Executor     *device.Shared // used instead of Device, and left open.
	Own          *Own           // instead of Tables and Systems; nil for those.
}

// Event reports the progress of a benchmark: device and problem, then for every table its start, the current
// measurement, and rows.
type Event struct {
	Result *Result // without tables.
	Table  *Table
	Doing  string // the current measurement.
	Note   string // text below the table.
	Row    *Row
}

// Largest systems that a device solves in reasonable time.
const (
	gpuCells = 40_000_000
	cpuCells = 1_000_000
)

// Bench is a running benchmark.
type Bench struct {
	Options
	dev     *device.Shared
	kind    string // of the device: cpu or gpu
	result  *Result
	systems []system
	table   *Table
	// exact is the last reference solution.
	exact reference
	// the last system that a method solved, or on which it was cut off, by kind, family and method
	times    map[string]took
	loaded   map[string]bool // methods with loaded kernels, by kind.
	measured map[string]Row  // by kind, system and method: solves shared by several tables are measured once.
}

// Run measures all tables. If the context or a lost device ends it early, it returns the rows so far together with the
// error.
func Run(ctx context.Context, o Options) (*Result, error) {
	tables, err := chooseTables(o.Tables)
	if err != nil {
		return nil, err
	}
	if o.Own != nil {
		tables = []Table{ranking()}
	}
	b := &Bench{Options: o, times: map[string]took{}, loaded: map[string]bool{}, measured: map[string]Row{}}
	if err := b.fill(); err != nil {
		return nil, err
	}
	if b.dev == nil {
		if b.dev, err = device.Open(o.Device); err != nil {
			return nil, err
		}
		defer b.dev.Release()
	}
	b.kind = b.dev.Info.Kind
	if o.Own != nil {
		b.systems = []system{o.Own.system()}
	} else if b.systems, err = b.chooseSystems(); err != nil {
		return nil, err
	}
	if err := b.describe(); err != nil {
		return nil, err
	}
	b.tell(Event{Result: b.result})
	for i := range tables {
		b.table = &tables[i]
		b.tell(Event{Table: b.table})
		b.result.Tables = append(b.result.Tables, Sheet{Name: b.table.Name, Rows: []Row{}})
		if err := b.table.run(ctx, b); err != nil {
			return b.result, err
		}
		if err := b.addExternal(); err != nil {
			return b.result, err
		}
	}
	return b.result, nil
}

// addExternal adds the external rows of the last table, and reports them.
func (b *Bench) addExternal() error {
	last := len(b.result.Tables) - 1
	rows := slices.DeleteFunc(slices.Clone(b.External), func(e ExternalRow) bool { return e.Table != b.table.Name })
	if err := b.result.AddExternal(rows); err != nil {
		return fmt.Errorf("%w: %w", gpusolve.ErrOption, err)
	}
	for n, r := range b.result.Tables[last].Rows {
		if r.External != nil {
			b.tell(Event{Table: b.table, Row: &b.result.Tables[last].Rows[n]})
		}
	}
	for _, note := range b.result.Tables[last].notes() {
		b.tell(Event{Table: b.table, Note: note})
	}
	return nil
}

// fill sets the defaults.
func (b *Bench) fill() error {
	if b.Runs <= 0 {
		b.Runs = 3
	}
	if b.RowSeconds <= 0 {
		b.RowSeconds = 60
	}
	if b.MaxIter <= 0 {
		b.MaxIter = 50000
	}
	if len(b.Methods) == 0 {
		b.Methods = DefaultMethods()
		if b.Own != nil {
			b.Methods = allMethods()
		}
	}
	for _, m := range b.Methods {
		if err := methods.Check(m); err != nil {
			return fmt.Errorf("%w: %w", gpusolve.ErrOption, err)
		}
	}
	b.dev = b.Executor
	return nil
}

func (b *Bench) describe() error {
	info := b.dev.Info
	b.result = &Result{Schema: 2, Date: time.Now().UTC().Format(time.DateOnly), Version: b.Version,
		Problems: b.problems()}
	d := &b.result.Device
	d.Kind, d.Name, d.Threads, d.OpenS = info.Kind, info.Name, info.Threads, Number(b.dev.Open.Seconds())
	rate, err := b.dev.CopyBandwidth()
	if err != nil {
		return fmt.Errorf("%w: measuring the copy bandwidth: %w", gpusolve.ErrDevice, err)
	}
	d.CopyTBperS = Number(rate / 1e12)
	if info.Kind == "cpu" {
		d.Name = device.ProcessorName()
		return nil
	}
	if gpus, err := device.List(); err == nil {
		for _, g := range gpus {
			if g.Name == d.Name {
				d.Driver, d.MemoryBytes = strings.TrimSpace(g.Driver+" CUDA "+g.CUDA), g.MemoryBytes
			}
		}
	}
	return nil
}

// limit is the largest number of cells of a measured system.
func (b *Bench) limit() int {
	switch {
	case b.MaxCells > 0:
		return b.MaxCells
	case b.kind == "gpu":
		return gpuCells
	}
	return cpuCells
}

func (b *Bench) tell(e Event) {
	if b.Watch != nil {
		b.Watch(e)
	}
}

// doing announces a measurement.
func (b *Bench) doing(format string, args ...any) {
	b.tell(Event{Table: b.table, Doing: fmt.Sprintf(format, args...)})
}

// add appends a row to the current table.
func (b *Bench) add(r Row) {
	t := &b.result.Tables[len(b.result.Tables)-1]
	r.Build, r.LimitS = b.Version, Number(b.RowSeconds)
	t.Rows = append(t.Rows, r)
	b.tell(Event{Table: b.table, Row: &t.Rows[len(t.Rows)-1]})
}

// DefaultMethods are all preconditioners, in all forms or orders that their papers compare. ilu is omitted: on these
// symmetric systems its factors equal those of ic.
func DefaultMethods() []string {
	return slices.DeleteFunc(allMethods(), func(m string) bool { return strings.HasPrefix(m, "ilu:") })
}

// allMethods are the default ones and ilu.
func allMethods() []string {
	compared := map[string]string{"chebyshev": "form", "ic": "order", "ilu": "order"}
	var all []string
	for _, p := range methods.All() {
		values := words(p.Name, compared[p.Name])
		if len(values) == 0 {
			all = append(all, p.Name)
		}
		for _, v := range values {
			all = append(all, fmt.Sprintf("%s:%s=%s", p.Name, compared[p.Name], v))
		}
	}
	return all
}

// words are the values of a setting of a method, words or integers; none if there is no such setting.
func words(method, setting string) (values []string) {
	for _, p := range methods.All() {
		for _, k := range p.Keys {
			if p.Name != method || k.Name != setting {
				continue
			}
			values = append(values, k.Words...)
			for v := k.Min; len(k.Words) == 0 && v <= k.Max; v++ {
				values = append(values, fmt.Sprint(v))
			}
		}
	}
	return values
}

// Table is a table of the paper.
type Table struct {
	Name    string // as for --tables.
	Number  string // in the paper; empty for additional tables.
	Title   string
	About   []string // explanations, one sentence each.
	Columns []Column
	run     func(ctx context.Context, b *Bench) error
}

// Tables lists all of them, except the ranking of a user's stack.
func Tables() []Table {
	return []Table{floorplans(), steady(), transient(), products(), precision(), synergy(), networks()}
}

// label is the table's name, formatted with its number in the paper if it has one.
func (t *Table) label(format string) string {
	if t.Number == "" {
		return t.Name
	}
	return fmt.Sprintf(format, t.Name, t.Number)
}

// chooseTables finds tables by name or number; the default is all.
func chooseTables(names []string) ([]Table, error) {
	all := Tables()
	if len(names) == 0 {
		return all, nil
	}
	var chosen []Table
	for _, name := range names {
		i := slices.IndexFunc(all, func(t Table) bool {
			return strings.EqualFold(t.Name, name) || strings.EqualFold(t.Number, name)
		})
		if i < 0 {
			var have []string
			for _, t := range all {
				have = append(have, t.label("%s (%s)"))
			}
			return nil, fmt.Errorf("%w: unknown table %q; expected one of %s", gpusolve.ErrOption, name,
				strings.Join(have, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// errCut is the cause of a row's context whose time limit has passed.
var errCut = errors.New("out of the row's time")
