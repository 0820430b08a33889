// Package saved stores runs in run.zip, from which all files can be written again without solving. It contains the
// resolved stack, which defines the mesh, the results of the solver, and the temperatures of each step and plane.
// Entries are not compressed; any ZIP program can read them.
package saved

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"thermsim/gpusolve/solution"
	"thermsim/internal/nullable"
	"thermsim/internal/printable"
	"thermsim/mesh/plausibility"
	"thermsim/report/summary"
	"thermsim/stack"
)

// FileName of a saved run in its folder.
const FileName = "run.zip"

// schema is the version of the format.
const schema = 1

// Manifest is run.json: all data of a run except its stack and its field.
type Manifest struct {
	Schema  int    `json:"schema"`
	ID      string `json:"id"`      // of the run, also in the record of the folder; "" for old runs
	Command string `json:"command"` // "steady" or "transient"
	Version string `json:"version"` // of thermsim
	// Date is the local date of the run, as in 2026-01-31; absent in old runs.
	Date string `json:"date,omitempty"`
	// GridErrorK is the estimated error of the maxima, if the grid was chosen automatically.
	GridErrorK float64 `json:"grid_error_K,omitempty"`
	// Stack is the path of the stack file as it was given; Inputs are the files it was read from.
	Stack  string  `json:"stack"`
	Inputs []Input `json:"inputs"`

	Status Status  `json:"status"`
	Energy Energy  `json:"energy"`
	PeakK  Number  `json:"peak_K"`
	DtS    float64 `json:"dt_s,omitempty"`
	StartK float64 `json:"start_K,omitempty"` // uniform temperature at the start of a transient
	Steps  []Step  `json:"steps,omitempty"`   // all of a transient, saved or not
	// Stepping is present for adaptive time steps.
	Stepping *solution.Stepping `json:"stepping,omitempty"`

	DeviceKind string `json:"device_kind"`
	DeviceName string `json:"device_name"`

	Time   summary.Time   `json:"time"`
	Memory summary.Memory `json:"memory"`

	// Warnings are stored because the resolved stack has no locations in its source files.
	Warnings []plausibility.Warning `json:"warnings,omitempty"`

	// Saved lists the numbers of the stored steps, from 1 in ascending order; 0 is a steady state.
	Saved []int `json:"saved_steps"`
	// Peaks are the hottest cells of a transient's blocks, parts and layers over all steps; absent in old runs.
	Peaks []Peak `json:"peaks,omitempty"`
	// Measured are the computed temperatures in K at the measured values of a transient, in the order of the stack.
	Measured []Number `json:"measured,omitempty"`
	// Policies are the throttling policies of a transient.
	Policies []Policy `json:"policies,omitempty"`
	// PowerGrid is that of summary.json, with the worst segments only.
	PowerGrid json.RawMessage `json:"power_grid,omitempty"`
	// Session is present for states that were saved during a serve session.
	Session *Session `json:"session,omitempty"`
	// History is the estimated error by iteration, if it was recorded.
	History []Iteration `json:"history,omitempty"`
}

// Policy is the effect of a throttling policy.
type Policy struct {
	Name       string   `json:"name"`
	AboveK     float64  `json:"above_K"`
	BelowK     float64  `json:"below_K"`
	Factor     float64  `json:"factor"`
	PeakK      Number   `json:"peak_K"`
	ThrottledS float64  `json:"throttled_s"`
	Changes    int      `json:"changes"`
	FirstS     *float64 `json:"first_s,omitempty"`
	Throttled  bool     `json:"throttled"`
}

// Session is the state of a session in addition to its temperatures.
type Session struct {
	Steps  int        `json:"steps"` // number of steps before the state
	Powers []SetPower `json:"powers,omitempty"`
}

// SetPower is the power of an input set by a client.
type SetPower struct {
	Name   string  `json:"name"`
	Watts  Number  `json:"watts"` // null if the stack's traces and schedules apply
	Factor float64 `json:"factor"`
}

