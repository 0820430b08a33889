package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// networkRow is one measurement. Fields that a table does not have are omitted. Times are medians in seconds.
type networkRow struct {
	Table      string  `json:"table"`
	Case       string  `json:"case"`
	Unknowns   int     `json:"unknowns"`
	Entries    int64   `json:"entries"`
	Device     string  `json:"device"`
	Threads    int     `json:"threads,omitempty"` // of a processor
	Method     string  `json:"method,omitempty"`
	Right      string  `json:"right_side,omitempty"` // empty: independent normal numbers
	RTol       float64 `json:"rtol,omitempty"`
	Runs       int     `json:"runs,omitempty"` // 0: one without warm-up
	Commit     string  `json:"commit"`
	Iterations int     `json:"iterations,omitempty"`
	Residual   float64 `json:"relative_residual,omitempty"` // true, in FP64
	Converged  bool    `json:"converged"`
	times
	elimination
	cycle
	circuit
	transient
	Note string `json:"note,omitempty"`
}

// times of a solve.
type times struct {
	LoadS     float64 `json:"load_s,omitempty"`     // the matrix from host arrays to the device
	SetupS    float64 `json:"setup_s,omitempty"`    // from there to the first iteration
	OrderS    float64 `json:"order_s,omitempty"`    // of it: parac's order, if the processor finds it
	FactorS   float64 `json:"factor_s,omitempty"`   // of it: parac's elimination, the order included
	SortS     float64 `json:"sort_s,omitempty"`     // of it: parac's factor sorted for the solves
	SolveS    float64 `json:"solve_s,omitempty"`    // the iteration
	TotalS    float64 `json:"total_s,omitempty"`    // setup and iteration
	TransferS float64 `json:"transfer_s,omitempty"` // the right-hand side to the device and the solution back
	WholeS    float64 `json:"whole_s,omitempty"`    // everything from host arrays to host arrays
}

// all times, for medians.
func (t *times) all() []*float64 {
	return []*float64{&t.LoadS, &t.SetupS, &t.OrderS, &t.FactorS, &t.SortS, &t.SolveS, &t.TotalS, &t.TransferS,
		&t.WholeS}
}

// elimination describes parac's factor.
type elimination struct {
	Order         string  `json:"order,omitempty"`
	Fill          float64 `json:"fill,omitempty"` // 2 nnz(G) / nnz(A)
	FactorEntries int64   `json:"factor_entries,omitempty"`
	Depth         int     `json:"depth,omitempty"` // critical path of the triangular solves
	Tree          int     `json:"tree,omitempty"`  // height of the elimination tree of the factor
	Grown         int     `json:"grown,omitempty"` // how often memory of the elimination had to grow
}

// cycle describes the cycle of cmg and the products in it.
type cycle struct {
	Levels   int     `json:"levels,omitempty"`    // of the hierarchy
	Level    *int    `json:"level,omitempty"`     // of a product
	Layout   string  `json:"layout,omitempty"`    // of its graph
	PerCycle int     `json:"per_cycle,omitempty"` // products in one application of the cycle
	ProductS float64 `json:"product_s,omitempty"` // one of them
	// minimum memory traffic: the graph as stored, and each vector once
	ProductBytes int64   `json:"product_bytes,omitempty"`
	TBPerS       float64 `json:"product_TB_per_s,omitempty"`
	ProductsS    float64 `json:"products_s,omitempty"` // all of an iteration's, times the iterations
}

// circuit describes a netlist.
type circuit struct {
	ReadS     float64 `json:"read_s,omitempty"`    // from its text
	ConnectS  float64 `json:"connect_s,omitempty"` // its system
	Resistors int     `json:"resistors,omitempty"`
	Shorts    int     `json:"shorts,omitempty"`
	Nodes     int     `json:"nodes,omitempty"`
	// with time steps
	Capacitors int     `json:"capacitors,omitempty"`
	Inductors  int     `json:"inductors,omitempty"`
	DropV      float64 `json:"worst_drop_V,omitempty"`     // of any node from its net's sources
	ApartV     float64 `json:"largest_change_V,omitempty"` // of a voltage from the table's first solve of the netlist
}

