//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// file makes an input that is one file besides the small stack, and a command line.
func file(name string, fill func(w io.Writer), args ...string) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		_, err := flags()(dir)
		return args, errorsOf(err, write(filepath.Join(dir, name), func(w *bufio.Writer) { fill(w) }))
	}
}

func text(make func() string) func(io.Writer) {
	return func(w io.Writer) { io.WriteString(w, make()) }
}

func netlistInputs() []input {
	net := func(make func() string) func(string) ([]string, error) {
		return file("grid.sp", text(make), "solve", "grid.sp", "--quiet", "--out", "out")
	}
	return []input{
		{"net-floating", "netlist of 400,000 nodes without a source", net(func() string {
			return many(400_000, "R%d n%[1]d m%[1]d 1\n")
		}), true},
		{"net-shorts", "netlist of a chain of 400,000 shorts", net(func() string {
			return chainOf(400_000, "R%d n%d n%d 0\n") + "V1 n0 0 1\n"
		}), true},
		{"net-sources", "netlist of a chain of 400,000 voltage sources", net(func() string {
			return chainOf(400_000, "V%d n%d n%d 1\n") + "V0 n0 0 1\n"
		}), true},
		{"net-loop", "netlist of a loop of 400,000 voltage sources", net(func() string {
			return chainOf(400_000, "V%d n%d n%d 1\n") + "V0 n0 0 1\nVe n400000 0 1\n"
		}), true},
		{"net-star", "netlist of 500,000 resistors at one node", net(func() string {
			return "V1 a 0 1\n" + many(500_000, "R%d a b%[1]d 1\n")
		}), false},
		{"net-line", "netlist of a line of 10 MB", net(func() string {
			return "R1 " + strings.Repeat("x", 10_000_000)
		}), true},
		{"net-continued", "netlist of a statement of 1,000,000 lines", net(func() string {
			return "V1 a 0 1\nR1 a 0 1\n" + strings.Repeat("+ 1\n", 1_000_000)
		}), true},
		{"net-1e308", "netlist of resistors of 1e308 and 1e-308 ohms", net(func() string {
			return "V1 a 0 1e308\nR1 a b 1e-308\nR2 b 0 1e308\nI1 b 0 1e308\n"
		}), true},
		{"net-include", "netlist that includes itself", net(func() string { return ".include grid.sp\n" }), true},
		{"net-subckt", "netlist of 1,000,000 nested subcircuits", net(func() string {
			return strings.Repeat(".subckt a\n", 1_000_000)
		}), true},
		{"net-names", "netlist of nodes with names of 60 kB", net(func() string {
			return strings.Repeat("R1 "+strings.Repeat("n", 60_000)+" 0 1\n", 160)
		}), false},
	}
}

// chainOf has a number and two neighbours in each line.
func chainOf(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1, i, i+1)
	}
	return b.String()
}

func matrixInputs() []input {
	const head = "%%MatrixMarket matrix coordinate real general\n"
	mtx := func(make func() string) func(string) ([]string, error) {
		return file("a.mtx", text(make), "solve", "a.mtx", "--quiet", "--out", "out")
	}
	return []input{
		{"mtx-rows", "matrix of 2e9 rows and an entry", mtx(func() string {
			return head + "2000000000 2000000000 1\n1 1 1\n"
		}), true},
		{"mtx-rows-1M", "matrix of 1e8 rows and 1,000,000 entries", mtx(func() string {
			return head + "100000000 100000000 1000000\n" + strings.Repeat("1 1 1\n", 1_000_000)
		}), true},
		{"mtx-entries", "matrix that announces 1e18 entries", mtx(func() string {
			return head + "10 10 1000000000000000000\n1 1 1\n"
		}), true},
		{"mtx-twice", "matrix of 1,500,000 entries in one place", mtx(func() string {
			return head + "10 10 1500000\n" + strings.Repeat("1 1 1\n", 1_500_000)
		}), true},
		{"mtx-column", "matrix of a full column and a full row of 300,000", mtx(func() string {
			return arrow(300_000)
		}), false},
		{"mtx-singular", "matrix of 600,000 rows without a diagonal", mtx(func() string {
			return head + "600000 600000 600000\n" + many(600_000, "%d 1 1\n")[len("0 1 1\n"):] + "600000 1 1\n"
		}), true},
		{"mtx-line", "matrix of a line of 10 MB", mtx(func() string {
			return head + strings.Repeat("1 ", 5_000_000)
		}), true},
		{"mtx-comments", "matrix behind 3,000,000 comments", mtx(func() string {
			return head + strings.Repeat("% x\n", 2_500_000)
		}), true},
		{"mtx-numbers", "matrix of numbers of 1,000,000 digits", mtx(func() string {
			return head + "10 10 1\n1 1 " + strings.Repeat("9", 1_000_000) + "\n"
		}), true},
		{"mtx-nan", "matrix of NaN", mtx(func() string { return head + "1 1 1\n1 1 nan\n" }), true},
		{"mtx-grid", "matrix whose grid has 1e27 cells", file("a.mtx", text(func() string {
			return head + "1 1 1\n1 1 1\n"
		}), "solve", "a.mtx", "--grid", "1000000000x1000000000x1000000000"), true},
		{"mtx-b", "right side of 1,600,000 numbers for one row", func(dir string) ([]string, error) {
			_, err := mtx(func() string { return head + "1 1 1\n1 1 1\n" })(dir)
			return []string{"solve", "a.mtx", "b.mtx", "--quiet", "--out", "out"},
				errorsOf(err, write(filepath.Join(dir, "b.mtx"), func(w *bufio.Writer) {
					w.WriteString("%%MatrixMarket matrix array real general\n1600000 1\n" +
						strings.Repeat("1\n", 1_600_000))
				}))
		}, true},
	}
}

