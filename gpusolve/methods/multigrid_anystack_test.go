package methods_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/testtier"
	"thermsim/mesh"
)

var (
	anyStacks = flag.Int("any-stacks", testtier.Pick(300, 2000), "how many random stacks TestAnyStack solves")
	anyFirst  = flag.Uint64("any-first", 0, "number of the first of them")
	anyTable  = flag.String("any-table", "", "write the histogram of iterations into this file, under its heading")
)

// anySeed is that of all random stacks.
const anySeed = 1

// tally is what became of many solves.
type tally struct {
	sync.Mutex
	solves   int
	cells    int
	worst    int         // iterations
	bins     map[int]int // solves by iterations, in steps of binWidth
	fellBack int
	failed   int // ended short of their tolerance, or with an error
	lost     int // met it, and heat is missing
}

const binWidth = 10

func newTally() *tally { return &tally{bins: map[int]int{}} }

func (a *tally) add(t *testing.T, what string, m *mesh.Mesh, sol *gpusolve.Solution, err error) {
	a.Lock()
	defer a.Unlock()
	a.solves++
	a.cells += m.Cells()
	if err != nil {
		a.failed++
		t.Errorf("%s: %v", what, err)
		return
	}
	s := &sol.Status
	a.bins[s.Iterations/binWidth]++
	a.worst = max(a.worst, s.Iterations)
	if s.Fallback != "" {
		a.fellBack++
		t.Logf("%s: %s, %d iterations in all", what, s.Fallback, s.Iterations)
	}
	imbalance, limit := sol.Energy.ImbalanceRel, solution.ImbalanceLimit(m, sol)
	switch {
	case !s.Converged || math.IsNaN(sol.PeakK):
		a.failed++
		t.Errorf("%s: %+v", what, *s)
	case !(imbalance <= limit):
		a.lost++
		t.Errorf("%s: imbalance %.2g, limit %.2g, %+v", what, imbalance, limit, *s)
	}
}

// No plausible stack may end short of its tolerance or lose heat. Every eighth is also stepped once in time. The table
// is written after every batch.
func TestAnyStack(t *testing.T) {
	steady, step := newTally(), newTally()
	const batch = 50000
	for done := 0; done < *anyStacks; done += batch {
		solveMany(t, *anyFirst+uint64(done), *anyFirst+uint64(min(done+batch, *anyStacks)), steady, step)
		if *anyTable != "" {
			if err := replaceSection(*anyTable, anyHeading, anySection(steady, step)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// solveMany solves the stacks of the numbers [from, to).
func solveMany(t *testing.T, from, to uint64, steady, step *tally) {
	var next atomic.Uint64
	next.Store(from)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			dev, err := device.Open("cpu")
			if err != nil {
				t.Error(err)
				return
			}
			defer dev.Release()
			for number := next.Add(1) - 1; number < to; number = next.Add(1) - 1 {
				solveAny(t, dev, number, steady, step)
			}
		})
	}
	workers.Wait()
}

func solveAny(t *testing.T, dev *device.Shared, number uint64, steady, step *tally) {
	m, err := mesh.Build(cases.AnyStack(anySeed, number))
	if err != nil {
		t.Errorf("stack %d: %v", number, err)
		return
	}
	o := gpusolve.Options{Executor: dev}
	sol, err := gpusolve.Steady(context.Background(), m, o)
	steady.add(t, fmt.Sprintf("stack %d", number), m, sol, err)
	sol.Close()
	if number%8 != 0 {
		return
	}
	dt := math.Pow(10, -6+float64(number/8%7)) // 1 us to 1 s
	sol, err = gpusolve.Transient(context.Background(), m, o, gpusolve.TransientOptions{Steps: 1, Dt: dt})
	step.add(t, fmt.Sprintf("stack %d, a step of %g s", number, dt), m, sol, err)
	sol.Close()
}

const anyHeading = "## Random stacks\n"

// anySection is the histogram as a table.
func anySection(steady, step *tally) string {
	var b strings.Builder
	fmt.Fprintf(&b, `
Small plausible stacks drawn at random (cases.AnyStack): 1 to 30 mm wide, one to five layers of 1 um to 2 mm, k from 0.2 to 400 W/(m K), two in five
materials with a k of their own along every axis, regions whose edges cut cells, contact resistances, all kinds of cooling, 1 to 24 cells along x and
y, even or graded up to 10 : 1; %d cells on average. Every eighth also makes a time step of 1 us to 1 s. Solved to the default tolerance of 1e-4 K.

%d of %d steady solves and %d of %d time steps ended short of their tolerance; in %d and %d another method took over from multigrid. The most iterations
were %d and %d. %d and %d met the tolerance with an energy balance off by more than its limit, which is exit status 3 too.

Made by `+"`go test ./gpusolve/methods -run TestAnyStack -timeout 0 -any-stacks %d -any-table ../../docs/explanation/robustness.md`"+`; %s run in every test.

| iterations | steady | one step |
|---|---|---|
`, steady.cells/max(1, steady.solves), steady.failed, steady.solves, step.failed, step.solves, steady.fellBack, step.fellBack,
		steady.worst, step.worst, steady.lost, step.lost, steady.solves, flag.Lookup("any-stacks").DefValue)
	for bin := range max(steady.worst, step.worst)/binWidth + 1 {
		if n, m := steady.bins[bin], step.bins[bin]; n+m > 0 {
			fmt.Fprintf(&b, "| %d to %d | %d | %d |\n", bin*binWidth, (bin+1)*binWidth-1, n, m)
		}
	}
	return b.String()
}

// replaceSection puts text under a heading at the end of a file, in place of what is there.
func replaceSection(file, heading, text string) error {
	old, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	before, _, _ := strings.Cut(string(old), heading)
	return os.WriteFile(file, []byte(strings.TrimRight(before, "\n")+"\n\n"+heading+text), 0o644)
}
