package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"thermsim/gpusolve"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// job is a solve to measure.
type job struct {
	kind   string // steady or transient
	system system
	mesh   *mesh.Mesh
	method string
	rule   gpusolve.Options // stopping criterion
	steps  int              // 0: steady
}

// measure returns the row of a job: a previous one if another table contains the same solve, or a skipped one if a
// smaller system took too long.
func (b *Bench) measure(ctx context.Context, j job, variant string) (Row, error) {
	key := j.key() + " " + canonical(j.method, b.kind)
	row, known := b.measured[key]
	if !known {
		row = newRow()
		row.Case, row.Grid, row.Cells, row.Method, row.Steps = j.system.name, j.system.grid(), j.system.cells(),
			j.method, j.steps
		if row.Note = b.tooLong(j); row.Note == "" {
			b.doing("%s, %s", j.system.name, j.method)
			b.load(ctx, j)
			if err := b.timeRow(ctx, j, &row); err != nil {
				return row, err
			}
			if _, why := methods.Choice(j.mesh, j.method); why != "" && row.Note == "" {
				row.Note = "as preconditioner only: " + why
			}
			b.measured[key] = row
			b.keepTime(j, &row)
		}
	}
	row.Method, row.Variant = j.method, variant
	return row, nil
}

// times are the run times of a row, in s.
type times struct{ setup, solve, total []float64 }

func (t *times) add(run solution.Timing, total float64) {
	t.setup, t.solve = append(t.setup, run.Setup.Seconds()), append(t.solve, run.Solve.Seconds())
	t.total = append(t.total, total)
}

// addSolve adds a run that consists of setup and solve.
func (t *times) addSolve(run solution.Timing) { t.add(run, run.Setup.Seconds()+run.Solve.Seconds()) }

// set sets a row's times to the medians.
func (t *times) set(row *Row) {
	row.SetupS, row.SolveS, row.TotalS = median(t.setup), median(t.solve), median(t.total)
}

// limitRow starts the time limit of a row.
func (b *Bench) limitRow(ctx context.Context) (limited context.Context, deadline time.Time, cancel func()) {
	deadline = time.Now().Add(time.Duration(b.RowSeconds * float64(time.Second)))
	limited, cancel = context.WithDeadlineCause(ctx, deadline, errCut)
	return limited, deadline, cancel
}

// timeRow runs a job once for warm-up and then for the median, and compares the last field with the reference. Failures
// of a method are recorded in the row; the error is that of the context or of a lost device.
func (b *Bench) timeRow(ctx context.Context, j job, row *Row) error {
	limited, deadline, cancel := b.limitRow(ctx)
	defer cancel()
	var all times
	for n := 0; n <= b.Runs; n++ {
		began := time.Now()
		s, err := j.run(limited, b)
		took := time.Since(began)
		stop, failed := b.judge(ctx, limited, row, s, err)
		if failed != nil {
			s.Close()
			return failed
		}
		if s != nil {
			if n == 1 {
				all = times{} // discard the warm-up
			}
			all.addSolve(s.Timing)
		}
		last := stop || n == b.Runs || b.Runs == 1 && b.counts(took) || time.Now().Add(took).After(deadline)
		if last && s != nil {
			err = b.finish(row, j, s)
		}
		s.Close()
		if err != nil && !stop {
			return err
		}
		if last {
			row.Runs = max(1, n)
			break
		}
	}
	all.set(row)
	if row.Steps > 0 {
		row.StepS = row.SolveS / Number(row.Steps)
	}
	if row.Iterations > 0 {
		row.CopyBytes = row.SolveS * b.result.Device.CopyTBperS * 1e12 / Number(row.Cells*row.Iterations)
	}
	return nil
}

// key identifies a system and the kind of run.
func (j *job) key() string { return j.kind + " " + j.system.name }

func (j *job) run(ctx context.Context, b *Bench) (*solution.Solution, error) {
	o := j.rule
	o.Executor, o.Preconditioner = b.dev, j.method
	if j.steps > 0 {
		return gpusolve.Transient(ctx, j.mesh, o, gpusolve.TransientOptions{Steps: j.steps, Dt: j.system.set.timeStep})
	}
	return gpusolve.Steady(ctx, j.mesh, o)
}

// judge records how a run ended. stop ends the row, failed the benchmark.
func (b *Bench) judge(ctx, limited context.Context, row *Row, s *solution.Solution, err error) (stop bool,
	failed error) {
	if s != nil {
		row.setStatus(&s.Status, s.Memory)
		row.Iterations, row.ResidualW = s.Status.IterationsTotal, Number(s.Status.ResidualW)
	}
	if stop, failed = b.ended(ctx, limited, row, err); row.cutOff && s != nil && s.Steps != nil {
		row.Note += fmt.Sprintf(" and %d of %d steps", len(s.Steps), row.Steps)
		row.Steps = len(s.Steps)
	}
	return stop || !row.Converged, failed
}