// Input is a file that the stack was read from.
type Input struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Status is solution.Status.
type Status struct {
	Method           string `json:"method"`
	Preconditioner   string `json:"preconditioner"`
	Details          string `json:"details"`
	Iterations       int    `json:"iterations"`
	IterationsTotal  int    `json:"iterations_total"`
	ResidualW        Number `json:"residual_W"`
	RelativeResidual Number `json:"relative_residual"`
	EstimatedErrorK  Number `json:"estimated_error_K"`
	Converged        bool   `json:"converged"`
	Reason           string `json:"reason"`
	Fallback         string `json:"fallback,omitempty"`
	// Nonlinear is present with temperature-dependent properties.
	Nonlinear *solution.Nonlinear `json:"nonlinear,omitempty"`
}

// Energy is solution.Energy.
type Energy struct {
	InW          Number    `json:"in_W"`
	OutW         Number    `json:"out_W"`
	StoredW      Number    `json:"stored_W"`
	ByFaceW      [6]Number `json:"by_face_W"` // in the order of stack.Face
	ScaleW       Number    `json:"scale_W"`
	ImbalanceRel Number    `json:"imbalance_rel"`
	CoolantW     []Number  `json:"coolant_W,omitempty"` // by cavity, from the bottom
}

// Step is a time step.
type Step struct {
	TimeS      float64 `json:"time_s"` // its end
	Iterations int     `json:"iterations"`
	MaxK       Number  `json:"max_K"`
	PowerW     Number  `json:"power_W"`
	LeakageW   Number  `json:"leakage_W,omitempty"` // of it
	Converged  bool    `json:"converged"`
}

// Iteration is a point of the convergence history.
type Iteration struct {
	Step      int    `json:"step"` // from 1; 0 of a steady solve
	Iteration int    `json:"iteration"`
	ErrorK    Number `json:"error_K"` // estimated largest error
}

// Peak is a hottest cell over all steps.
type Peak struct {
	MaxK Number `json:"max_K"`
	Step int    `json:"step"` // from 1; 0 without a finite temperature
	I    int    `json:"i"`
	J    int    `json:"j"`
	K    int    `json:"k"`
}

// Number is a float64 that may be unknown.
type Number = nullable.Number

// Describe creates a manifest from a stack and a solution. The caller adds times, memory, saved steps and the history.
func Describe(command, version string, s *stack.Stack, sol *solution.Solution) Manifest {
	st, e := &sol.Status, &sol.Energy
	m := Manifest{
		Schema: schema, Command: command, Version: version, Stack: s.File,
		Status: Status{
			st.Method, st.Preconditioner, st.Details, st.Iterations, st.IterationsTotal,
			Number(st.ResidualW), Number(st.RelativeResidual), Number(st.EstimatedErrorK), st.Converged, st.Reason,
			st.Fallback, st.Nonlinear,
		},
		Energy: Energy{InW: Number(e.In), OutW: Number(e.Out), StoredW: Number(e.Stored), ScaleW: Number(e.Scale),
			ImbalanceRel: Number(e.ImbalanceRel)},
		PeakK: Number(sol.PeakK), DtS: sol.Dt, Stepping: sol.Stepping, DeviceKind: sol.Device.Kind,
		DeviceName: sol.Device.Name, GridErrorK: s.Grid.ErrorK,
	}
	for _, w := range e.Coolant {
		m.Energy.CoolantW = append(m.Energy.CoolantW, Number(w))
	}
	for i, w := range e.ByFace {
		m.Energy.ByFaceW[i] = Number(w)
	}
	for _, in := range s.Inputs {
		m.Inputs = append(m.Inputs, Input{in.Path, in.SHA256})
	}
	m.Steps = slices.Grow(m.Steps, len(sol.Steps))
	for _, step := range sol.Steps {
		m.Steps = append(m.Steps, Step{step.Time, step.Iterations, Number(step.MaxK), Number(step.PowerW),
			Number(step.LeakageW), step.Converged})
	}
	return m
}

