package downstream

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var robustTable = flag.String("robust-table", "", "solve stacks of every size, and write the table of iterations "+
	"between its marks in this file")

// Marks of the table in docs/guides/liquid-cooling.md.
const (
	tableBegin = "<!-- iterations: make robustness -->\n"
	tableEnd   = "<!-- end of iterations -->\n"
)

// mostIterations that any flow may take.
const mostIterations = 25

// TestRobustTable makes the table; it takes a quarter of an hour and 4 GB.
func TestRobustTable(t *testing.T) {
	if *robustTable == "" {
		t.Skip("-robust-table names the file of the table")
	}
	flows := []float64{2e-9, 2e-7, 2e-5, 2e-3}
	var b strings.Builder
	fmt.Fprintf(&b, "| model | cells along x and y | cavities | iterations to 1e-4 K, in brackets the Peclet number "+
		"of a cell, for %g m3/s a cavity |", flows[0])
	for _, flow := range flows[1:] {
		fmt.Fprintf(&b, " %g |", flow)
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(flows)) + "\n")
	for _, model := range models {
		for _, n := range []int{64, 256, 1024} {
			for _, cavities := range []int{1, 8} {
				if n*n*cavities > 512*512*8 {
					continue
				}
				line := fmt.Sprintf("| %s | %d | %d |", model, n, cavities)
				for _, flow := range flows {
					iterations, pe := count(t, model, n, cavities, flow, mostIterations)
					line += fmt.Sprintf(" %d (%.1g) |", iterations, pe)
				}
				t.Log(line)
				b.WriteString(line + "\n")
			}
		}
	}
	old, err := os.ReadFile(*robustTable)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(old), tableBegin)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		t.Fatalf("%s has no place for the table", *robustTable)
	}
	if err := os.WriteFile(*robustTable, []byte(before+tableBegin+b.String()+tableEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
