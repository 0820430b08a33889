package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/ports"
	"thermsim/internal/inputfile"
	"thermsim/internal/staging"
	"thermsim/report"
	"thermsim/report/jsonfile"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/reducedmodel"
	"thermsim/study/reducedmodel/reduce"
)

// onlyFlags refuses flags other than those that go with --model.
func onlyFlags(cmd *cobra.Command, model string, allowed ...string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(allowed, f.Name) {
			err = exit.Usagef("--%s does not go with --model, %s; omit it", f.Name, model)
		}
	})
	return err
}

// modelSource names a reduced model, and the heat-transfer coefficients of its films.
type modelSource struct {
	file  string
	films []string
	// parametric is the model with films, for the coefficients h in W/(m2 K); nil if it has none.
	parametric *reducedmodel.Parametric
	h          []float64
}

func (q *modelSource) add(f *pflag.FlagSet) {
	f.StringVar(&q.file, "model", "", "use the reduced model in `FILE` with the stack's powers; no grid, no fields")
	addFilms(f, &q.films)
}

func (q *modelSource) check() error {
	if q.file == "" && len(q.films) > 0 {
		return exit.Usagef("--films is for reduced models. Fix: add --model FILE, or use --set boundary.top.h=H")
	}
	return nil
}

func addFilms(f *pflag.FlagSet, films *[]string) {
	f.StringSliceVar(films, "films", nil, "h of the model's films in `LIST`, e.g. top=25 (default: the stack's)")
}

// read reads the model. Without a stack, films have the coefficients of the file. kelvin is the initial temperature.
func (q *modelSource) read(s *stack.Stack, kelvin float64) (*reducedmodel.Model, error) {
	data, err := inputfile.Read(q.file)
	if err == nil {
		err = inputfile.Crowded(data, reducedmodel.BytesPerTable)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.file, err)
	}
	if !reducedmodel.HasFilms(data) {
		if len(q.films) > 0 {
			return nil, fmt.Errorf("--films: %s has no films; 'thermsim reduce --films' makes a model that has", q.file)
		}
		m, err := reducedmodel.ReadJSON(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; 'thermsim reduce' makes one", q.file, err)
		}
		return m, nil
	}
	if q.parametric, err = reducedmodel.ReadFilms(data); err != nil {
		return nil, fmt.Errorf("%s: %w; 'thermsim reduce' makes one", q.file, err)
	}
	if q.h, err = q.choose(s); err != nil {
		return nil, err
	}
	return q.parametric.At(q.h, kelvin)
}

// choose returns the coefficients of the films: of --films, else of the stack.
func (q *modelSource) choose(s *stack.Stack) ([]float64, error) {
	given := map[string]float64{}
	for _, text := range q.films {
		name, value, ok := strings.Cut(text, "=")
		h, err := stackfile.ParseHeatTransfer(value)
		if !ok || err != nil {
			return nil, fmt.Errorf("--films: got %q; expected NAME=H, such as top=25", text)
		}
		if _, twice := given[name]; twice {
			return nil, fmt.Errorf("--films: got %s twice; expected each film once", name)
		}
		given[name] = h
	}
	h := q.parametric.Nominal()
	for f, film := range q.parametric.Films {
		v, ok := given[film.Name]
		delete(given, film.Name)
		if !ok && s != nil {
			var err error
			if v, err = reduce.FilmH(s, film.Name); err != nil {
				return nil, fmt.Errorf("%w. Fix: --films %s=H", err, film.Name)
			}
			ok = true
		}
		if ok {
			h[f] = v
		}
	}
	for name := range given {
		return nil, fmt.Errorf("--films: %s has no film %q", q.file, name)
	}
	return h, nil
}

// note reports films outside the ranges of the model, except faces that are adiabatic in the stack, too.
func (q *modelSource) note(g *session.Session) {
	if q.parametric == nil {
		return
	}
	for f, film := range q.parametric.Films {
		adiabatic := q.h[f] == 0 && film.H == 0
		if !adiabatic && (q.h[f] < film.From || q.h[f] > film.To) {
			g.Note("film %s: h = %.4g W/(m^2 K) is outside the range of the model, %.4g to %.4g W/(m^2 K); "+
				"its error is not known", film.Name, q.h[f], film.From, film.To)
		}
	}
}

// modelRun steps a reduced model in place of a stack.
type modelRun struct {
	*reducedmodel.Trace
	dt    float64
	steps int
}

