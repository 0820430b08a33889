package main

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/solution"
	"thermsim/internal/machine"
	"thermsim/mesh"
	"thermsim/mesh/plausibility"
	"thermsim/report/checkpoint"
	"thermsim/report/saved"
	"thermsim/stack"
)

// initialState is what a transient starts from: a temperature, the steady state, or the field of a saved run.
type initialState struct {
	text   string
	kelvin float64
	steady bool
	run    string  // folder or run.zip
	at     float64 // s, the saved step's time; 0 for the last one
}

func addInitial(f *pflag.FlagSet, into *initialState) {
	flags.Var(f, into, "initial", "TEMP", `start from "85 degC", "steady" or a run: DIR or DIR@TIME (default ambient)`,
		parseInitialState)
}

func parseInitialState(text string) (b initialState, err error) {
	b = initialState{text: text, steady: text == "steady"}
	if b.steady {
		return b, nil
	}
	if b.kelvin, err = flags.Temperature.Parse(text); err == nil {
		return b, nil
	}
	path, moment, timed := text, "", false
	if n := strings.LastIndexByte(text, '@'); n >= 0 {
		path, moment, timed = text[:n], text[n+1:], true
	}
	if _, missing := os.Stat(text); missing == nil {
		path, timed = text, false
	} else if _, missing := os.Stat(path); missing != nil {
		return b, fmt.Errorf("%w; or give steady, or the folder of a saved run", err)
	}
	if timed {
		if b.at, err = flags.Duration.Parse(moment); err != nil {
			return b, fmt.Errorf("the time after @: %w", err)
		}
	}
	b.run = path
	return b, nil
}

// startField is the field of a saved run on the cells of a mesh, with doubts about it. The caller closes the run after
// the field is read.
func (b *initialState) startField(m *mesh.Mesh) (solution.Field, *saved.Run, []plausibility.Warning, error) {
	run, err := saved.Open(b.run, capacity.ToRender(machine.FreeMemory()))
	if err != nil {
		return nil, nil, nil, exit.UnlessStated(exit.Input, fmt.Errorf("--initial %s: %w", b.text, err))
	}
	refuse := func(err error) (solution.Field, *saved.Run, []plausibility.Warning, error) {
		_ = run.Close() // read only
		return nil, nil, nil, exit.UnlessStated(exit.Input, fmt.Errorf("--initial %s: %w", b.text, err))
	}
	step, err := b.step(run)
	if err != nil {
		return refuse(err)
	}
	field, err := run.State(step)
	if err != nil {
		return refuse(err)
	}
	start, err := m.Remap(run.Mesh, field)
	if err != nil {
		return refuse(fmt.Errorf("%w; a saved field can start stacks of the same size only", err))
	}
	return start, run, otherLayers(b.text, run.Mesh.Stack, m.Stack), nil
}

// step is the one that is asked for among those that were saved.
func (b *initialState) step(run *saved.Run) (int, error) {
	if b.at == 0 {
		return run.Last(), nil
	}
	near, found := math.Inf(1), 0
	for _, n := range run.Manifest.Saved {
		if off := math.Abs(run.TimeOf(n) - b.at); off < near {
			near, found = off, n
		}
	}
	if near <= 1e-6*b.at {
		return found, nil
	}
	if found == 0 {
		_, moment, _ := strings.Cut(b.text, b.run+"@")
		return 0, fmt.Errorf("a steady state has no times; omit @%s", moment)
	}
	return 0, fmt.Errorf("no field was saved at %s; the nearest of %d is at %s, and --save all keeps every step",
		terminal.Seconds(b.at), len(run.Manifest.Saved), terminal.Seconds(run.TimeOf(found)))
}

// otherLayers doubts a field of other layers: it goes by height then.
func otherLayers(run string, was, is *stack.Stack) []plausibility.Warning {
	why := ""
	if len(was.Layers) != len(is.Layers) {
		why = fmt.Sprintf("it has %d layers, and this stack %d", len(was.Layers), len(is.Layers))
	}
	for n := 0; why == "" && n < len(is.Layers); n++ {
		a, b := &was.Layers[n], &is.Layers[n]
		switch {
		case a.Name != b.Name:
			why = fmt.Sprintf("its layer %d is %s, and %s in this stack", n+1, a.Name, b.Name)
		case math.Abs(a.Thickness-b.Thickness) > 1e-6*b.Thickness:
			why = fmt.Sprintf("its layer %s is %.6g um thick, and %.6g um in this stack", a.Name, 1e6*a.Thickness,
				1e6*b.Thickness)
		}
	}
	if why == "" {
		return nil
	}
	return []plausibility.Warning{{Code: plausibility.Temperatures, Text: "the field to start from, " + run +
		", is of other layers: " + why, Remedy: "temperatures were taken at the same heights"}}
}

// startAt opens the saved field that a transient starts from, if one is asked for; among ranks, on rank 0 alone. The
// caller closes it after the run.
func (s *simulation) startAt(o *transientOptions) (closed func(), err error) {
	if o.initial.run == "" || !s.team.reports() || o.project.network() != nil {
		return func() {}, nil
	}
	if o.checkpoints.resume {
		if there, err := checkpoint.Exists(o.out); there || err != nil {
			return func() {}, err
		}
	}
	field, run, doubts, err := o.initial.startField(s.Mesh)
	if err != nil {
		return nil, err
	}
	if err := s.o.strict.Refuse(doubts, ""); err != nil {
		_ = run.Close() // read only
		return nil, err
	}
	s.start, s.Warnings = field, append(s.Warnings, doubts...)
	return func() { _ = run.Close() }, nil
}
