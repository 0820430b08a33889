package report

import (
	"bytes"
	"context"
	"io"
	"slices"
	"time"

	"thermsim/gpusolve"
	"thermsim/report/saved"
)

// Recorded is what a run that is reported again knows from when it was solved.
type Recorded struct {
	Time   TimeSummary
	Memory MemorySummary
}

// Restored is a saved run, open, as a run that can be reported again.
type Restored struct {
	*Run
	Saved *saved.Run
}

// Restore opens a saved run: its file, or the folder that holds one. The run's field is the last one saved. End it with Close.
func Restore(path string) (*Restored, error) {
	s, err := saved.Open(path)
	if err != nil {
		return nil, err
	}
	m := &s.Manifest
	r := &Run{
		Command: m.Command, Version: m.Version, Mesh: s.Mesh, Solution: m.Solution(),
		Parse: duration(m.Time.ParseS), Build: duration(m.Time.MeshS),
		Recorded: &Recorded{TimeSummary(m.Time), MemorySummary(m.Memory)},
	}
	t := &r.Solution.Timing
	t.Device, t.Setup, t.Solve = duration(m.Time.DeviceS), duration(m.Time.SetupS), duration(m.Time.SolveS)
	if r.Solution.Field, err = s.Field(s.Last()); err != nil {
		_ = s.Close() // read only
		return nil, err
	}
	return &Restored{r, s}, nil
}

func duration(s float64) time.Duration { return time.Duration(s*1e9 + 0.5) }

// Show makes the field at the end of step n of a transient the run's, and ends the run there: what came later neither speaks for nor against it.
func (r *Restored) Show(n int) error {
	f, err := r.Saved.Field(n)
	if err != nil {
		return err
	}
	s := *r.Solution
	s.Field = f
	if n < len(s.Steps) {
		s.Energy = gpusolve.Energy{} // known of the last step only
	}
	if n <= len(s.Steps) && (n < len(s.Steps) || s.Status.Reason == gpusolve.ReasonInterrupted) {
		s.Steps = s.Steps[:n]
		s.Status.Converged = !slices.ContainsFunc(s.Steps, func(step gpusolve.Step) bool { return !step.Converged })
		if s.Status.Converged || s.Status.Reason == gpusolve.ReasonInterrupted {
			s.Status.Reason = gpusolve.ReasonTolerance
		}
	}
	r.Solution = &s
	return nil
}

// Close closes the file. Fields cannot be read afterwards.
func (r *Restored) Close() error { return r.Saved.Close() }

// Complete says whether every step of the run was saved.
func (r *Restored) Complete() bool {
	return len(r.Solution.Steps) == 0 || len(r.Saved.Manifest.Saved) == len(r.Solution.Steps)
}

// History is how the error fell while the run was solved.
func (r *Restored) History() []HistoryPoint {
	var points []HistoryPoint
	for _, h := range r.Saved.Manifest.History {
		points = append(points, HistoryPoint{Step: h.Step, Iteration: h.Iteration, ErrorK: float64(h.ErrorK)})
	}
	return points
}

// Each hands every saved step of a transient to visit, with its number and its end in s.
func (r *Restored) Each(ctx context.Context, visit func(step int, end float64, f *saved.Field) error) error {
	for _, step := range r.Saved.Manifest.Saved {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := r.Saved.Field(step)
		if err != nil {
			return err
		}
		if err := visit(step, r.Saved.TimeOf(step), f); err != nil {
			return err
		}
	}
	return nil
}

// WriteTrace writes the trace.csv of a transient into a folder; of a steady state it writes nothing.
func (r *Restored) WriteTrace(ctx context.Context, dir string) error {
	if r.Saved.Trace == nil {
		return nil
	}
	_, err := WriteFiles(ctx, dir, []File{{traceName, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(r.Saved.Trace))
		return err
	}}})
	return err
}
