package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/session"
	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/solution"
	"thermsim/internal/machine"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/saved"
)

// stateFiles keeps states of a served stack as saved runs of one step in a folder.
type stateFiles struct {
	ctx context.Context
	g   *session.Session
	dir string
}

// stateSet is what states are to the record of their folder: one set, to which each adds.
const stateSet = "states"

// maxStateFiles bounds what clients put on the disk.
const maxStateFiles = 1000

func stateOptions(g *session.Session) staging.Options {
	return staging.Options{Set: stateSet, ID: stateSet, Command: "serve", Flag: "--states", Force: g.Force,
		Fault: g.Fault}
}

// file is that of a state, which is called by a name and no path.
func (f *stateFiles) file(name string) string {
	if !strings.EqualFold(filepath.Ext(name), ".zip") {
		name += ".zip"
	}
	return name
}

// Save writes a state.
func (f *stateFiles) Save(name string, s *gpusolve.Session) (string, error) {
	m := s.Mesh()
	sol, err := solutionOf(s)
	if err != nil {
		return "", err
	}
	about := saved.Describe("transient", versionText(), m.Stack, sol)
	about.Session = &saved.Session{Steps: s.Steps()}
	set := s.Power().Settings()
	for n, in := range ports.InputsOf(m.Stack) {
		about.Session.Powers = append(about.Session.Powers,
			saved.SetPower{Name: in.Name, Watts: saved.Number(set[n].Watts), Factor: set[n].Factor})
	}
	name = f.file(name)
	_, err = staging.Do(f.ctx, f.dir, stateOptions(f.g), func(t *staging.Transaction) error {
		if kept := t.Before().Set(stateSet); kept != nil && len(kept.Files) >= maxStateFiles && !kept.Holds(name) {
			return fmt.Errorf("%s has %d states, the most that a server writes there; remove it, or name another one "+
				"with --states", f.dir, maxStateFiles)
		}
		return t.Write(f.ctx, name, func(w io.Writer) error {
			z := saved.NewWriter(w, m.NX()*m.NY())
			if err := z.Step(1, m.NZ(), s.Field()); err != nil {
				return err
			}
			return z.Close(about, m.Stack, nil)
		})
	})
	return filepath.Join(f.dir, name), err
}

// solutionOf is a session's state as that of a transient of one step that ends at its time.
func solutionOf(s *gpusolve.Session) (*solution.Solution, error) {
	top, err := s.Hottest()
	if err != nil {
		return nil, err
	}
	sol := &solution.Solution{Field: s.Field(), PeakK: top, Device: s.Device(), Dt: s.Dt()}
	sol.Status = solution.Status{Converged: true, Reason: "start"}
	if st, ok := s.Status(); ok {
		sol.Status = st
	}
	power := math.NaN()
	if e, ok := s.Energy(); ok {
		sol.Energy, power = e, e.In
	}
	sol.Steps = []solution.Step{{Time: s.Time(), MaxK: top, PowerW: power, Iterations: sol.Status.Iterations,
		Converged: true}}
	return sol, nil
}

// Restore takes the state of a file up: its temperatures, time and powers.
func (f *stateFiles) Restore(name string, s *gpusolve.Session) error {
	path := filepath.Join(f.dir, f.file(name))
	m := s.Mesh()
	run, err := saved.Open(path, capacity.ToRender(machine.FreeMemory()))
	if err != nil {
		return err
	}
	defer run.Close()
	if err := sameGrid(run.Mesh, m); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	field, err := run.State(run.Last())
	if err != nil {
		return err
	}
	settings, steps, err := settingsOf(run, m, s.Power().Settings())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	time := run.TimeOf(run.Last())
	if math.IsNaN(time) {
		time = 0 // a steady state
	}
	if err := s.Resume(field, time, steps); err != nil {
		return err
	}
	s.Power().SetAll(settings)
	return nil
}

// settingsOf are the powers of a saved state. Saved runs that no server wrote leave them alone.
func settingsOf(run *saved.Run, m *mesh.Mesh, now []gpusolve.PowerSetting) (set []gpusolve.PowerSetting, steps int,
	err error) {
	of := run.Manifest.Session
	if of == nil {
		return now, max(0, run.Last()), nil
	}
	set = slices.Clone(now)
	var names []string
	for _, in := range ports.InputsOf(m.Stack) {
		names = append(names, in.Name)
	}
	for _, p := range of.Powers {
		n, err := ports.Find(names, p.Name)
		if err != nil {
			return nil, 0, err
		}
		if !(p.Factor >= 0) || math.IsInf(p.Factor, 0) || math.IsInf(float64(p.Watts), 0) {
			return nil, 0, fmt.Errorf("%s has a factor of %g", p.Name, p.Factor)
		}
		set[n] = gpusolve.PowerSetting{Watts: float64(p.Watts), Factor: p.Factor}
	}
	return set, max(0, of.Steps), nil
}

// sameGrid refuses states on other cells.
func sameGrid(a, b *mesh.Mesh) error {
	for _, axis := range [][2][]float64{{a.X, b.X}, {a.Y, b.Y}, {a.Z, b.Z}} {
		far := axis[1][len(axis[1])-1]
		if !slices.EqualFunc(axis[0], axis[1], func(p, q float64) bool { return math.Abs(p-q) <= 1e-9*far }) {
			return fmt.Errorf("the state is one of %d x %d x %d cells, not of these %d x %d x %d", a.NX(), a.NY(),
				a.NZ(), b.NX(), b.NY(), b.NZ())
		}
	}
	return nil
}
