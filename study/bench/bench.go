// Package bench measures the solver on the systems of the CUTh-Solver paper (Wang et al., arXiv:2606.17850) and makes
// the paper's tables, for every preconditioner of the build. One file a table.
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
	Device     string         // as gpusolve.Options has it
	Tables     []string       // names or the paper's numbers; all where empty
	Methods    []string       // as --precond takes them; DefaultMethods where empty
	MaxCells   int            // leave larger systems out; 0: what the device does in reasonable time
	MinCells   int            // leave smaller systems out
	Systems    []string       // by name, or of a family (SystemSets); all where empty
	Grids      [][2]int       // nx and ny, in place of the systems' own
	Runs       int            // counted ones, after one that is not; default 3
	RowSeconds float64        // a row stops after about so long; default 60
	MaxIter    int            // per linear system; default 50000
	MapsDir    string         // where to write error maps; "" writes none
	Version    string         // of the program, for the result
	Watch      func(Event)    // is told of everything as it happens; may be nil
	External   []ExternalRow  // rows that others measured, put into the tables
	Executor   *device.Shared // measures this one in place of Device, and leaves it open
}

// Event is what a benchmark tells while it runs: device and problem, then for every table its start, what is about to
// be measured, and rows.
type Event struct {
	Result *Result // without tables yet
	Table  *Table
	Doing  string // what is being measured
	Note   string // to stand below the table
	Row    *Row
}

// What a device does in reasonable time.
const (
	gpuCells = 40_000_000
	cpuCells = 1_000_000
)

// Bench is a benchmark under way.
type Bench struct {
	Options
	dev     *device.Shared
	kind    string // of the device: cpu or gpu
	result  *Result
	systems []system
	table   *Table
	// exact is the last reference solution.
	exact reference
	// the last system that a method was cut off on, or that it solved, by kind, family and method
	times    map[string]took
	loaded   map[string]bool // methods whose kernels are loaded, by kind
	measured map[string]Row  // by kind, system and method, so that what several tables have is measured once
}

// Run measures. When something ends it early, the context or a lost device, it returns what it has together with the
// error.
func Run(ctx context.Context, o Options) (*Result, error) {
	tables, err := chooseTables(o.Tables)
	if err != nil {
		return nil, err
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
	if b.systems, err = b.chooseSystems(); err != nil {
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

// addExternal puts the external rows of the last table into it, and tells them.
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
	for _, note := range b.result.Tables[last].externals() {
		b.tell(Event{Table: b.table, Note: note})
	}
	return nil
}

// fill puts defaults in place of what was left open.
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
		Problems: problems(b.systems)}
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

// limit is the largest number of cells that is measured.
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

// DefaultMethods are all preconditioners of the build, those whose paper compares several forms or orders in each. ilu
// is left out: on these systems, which are symmetric, its factors are those of ic.
func DefaultMethods() []string {
	compared := map[string]string{"chebyshev": "form", "ic": "order"}
	var all []string
	for _, p := range methods.All() {
		if p.Name == "ilu" {
			continue
		}
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

// words are the values that a setting of a method takes, words or whole numbers; none where this build has no such
// setting.
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
	Name    string // as --tables takes it
	Number  string // in the paper, none for what the paper has not
	Title   string
	About   []string // what a reader has to know, a sentence each
	Columns []Column
	run     func(ctx context.Context, b *Bench) error
}

// Tables lists all of them.
func Tables() []Table {
	return []Table{floorplans(), steady(), transient(), products(), precision(), synergy(), networks()}
}

// label is the table's name, with its number in the paper in the format where it has one.
func (t *Table) label(format string) string {
	if t.Number == "" {
		return t.Name
	}
	return fmt.Sprintf(format, t.Name, t.Number)
}

// chooseTables finds tables by name or number; all where none is named.
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
			return nil, fmt.Errorf("%w: there is no table %q; there are %s", gpusolve.ErrOption, name,
				strings.Join(have, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// errCut is the cause of a row's context that ran out of time.
var errCut = errors.New("out of the row's time")
