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
	how   choices
	about Report
	err   error
}

func (d *device) Diagonals() (ops.Diagonals, error) { return nil, nil }
func (d *device) Rows() (ops.Rows, error)           { return matrix{}, nil }
func (d *device) eliminate(_ ops.Rows, how choices) (factor, error) {
	d.how = how
	return made{d.about}, d.err
}

type matrix struct{}

func (matrix) Len() int              { return 100 }
func (matrix) Entries() int64        { return 700 }
func (matrix) Download() *sparse.CSR { return nil }
func (matrix) Release()              {}

type made struct{ about Report }

func (made) solve(_, _ ops.Vector)  {}
func (m made) report() Report       { return m.about }
func (made) eliminated() *elimOrder { return nil }

func fromDevice(d *device, set precond.Settings) (precond.Preconditioner, error) {
	return newFactor(d, d, set, nil)
}

func settings(t *testing.T, text string) precond.Settings {
	t.Helper()
	set, err := precond.Parse(text, Keys())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestSettingsReachTheDevice(t *testing.T) {
	for text, want := range map[string]choices{
		"":                             {order: AnyOrder, seed: 1, memoryFactor: 1},
		"order=amd,seed=9":             {order: MinimumDegree, seed: 9, memoryFactor: 1},
		"order=nnz,room=2.5":           {order: ByEntries, seed: 1, memoryFactor: 2.5},
		"order=random,seed=4294967297": {order: RandomOrder, seed: 1<<32 + 1, memoryFactor: 1},
	} {
		d := &device{}
		if _, err := fromDevice(d, settings(t, text)); err != nil || d.how != want {
			t.Errorf("%q: %+v, want %+v (%v)", text, d.how, want, err)
		}
	}
}

func TestUnsuitableMatricesAreRefusals(t *testing.T) {
	_, err := fromDevice(&device{err: errUnsuitable}, settings(t, ""))
	if !errors.Is(err, precond.ErrRefused) {
		t.Errorf("error %v", err)
	}
	lost := errors.New("lost")
	if _, err := fromDevice(&device{err: lost}, settings(t, "")); !errors.Is(err, lost) ||
		errors.Is(err, precond.ErrRefused) {
		t.Errorf("error %v", err)
	}
}

// Figures of a uniform grid of 243 cells a side, and of an expander of 300,000 vertices.
func TestDetails(t *testing.T) {
	grid := Report{Order: ByEntries, Entries: 153267050, Fill: 3.35, Depth: 2230, Tree: 1414}
	expander := Report{Order: ByEntries, Entries: 7082618, Fill: 7.03, Depth: 2314, Tree: 1720, Retries: 2}
	for _, c := range []struct {
		report       Report
		dense, grown bool
	}{{grid, false, false}, {expander, true, true}} {
		p, err := fromDevice(&device{about: c.report}, settings(t, ""))
		if err != nil {
			t.Fatal(err)
		}
		text := p.Details()
		if !strings.Contains(text, "order nnz") || strings.Contains(text, "dense") != c.dense ||
			strings.Contains(text, "grown 2 times") != c.grown {
			t.Errorf("details: %s", text)
		}
	}
}