// transient describes the time steps of a netlist. The iteration's time is that of all steps.
type transient struct {
	Steps     int     `json:"steps,omitempty"`
	StepS     float64 `json:"step_s,omitempty"`             // length of a step
	Initial   int     `json:"initial_iterations,omitempty"` // of the operating point
	PerStep   float64 `json:"iterations_per_step,omitempty"`
	Most      int     `json:"most_iterations,omitempty"`      // of a step
	StepWallS float64 `json:"wall_s_per_step,omitempty"`      // median
	StepCoreS float64 `json:"processor_s_per_step,omitempty"` // on all cores, of the whole transient
}

// tables are the measurements, by the name of their table.
var tables = map[string]func(*bench) error{
	"poisson":  (*bench).poisson,
	"netlists": (*bench).netlists,
	"graphs":   (*bench).graphs,
	"steps":    (*bench).transients,
}

// bench is a run of networks.
type bench struct {
	*output
	result  result[networkRow]
	side    int    // of Poisson problems
	size    int    // vertices of graphs
	nodes   *[]int // of netlists
	steps   int    // of netlists in time
	threads *[]int
	runs    int
	cases   *[]string // beginnings of names; all if empty
	methods *[]string
	devices *[]string
	right   string // right-hand side of Poisson problems
}

// networks measures tables.
func networks(o *output) func() error {
	b := bench{output: o}
	chosen := listFlag("tables", ",", "poisson", "tables: "+strings.Join(slices.Sorted(maps.Keys(tables)), ", "), word)
	flag.IntVar(&b.side, "side", 243, "cells a side of Poisson problems")
	flag.IntVar(&b.size, "size", 1_000_000, "vertices of graphs")
	flag.IntVar(&b.runs, "runs", 3, "runs after a warm-up, of which the median counts; 0 for a single run "+
		"without warm-up")
	b.nodes = listFlag("nodes", ",", "30976,126736,850084,1000000", "nodes of netlists", positive)
	flag.IntVar(&b.steps, "steps", 0, "time steps of netlists")
	b.threads = listFlag("threads", ",", strconv.Itoa(runtime.GOMAXPROCS(0)), "numbers of threads of the processor",
		positive)
	b.cases = listFlag("cases", ",", "", "run only cases whose names begin with one of these", word)
	b.methods = listFlag("precond", ";", "parac;cmg", "methods with their settings", word)
	b.devices = listFlag("devices", ",", "gpu", "gpu and cpu", word)
	flag.StringVar(&b.right, "right", "", "right-hand sides of Poisson problems: independent normal numbers, or "+
		"product, the matrix times such numbers")
	write := flag.String("netlist", "", "measure nothing: write the first netlist of -nodes to this file")
	return func() (err error) {
		switch {
		case b.right != "" && b.right != "product":
			return fmt.Errorf("there is no right-hand side %q", b.right)
		case *write != "":
			return writeFile(*write, (*b.nodes)[0], b.steps)
		}
		return b.run(*chosen)
	}
}

func (b *bench) run(chosen []string) error {
	b.result.header = b.header()
	for _, name := range []string{"cpu", "gpu"} {
		if name == "cpu" || slices.Contains(*b.devices, name) {
			if err := b.result.describe(name); err != nil {
				return err
			}
		}
	}
	for _, name := range chosen {
		measure := tables[name]
		if measure == nil {
			return fmt.Errorf("there is no table %q", name)
		}
		if err := measure(b); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// add prints a row and saves all rows.
func (b *bench) add(r networkRow) error {
	r.Commit = b.commit
	b.result.Rows = append(b.result.Rows, r)
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	return b.write(b.result)
}

// addAll adds a row and those of the products of its cycle.
func (b *bench) addAll(r networkRow, products []networkRow) error {
	for _, q := range products {
		r.ProductsS += q.ProductS * float64(q.PerCycle*r.Iterations)
	}
	if err := b.add(r); err != nil {
		return err
	}
	for _, q := range products {
		q.Device, q.Threads = r.Device, r.Threads
		if err := b.add(q); err != nil {
			return err
		}
	}
	return nil
}