// setStatus copies the status of a solve.
func (row *Row) setStatus(st *solution.Status, m solution.Memory) {
	row.Iterations, row.Converged, row.Reason, row.Solver = st.Iterations, st.Converged, st.Reason, st.Method
	row.Details = strings.Trim(st.Details+"; "+st.Timings, "; ")
	row.BytesPerCell = Number(float64(m.DeviceBytes) / float64(row.Cells))
	if !st.Converged && st.Reason != solution.ReasonInterrupted {
		row.Note = "not converged: " + st.Reason
	}
}

// ended records the error of a run. stop ends the row, failed the benchmark.
func (b *Bench) ended(ctx, limited context.Context, row *Row, err error) (stop bool, failed error) {
	switch {
	case ctx.Err() != nil:
		return true, ctx.Err()
	case errors.Is(context.Cause(limited), errCut) && err != nil:
		row.Converged, row.cutOff = false, true
		row.Note = fmt.Sprintf("cut off after %.3g s", b.RowSeconds)
	case err != nil:
		reason, _, _ := strings.Cut(err.Error(), "; choose ")
		row.Note = "cannot run: " + strings.TrimPrefix(reason, gpusolve.ErrOption.Error()+": ")
	}
	return err != nil, nil
}

// finish adds the peak and the error, which are not timed.
func (b *Bench) finish(row *Row, j job, s *solution.Solution) error {
	row.PeakK = Number(s.PeakK)
	if row.Reason == solution.ReasonInterrupted {
		return nil
	}
	worst, err := b.exact.distance(j, s.Field)
	row.ErrorK = Number(worst)
	return err
}

// median of the values, the upper one of two in the middle.
func median(v []float64) Number {
	if len(v) == 0 {
		return newRow().SolveS
	}
	slices.Sort(v)
	return Number(v[len(v)/2])
}

// compare sets a row's solve time relative to the default method and to the direct solver, if these were measured.
func (b *Bench) compare(row *Row, j job) {
	if row.Converged {
		row.ToDefault = row.SolveS / b.solveTime(j, methods.Names()[0])
		row.ToDirect = row.SolveS / b.solveTime(j, directMethod)
	}
}

// solveTime of a method on a job's system, unknown if it was not measured.
func (b *Bench) solveTime(j job, method string) Number {
	if row, known := b.measured[j.key()+" "+canonical(method, b.kind)]; known && row.Converged && row.SolveS > 0 &&
		(method != directMethod || row.Iterations == 0) {
		return row.SolveS
	}
	return newRow().SolveS
}

// took is the time of a method for a system, or the limit if it was cut off.
type took struct {
	system  string
	cells   int
	seconds float64
	cut     string // the row's note
}

// family identifies jobs that differ only in the size of the system.
func (b *Bench) family(j job) string {
	return j.kind + " " + j.system.set.name + " " + canonical(j.method, b.kind)
}

// keepTime stores the time of a row.
func (b *Bench) keepTime(j job, row *Row) {
	switch {
	case row.cutOff:
		b.times[b.family(j)] = took{row.Case, row.Cells, b.RowSeconds, row.Note}
	case row.Converged:
		b.times[b.family(j)] = took{row.Case, row.Cells, float64(row.TotalS), ""}
	}
}

// tooLong returns why a job is skipped: it was cut off on a smaller system, or would be cut off according to a smaller
// one, assuming equal iterations. Time steps are measured until they are cut off, because the completed ones give the
// time of a step. The paper's method is measured on every system.
func (b *Bench) tooLong(j job) string {
	before, known := b.times[b.family(j)]
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

// loadingSide is the number of cells per side of the systems with which kernels are loaded.
const loadingSide = 48

// load solves a small system on a GPU before the first use of a method: drivers compile kernels at loading, which can
// take seconds and is not part of a solve. Errors are ignored here, because they recur in the row.
func (b *Bench) load(ctx context.Context, j job) {
	key := j.kind + " " + canonical(j.method, b.kind)
	if b.loaded[key] || b.kind == "cpu" {
		return
	}
	b.loaded[key] = true
	if j.system.own != nil {
		j.system.set, j.system.own = &mol10, nil
	}
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

// counts reports whether the first run counts with --runs 1: it does if one-time work, such as growing memory pools, is
// negligible.
func (b *Bench) counts(run time.Duration) bool { return run > time.Second/5 }

// canonical is a method with all its settings, so that different notations of one method on a kind of device are equal.
func canonical(method, kind string) string {
	m, set, err := methods.Find(method)
	if err != nil || method == "" {
		return method
	}
	parts := []string{m.Name}
	for _, k := range m.Keys {
		value := set.Text(k.Name)
		if mode, err := mixed.ModeOf(value, kind == "gpu"); k.Name == "precision" && err == nil {
			value = mode.String()
		}
		parts = append(parts, k.Name+"="+value)
	}
	return strings.Join(parts, ",")
}
