package bench

import (
	"context"
	"fmt"
	"strings"
	"time"

	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond"
)

// took is what a method took for a system: all of it, or the limit where it was cut off.
type took struct {
	system  string
	cells   int
	seconds float64
	cut     string // the row's note
}

// family of a job's rows that differ in the size of the system alone.
func (j *job) family() string { return j.kind + " " + j.system.set.name + " " + canonical(j.method) }

// keepTime remembers how long a row took.
func (b *Bench) keepTime(j job, row *Row) {
	switch {
	case row.cutOff:
		b.times[j.family()] = took{row.Case, row.Cells, b.RowSeconds, row.Note}
	case row.Converged:
		b.times[j.family()] = took{row.Case, row.Cells, float64(row.TotalS), ""}
	}
}

// tooLong says why a job is not worth its time: it was cut off on a smaller system, or a smaller one shows that it
// would be, iterations left alike. Time steps are measured until they are cut off, as those that were done tell what a
// step takes, and those of the paper's method on every system.
func (b *Bench) tooLong(j job) string {
	before, known := b.times[j.family()]
	name, _ := precond.Split(j.method)
	if !known || before.cells > j.system.cells() || j.steps > 0 && (before.cut == "" || name == "chebyshev") {
		return ""
	}
	if before.cut != "" {
		return fmt.Sprintf("left out: on %s %s", before.system, before.cut)
	}
	if expected := before.seconds * float64(j.system.cells()) / float64(before.cells); expected > b.RowSeconds {
		return fmt.Sprintf("left out: %.3g s on %s, so more than the limit of %g s here", before.seconds, before.system,
			b.RowSeconds)
	}
	return ""
}

// loadingSide is the number of cells a side of the systems that methods load their kernels with.
const loadingSide = 48

// load solves a small system by a method that comes for the first time: drivers compile kernels as they load them,
// which may take seconds and is no part of a solve. What goes wrong there goes wrong in the row too.
func (b *Bench) load(ctx context.Context, j job) {
	key := j.kind + " " + canonical(j.method)
	if b.loaded[key] {
		return
	}
	b.loaded[key] = true
	j.system.nx, j.system.ny = loadingSide, loadingSide
	j.steps = min(j.steps, 2)
	m, err := j.system.mesh()
	if err != nil {
		return
	}
	j.mesh = m
	s, _ := j.run(ctx, b)
	s.Close()
}

// counts says whether the first run counts where one is wanted: it does where what it does besides, such as growing
// pools of memory, is little.
func (b *Bench) counts(run time.Duration) bool { return run > time.Second/5 }

// canonical is a method with all its settings, so that two ways to write one are the same.
func canonical(method string) string {
	m, set, err := methods.Find(method)
	if err != nil || method == "" {
		return method
	}
	parts := []string{m.Name}
	for _, k := range m.Keys {
		parts = append(parts, k.Name+"="+set.Text(k.Name))
	}
	return strings.Join(parts, ",")
}