// runReduced runs transient --model.
func runReduced(ctx context.Context, g *session.Session, cmd *cobra.Command, o *transientOptions) error {
	if err := onlyFlags(cmd, "which has fixed time steps and writes trace.csv only", "model", "films", "set", "steps",
		"dt", "until", "initial", "out", "quiet", "verbose"); err != nil {
		return err
	}
	if err := o.checkTimes(); err != nil {
		return err
	}
	s, _, err := loadInput(g, o.stack, flags.Grid{}, &o.project)
	if err != nil {
		return err
	}
	r, err := newModelRun(g, s, o)
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
		return r.Write(ctx, w, r.dt, r.steps, func(t0, t1 float64) (watts []float64, err error) {
			if watts, err = power.InputWatts(t0, t1); err != nil {
				err = exit.With(exit.Input, err)
			}
			return watts, err
		})
	}}); err != nil {
		return err
	}
	if !g.Quiet {
		r.print(g.Console, o.out)
	}
	return nil
}

// newModelRun begins a run of the model with steps of fixed length.
func newModelRun(g *session.Session, s *stack.Stack, o *transientOptions) (*modelRun, error) {
	r, err := o.model.open(g, s, startKelvin(s, &o.initial))
	if err != nil {
		return nil, err
	}
	t := &s.Transient
	if o.applyTimes(s); t.ToSteady > 0 || t.Every > 0 || len(t.At) > 0 || t.Periodic {
		return nil, exit.Usagef("%s: [transient] has to_steady, every, at or periodic, and --model requires fixed "+
			"time steps. Fix: give --dt or --steps", s.File)
	}
	r.dt, r.steps = modelSteps(t, o.dt, o.steps, r.Model().Tau[0])
	return r, r.begin(s, &o.initial)
}

// open reads the model for a stack, and finds its inputs among those of the stack.
func (q *modelSource) open(g *session.Session, s *stack.Stack, kelvin float64) (*modelRun, error) {
	m, err := q.of(g, s, kelvin)
	if err != nil {
		return nil, err
	}
	q.note(g)
	from, err := matchInputs(m, s, q.file)
	if err != nil {
		return nil, err
	}
	t, err := reducedmodel.NewTrace(m, from)
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	return &modelRun{Trace: t}, nil
}

// of reads the model for a stack. It refuses a stack other than the model's, apart from powers.
func (q *modelSource) of(g *session.Session, s *stack.Stack, kelvin float64) (*reducedmodel.Model, error) {
	m, err := q.read(s, kelvin)
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	if s.Ambient != m.Ambient {
		return nil, exit.Usagef("%s has an ambient of %.2f degC, %s was made for %.2f degC; reduce the stack again",
			s.File, terminal.Celsius(s.Ambient), q.file, terminal.Celsius(m.Ambient))
	}
	if err := ports.CheckLinear(s); err != nil {
		return nil, exit.With(exit.Input, err)
	}
	var films []reducedmodel.Film
	if q.parametric != nil {
		films = q.parametric.Films
	}
	if len(m.Origin.Stack) == 0 {
		g.Note("%s does not say of which stack it was made; whether %s is the same is not checked", q.file, s.File)
	} else if name := reduce.Differs(&m.Origin, s, films); name != "" {
		remedy := "reduce the stack again"
		if strings.HasPrefix(name, "boundary.") {
			remedy += "; with --films, h remains a parameter"
		}
		return nil, exit.Usagef("%s: %s differs from the stack that %s was made of. Fix: %s", s.File, name, q.file,
			remedy)
	}
	return m, nil
}

