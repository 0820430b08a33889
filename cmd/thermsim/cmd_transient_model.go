package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/ports"
	"thermsim/internal/inputfile"
	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/report"
	"thermsim/report/quantity"
	"thermsim/stack"
	"thermsim/study/reducedmodel"
)

// modelFlags are the flags that a run of a reduced model takes.
var modelFlags = []string{"model", "steps", "dt", "until", "initial", "out", "quiet", "verbose"}

// modelRun steps a reduced model in place of a stack.
type modelRun struct {
	*reducedmodel.Stepper
	dt    float64
	steps int
	from  []int // the model's input of each input of the stack
	watts []float64
	// kelvin are the temperatures of the outputs; top the highest of each, and when.
	kelvin, top, when []float64
	// beyond is the largest power in parts of its input's range, or what is below 0 in the same parts.
	beyond float64
}

// runReduced runs transient --model.
func runReduced(ctx context.Context, g *session.Session, cmd *cobra.Command, o *transientOptions) error {
	var refused error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(modelFlags, f.Name) && refused == nil {
			refused = exit.Usagef("--%s does not go with --model, which has fixed time steps and writes "+
				"trace.csv only; omit it", f.Name)
		}
	})
	if refused == nil {
		refused = o.checkTimes()
	}
	if refused != nil {
		return refused
	}
	s, _, err := loadInput(g, o.stack, flags.Grid{}, &o.project)
	if err != nil {
		return err
	}
	r, err := newModelRun(s, o)
	if err != nil {
		return err
	}
	if o.dt == 0 && s.Transient.Dt == 0 && s.Transient.Until == 0 {
		noteStep(g, r.dt, r.Model().Tau[0])
	}
	files, err := g.Begin(o.out, staging.Options{Set: report.RunFiles, Command: "transient"})
	if err != nil {
		return err
	}
	defer files.Abort()
	power, err := inputPowers(s)
	if err != nil {
		return err
	}
	if _, err := g.Publish(ctx, files, staging.File{Name: "trace.csv", Write: func(w io.Writer) error {
		return r.trace(ctx, w, power.InputWatts)
	}}); err != nil {
		return err
	}
	if !g.Quiet {
		r.print(g.Console, o.out)
	}
	return nil
}

