// Command graphbench measures the methods that need no geometry, cmg and parac, on processors and GPUs: the Poisson
// problems of the ParAC paper beside others, heights of elimination trees by order, scaling over cores, and power grids
// read from netlists, with the products of combinatorial multigrid one by one. Like gpubench it is a single binary for
// GPU machines without Go. docs/cmg.md and docs/parac.md show what it wrote.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tables are what can be measured.
var tables = map[string]func(*bench) error{
	"poisson":  (*bench).poisson,
	"orders":   (*bench).orders,
	"scaling":  (*bench).scaling,
	"netlists": (*bench).netlists,
	"graphs":   (*bench).graphs,
}

// bench is a run of the program.
type bench struct {
	result  result
	path    string
	side    int   // of Poisson problems
	size    int   // vertices of graphs
	nodes   []int // of netlists
	threads []int
	runs    int
	cases   []string // beginnings of names; all where empty
	methods []string
	devices []string
	right   string // side of Poisson problems
	note    string // of every row
}

func main() {
	b := bench{}
	names := strings.Join(slices.Sorted(maps.Keys(tables)), ", ")
	chosen := flag.String("tables", "poisson", "a list of "+names)
	flag.StringVar(&b.path, "json", "", "write the measurements to this file, after every row")
	flag.IntVar(&b.side, "side", 243, "cells a side of Poisson problems")
	flag.IntVar(&b.size, "size", 1_000_000, "vertices of graphs")
	flag.IntVar(&b.runs, "runs", 3, "runs of which the median counts, after one that does not; 0 for one run "+
		"that counts")
	nodes := flag.String("nodes", "30976,126736,850084,1000000", "nodes of netlists")
	threads := flag.String("threads", strconv.Itoa(runtime.GOMAXPROCS(0)), "a list of numbers of threads for "+
		"the processor")
	cases := flag.String("cases", "", "a list of beginnings of names of cases")
	methods := flag.String("precond", "parac;cmg", "methods with their settings, with semicolons between")
	devices := flag.String("devices", "gpu", "a list of gpu and cpu")
	flag.StringVar(&b.right, "right", "", "right sides of Poisson problems: independent normal numbers, or product, "+
		"the matrix times such numbers")
	flag.StringVar(&b.note, "note", "", "what every row says of how it was measured, such as the cores that it had")
	write := flag.String("netlist", "", "measure nothing: write the first netlist of -nodes to this file")
	version := flag.String("commit", "", "the commit that the program was built from, where Go did not record it")
	flag.Parse()
	var err error
	if b.nodes, err = numbers(*nodes); err == nil {
		b.threads, err = numbers(*threads)
	}
	if *cases != "" {
		b.cases = strings.Split(*cases, ",")
	}
	b.methods, b.devices = strings.Split(*methods, ";"), strings.Split(*devices, ",")
	if b.result.Commit = commit(); b.result.Commit == "" {
		b.result.Commit = *version
	}
	switch {
	case err != nil:
	case b.right != "" && b.right != "product":
		err = fmt.Errorf("there is no right side %q", b.right)
	case *write != "":
		err = writeFile(*write, b.nodes[0])
	default:
		err = b.run(strings.Split(*chosen, ","))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "graphbench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(chosen []string) error {
	b.result.Date = time.Now().UTC().Format(time.DateOnly)
	b.result.Command = strings.Join(append([]string{"graphbench"}, os.Args[1:]...), " ")
	if err := b.describe(); err != nil {
		return err
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

// wanted says whether a case is to be measured.
func (b *bench) wanted(name string) bool {
	return len(b.cases) == 0 || slices.ContainsFunc(b.cases, func(s string) bool { return strings.HasPrefix(name, s) })
}

// add prints a row and writes all.
func (b *bench) add(r row) error {
	r.Commit = b.result.Commit
	r.Note = strings.Trim(r.Note+"; "+b.note, "; ")
	b.result.Rows = append(b.result.Rows, r)
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	if b.path == "" {
		return nil
	}
	data, err := json.MarshalIndent(b.result, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(b.path, append(data, '\n'), 0o644)
}

// addAll adds a row and those of the products of its cycle.
func (b *bench) addAll(r row, products []row) error {
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

func numbers(list string) ([]int, error) {
	var all []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return nil, errors.Join(fmt.Errorf("%q: a list of whole numbers, please", list), err)
		}
		all = append(all, n)
	}
	return all, nil
}
