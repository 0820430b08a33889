package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"thermsim/gpusolve/solution"
	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/saved"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/stack"
)

// Restored is a saved run, open, as a run that can be reported again.
type Restored struct {
	*Run
	Saved *saved.Run
}

// ErrMixture marks errors of folders that hold files of two runs.
var ErrMixture = errors.New("the folder holds files of two runs")

// Restore opens a saved run: its file, or the folder that holds one. The run's field is the last one saved. End it with
// Close. Where a run was cut off while its files got their names, the folder is brought into order first; a run.zip
// that is not of the run whose files lie beside it is ErrMixture. room, which may be nil, is asked before the stack is
// meshed, and its error returned as it is.
func Restore(path string, room func(*stack.Stack) error) (*Restored, error) {
	s, err := openSaved(path, room)
	if err != nil {
		return nil, err
	}
	m := &s.Manifest
	r := &Run{
		Command: m.Command, Version: m.Version, Mesh: s.Mesh, Solution: m.Solution(),
		Parse: duration(m.Time.ParseS), Build: duration(m.Time.MeshS),
		Recorded: &Recorded{m.Time, m.Memory, m.Warnings},
	}
	for _, p := range m.Policies {
		r.Policies = append(r.Policies, restorePolicy(&p))
	}
	if len(r.Solution.Steps) > 0 {
		r.peaks = restorePeaks(r.Mesh, len(r.Solution.Steps), m.Peaks)
	}
	t := &r.Solution.Timing
	t.Device, t.Setup, t.Solve = duration(m.Time.DeviceS), duration(m.Time.SetupS), duration(m.Time.SolveS)
	if r.Solution.Field, err = s.Field(s.Last()); err != nil {
		_ = s.Close() // read only
		return nil, err
	}
	return &Restored{r, s}, nil
}

func openSaved(path string, room func(*stack.Stack) error) (*saved.Run, error) {
	path = saved.Path(path)
	for try := 0; ; try++ {
		record, err := staging.Look(filepath.Dir(path))
		if err != nil {
			return nil, err
		}
		s, err := saved.Open(path, room)
		set := record.Set(RunFiles)
		foreign := err == nil && filepath.Base(path) == saved.FileName && set != nil &&
			(set.ID != s.Manifest.ID || !set.Holds(saved.FileName))
		switch {
		case !foreign && err == nil:
			return s, nil
		case try < 2: // another run may have taken its place just now
		case err != nil:
			return nil, err
		default:
			_ = s.Close() // read only
			return nil,
				fmt.Errorf("%w: %s is of run %q, the other files in %s are of run %q; copy it into a folder of its own",
					ErrMixture, path, s.Manifest.ID, filepath.Dir(path), set.ID)
		}
		if foreign {
			_ = s.Close() // read only
		}
	}
}

func duration(s float64) time.Duration { return time.Duration(s*1e9 + 0.5) }

