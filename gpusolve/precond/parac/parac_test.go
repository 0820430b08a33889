package parac

import (
	"errors"
	"strings"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/sparse"
)

// device notes what it is asked for and returns a factor with a given report.
type device struct {
	ops.Operator
	how    ops.Elimination
	report ops.CholeskyReport
	err    error
}

func (d *device) Diagonals() (ops.Diagonals, error) { return nil, nil }
func (d *device) Rows() (ops.Rows, error)           { return matrix{}, nil }
func (d *device) EliminateRandomly(_ ops.Rows, how ops.Elimination) (ops.CholeskyFactor, error) {
	d.how = how
	return factor{d.report}, d.err
}
func (d *device) SolveCholesky(ops.CholeskyFactor, ops.Vector, ops.Vector) {}

type matrix struct{}

func (matrix) Len() int              { return 100 }
func (matrix) Entries() int64        { return 700 }
func (matrix) Download() *sparse.CSR { return nil }
func (matrix) Release()              {}

type factor struct{ report ops.CholeskyReport }

func (f factor) Report() ops.CholeskyReport     { return f.report }
func (f factor) Download() *ops.CholeskyEntries { return nil }
func (f factor) Bytes() int64                   { return 0 }
func (f factor) Release()                       {}

func settings(t *testing.T, text string) precond.Settings {
	t.Helper()
	set, err := precond.Parse(text, Keys())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestSettingsReachTheDevice(t *testing.T) {
	for text, want := range map[string]ops.Elimination{
		"":                             {Order: ops.AnyOrder, Seed: 1, Room: 1},
		"order=amd,seed=9":             {Order: ops.MinimumDegree, Seed: 9, Room: 1},
		"order=nnz,room=2.5":           {Order: ops.ByEntries, Seed: 1, Room: 2.5},
		"order=random,seed=4294967297": {Order: ops.RandomOrder, Seed: 1<<32 + 1, Room: 1},
	} {
		d := &device{}
		if _, err := New(d, settings(t, text)); err != nil || d.how != want {
			t.Errorf("%q: %+v, want %+v (%v)", text, d.how, want, err)
		}
	}
}

func TestUnsuitableMatricesAreRefusals(t *testing.T) {
	_, err := New(&device{err: ops.ErrUnsuitable}, settings(t, ""))
	if !errors.Is(err, precond.ErrRefused) {
		t.Errorf("error %v", err)
	}
	lost := errors.New("lost")
	if _, err := New(&device{err: lost}, settings(t, "")); !errors.Is(err, lost) || errors.Is(err, precond.ErrRefused) {
		t.Errorf("error %v", err)
	}
}

// Figures of a uniform grid of 243 cells a side, and of an expander of 300,000 vertices.
func TestDetails(t *testing.T) {
	grid := ops.CholeskyReport{Order: ops.ByEntries, Entries: 153267050, Fill: 3.35, Depth: 2230, Tree: 1414}
	expander := ops.CholeskyReport{Order: ops.ByEntries, Entries: 7082618, Fill: 7.03, Depth: 2314, Tree: 1720, Retries: 2}
	for _, c := range []struct {
		report       ops.CholeskyReport
		dense, grown bool
	}{{grid, false, false}, {expander, true, true}} {
		p, err := New(&device{report: c.report}, settings(t, ""))
		if err != nil {
			t.Fatal(err)
		}
		text := p.Details()
		if !strings.Contains(text, "order nnz") || strings.Contains(text, "dense") != c.dense || strings.Contains(text, "grown 2 times") != c.grown {
			t.Errorf("details: %s", text)
		}
	}
}
