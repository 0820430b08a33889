// Command ilubench measures incomplete factors, on a GPU unless told otherwise: factorisation, triangular solves per
// level and against the copy bandwidth, forms of the solves, block factors, and iterations of conjugate gradients on
// Poisson's equation and of BiCGSTAB on convection with diffusion. Like gpubench it is a single binary for GPU machines
// without Go.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/ilu"
)

// row is what was measured of a grid. Settings that a row does not name were left to the method.
type row struct {
	Table    string `json:"table,omitempty"` // what the command line calls it
	Kind     string `json:"kind"`            // parts, apply or solve
	Commit   string `json:"commit"`
	Device   string `json:"device"`
	Case     string `json:"case"`
	Cells    int    `json:"cells"`
	Settings string `json:"settings"`
	Name     string `json:"name,omitempty"` // method and settings
	// case and order, or case and name: what rows of one line have in common
	Of          string  `json:"of"`
	Method      string  `json:"method,omitempty"`
	Order       int     `json:"order"`
	Precision   string  `json:"precision,omitempty"`
	Form        string  `json:"form,omitempty"`
	Hints       string  `json:"hints,omitempty"` // tile along y and z, chunk; 0 for the solver's choice
	Tile        string  `json:"tile,omitempty"`
	Chunk       int     `json:"chunk,omitempty"` // 0 for the solver's choice
	Levels      int     `json:"levels,omitempty"`
	FactorMS    float64 `json:"factor_ms,omitempty"`
	SetUpMS     float64 `json:"setup_ms,omitempty"`
	ApplyMS     float64 `json:"apply_ms,omitempty"`
	LevelUS     float64 `json:"us_per_level,omitempty"` // of one triangular solve, the change of layout included
	TBPerS      float64 `json:"TB_per_s,omitempty"`     // of the bytes that cannot be avoided
	BytesCell   float64 `json:"bytes_per_cell,omitempty"`
	Details     string  `json:"details,omitempty"`
	Right       string  `json:"right_side,omitempty"`
	RTol        float64 `json:"rtol,omitempty"`
	Iterations  int     `json:"iterations,omitempty"`
	Converged   *bool   `json:"converged,omitempty"`
	SolveMS     float64 `json:"solve_ms,omitempty"`
	ResidualRel float64 `json:"residual_rel,omitempty"`
}

// file is what docs/measurements keeps.
type file struct {
	Date    string  `json:"date"`
	Commit  string  `json:"commit"`
	Command string  `json:"command"`
	GPU     string  `json:"gpu"`
	Copy    float64 `json:"copy_TB_per_s,omitempty"`
	Rows    []row   `json:"rows"`
}

// options are the command line's.
type options struct {
	table, out                                       string
	cases, orders, precisions, forms, methods, sides []string
	rtols                                            []float64
	largest, runs                                    int
	commit                                           string
	processor                                        bool
	hints                                            []ilu.Options
}

func main() {
	var o options
	flag.StringVar(&o.out, "json", "", "write the measurements to this file, after every row")
	flag.StringVar(&o.table, "table", "", "what the rows call their table")
	cases := flag.String("case", "", "run only cases whose names begin with one of these, with commas between them")
	largest := flag.Int("max-cells", 40e6, "leave out cases with more cells")
	orders := flag.String("orders", "0,1", "orders whose parts are timed")
	precisions := flag.String("precisions", "fp32,fp64", "precisions of these")
	forms := flag.String("forms", "tiles", "forms of their solves")
	methods := flag.String("methods", "", "methods that are set up, applied and solved with, with semicolons between "+
		"them: ilu:order=0;ddilu:form=levels")
	sides := flag.String("right", "", "right sides that are solved with (ones, normal random, smooth), all by "+
		"default, none for no solves")
	rtols := flag.String("rtol", "1e-5", "residuals at which iterations are counted, relative to the right side")
	flag.StringVar(&o.commit, "commit", commit(), "commit that the rows name, where the program does not know its own")
	hints := flag.String("hints", "0,0,0", "tiles that are tried, with semicolons between them: columns along y and "+
		"z, levels between two messages; 0 for the solver's choice")
	flag.BoolVar(&o.processor, "cpu", false, "measure on the processor")
	flag.IntVar(&o.runs, "runs", 20, "applications that are timed")
	flag.Parse()
	o.largest = *largest
	o.cases, o.orders, o.precisions, o.forms, o.sides = list(*cases, ","), list(*orders, ","), list(*precisions, ","),
		list(*forms, ","), list(*sides, ",")
	o.methods = list(*methods, ";")
	for _, text := range list(*rtols, ",") {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			fail(err)
		}
		o.rtols = append(o.rtols, v)
	}
	for _, text := range list(*hints, ";") {
		var h ilu.Options
		if _, err := fmt.Sscanf(text, "%d,%d,%d", &h.TileY, &h.TileZ, &h.Chunk); err != nil {
			fail(fmt.Errorf("hint %q: %w", text, err))
		}
		o.hints = append(o.hints, h)
	}
	if err := measure(o); err != nil {
		fail(err)
	}
}

