package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// tables are what can be measured.
var tables = map[string]func(*bench) error{
	"poisson":  (*bench).poisson,
	"orders":   (*bench).orders,
	"scaling":  (*bench).scaling,
	"netlists": (*bench).netlists,
	"graphs":   (*bench).graphs,
}

// bench is a run of networks.
type bench struct {
	*output
	result  networkResult
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

// networks measures tables.
func networks(o *output) func() error {
	b := bench{output: o}
	names := strings.Join(slices.Sorted(maps.Keys(tables)), ", ")
	chosen := flag.String("tables", "poisson", "a list of "+names)
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
	return func() (err error) {
		if b.nodes, err = numbers(*nodes); err != nil {
			return err
		}
		if b.threads, err = numbers(*threads); err != nil {
			return err
		}
		b.cases, b.methods, b.devices = list(*cases, ","), strings.Split(*methods, ";"), strings.Split(*devices, ",")
		switch {
		case b.right != "" && b.right != "product":
			return fmt.Errorf("there is no right side %q", b.right)
		case *write != "":
			return writeFile(*write, b.nodes[0])
		}
		return b.run(strings.Split(*chosen, ","))
	}
}

func (b *bench) run(chosen []string) error {
	b.result.header = b.header()
	b.result.describeCommand()
	b.result.describeCPU()
	if slices.Contains(b.devices, "gpu") {
		if err := b.result.describeGPU(0); err != nil {
			return err
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

// add prints a row and writes all.
func (b *bench) add(r networkRow) error {
	r.Commit = b.commit
	r.Note = strings.Trim(r.Note+"; "+b.note, "; ")
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