// arrow is a matrix of a diagonal, a row and a column.
func arrow(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n1 1 %d\n", n, n, 3*n-2, n)
	for i := 2; i <= n; i++ {
		fmt.Fprintf(&b, "%d %d 2\n1 %d -1\n%d 1 -1\n", i, i, i, i)
	}
	return b.String()
}

func policyInputs() []input {
	policy := func(make func() string) func(string) ([]string, error) {
		return func(dir string) ([]string, error) {
			_, err := stackText(sheet("policy", "block = [{ name = \"b\", x = 0, y = 0, width = 1e-3, height = 1e-3, "+
				"power = \"1 W\" }]", "[transient]\ndt = \"1 ms\"\nsteps = 2\n"))(dir)
			return []string{"transient", "--quiet", "--out", "out", "--policy", "policy.toml"},
				errorsOf(err, write(filepath.Join(dir, "policy.toml"), func(w *bufio.Writer) { w.WriteString(make()) }))
		}
	}
	const rest = "watch = [\"b\"]\nabove = \"85 degC\"\nthrottle = [\"b\"]\nfactor = 0.5\n"
	return []input{
		{"policy-100000", "100,000 policies", policy(func() string {
			return many(100_000, "[[policy]]\nname = \"p%d\"\n"+rest)
		}), true},
		{"policy-empty", "700,000 policies without keys", policy(func() string {
			return strings.Repeat("[[policy]]\n", 700_000)
		}), true},
		{"policy-watch", "policy that watches 500,000 blocks that are not there", policy(func() string {
			return "[[policy]]\n" + strings.Replace(rest, `["b"]`, "["+many(500_000, `"x%d",`)+"]", 1)
		}), true},
		{"policy-same", "policy that watches a block 1,000,000 times", policy(func() string {
			return "[[policy]]\n" + strings.Replace(rest, `["b"]`, "["+strings.Repeat(`"b",`, 1_000_000)+"]", 1)
		}), true},
		{"policy-delay", "policy with a delay of 1e300 s", policy(func() string {
			return "[[policy]]\n" + rest + "delay = 1e300\n"
		}), true},
		{"policy-factor", "policy with a factor of 1e300", policy(func() string {
			return "[[policy]]\n" + strings.Replace(rest, "0.5", "1e300", 1)
		}), true},
		{"policy-pairs", "policy file of 7 MB of pairs", policy(func() string {
			return "pairs = [" + strings.Repeat("[1,2],", 1_200_000) + "]"
		}), true},
		{"policy-line", "policy file of a line of 10 MB", policy(func() string {
			return strings.Repeat("x", 10_000_000)
		}), true},
	}
}

func modelInputs() []input {
	model := func(make func() string) func(string) ([]string, error) {
		return file("model.json", text(make), "transient", "--quiet", "--out", "out", "--dt", "1 ms", "--steps", "2",
			"--model", "model.json")
	}
	const head = `{"format":"thermsim reduced model 1",`
	return []input{
		{"model-deep", "model of 5,000,000 arrays in each other", model(func() string {
			return head + `"tau_s":` + strings.Repeat("[", 5_000_000)
		}), true},
		{"model-tau", "model of 4,000,000 time constants", model(func() string {
			return head + `"tau_s":[` + strings.Repeat("1,", 4_000_000) + `1]}`
		}), true},
		{"model-rows", "model of 3,000,000 empty rows", model(func() string {
			return head + `"B_K_per_W":[` + strings.Repeat("[],", 3_000_000) + `[]]}`
		}), true},
		{"model-inputs", "model of 3,000,000 inputs", model(func() string {
			return head + `"inputs":[` + strings.Repeat("{},", 3_000_000) + `{}]}`
		}), true},
		{"model-unknown", "model of 900,000 unknown keys", model(func() string {
			return head + many(900_000, `"k%d":1,`) + `"a":1}`
		}), true},
		{"model-blanks", "model of 10 MB of blanks", model(func() string {
			return strings.Repeat(" ", 10_000_000)
		}), true},
		{"model-string", "model whose title has 10 MB", model(func() string {
			return head + `"title":"` + strings.Repeat("x", 10_000_000) + `"}`
		}), true},
	}
}
