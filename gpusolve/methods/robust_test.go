package methods_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/cases"
	"thermsim/stack"
)

var robustTable = flag.String("robust-table", "", "run the robustness cases at full size and write the table "+
	"to this file")

// iterationLimit holds for every case, to 1e-8 relative or the attainable accuracy.
const iterationLimit = 20

// robustCase is a stack at test size n and at full size N.
type robustCase struct {
	group, name string
	n, N        int
	make        func(n int) *stack.Stack
	dt          float64 // s, one backward-Euler step where positive
}

func robustCases() []robustCase {
	var list []robustCase
	add := func(group, name string, n, full int, make func(n int) *stack.Stack) {
		list = append(list, robustCase{group: group, name: name, n: n, N: full, make: make})
	}
	square := func(o cases.Options) func(int) *stack.Stack {
		return func(n int) *stack.Stack { o.NX, o.NY = n, n; return cases.Stack10(o) }
	}
	on := func(change func(*stack.Stack) *stack.Stack) func(int) *stack.Stack {
		return func(n int) *stack.Stack { return change(cases.Stack10(cases.Options{NX: n})) }
	}
	const base = "kinds of stack"
	add(base, "homogeneous layers", 63, 512, square(cases.Options{}))
	add(base, "copper pillars in three layers", 63, 512, on(cases.Pillars))
	add(base, "every cell random, contrast 100", 64, 128, on(func(s *stack.Stack) *stack.Stack {
		return cases.Random(s, 1)
	}))
	add(base, "2.5D, two dies in mold", 63, 512, on(cases.Interposer))
	add(base, "2.5D, edges between grid lines", 101, 509, on(cases.Interposer))
	for _, dt := range []float64{1e-3, 1e-5} {
		list = append(list, robustCase{"kinds of stack", fmt.Sprintf("transient, one step of %g s", dt), 63, 512,
			square(cases.Options{}), dt})
	}
	flip := func(n int) *stack.Stack { return cases.FlipChip(cases.Options{NX: n}) }
	for _, n := range []int{50, 64, 96, 100, 112} {
		add("flip-chip package with lid and sink", fmt.Sprintf("%d x %d", n, n), n, n, flip)
	}
	for _, n := range []int{128, 144, 150, 160, 192, 200, 224, 250, 256, 320, 400, 500, 512} {
		add("flip-chip package with lid and sink", fmt.Sprintf("%d x %d", n, n), 0, n, flip)
	}
	for _, dt := range []float64{1e-3, 1e-5} {
		list = append(list, robustCase{"flip-chip package with lid and sink", fmt.Sprintf("one step of %g s", dt), 112,
			144, flip, dt})
	}
	for h := 1.0; h <= 1e6; h *= 10 {
		add("h on the top face", fmt.Sprintf("%g W/(m2 K)", h), 63, 512, square(cases.Options{H: h}))
	}
	for _, r := range []float64{8, 4, 2, 1.5, 1.25} {
		add("dx/dy", fmt.Sprintf("%g", r), 63, 512, square(cases.Options{Width: 10e-3 * r, Depth: 10e-3}))
		add("dx/dy", fmt.Sprintf("1/%g", r), 63, 512, square(cases.Options{Width: 10e-3, Depth: 10e-3 * r}))
	}
	for _, nz := range []int{1, 2, 3, 7, 16, 64, 128} {
		add("planes", fmt.Sprintf("%d alternating layers in 1 mm", nz), 64, 256, func(n int) *stack.Stack {
			return cases.Slab(cases.Options{NX: n}, nz)
		})
	}
	for _, sub := range []int{3, 10, 30} {
		add("planes", fmt.Sprintf("10 layers in %d planes", 6+4*sub), 64, 256, square(cases.Options{Sub: sub}))
	}
	for _, n := range []int{1, 2, 3, 5, 17, 31, 64, 97, 101, 127, 128, 129} {
		add("cells", fmt.Sprintf("%d x %d", n, n), n, n, square(cases.Options{}))
	}
	for _, n := range []int{257, 509, 716, 997, 1024, 1871, 1999, 2000} {
		add("cells", fmt.Sprintf("%d x %d", n, n), 0, n, square(cases.Options{}))
	}
	for _, n := range []int{1, 2, 7} {
		add("cells", fmt.Sprintf("%d x 211", n), n, n, func(n int) *stack.Stack {
			return cases.Stack10(cases.Options{NX: n, NY: 211})
		})
	}
	for _, r := range []float64{2, 4, 10, 30} {
		add("graded grid", fmt.Sprintf("largest cell %g times the smallest", r), 63, 512,
			on(func(s *stack.Stack) *stack.Stack { return cases.Graded(s, r) }))
	}
	return list
}

func TestRobust(t *testing.T) {
	var table strings.Builder
	group := ""
	for _, c := range robustCases() {
		n := c.n
		if *robustTable != "" {
			n = c.N
		}
		if n == 0 {
			continue
		}
		t.Run(c.group+"/"+c.name, func(t *testing.T) {
			m := solves.Build(t, c.make(n))
			o := gpusolve.Options{RTol: 1e-8, Preconditioner: "multigrid"} // layered stacks would be solved directly
			var sol *gpusolve.Solution
			var err error
			if c.dt > 0 {
				sol, err = gpusolve.Transient(context.Background(), m, o, gpusolve.TransientOptions{Steps: 1, Dt: c.dt})
			} else {
				sol, err = gpusolve.Steady(context.Background(), m, o)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer sol.Close()
			s := sol.Status
			if !s.Converged || s.Iterations > iterationLimit {
				t.Errorf("%d iterations, limit %d: %+v", s.Iterations, iterationLimit, s)
			}
			if c.group != group {
				group = c.group
				fmt.Fprintf(&table, "\n| %s | grid | iterations |\n|---|---|---|\n", group)
			}
			fmt.Fprintf(&table, "| %s | %d x %d x %d | %d |\n", c.name, m.NX(), m.NY(), m.NZ(), s.Iterations)
		})
	}
	if *robustTable != "" && !t.Failed() {
		old, _ := os.ReadFile(*robustTable)
		header, rest, _ := strings.Cut(string(old), "\n| ")
		_, random, _ := strings.Cut(rest, anyHeading)
		if err := os.WriteFile(*robustTable, []byte(header+table.String()+"\n"+anyHeading+random), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
