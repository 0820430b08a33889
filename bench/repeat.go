package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"thermsim/gpusolve"
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

// tooLong says why a job is not worth its time: it was cut off on a smaller system, or a smaller one shows that it would be, iterations left alike. Time steps are
// measured until they are cut off, as those that were done tell what a step takes, and those of the paper's method on every system.
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
		return fmt.Sprintf("left out: %.3g s on %s, so more than the limit of %g s here", before.seconds, before.system, b.RowSeconds)
	}
	return ""
}

// counts says whether the first run of a method counts where one is wanted: it does where all that it does besides, such as loading kernels, is little.
func (b *Bench) counts(j job, run time.Duration) bool {
	_, before := b.times[j.family()]
	return run > time.Second || before && run > time.Second/5
}

// canonical is a method with all its settings, so that two ways to write one are the same.
func canonical(method string) string {
	name, text := precond.Split(method)
	all := gpusolve.DescribePreconditioners()
	i := slices.IndexFunc(all, func(p gpusolve.PreconditionerInfo) bool { return p.Name == name })
	if i < 0 {
		return method
	}
	set, err := precond.Parse(text, all[i].Keys)
	if err != nil {
		return method
	}
	parts := []string{name}
	for _, k := range all[i].Keys {
		parts = append(parts, k.Name+"="+set.Text(k.Name))
	}
	return strings.Join(parts, ",")
}