func readModel(name string) (*reducedmodel.Model, error) {
	data, err := inputfile.Read(name)
	if err == nil {
		err = inputfile.Crowded(data, reducedmodel.BytesPerTable)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m, err := reducedmodel.ReadJSON(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; 'thermsim reduce' makes one", name, err)
	}
	return m, nil
}

// newModelRun reads the model, and finds its inputs among those of the stack.
func newModelRun(s *stack.Stack, o *transientOptions) (*modelRun, error) {
	m, err := readModel(o.model)
	if err != nil {
		return nil, exit.With(exit.Input, fmt.Errorf("--model %w", err))
	}
	if s.Ambient != m.Ambient {
		return nil, exit.Usagef("%s has an ambient of %.2f degC, %s was made for %.2f degC; reduce the stack again",
			s.File, terminal.Celsius(s.Ambient), o.model, terminal.Celsius(m.Ambient))
	}
	r := &modelRun{watts: make([]float64, len(m.Inputs))}
	if r.Stepper, err = reducedmodel.NewStepper(m); err != nil {
		return nil, exit.With(exit.Input, err)
	}
	t := &s.Transient
	if o.applyTimes(s); t.ToSteady > 0 || t.Every > 0 || len(t.At) > 0 || t.Periodic {
		return nil, exit.Usagef("%s: [transient] has to_steady, every, at or periodic, and --model requires fixed "+
			"time "+
			"steps. Fix: give --dt or --steps", s.File)
	}
	r.dt, r.steps = modelSteps(t, o.dt, o.steps, m.Tau[0])
	n := len(m.Outputs)
	r.kelvin, r.top, r.when = make([]float64, n), make([]float64, n), make([]float64, n)
	inputs := ports.InputsOf(s)
	for _, in := range inputs {
		at := slices.IndexFunc(m.Inputs, func(i reducedmodel.Input) bool { return i.Name == in.Name })
		if at < 0 {
			return nil, exit.Usagef("%s: the stack has the power %q, which is no input of %s; reduce the stack again",
				s.File, in.Name, o.model)
		}
		r.from = append(r.from, at)
	}
	if len(inputs) != len(m.Inputs) {
		return nil, exit.Usagef("%s has %d inputs, and %s has %d powers; reduce the stack again", o.model,
			len(m.Inputs), s.File, len(inputs))
	}
	return r, r.begin(s, inputs, &o.initial)
}

// modelSteps are the length and the number of the steps: what is asked for beats the file. By default a step is a part
// of the slowest time constant, or of the time until the end.
func modelSteps(t *stack.Transient, dt float64, steps int, slowest float64) (float64, int) {
	if dt == 0 && (t.Until == 0 || steps == 0) {
		dt = t.Dt
	}
	part := slowest / stepsPerTimeConstant
	switch {
	case t.Until > 0 && dt == 0:
		if steps == 0 {
			steps = max(defaultSteps, stepsUntil(t.Until, part))
		}
		dt = t.Until / float64(steps)
	case steps > 0:
	case t.Until > 0:
		steps = stepsUntil(t.Until, dt)
	case t.Steps > 0:
		steps = t.Steps
	default:
		steps = defaultSteps
	}
	if dt == 0 {
		dt = part
	}
	return dt, steps
}

// begin sets the state that the first step starts from.
func (r *modelRun) begin(s *stack.Stack, inputs []ports.Input, at *initialState) error {
	if at.steady {
		for n, in := range inputs {
			r.watts[r.from[n]] = in.Watts
		}
		return r.Settle(r.watts)
	}
	if at.run != "" {
		return exit.Usagef("--initial %s: a reduced model has no fields; give a temperature, or steady", at.text)
	}
	kelvin := s.Ambient
	for _, asked := range []float64{s.Transient.Initial, at.kelvin} {
		if asked > 0 {
			kelvin = asked
		}
	}
	if err := r.Begin(kelvin); err != nil {
		return exit.With(exit.Input, err)
	}
	return nil
}

// trace steps, and writes a row of temperatures after every step.
func (r *modelRun) trace(ctx context.Context, w io.Writer, power func(t0, t1 float64) ([]float64, error)) error {
	out := bufio.NewWriterSize(w, 1<<16)
	row := []byte("time_s,power_W")
	for _, o := range r.Model().Outputs {
		row = append(append(row, ','), printable.Field(o.Column())...)
	}
	if _, err := out.Write(append(row, '\n')); err != nil {
		return err
	}
	for n := range r.steps {
		t0, t1 := float64(n)*r.dt, float64(n+1)*r.dt
		watts, err := power(t0, t1)
		if err != nil {
			return exit.With(exit.Input, err)
		}
		sum := 0.0
		for k, v := range watts {
			r.watts[r.from[k]] = v
			sum += v
			r.beyond = math.Max(r.beyond, excess(v, r.Model().Inputs[r.from[k]].Range))
		}
		if err := r.Step(t1-t0, r.watts); err != nil {
			return err
		}
		r.Temperatures(r.kelvin)
		row = strconv.AppendFloat(row[:0], t1, 'g', 10, 64)
		row = strconv.AppendFloat(append(row, ','), sum, 'g', 10, 64)
		for k, v := range r.kelvin {
			row = strconv.AppendFloat(append(row, ','), v, 'f', 6, 64)
			if v > r.top[k] {
				r.top[k], r.when[k] = v, t1
			}
		}
		if _, err := out.Write(append(row, '\n')); err != nil {
			return err
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return out.Flush()
}

// excess is a power in parts of the range from 0 on that a model's errors are stated for: above 1 outside of it.
func excess(watts, most float64) float64 {
	if v := watts / most; v >= 0 {
		return v
	}
	return 1 - watts/most
}

// print lists the outputs, the hottest first.
func (r *modelRun) print(c *terminal.Console, out string) {
	m := r.Model()
	if m.Title != "" {
		fmt.Fprintln(c.Stdout, c.Bold(quantity.Shorten(m.Title, c.Style.Width)))
	}
	fmt.Fprintf(c.Stdout, "%s  %s\n\n", c.Bold(fmt.Sprintf("%d steps of %s", r.steps, terminal.Seconds(r.dt))),
		c.Dim(fmt.Sprintf("reduced model of %d states, %.2g K from the full one as estimated; degC", m.States(),
			m.Error.EstimateK)))
	if r.beyond > 1+1e-9 {
		fmt.Fprintf(c.Stdout, "Powers go to %.3g times the range that this error is stated for; it grows in "+
			"proportion.\n\n", r.beyond)
	}
	order := sorted(len(m.Outputs), func(a, b int) int { return cmp.Compare(r.top[b], r.top[a]) })
	t := terminal.Table{Header: []string{"output", ">highest", ">at", ">end"}, Cut: "trace.csv, or -v"}
	for _, k := range order {
		t.Add(m.Outputs[k].Name, fmt.Sprintf("%.2f", terminal.Celsius(r.top[k])), terminal.Seconds(r.when[k]),
			fmt.Sprintf("%.2f", terminal.Celsius(r.kelvin[k])))
	}
	t.Write(c, c.Stdout)
	fmt.Fprintf(c.Stdout, "\ntrace.csv is in %s\n", out)
}
