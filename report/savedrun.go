package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/saved"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/stack"
)

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
