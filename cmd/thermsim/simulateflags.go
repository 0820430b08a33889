package main

import (
	"strings"

	"github.com/spf13/cobra"
	"thermsim/gpusolve"
	"thermsim/gpusolve/methods"
	"thermsim/stack"
)

// simulateOptions are the arguments and flags that steady and transient share.
type simulateOptions struct {
	stack    string // STACK as given
	out      string
	grid     gridWish
	device   deviceList
	precond  preconditioner
	tol      quantity
	rtol     quantity
	atol     quantity
	maxIter  count
	tmax     quantity
	junit    bool
	maps     []string
	strict   strictness
	json     jsonFlag
	lines    bool // of JSON
	noMap    bool
	pictures pictureOptions
	outputs  outputOptions
	project  project
	ranks    ranksOptions
}

func newSimulateOptions() simulateOptions {
	return simulateOptions{tol: temperatureRise(), rtol: ratio(), atol: power(), tmax: temperature(),
		outputs: newOutputOptions(), ranks: newRanksOptions()}
}

// defaultOut is where files go unless told otherwise.
const defaultOut = "thermsim-out"

func (o *simulateOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	group(f, groupSolver, func() { o.addSolverFlags(cmd) })
	group(f, groupRanks, func() { o.ranks.addFlags(f) })
	group(f, groupResults, func() {
		addOutFlag(cmd, &o.out)
		f.Var(&o.tmax, "tmax", `exit with status 5 above this, such as "85 degC"; a bare number is in K`)
		addJUnitFlag(cmd, &o.junit)
		o.strict.addFlag(f)
		f.Var(&o.json, "json", "print JSON on stdout in place of tables: summary.json")
		f.Lookup("json").NoOptDefVal, f.Lookup("json").DefValue = "true", ""
		f.BoolVar(&o.lines, "json-lines", false, "print a line of JSON per step as it ends, and one for the summary")
		f.BoolVar(&o.noMap, "no-map", false, "leave out the map of the hottest layer that terminals get")
		o.outputs.addPageFlags(cmd)
		o.outputs.addSaveFlag(cmd)
	})
	group(f, groupPictures, func() {
		addMapsFlag(cmd, &o.maps)
		completeLayers(cmd, "maps", "all")
		o.pictures.addFlags(cmd)
	})
	group(f, groupFields, func() { o.outputs.fields.addFlags(cmd) })
	completeLayers(cmd, "file-layers")
	o.project.addFlags(cmd)
}

func (o *simulateOptions) addSolverFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	addGridFlag(cmd, &o.grid)
	f.Var(&o.device, "device", "auto (default), cpu, gpu, gpu:N; gpu:0,1 and gpu:all: a rank on each")
	f.Var(&o.precond, "precond", strings.Join(methods.Names(), ", "))
	f.Var(&o.tol, "tol", "stop when the largest error, as estimated, is below this (default 1e-4 K)")
	f.Var(&o.rtol, "rtol", "stop on the residual relative to the sources instead")
	f.Var(&o.atol, "atol", "stop on the 2-norm of the residual in W instead")
	f.Var(&o.maxIter, "max-iter", "largest number of iterations per linear system")
	completeFlag(cmd, "device", deviceNames())
	completeFlag(cmd, "precond", methods.Names())
}

// deviceUsage is shared by all commands that solve.
const deviceUsage = "auto (default), cpu, gpu or gpu:N; auto takes the GPU where it is faster"

func addMapsFlag(cmd *cobra.Command, maps *[]string) {
	cmd.Flags().StringSliceVar(maps, "maps", nil, "map the layers in `LIST` too: names with commas between, or all")
}

func addOutFlag(cmd *cobra.Command, out *string) {
	cmd.Flags().StringVarP(out, "out", "o", defaultOut, "write the files into `DIR`")
	addForceFlag(cmd)
}

// addForceFlag offers --force, which every command reads that writes a set of files.
func addForceFlag(cmd *cobra.Command) {
	cmd.Flags().Bool("force", false, "replace files there that no run wrote, but never an input")
}

func addJUnitFlag(cmd *cobra.Command, junit *bool) {
	cmd.Flags().BoolVar(junit, "junit", false, "write the limits as JUnit XML too, limits.xml")
}

func addGridFlag(cmd *cobra.Command, grid *gridWish) {
	cmd.Flags().Var(grid, "grid", "equal cells along x and y, or chosen ones: auto, auto:0.1K, auto:1%")
}

func completeFlag(cmd *cobra.Command, flag string, values []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag does not exist: a slip in this package
	}
}

// check finds contradictions between flags.
func (o *simulateOptions) check() error {
	rules := 0
	for _, q := range []*quantity{&o.tol, &o.rtol, &o.atol} {
		if q.value > 0 {
			rules++
		}
	}
	if rules > 1 {
		return usagef("--tol, --rtol and --atol are three ways to say when to stop; give one of them")
	}
	if bool(o.json) && o.lines {
		return usagef("--json and --json-lines are two ways to print the summary; give one of them")
	}
	return nil
}

// apply puts the flags in place of what the stack file wishes for.
func (o *simulateOptions) apply(s *stack.Stack) {
	v := &s.Solver
	if o.device.deviceName != "" {
		v.Device = o.device.String()
	}
	if o.precond != "" {
		v.Preconditioner = string(o.precond)
	}
	if o.maxIter > 0 {
		v.MaxIter = int(o.maxIter)
	}
	// One rule stops a solve, so the flag also ends the other rules of the file.
	if o.tol.value > 0 || o.rtol.value > 0 || o.atol.value > 0 {
		v.Tol, v.RTol, v.ATol = o.tol.value, o.rtol.value, o.atol.value
	}
	if o.tmax.value > 0 {
		s.TMax = o.tmax.value
	}
	if len(o.maps) > 0 {
		s.Output.Maps = nil
		for _, name := range o.maps {
			s.Output.Maps = append(s.Output.Maps, strings.TrimSpace(name))
		}
	}
}

// solverOptions are those of the model, with the progress line attached.
func solverOptions(g *globals, v stack.Solver, p *progress) gpusolve.Options {
	o := gpusolve.Options{
		Device: v.Device, Preconditioner: v.Preconditioner,
		Tol: v.Tol, RTol: v.RTol, ATol: v.ATol, MaxIter: v.MaxIter,
		Progress: p.update, Notice: func(text string) { g.note("%s", text) }, Timeline: g.timings.log,
	}
	if g.adjust != nil {
		g.adjust(&o)
	}
	return o
}