// clean removes control characters from texts: the file is untrusted input.
func (m *Manifest) clean() {
	for _, text := range []*string{&m.ID, &m.Version, &m.Date, &m.Stack, &m.Status.Method, &m.Status.Preconditioner,
		&m.Status.Details, &m.Status.Reason, &m.Status.Fallback, &m.DeviceKind, &m.DeviceName} {
		*text = printable.Text(*text)
	}
	for i := range m.Warnings {
		w := &m.Warnings[i]
		for _, text := range []*string{&w.Code, &w.Place, &w.Text, &w.Remedy} {
			*text = printable.Text(*text)
		}
	}
}

// Solution is the solution without its field.
func (m *Manifest) Solution() *solution.Solution {
	st, e := &m.Status, &m.Energy
	sol := &solution.Solution{
		Status: solution.Status{
			Method: st.Method, Preconditioner: st.Preconditioner, Details: st.Details, Iterations: st.Iterations,
			IterationsTotal: st.IterationsTotal,
			ResidualW:       float64(st.ResidualW), RelativeResidual: float64(st.RelativeResidual),
			EstimatedErrorK: float64(st.EstimatedErrorK),
			Converged:       st.Converged, Reason: st.Reason, Fallback: st.Fallback, Nonlinear: st.Nonlinear,
		},
		Energy: solution.Energy{In: float64(e.InW), Out: float64(e.OutW), Stored: float64(e.StoredW),
			Scale: float64(e.ScaleW), ImbalanceRel: float64(e.ImbalanceRel)},
		PeakK: float64(m.PeakK), Dt: m.DtS, Stepping: m.Stepping,
		Device: solution.DeviceInfo{Kind: m.DeviceKind, Name: m.DeviceName},
		Memory: solution.Memory{DeviceBytes: m.Memory.DeviceBytes},
	}
	for _, w := range e.CoolantW {
		sol.Energy.Coolant = append(sol.Energy.Coolant, float64(w))
	}
	for i, w := range e.ByFaceW {
		sol.Energy.ByFace[i] = float64(w)
	}
	sol.Steps = slices.Grow(sol.Steps, len(m.Steps))
	for _, step := range m.Steps {
		sol.Steps = append(sol.Steps, solution.Step{Time: step.TimeS, Iterations: step.Iterations,
			MaxK: float64(step.MaxK), PowerW: float64(step.PowerW), LeakageW: float64(step.LeakageW),
			Converged: step.Converged})
	}
	return sol
}

// stepsKey is the key of the steps in a manifest.
const stepsKey = "steps"

// decodeManifest reads a manifest. It decodes steps one at a time, because a million steps as text take ten times the
// memory of the decoded steps.
func decodeManifest(in io.Reader, m *Manifest) error {
	d := json.NewDecoder(in)
	if err := delimiter(d, '{'); err != nil {
		return err
	}
	rest := map[string]json.RawMessage{}
	var steps []Step
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if key == stepsKey {
			if steps, err = decodeSteps(d); err != nil {
				return err
			}
			continue
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		rest[key.(string)] = value // keys are strings
	}
	if err := delimiter(d, '}'); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.Join(errors.New("something follows the manifest"), err)
	}
	text, err := json.Marshal(rest)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, m); err != nil {
		return err
	}
	m.Steps = steps
	return nil
}

// decodeSteps reads an array of steps, or null.
func decodeSteps(d *json.Decoder) ([]Step, error) {
	switch t, err := d.Token(); {
	case err != nil:
		return nil, err
	case t == nil:
		return nil, nil
	case t != json.Delim('['):
		return nil, fmt.Errorf("%s is no array", stepsKey)
	}
	var steps []Step
	for d.More() {
		var s Step
		if err := d.Decode(&s); err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, delimiter(d, ']')
}

// delimiter reads a delimiter.
func delimiter(d *json.Decoder, want json.Delim) error {
	t, err := d.Token()
	if err == nil && t != want {
		err = fmt.Errorf("%v instead of %v", t, want)
	}
	return err
}