// Show makes the field at the end of step n of a transient the run's, and ends the run there: what came later neither
// speaks for nor against it.
func (r *Restored) Show(n int) error {
	f, err := r.Saved.Field(n)
	if err != nil {
		return err
	}
	s := *r.Solution
	s.Field = f
	if n < len(s.Steps) {
		s.Energy = solution.Energy{} // known of the last step only
		r.peaks = nil                // of all steps
	}
	if n <= len(s.Steps) && (n < len(s.Steps) || s.Status.Reason == solution.ReasonInterrupted) {
		s.Steps = s.Steps[:n]
		s.Status.Converged = !slices.ContainsFunc(s.Steps, func(step solution.Step) bool { return !step.Converged })
		if s.Status.Converged || s.Status.Reason == solution.ReasonInterrupted {
			s.Status.Reason = solution.ReasonTolerance
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

// Each hands every saved step of a transient to visit, with its number and what is known of it.
func (r *Restored) Each(ctx context.Context, visit func(n int, step solution.Step, f solution.Field) error) error {
	if len(r.Solution.Steps) == 0 {
		return nil
	}
	for _, step := range r.Saved.Manifest.Saved {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := r.Saved.Field(step)
		if err != nil {
			return err
		}
		if err := visit(step, r.Solution.Steps[step-1], f); err != nil {
			return err
		}
	}
	return nil
}

// restorePeaks is nil where a run was saved without its peaks, or those are not of the mesh.
func restorePeaks(m *mesh.Mesh, steps int, from []saved.Peak) *statistics.Peaks {
	blocks, parts := len(statistics.NewBlocks(m)), len(statistics.NewParts(m))
	if len(from) != blocks+parts+len(m.Stack.Layers) {
		return nil
	}
	all := make([]statistics.Moment, len(from))
	for n, f := range from {
		if f.Step < 0 || f.Step > steps || f.I < 0 || f.I >= m.NX() || f.J < 0 || f.J >= m.NY() || f.K < 0 ||
			f.K >= m.NZ() {
			return nil
		}
		all[n] = statistics.Moment{Kelvin: float64(f.MaxK), Step: f.Step, I: f.I, J: f.J, K: f.K}
	}
	return &statistics.Peaks{Blocks: all[:blocks], Parts: all[blocks : blocks+parts], Layers: all[blocks+parts:]}
}

func restorePolicy(p *saved.Policy) summary.Policy {
	return summary.Policy{Name: printable.Text(p.Name), AboveK: p.AboveK, BelowK: p.BelowK, Factor: p.Factor,
		PeakK:      float64(p.PeakK),
		ThrottledS: p.ThrottledS, Changes: p.Changes, FirstS: p.FirstS, Throttled: p.Throttled}
}

// savedRun records run.zip.
type savedRun struct {
	files  *staging.Transaction
	planes int
	every  bool // every step, not the last alone
	file   *staging.Output
	zip    *saved.Writer
}

func newSavedRun(files *staging.Transaction, m *mesh.Mesh, every bool) (*savedRun, error) {
	f, err := files.Create(saved.FileName)
	if err != nil {
		return nil, err
	}
	return &savedRun{files, m.NZ(), every, f, saved.NewWriter(f, m.NX()*m.NY())}, nil
}

// Reads implements Recorder.
func (s *savedRun) Reads(n int) bool { return n == 0 || s.every }

// Step implements Recorder.
func (s *savedRun) Step(n int, _ solution.Step, f solution.Field) error {
	if !s.Reads(n) {
		return nil
	}
	return s.keep(n, f)
}

func (s *savedRun) keep(n int, f solution.Field) error {
	if err := s.zip.Step(n, s.planes, f); err != nil {
		return s.files.Failed(saved.FileName, err)
	}
	return nil
}

// Finish implements Recorder.
func (s *savedRun) Finish(ctx context.Context, e *End) error {
	if !slices.Contains(s.zip.Steps(), e.N) {
		if err := s.keep(e.N, e.Field); err != nil {
			return err
		}
	}
	r := e.Run
	m := saved.Describe(r.Command, r.Version, r.Mesh.Stack, r.Solution)
	m.ID = s.files.ID()
	for _, h := range e.History {
		m.History = append(m.History,
			saved.Iteration{Step: h.Step, Iteration: h.Iteration, ErrorK: saved.Number(h.ErrorK)})
	}
	if r.peaks != nil {
		m.Peaks = savePeaks(r.peaks)
	}
	m.Warnings = e.Summary.Warnings
	for _, p := range r.Policies {
		m.Policies = append(m.Policies, savePolicy(&p))
	}
	m.Time, m.Memory = e.Summary.Time, e.Summary.Memory
	if err := s.close(m, r.Mesh.Stack); err != nil {
		return s.files.Failed(saved.FileName, err)
	}
	return ctx.Err()
}

// close ends the archive, with the trace of a transient, which is staged by now.
func (s *savedRun) close(m saved.Manifest, of *stack.Stack) error {
	var trace io.Reader
	if s.files.Has(traceName) {
		f, err := s.files.Open(traceName)
		if err != nil {
			return fmt.Errorf("reading the trace back: %w", err)
		}
		defer f.Close()
		trace = f
	}
	return errors.Join(s.zip.Close(m, of, trace), s.file.Close())
}

// savePeaks is what a saved run keeps of peaks.
func savePeaks(p *statistics.Peaks) []saved.Peak {
	var out []saved.Peak
	for _, m := range p.List() {
		out = append(out, saved.Peak{MaxK: saved.Number(m.Kelvin), Step: m.Step, I: m.I, J: m.J, K: m.K})
	}
	return out
}

func savePolicy(p *summary.Policy) saved.Policy {
	return saved.Policy{Name: p.Name, AboveK: p.AboveK, BelowK: p.BelowK, Factor: p.Factor,
		PeakK:      saved.Number(p.PeakK),
		ThrottledS: p.ThrottledS, Changes: p.Changes, FirstS: p.FirstS, Throttled: p.Throttled}
}
