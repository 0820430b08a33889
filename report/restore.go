package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"time"

	"thermsim/gpusolve/solution"
	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/jsonfile"
	"thermsim/report/measured"
	"thermsim/report/saved"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/stack"
)

// Restored is an open saved run that can be reported again.
type Restored struct {
	*Run
	Saved *saved.Run
}

// ErrMixture reports a folder with files of two runs.
var ErrMixture = errors.New("the folder holds files of two runs")

// Restore opens a saved run: its file, or the folder that contains it. The run's field is the last one saved; Close
// closes the run. If a previous run was interrupted while it renamed its files, Restore repairs the folder first. It
// returns ErrMixture if run.zip and the other files in the folder belong to different runs. fits, which may be nil, is
// called before the stack is meshed; its error is returned unchanged.
func Restore(path string, fits func(*stack.Stack) error) (*Restored, error) {
	s, err := openSaved(path, fits)
	if err != nil {
		return nil, err
	}
	m := &s.Manifest
	r := &Run{
		Command: m.Command, Version: m.Version, Mesh: s.Mesh, Solution: m.Solution(),
		Parse: duration(m.Time.ParseS), Build: duration(m.Time.MeshS),
		StartK: m.StartK, Recorded: &Recorded{m.Date, m.Time, m.Memory, m.Warnings},
		PowerGrid: restorePowerGrid(m.PowerGrid),
	}
	r.Mesh.Stack.Grid.ErrorK = m.GridErrorK
	for _, p := range m.Policies {
		r.Policies = append(r.Policies, restorePolicy(&p))
	}
	if len(r.Solution.Steps) > 0 {
		r.peaks = restorePeaks(r.Mesh, len(r.Solution.Steps), m.Peaks)
		r.measured = restoreMeasured(r.Mesh, m.Measured)
	}
	t := &r.Solution.Timing
	t.Device, t.Setup, t.Solve = duration(m.Time.DeviceS), duration(m.Time.SetupS), duration(m.Time.SolveS)
	if r.Solution.Field, err = s.Field(s.Last()); err != nil {
		_ = s.Close() // read only
		return nil, err
	}
	return &Restored{r, s}, nil
}

func openSaved(path string, fits func(*stack.Stack) error) (*saved.Run, error) {
	path = saved.Path(path)
	for try := 0; ; try++ {
		record, err := staging.Look(filepath.Dir(path))
		if err != nil {
			return nil, err
		}
		s, err := saved.Open(path, fits)
		set := record.Set(RunFiles)
		foreign := err == nil && filepath.Base(path) == saved.FileName && set != nil &&
			(set.ID != s.Manifest.ID || !set.Holds(saved.FileName))
		switch {
		case !foreign && err == nil:
			return s, nil
		case try < 2: // another run may be replacing the files
		case err != nil:
			return nil, err
		default:
			_ = s.Close() // read only
			return nil,
				fmt.Errorf("%w: %s is of run %q, the other files in %s are of run %q; copy it into a separate folder",
					ErrMixture, path, s.Manifest.ID, filepath.Dir(path), set.ID)
		}
		if foreign {
			_ = s.Close() // read only
		}
	}
}

func duration(s float64) time.Duration { return time.Duration(s*1e9 + 0.5) }

// Show selects the field at the end of step n of a transient and truncates the run there: later steps do not affect its
// convergence.
func (r *Restored) Show(n int) error {
	f, err := r.Saved.Field(n)
	if err != nil {
		return err
	}
	s := *r.Solution
	s.Field = f
	if n < len(s.Steps) {
		s.Energy = solution.Energy{} // known for the last step only
		r.peaks = nil                // they cover all steps
		r.measured = nil             // it does too
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

// Close closes the file. Its fields cannot be read afterwards.
func (r *Restored) Close() error { return r.Saved.Close() }

// Complete reports whether every step of the run was saved.
func (r *Restored) Complete() bool {
	return len(r.Solution.Steps) == 0 || len(r.Saved.Manifest.Saved) == len(r.Solution.Steps)
}

// History is the estimated error by iteration of the solve.
func (r *Restored) History() []HistoryPoint {
	var points []HistoryPoint
	for _, h := range r.Saved.Manifest.History {
		points = append(points, HistoryPoint{Step: h.Step, Iteration: h.Iteration, ErrorK: float64(h.ErrorK)})
	}
	return points
}

// Each calls visit for every saved step of a transient.
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

// restorePeaks returns nil if the saved run has no peaks, or peaks that do not fit the mesh.
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

// restoreMeasured returns nil if the saved run has no computed temperatures for the measured values of its stack.
func restoreMeasured(m *mesh.Mesh, from []saved.Number) *measured.Comparison {
	c := measured.New(m.Stack)
	if c == nil || len(from) != len(c.Computed) {
		return nil
	}
	for n, v := range from {
		c.Computed[n] = float64(v)
	}
	return c
}

// restorePowerGrid returns nil if the saved run has no power grid.
func restorePowerGrid(text []byte) *summary.PowerGrid {
	g := &summary.PowerGrid{}
	if len(text) == 0 || json.Unmarshal(text, g) != nil {
		return nil
	}
	names := []*string{&g.File}
	if o := g.OutOfRange; o != nil {
		names = append(names, &o.From, &o.To, &o.Layer)
	}
	for n := range g.Nets {
		names = append(names, &g.Nets[n].WorstNode)
	}
	for n := range g.Worst {
		e := &g.Worst[n]
		names = append(names, &e.From, &e.To, &e.At.Layer, &e.At.Block, &e.At.Region)
		if e.LifetimeS == 0 {
			e.LifetimeS = math.NaN()
		}
	}
	for _, name := range names {
		*name = printable.Text(*name)
	}
	return g
}

func restorePolicy(p *saved.Policy) summary.Policy {
	return summary.Policy{Name: printable.Text(p.Name), AboveK: p.AboveK, BelowK: p.BelowK, Factor: p.Factor,
		PeakK:      float64(p.PeakK),
		ThrottledS: p.ThrottledS, Changes: p.Changes, FirstS: p.FirstS, Throttled: p.Throttled}
}

// savedRun writes run.zip.
type savedRun struct {
	files  *staging.Transaction
	planes int
	every  bool // every step, not only the last
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
	m.ID, m.Date = s.files.ID(), r.date()
	for _, h := range e.History {
		m.History = append(m.History,
			saved.Iteration{Step: h.Step, Iteration: h.Iteration, ErrorK: saved.Number(h.ErrorK)})
	}
	if r.peaks != nil {
		m.Peaks = savePeaks(r.peaks)
	}
	if r.measured != nil {
		for _, v := range r.measured.Computed {
			m.Measured = append(m.Measured, saved.Number(v))
		}
	}
	if r.PowerGrid != nil {
		var text bytes.Buffer
		if err := jsonfile.Write(&text, r.PowerGrid); err != nil {
			return s.files.Failed(saved.FileName, err)
		}
		m.PowerGrid = text.Bytes()
	}
	m.Warnings = e.Summary.Warnings
	m.StartK = r.StartK
	for _, p := range r.Policies {
		m.Policies = append(m.Policies, savePolicy(&p))
	}
	m.Time, m.Memory = e.Summary.Time, e.Summary.Memory
	if err := s.close(m, r.Mesh.Stack); err != nil {
		return s.files.Failed(saved.FileName, err)
	}
	return ctx.Err()
}

// close completes the archive. It includes the trace of a transient, which is already staged.
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

// savePeaks converts peaks for a saved run.
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