// matchInputs returns the model's input of each input of the stack.
func matchInputs(m *reducedmodel.Model, s *stack.Stack, file string) (from []int, err error) {
	inputs := ports.InputsOf(s)
	for _, in := range inputs {
		at := slices.IndexFunc(m.Inputs, func(i reducedmodel.Input) bool { return i.Name == in.Name })
		if at < 0 {
			return nil, exit.Usagef("%s: the stack has the power %q, which is no input of %s; reduce the stack again",
				s.File, in.Name, file)
		}
		from = append(from, at)
	}
	if len(inputs) != len(m.Inputs) {
		return nil, exit.Usagef("%s has %d inputs, and %s has %d powers; reduce the stack again", file,
			len(m.Inputs), s.File, len(inputs))
	}
	return from, nil
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
func (r *modelRun) begin(s *stack.Stack, at *initialState) error {
	if at.steady {
		for n, in := range ports.InputsOf(s) {
			r.Watts[r.From[n]] = in.Watts
		}
		return r.Settle(r.Watts)
	}
	if at.run != "" {
		return exit.Usagef("--initial %s: a reduced model has no fields; give a temperature, or steady", at.text)
	}
	if err := r.Begin(startKelvin(s, at)); err != nil {
		return exit.With(exit.Input, err)
	}
	return nil
}

// startKelvin is the uniform temperature that a run starts from.
func startKelvin(s *stack.Stack, at *initialState) float64 {
	return cmp.Or(at.kelvin, s.Transient.Initial, s.Ambient)
}

// runSteadyModel runs steady --model.
func runSteadyModel(g *session.Session, cmd *cobra.Command, o *simulateOptions, source *modelSource) error {
	if err := onlyFlags(cmd, "which has no fields and writes no files", "model", "films", "set", "json", "quiet",
		"verbose"); err != nil {
		return err
	}
	s, _, err := loadInput(g, o.stack, flags.Grid{}, &o.project)
	if err != nil {
		return err
	}
	r, err := source.open(g, s, 0)
	if err == nil {
		err = r.begin(s, &initialState{steady: true})
	}
	if err != nil {
		return err
	}
	r.Temperatures(r.Kelvin)
	if o.json {
		return jsonfile.Write(g.Stdout, source.result(r.Model(), r.Kelvin))
	}
	if !g.Quiet {
		source.print(g.Console, r.Model(), r.Kelvin)
	}
	return nil
}

// modelResult is the output of --json: the temperatures, the h of the films and the bound of errors of means, null if
// it is not known.
type modelResult struct {
	Model   string       `json:"model"`
	Outputs []modelValue `json:"outputs"`
	Films   []modelFilm  `json:"films"`
	BoundK  float64      `json:"error_bound_K"`
}

type modelValue struct {
	Name string  `json:"name"`
	K    float64 `json:"temperature_K"`
}

type modelFilm struct {
	Name string  `json:"name"`
	H    float64 `json:"h_W_per_m2K"`
}

func (q *modelSource) result(m *reducedmodel.Model, kelvin []float64) *modelResult {
	r := &modelResult{Model: q.file, Outputs: []modelValue{}, Films: []modelFilm{}, BoundK: q.bound()}
	for k, o := range m.Outputs {
		r.Outputs = append(r.Outputs, modelValue{o.Name, kelvin[k]})
	}
	if q.parametric != nil {
		for f, film := range q.parametric.Films {
			r.Films = append(r.Films, modelFilm{film.Name, q.h[f]})
		}
	}
	return r
}

// bound is the bound of the errors of means in steady states in K, NaN if there is none.
func (q *modelSource) bound() float64 {
	if q.parametric == nil {
		return math.NaN()
	}
	b, err := q.parametric.BoundK(q.h, 0)
	if err != nil {
		return math.NaN()
	}
	return b
}

// print lists the temperatures, the hottest first, and the bound of their errors.
func (q *modelSource) print(c *terminal.Console, m *reducedmodel.Model, kelvin []float64) {
	printHeading(c, m.Title, "Steady state", fmt.Sprintf("reduced model of %d states", m.States()))
	fmt.Fprintln(c.Stdout)
	order := sorted(len(kelvin), func(a, b int) int { return cmp.Compare(kelvin[b], kelvin[a]) })
	t := terminal.Table{Header: []string{"output", ">degC"}, Cut: "-v"}
	for _, k := range order {
		t.Add(m.Outputs[k].Name, fmt.Sprintf("%.2f", terminal.Celsius(kelvin[k])))
	}
	t.Write(c, c.Stdout)
	if q.parametric == nil {
		return
	}
	var films []string
	for f, film := range q.parametric.Films {
		films = append(films, fmt.Sprintf("%s %.4g", film.Name, q.h[f]))
	}
	fmt.Fprintf(c.Stdout, "\nh in W/(m^2 K): %s", strings.Join(films, ", "))
	if b := q.bound(); !math.IsNaN(b) {
		fmt.Fprintf(c.Stdout, "; error of means below %.2g K at full power", b)
	}
	fmt.Fprintln(c.Stdout)
}

// print lists the outputs, the hottest first.
func (r *modelRun) print(c *terminal.Console, out string) {
	m := r.Model()
	printHeading(c, m.Title, fmt.Sprintf("%d steps of %s", r.steps, terminal.Seconds(r.dt)), fmt.Sprintf("reduced "+
		"model of %d states, %.2g K from the full one as estimated; degC", m.States(), m.Error.EstimateK))
	fmt.Fprintln(c.Stdout)
	if r.Beyond > 1+1e-9 {
		fmt.Fprintf(c.Stdout, "Powers go to %.3g times the range that this error is stated for; it grows in "+
			"proportion.\n\n", r.Beyond)
	}
	order := sorted(len(m.Outputs), func(a, b int) int { return cmp.Compare(r.Top[b], r.Top[a]) })
	t := terminal.Table{Header: []string{"output", ">highest", ">at", ">end"}, Cut: "trace.csv, or -v"}
	for _, k := range order {
		t.Add(m.Outputs[k].Name, fmt.Sprintf("%.2f", terminal.Celsius(r.Top[k])), terminal.Seconds(r.When[k]),
			fmt.Sprintf("%.2f", terminal.Celsius(r.Kelvin[k])))
	}
	t.Write(c, c.Stdout)
	fmt.Fprintf(c.Stdout, "\ntrace.csv is in %s\n", out)
}
