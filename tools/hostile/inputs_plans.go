//go:build unix

package main

import (
	"bufio"
	"fmt"
	"path/filepath"
)

// tiles is a floorplan of n by n blocks with powers.
func tiles(command string, n int) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		side := 0.01 / float64(n)
		plan := write(filepath.Join(dir, "plan.flp"), func(w *bufio.Writer) {
			for j := range n {
				for i := range n {
					fmt.Fprintf(w, "b%d_%d\t%.9g\t%.9g\t%.9g\t%.9g\n", i, j, side, side, float64(i)*side,
						float64(j)*side)
				}
			}
		})
		powers := write(filepath.Join(dir, "plan.ptrace"), func(w *bufio.Writer) {
			for at := range n * n {
				fmt.Fprintf(w, "b%d_%d ", at%n, at/n)
			}
			fmt.Fprintln(w)
			repeat(w, "1e-5 ", n*n)
		})
		stack := write(filepath.Join(dir, "stack.toml"), func(w *bufio.Writer) {
			w.WriteString(sheet("tiles", `power = { floorplan = "plan.flp", watts = "plan.ptrace" }`, ""))
		})
		return []string{command, "--quiet", "--out", "out"}, errorsOf(plan, powers, stack)
	}
}

func repeat(w *bufio.Writer, text string, times int) {
	for range times {
		w.WriteString(text)
	}
	w.WriteByte('\n')
}

// unnamed is a floorplan of n blocks, none of which the powers know.
func unnamed(n int) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		args, err := tiles("check", n)(dir)
		powers := write(filepath.Join(dir, "plan.ptrace"), func(w *bufio.Writer) {
			for i := range n * n {
				fmt.Fprintf(w, "c%07d ", i)
			}
			fmt.Fprintln(w)
			repeat(w, "1e-5 ", n*n)
		})
		return args, errorsOf(err, powers)
	}
}

// powerMap is a map of columns by rows.
func powerMap(columns, rows int, value string) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		table := write(filepath.Join(dir, "map.csv"), func(w *bufio.Writer) {
			for range rows {
				for range columns - 1 {
					w.WriteString(value + ",")
				}
				w.WriteString(value + "\n")
			}
		})
		stack := write(filepath.Join(dir, "stack.toml"), func(w *bufio.Writer) {
			w.WriteString(sheet("map", `power = { map = "map.csv", unit = "W", orientation = "south-first" }`, ""))
		})
		return []string{"steady", "--quiet", "--out", "out"}, errorsOf(table, stack)
	}
}

// iceStack is a project of 3D-ICE with n layers.
func iceStack(n int, output string) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		plan := write(filepath.Join(dir, "die.flp"), func(w *bufio.Writer) {
			fmt.Fprintf(w, "core :\n  position 0, 0 ;\n  dimension 10000, 10000 ;\n  power values 10 ;\n")
		})
		stack := write(filepath.Join(dir, "case.stk"), func(w *bufio.Writer) {
			w.WriteString("material SI :\n  thermal conductivity 1.3e-4 ;\n  volumetric heat capacity 1.628e-12 " +
				";\n\ntop heat sink :\n  heat transfer coefficient 1e-8 ;\n  temperature 300 ;\n\n")
			w.WriteString("dimensions :\n  chip length 10000, width 10000 ;\n  cell length 1000, width 1000 " +
				";\n\nlayer L :\n  height 10 ;\n  material SI ;\n\ndie D :\n  source 10 SI ;\n\nstack:\n")
			for i := range n {
				fmt.Fprintf(w, "  layer L%d L ;\n", i)
			}
			w.WriteString("  die DIE D floorplan \"die.flp\" ;\n\nsolver:\n  steady ;\n  initial temperature 300 ;\n\n")
			fmt.Fprintf(w, "output:\n  Tmap ( DIE, %q, final ) ;\n", output)
		})
		return []string{"steady", "case.stk", "--quiet", "--format", "3dice", "--out", "out"}, errorsOf(plan, stack)
	}
}

func planInputs() []input {
	return []input{
		{"flp-10000", "floorplan of 10,000 blocks", tiles("check", 100), false},
		{"flp-40000", "floorplan of 40,000 blocks", tiles("check", 200), false},
		{"flp-1M", "floorplan of 1,000,000 blocks, checked", tiles("check", 1000), false},
		{"flp-steady-40000", "floorplan of 40,000 blocks, solved", tiles("steady", 200), false},
		{"flp-steady-1M", "floorplan of 1,000,000 blocks, solved", tiles("steady", 1000), false},
		{"flp-unnamed", "floorplan of 250,000 blocks, none of which the powers name", unnamed(500), true},
		{"map-columns", "power map of 20,000,000 columns", powerMap(20_000_000, 1, "1e-7"), true},
		{"map-rows", "power map of 20,000,000 rows", powerMap(1, 20_000_000, "1e-7"), true},
		{"map-1M-columns", "power map of 1,000,000 columns", powerMap(1_000_000, 1, "1e-6"), false},
		{"map-1M-rows", "power map of 1,000,000 rows", powerMap(1, 1_000_000, "1e-6"), false},
		{"map-1e308", "power map that sums to infinity", powerMap(10, 10, "1e308"), true},
		{"stk-20000", "project of 3D-ICE with 20,000 layers", iceStack(20_000, "t.txt"), true},
		{"stk-500000", "project of 3D-ICE with 500,000 layers (8 MB)", iceStack(500_000, "t.txt"), true},
	}
}