// write keeps what was measured so far.
func (f *file) write(path string) error {
	if path == "" {
		return nil
	}
	data, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "ilubench:", err)
	os.Exit(1)
}

// list splits a flag.
func list(text, by string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, by)
}

// measure runs all cases. Every row is written when it is there, so what was measured before an error or an end is
// kept.
func measure(o options) error {
	d, name, err := openDevice(o.processor)
	if err != nil {
		return err
	}
	defer d.Close()
	f := file{Date: time.Now().UTC().Format(time.DateOnly), Commit: o.commit,
		Command: strings.Join(append([]string{"ilubench"}, os.Args[1:]...), " "), GPU: name}
	if f.Copy, err = copies(o.processor); err != nil {
		return err
	}
	fmt.Println(name)
	for _, p := range problems() {
		if !p.wanted(o.cases) || p.nx*p.ny*p.nz > o.largest {
			continue
		}
		add := func(r row) error {
			f.Rows = append(f.Rows, p.label(r, name, o))
			return f.write(o.out)
		}
		if err := p.measure(d, o, add); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// label says in a row what was measured on which device.
func (p problem) label(r row, device string, o options) row {
	r.Table, r.Commit, r.Device, r.Case, r.Cells = o.table, o.commit, device, p.name, p.nx*p.ny*p.nz
	r.Of = fmt.Sprintf("%s, order %d", p.name, r.Order)
	if r.Name != "" {
		r.Of = p.name + ", " + r.Name
	}
	return r
}

// copies is the rate in TB/s at which a GPU copies its memory, read and written; 0 of a processor.
func copies(processor bool) (float64, error) {
	if processor {
		return 0, nil
	}
	d, err := gpusolve.OpenDevice("gpu:0")
	if err != nil {
		return 0, err
	}
	defer d.Release()
	rate, err := d.CopyBandwidth()
	return rate / 1e12, err
}

// openDevice opens the first GPU, or the processor.
func openDevice(processor bool) (ops.Device, string, error) {
	if processor {
		return host.Open(), fmt.Sprintf("processor, %d threads", runtime.GOMAXPROCS(0)), nil
	}
	drv, err := cudriver.Open()
	if err != nil {
		return nil, "", err
	}
	d, err := cuda.Open(drv, 0)
	if err != nil {
		return nil, "", err
	}
	d.Bind() // for good
	return d, d.Name(), nil
}

func (p problem) wanted(cases []string) bool {
	for _, name := range cases {
		if strings.HasPrefix(p.name, name) {
			return true
		}
	}
	return len(cases) == 0
}

// measure gives the rows of a case to add, as they are measured.
func (p problem) measure(d ops.Device, o options, add func(row) error) error {
	s, err := p.open(d)
	if err != nil {
		return err
	}
	defer s.Free()
	fmt.Printf("%s, %d cells\n", p.name, p.nx*p.ny*p.nz)
	if !p.rows {
		if err := p.timeParts(s, o, add); err != nil {
			return err
		}
	}
	for _, text := range o.methods {
		if err := p.withMethod(s, text, o, add); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

// commit is that of the program, "" where it was built without.
func commit() string {
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, s := range b.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return ""
}
