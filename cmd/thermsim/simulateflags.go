package main

import (
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/stack"
)

// simulateOptions are the arguments and flags that steady and transient share.
type simulateOptions struct {
	stack    string // STACK as given
	out      string
	grid     flags.Grid
	device   flags.Devices
	precond  string
	tol      float64
	rtol     float64
	atol     float64
	maxIter  int
	tmax     float64
	junit    bool
	maps     []string
	strict   flags.Strictness
	json     flags.JSON
	lines    bool // of JSON
	noMap    bool
	pictures flags.Pictures
	outputs  flags.Outputs
	measured flags.Measured
	project  project
	ranks    flags.Ranks
}

func (o *simulateOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	flags.Group(f, flags.GroupSolver, func() { o.addSolverFlags(cmd) })
	flags.Group(f, flags.GroupRanks, func() { o.ranks.Add(f) })
	flags.Group(f, flags.GroupResults, func() {
		flags.AddOut(cmd, &o.out)
		flags.Temperature.Var(f, &o.tmax, "tmax",
			`exit with status 5 if the peak is above this: "85 degC", or 358 (in K)`)
		o.measured.Add(cmd)
		flags.AddJUnit(cmd, &o.junit)
		o.strict.Add(f)
		f.Var(&o.json, "json", flags.JSONUsage)
		f.Lookup("json").NoOptDefVal, f.Lookup("json").DefValue = "true", ""
		f.BoolVar(&o.lines, "json-lines", false, "print a line of JSON per step as it ends, and one for the summary")
		f.BoolVar(&o.noMap, "no-map", false, "omit the map of the hottest layer on terminals")
		o.outputs.AddPage(cmd)
		o.outputs.AddSave(cmd)
	})
	flags.Group(f, flags.GroupPictures, func() {
		flags.AddMaps(cmd, &o.maps)
		flags.CompleteLayers(cmd, "maps", "all")
		o.pictures.Add(cmd)
	})
	flags.Group(f, flags.GroupFields, func() { o.outputs.Fields.Add(cmd) })
	flags.CompleteLayers(cmd, "file-layers")
	o.project.addFlags(cmd)
}

func (o *simulateOptions) addSolverFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	flags.AddGrid(cmd, &o.grid)
	f.Var(&o.device, "device", "auto (default), cpu, gpu, gpu:N; gpu:0,1 or gpu:all split the grid")
	flags.AddPrecond(cmd, &o.precond)
	flags.Rise.Var(f, &o.tol, "tol", "convergence tolerance: estimated maximum error (default 1e-4 K)")
	flags.Ratio.Var(f, &o.rtol, "rtol", "stop on the residual relative to the sources instead")
	flags.Power.Var(f, &o.atol, "atol", "stop on the 2-norm of the residual in W instead")
	flags.CountVar(f, &o.maxIter, "max-iter", "maximum number of iterations per linear system")
	flags.Complete(cmd, "device", flags.DeviceNames())
}

// check finds contradictions between flags.
func (o *simulateOptions) check() error {
	rules := 0
	for _, rule := range []float64{o.tol, o.rtol, o.atol} {
		if rule > 0 {
			rules++
		}
	}
	if rules > 1 {
		return exit.Usagef("--tol, --rtol and --atol are three ways to say when to stop; give one of them")
	}
	if bool(o.json) && o.lines {
		return exit.Usagef("--json and --json-lines are two ways to print the summary; give one of them")
	}
	return nil
}

// apply overrides the stack file by the flags.
func (o *simulateOptions) apply(s *stack.Stack) {
	v := &s.Solver
	flags.Choose(v, o.device.Name, o.precond)
	if o.maxIter > 0 {
		v.MaxIter = o.maxIter
	}
	// One rule stops a solve, so the flag also ends the other rules of the file.
	if o.tol > 0 || o.rtol > 0 || o.atol > 0 {
		v.Tol, v.RTol, v.ATol = o.tol, o.rtol, o.atol
	}
	if o.tmax > 0 {
		s.TMax = o.tmax
	}
	if len(o.maps) > 0 {
		s.Output.Maps = nil
		for _, name := range o.maps {
			s.Output.Maps = append(s.Output.Maps, strings.TrimSpace(name))
		}
	}
}

// solverOptions are those of the model, with the progress line attached.
func solverOptions(g *session.Session, v stack.Solver, p *terminal.Progress) gpusolve.Options {
	o := gpusolve.Options{
		Device: v.Device, Preconditioner: v.Preconditioner,
		Tol: v.Tol, RTol: v.RTol, ATol: v.ATol, MaxIter: v.MaxIter,
		Progress: p.Update, Notice: func(text string) { g.Note("%s", text) }, Timeline: g.Timings.Log,
	}
	if g.Adjust != nil {
		g.Adjust(&o)
	}
	return o
}
