package main

import (
	"flag"
	"fmt"
	"runtime"
	"strconv"

	"thermsim/gpusolve/ops"
)

// factorRow is a measurement of a grid. Settings that a row does not name are the method's defaults.
type factorRow struct {
	Table    string `json:"table,omitempty"` // the name that the command line gives it
	Kind     string `json:"kind"`            // parts, apply or solve
	Commit   string `json:"commit"`
	Device   string `json:"device"`
	Case     string `json:"case"`
	Cells    int    `json:"cells"`
	Settings string `json:"settings"`
	Name     string `json:"name,omitempty"` // method and settings
	// case and order, or case and name: common to the rows of one line
	Of     string `json:"of"`
	Method string `json:"method,omitempty"`
	Order  int    `json:"order"`
	part
	SetUpMS float64 `json:"setup_ms,omitempty"`
	ApplyMS float64 `json:"apply_ms,omitempty"`
	Details string  `json:"details,omitempty"`
	Dropped float64 `json:"dropped,omitempty"` // share of the couplings, as in Details
	solve
}

// part is a factorization and its triangular solves.
type part struct {
	Precision string  `json:"precision,omitempty"`
	Form      string  `json:"form,omitempty"`
	Levels    int     `json:"levels,omitempty"`
	FactorMS  float64 `json:"factor_ms,omitempty"`
	LevelUS   float64 `json:"us_per_level,omitempty"` // of one triangular solve, the change of layout included
	TBPerS    float64 `json:"TB_per_s,omitempty"`     // of the bytes that cannot be avoided
	BytesCell float64 `json:"bytes_per_cell,omitempty"`
}

// solve is a solve of a system.
type solve struct {
	Right       string  `json:"right_side,omitempty"`
	RTol        float64 `json:"rtol,omitempty"`
	Iterations  int     `json:"iterations,omitempty"`
	Converged   *bool   `json:"converged,omitempty"`
	SolveMS     float64 `json:"solve_ms,omitempty"`
	ResidualRel float64 `json:"residual_rel,omitempty"`
}

// factorFlags are the command line's.
type factorFlags struct {
	*output
	table                                    string
	cases, precisions, forms, methods, sides *[]string
	orders                                   *[]int
	rtols                                    *[]float64
	largest, runs                            int
	processor                                bool
}

// factors measures grids.
func factors(out *output) func() error {
	o := factorFlags{output: out}
	flag.StringVar(&o.table, "table", "", "name of the table in the rows")
	o.cases = listFlag("case", ",", "", "run only cases whose names begin with one of these", word)
	flag.IntVar(&o.largest, "max-cells", 40e6, "omit cases with more cells")
	o.orders = listFlag("orders", ",", "0,1", "orders whose parts are timed", strconv.Atoi)
	o.precisions = listFlag("precisions", ",", "fp32,fp64", "precisions of these", word)
	o.forms = listFlag("forms", ",", "tiles", "forms of their solves", word)
	o.methods = listFlag("methods", ";", "", "methods whose setup, application and solves are timed: "+
		"ilu:order=0;ddilu:form=levels", word)
	o.sides = listFlag("right", ",", "", "right-hand sides of the solves (ones, normal random, smooth), all if "+
		"empty, none for no solves", word)
	o.rtols = listFlag("rtol", ",", "1e-5", "residuals at which iterations are counted, relative to the right-hand "+
		"side", func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
	flag.BoolVar(&o.processor, "cpu", false, "measure on the processor")
	flag.IntVar(&o.runs, "runs", 20, "applications that are timed")
	return o.run
}

// run measures all cases. Every row is saved at once, so that an error keeps the earlier ones.
func (o *factorFlags) run() error {
	f := result[factorRow]{header: o.header()}
	name := "gpu"
	if o.processor {
		name = "cpu"
		f.GPU = fmt.Sprintf("processor, %d threads", runtime.GOMAXPROCS(0))
		fmt.Println(f.GPU)
	} else if err := f.describe(name); err != nil {
		return err
	}
	d, err := open(name, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	d.Bind() // until the end
	defer d.Close()
	for _, p := range grids() {
		if !wanted(p.name, *o.cases) || p.nx*p.ny*p.nz > o.largest {
			continue
		}
		add := func(r factorRow) error {
			f.Rows = append(f.Rows, p.label(r, f.GPU, o))
			return o.write(f)
		}
		if err := p.measure(d, o, add); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// label completes a row with the case and the device.
func (p grid) label(r factorRow, device string, o *factorFlags) factorRow {
	r.Table, r.Commit, r.Device, r.Case, r.Cells = o.table, o.commit, device, p.name, p.nx*p.ny*p.nz
	r.Of = fmt.Sprintf("%s, order %d", p.name, r.Order)
	if r.Name != "" {
		r.Of = p.name + ", " + r.Name
	}
	return r
}

// measure passes the rows of a case to add, as they are measured.
func (p grid) measure(d ops.Device, o *factorFlags, add func(factorRow) error) error {
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
	for _, text := range *o.methods {
		if err := p.withMethod(s, text, o, add); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}
