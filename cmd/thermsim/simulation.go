package main

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/internal/machine"
	"thermsim/internal/staging"
	"thermsim/interop/export"
	"thermsim/report"
	"thermsim/report/jsonfile"
	"thermsim/report/summary"
	"thermsim/stack/stackfile"
	"thermsim/study/policy"
)

// simulation is a steady or transient run on its way.
type simulation struct {
	*report.Run
	g         *session.Session
	o         *simulateOptions
	progress  *terminal.Progress
	files     *staging.Transaction
	recording *report.Recording
	history   *[]report.HistoryPoint
	solver    gpusolve.Options
	ahead     *gpusolve.Opening // a GPU on its way; nil where none is sure to be used
	steps     int               // taken so far
	policies  *control
	start     solution.Field // of a transient; nil where the options give it
	kept      *checkpointing // nil without checkpoints
	team      *team
	done      bool // the files are written
}

// end gives back what the run holds, and removes its files unless they were committed. It returns what the command ends
// with, on all ranks, whose others wait until rank 0 has closed its solution.
func (s *simulation) end(err error) error {
	if !s.g.Ends || !s.team.alone() {
		if s.Run != nil {
			s.Solution.Close()
		}
		s.ahead.Close()
	}
	err = s.leaveCheckpoint(err)
	if s.files != nil {
		s.files.Abort()
	}
	return s.team.leave(err, s.done)
}

// releaseWhenRead gives the device of a steady state back while the pictures are drawn, where nothing reads the field
// after that: closing a GPU takes as long as a picture. A process that goes on closes it in end, and so does a rank,
// whose others are to leave when it does.
func (s *simulation) releaseWhenRead() {
	if !s.team.alone() {
		return
	}
	if drawsInTerminal := !s.o.noMap && !s.g.Quiet && s.g.Depth != report.NoColor; s.g.Ends && !drawsInTerminal {
		s.recording.OnRead = func() {
			defer s.g.Timings.Log.Begin("close the device")()
			s.Solution.Close()
		}
	}
}

// record starts the recorders of a run of that many steps, 0 for a steady state.
func (s *simulation) record(steps int, more ...report.Recorder) error {
	kept, err := s.o.outputs.Settle(s.g, s.Mesh, steps)
	if err != nil {
		return err
	}
	if s.policies != nil {
		more = append(more, s.policies)
	}
	var drawn report.Options
	s.o.pictures.Apply(&drawn, s.Mesh.Stack.Output.Maps)
	drawn.JUnit, drawn.Units, drawn.Spreadsheet = s.o.junit, s.o.outputs.Units, s.o.outputs.Spreadsheet
	if err := capacity.ForSteps(s.Mesh, steps, kept, drawn.Wants("traces"), machine.FreeMemory()); err != nil {
		return err
	}
	peer, err := s.o.project.writer(s.Mesh, s.files, steps)
	if errors.Is(err, staging.ErrName) {
		return exit.Usagef("the project asks for an output that cannot be written: %w; give it another name there", err)
	}
	if err != nil {
		return err
	}
	if peer != nil {
		for _, name := range report.FileNames() {
			if s.files.Has(name) {
				return exit.Usagef("the project asks for an output called %s, which is a file of thermsim's own; "+
					"give it another name there", name)
			}
		}
		more = append(more, peerRecorder{peer})
	}
	if s.recording, err = report.NewRecording(s.files, s.Run, steps, drawn, kept, more...); err != nil {
		return err
	}
	if s.policies != nil {
		s.solver.Power = s.policies.power
	}
	s.history = s.o.pictures.History(&s.solver)
	return nil
}

// step shows a step of a transient to the recorders.
func (s *simulation) step(step solution.Step, f solution.Field) error {
	if s.kept != nil {
		var err error
		if f, err = s.kept.Hear(step, f); err != nil {
			return err
		}
	}
	if err := s.show(step, f); err != nil {
		return err
	}
	s.g.Keep()
	return nil
}

// show hands a step to the recorders.
func (s *simulation) show(step solution.Step, f solution.Field) error {
	s.steps++
	return s.recording.Step(s.steps, step, f)
}

// finish writes all files of a run that is solved.
func (s *simulation) finish(ctx context.Context) (*summary.Summary, error) {
	logSolution(s.g, s.Run)
	if s.policies != nil {
		s.Policies = s.policies.Summary()
	}
	s.progress.Enter("drawing")
	sum, err := s.recording.Finish(ctx, *s.history)
	if err == nil {
		_, err = s.g.Commit(ctx, s.files)
	}
	s.progress.Stop()
	if err != nil {
		return nil, exit.NothingWritten(err)
	}
	s.done = true
	return sum, printSummary(s.g, s.Run, sum, s.o)
}

// peerRecorder writes the files of other simulators.
type peerRecorder struct{ export.Writer }

func (p peerRecorder) Reads(int) bool { return true }
func (p peerRecorder) Step(_ int, step solution.Step, f solution.Field) error {
	return p.Writer.Step(step.Time, f)
}
func (p peerRecorder) Finish(context.Context, *report.End) error { return p.Writer.Finish() }

// stepLog reports every step, on stderr with -v and on stdout with --json-lines.
type stepLog struct {
	g     *session.Session
	lines bool // of JSON
}

func (stepLog) Reads(int) bool { return false }

func (l stepLog) Step(_ int, step solution.Step, _ solution.Field) error {
	l.g.Detail("t = %s: %d iterations, hottest cell %.2f degC", terminal.Seconds(step.Time), step.Iterations,
		terminal.Celsius(step.MaxK))
	if !l.lines {
		return nil
	}
	return jsonfile.WriteLine(l.g.Stdout, "step", summary.Step{
		TimeS: step.Time, MaxK: step.MaxK, PowerW: step.PowerW, Iterations: step.Iterations, Converged: step.Converged,
	})
}

func (stepLog) Finish(context.Context, *report.End) error { return nil }

// control is a table of policies at work in a run.
type control struct {
	*policy.Controller
	power *gpusolve.PowerControls
	last  float64 // s, end of the step before
}

func addPolicyFlag(f *pflag.FlagSet, path *string) {
	f.StringVar(path, "policy", "", "throttle powers by the [[policy]] tables in `FILE`: limits, delays")
}

// control has the policies of a file control the powers of the run. Without a file it does nothing.
func (s *simulation) control(path string) error {
	if path == "" {
		return nil
	}
	if s.o.project.network() != nil {
		return exit.Usagef("--policy: with --compat this project is solved as a network of nodes, whose powers " +
			"policies do not set; omit one of the two")
	}
	policies, err := stackfile.LoadPolicies(path)
	if err != nil {
		return err
	}
	power := s.Mesh.Power.Controls()
	c, err := policy.New(policies, s.Mesh, power)
	if err != nil {
		return err
	}
	s.policies = &control{Controller: c, power: power}
	s.Columns = c.Columns()
	return nil
}

// Reads is true of every step: the powers of the next follow from it.
func (c *control) Reads(int) bool { return true }

// Step sets the powers of the next step. It comes after the recorders of this step.
func (c *control) Step(_ int, step solution.Step, f solution.Field) error {
	from := c.last
	c.last = step.Time
	return c.Look(from, step.Time, f)
}

// Finish implements report.Recorder.
func (c *control) Finish(context.Context, *report.End) error { return nil }
