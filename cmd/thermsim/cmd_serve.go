package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/fields"
	"thermsim/internal/staging"
	"thermsim/interop/serve"
	"thermsim/interop/serve/threedice"
	project3dice "thermsim/interop/threedice"
	"thermsim/mesh"
)

const serveHelp = `Run a transient simulation under the control of another program, which sets powers
and reads temperatures as it runs.

Requests and answers are lines of JSON on stdin and stdout, or on a socket with
--listen or --port; docs/guides/serve.md has the protocol and its schema.

The stack is set up once, and the device stays initialized. Until a client sets a
power, the traces and schedules of the stack apply; the time step is chosen as in
'thermsim transient'. A socket serves one client at a time and rejects others; each
client continues from the state its predecessor left. Only clients on this machine
can connect unless --remote is given. Over TCP, clients must first send a token,
{"op":"hello","token":"..."}: the one given with --token, or one that serve generates
and prints. A Unix socket is restricted to its owner and needs no token unless
--token is given.

With --protocol 3d-ice, tools written for the 3D-ICE server can connect: STACK is a
3D-ICE project, which gives the time step and slots; the client's EXIT ends the server
(unless --keep), and printed files are written to --out. With --compat, temperatures
reproduce those of 3D-ICE.
`

const serveExample = `  echo '{"op":"step","n":10,"read":{"blocks":true}}' | thermsim serve examples/trace
  thermsim serve chip.toml --listen unix:/tmp/chip.sock
  thermsim serve chip.toml --port 7070 --token "$TOKEN" --dt "1 ms" --device gpu
  thermsim serve --protocol 3d-ice --port 10024 case.stk`

// Protocols that are served.
const (
	protocolJSON     = "json"
	protocol3DICE    = "3d-ice"
	defaultPatience  = 30 * time.Second
	stdioDescription = "stdin and stdout"
)

type serveOptions struct {
	simulateOptions
	dt        float64
	initial   initialState
	protocol  string
	listen    string
	port      int
	ported    bool // --port was given
	remote    bool
	token     string
	generated bool // the token was generated, and is printed
	keep      bool
	states    string
	idle      float64
	patience  float64
}

func newServeCommand(g *session.Session) *cobra.Command {
	var o serveOptions
	var cmd *cobra.Command
	cmd = flags.TakeStack(&cobra.Command{
		Use:     "serve [STACK]",
		Short:   "Run a co-simulation server driven by another program",
		Long:    serveHelp,
		Example: serveExample,
		Annotations: exit.Statuses("0 the client has ended the server, or stdin has ended", "1",
			"2 usage error or invalid input, or an address that is invalid or in use",
			"3 the steady state of --initial steady was not reached", "4",
			"6 thermal runaway: --initial steady has no stable state", "130 interrupted"),
	}, &o.stack, func(ctx context.Context) error {
		o.ported = cmd.Flags().Changed("port")
		return runServe(ctx, g, o)
	})
	o.addFlags(cmd)
	return cmd
}

// addFlags in place of those of steady and transient.
func (o *serveOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	flags.Group(f, "Clients", func() {
		f.StringVar(&o.listen, "listen", "", "serve on a socket at `ADDRESS` (unix:PATH or HOST:PORT)")
		f.IntVar(&o.port, "port", 0, "serve on port `N` of this machine; 0 picks a free port")
		f.BoolVar(&o.remote, "remote", false, "accept clients from other machines if --listen names such an address")
		f.StringVar(&o.token, "token", "", "`TEXT` that clients send first (default over TCP: generated and printed)")
		f.StringVar(&o.protocol, "protocol", protocolJSON, "protocol `NAME`: json or 3d-ice")
		f.BoolVar(&o.keep, "keep", false, "with 3d-ice: wait for the next client after EXIT, from the start")
		flags.Duration.Var(f, &o.idle, "idle", "disconnect clients that stay idle longer than this (default never)")
		flags.Duration.Var(f, &o.patience, "patience",
			"disconnect clients that take longer to send a message (default 30 s)")
	})
	flags.Group(f, flags.GroupSolver, func() {
		o.addSolverFlags(cmd)
		f.Lookup("device").Usage = flags.DeviceUsage
		flags.Duration.Var(f, &o.dt, "dt", `time step, such as "1 ms"; a bare number is in s`)
		addInitial(f, &o.initial)
	})
	flags.Group(f, flags.GroupResults, func() {
		f.StringVar(&o.states, "states", "", "let clients save states as files in `DIR`, and restore them")
		flags.AddOut(cmd, &o.out)
	})
	flags.Group(f, flags.GroupProjects, func() {
		f.BoolVar(&o.project.compat, "compat", false, "reproduce the results of the project's simulator")
	})
	o.project.set.Add(f)
	o.project.addOptions(f, flags.Formats()...)
	flags.Complete(cmd, "protocol", []string{protocolJSON, protocol3DICE})
}

// check finds contradictions between flags.
func (o *serveOptions) check(quiet bool) error {
	if err := o.simulateOptions.check(); err != nil {
		return err
	}
	if o.device.Several() {
		return exit.Usagef("--device %s: a server runs on one device; choose auto, cpu, gpu or gpu:N", &o.device)
	}
	if o.ported {
		if o.listen != "" {
			return exit.Usagef("--port %d is short for --listen 127.0.0.1:%[1]d; give one of them", o.port)
		}
		if o.port < 0 || o.port > 65535 {
			return exit.Usagef("--port %d: ports have numbers from 1 to 65535, and 0 picks a free port", o.port)
		}
		o.listen = net.JoinHostPort("127.0.0.1", strconv.Itoa(o.port))
	}
	if err := o.checkToken(quiet); err != nil {
		return err
	}
	switch {
	case o.protocol != protocolJSON && o.protocol != protocol3DICE:
		return exit.Usagef("--protocol %s: there are %s and %s", o.protocol, protocolJSON, protocol3DICE)
	case o.protocol == protocol3DICE && o.listen == "":
		return exit.Usagef("--protocol %s is spoken on a socket: give --port N", protocol3DICE)
	case o.protocol == protocol3DICE && o.states != "":
		return exit.Usagef("--states: the protocol of 3D-ICE knows none")
	case o.protocol == protocol3DICE && o.dt > 0:
		return exit.Usagef("--dt: with --protocol %s the time step is that of the project", protocol3DICE)
	case o.protocol == protocolJSON && o.keep:
		return exit.Usagef("--keep is for --protocol %s; with %s a server goes on until a client says shutdown",
			protocol3DICE, protocolJSON)
	case o.remote && o.listen == "":
		return exit.Usagef("--remote needs --listen")
	case (o.idle > 0 || o.patience > 0) && o.listen == "":
		return exit.Usagef("--idle and --patience need a socket: give --listen or --port")
	}
	return nil
}

// checkToken makes a token where one is needed: any program of the machine reaches a TCP port, a web page in a browser
// too, while the system keeps others from a Unix socket.
func (o *serveOptions) checkToken(quiet bool) error {
	needed := o.listen != "" && !strings.HasPrefix(o.listen, "unix:") && o.protocol == protocolJSON
	switch {
	case o.token == "" && !needed:
		return nil
	case o.token == "" && quiet:
		return exit.Usagef("--quiet would hide the token that clients need; choose one with --token, or listen on " +
			"unix:PATH")
	case o.token == "":
		o.token, o.generated = serve.NewToken(), true
		return nil
	case o.protocol == protocol3DICE:
		return exit.Usagef("--token: the protocol of 3D-ICE knows none")
	case o.listen == "":
		return exit.Usagef("--token needs a socket: give --listen or --port")
	}
	if err := serve.CheckToken(o.token); err != nil {
		return exit.Usagef("--token: %w", err)
	}
	return nil
}

func runServe(ctx context.Context, g *session.Session, o serveOptions) error {
	if err := o.check(g.Quiet); err != nil {
		return err
	}
	if o.states != "" {
		if err := staging.Check(o.states, stateOptions(g)); err != nil {
			return exit.With(exit.Input, err)
		}
	}
	p := terminal.StartProgress(g.Console, "preparing")
	defer p.Stop()
	m, err := o.prepare(ctx, g)
	if err != nil {
		return err
	}
	var listener net.Listener
	if o.listen != "" {
		if listener, err = serve.Listen(o.listen, o.remote); err != nil {
			return exit.With(exit.Input, err)
		}
		defer listener.Close()
	}
	served, start, err := o.open(ctx, g, m, p)
	p.Stop()
	if err != nil {
		return exit.NothingWritten(err)
	}
	defer served.Close()
	g.Detail("device: %s, opened in %s", deviceText(served.Device()), terminal.Seconds(served.OpenedIn.Seconds()))
	g.Detail("%s; set up in %s", served.Method(), terminal.Seconds(served.Timing().Setup.Seconds()))
	where := stdioDescription
	if listener != nil {
		where = listener.Addr().String()
	}
	if o.generated {
		g.Note(`clients begin with {"op":"hello","token":"%s"}`, o.token)
	}
	g.Note("serving %s on %s, steps of %s", session.StackPath(o.stack), where, terminal.Seconds(served.Dt()))
	if o.protocol == protocol3DICE {
		err = o.serve3DICE(ctx, g, served, listener)
	} else {
		err = o.serveJSON(ctx, g, served, listener, start)
	}
	if errors.Is(err, context.Canceled) {
		return exit.With(exit.Interrupted, fmt.Errorf("interrupted after %d steps", served.Steps()))
	}
	return err
}

// times are the limits for clients.
func (o *serveOptions) times() (idle, patience time.Duration) {
	patience = defaultPatience
	if o.patience > 0 {
		patience = asDuration(o.patience)
	}
	return asDuration(o.idle), patience
}

// asDuration converts s, at most 1e9 of them.
func asDuration(s float64) time.Duration {
	const most = 1e9 // s
	return time.Duration(min(s, most) * float64(time.Second))
}

// serveJSON answers requests in lines of JSON.
func (o *serveOptions) serveJSON(ctx context.Context, g *session.Session, served *gpusolve.Session, l net.Listener,
	start gpusolve.Field) error {
	options := serve.Options{Version: versionText(), Initial: start}
	if o.states != "" {
		options.Files = &stateFiles{ctx, g, o.states}
	}
	sim, err := serve.New(served, options)
	if err != nil {
		return err
	}
	if l == nil {
		_, err := serve.Serve(ctx, sim, serve.Stream{In: os.Stdin, Out: g.Stdout})
		if errors.Is(err, serve.ErrClient) && !errors.As(err, new(*terminal.PrintError)) {
			g.Note("%v", err)
			return nil
		}
		return err
	}
	idle, patience := o.times()
	host := serve.Host{Listener: l, Admit: serve.Admit(o.token), Patience: patience, Refusal: serve.BusyAnswer(),
		Log: func(text string) { g.Note("%s", text) },
		Session: func(ctx context.Context, c net.Conn) (bool, error) {
			return serve.Serve(ctx, sim, serve.Stream{In: c, Out: c, Conn: c, Idle: idle, Patience: patience})
		}}
	return host.Run(ctx)
}

// prepare loads and meshes what is served.
func (o *serveOptions) prepare(ctx context.Context, g *session.Session) (*mesh.Mesh, error) {
	o.project.inTime, o.project.served = true, o.protocol == protocol3DICE
	path := session.StackPath(o.stack)
	if o.protocol == protocol3DICE {
		if f := flags.FormatOf(path); f != project3dice.Format {
			return nil, exit.Usagef("--protocol %s serves projects of 3D-ICE, and %s is none: give a .stk file",
				protocol3DICE, path)
		}
	}
	s, _, err := loadInput(g, o.stack, o.grid, &o.project)
	if err != nil {
		return nil, err
	}
	if o.project.network() != nil {
		return nil, exit.Usagef("--compat: this project is solved as a network of nodes with it, which serve does " +
			"not step. Fix: omit --compat")
	}
	if o.protocol == protocol3DICE && !o.project.result.Transient {
		return nil, exit.Usagef("%s is a steady project; 3D-ICE's server steps transients: say transient in its "+
			"solver section", path)
	}
	if _, err := chooseGrid(ctx, g, s); err != nil {
		return nil, err
	}
	o.apply(s)
	if o.initial.kelvin > 0 {
		s.Transient.Initial = o.initial.kelvin
	}
	m, _, err := buildMesh(g, s, capacity.ThisMachine(), true)
	return m, err
}

// open opens the session at its initial field, which is nil for a uniform one.
func (o *serveOptions) open(ctx context.Context, g *session.Session, m *mesh.Mesh,
	p *terminal.Progress) (*gpusolve.Session, gpusolve.Field, error) {
	dt, err := o.timeStep(ctx, g, m)
	if err != nil {
		return nil, nil, err
	}
	solver := solverOptions(g, m.Stack.Solver, p)
	start, err := o.start(ctx, g, m, solver)
	if err != nil {
		return nil, nil, err
	}
	solver.Progress = nil
	served, err := gpusolve.OpenSession(m, solver, dt, start)
	return served, start, err
}

// timeStep is that of --dt or of the stack, or a part of its slowest time constant.
func (o *serveOptions) timeStep(ctx context.Context, g *session.Session, m *mesh.Mesh) (float64, error) {
	switch {
	case o.dt > 0:
		return o.dt, nil
	case m.Stack.Transient.Dt > 0:
		return m.Stack.Transient.Dt, nil
	}
	return chosenStep(ctx, g, m.Stack)
}

// start is the field that the session starts from, on the host.
func (o *serveOptions) start(ctx context.Context, g *session.Session, m *mesh.Mesh,
	solver gpusolve.Options) (gpusolve.Field, error) {
	if o.initial.run != "" {
		return o.savedStart(g, m)
	}
	field, done, err := o.project.startField(ctx, m, solver, nil, &o.initial)
	if err != nil || field == nil {
		return nil, err
	}
	defer done()
	return fields.Hold(m, field)
}

// savedStart is the field of a saved run.
func (o *serveOptions) savedStart(g *session.Session, m *mesh.Mesh) (gpusolve.Field, error) {
	field, run, doubts, err := o.initial.startField(m)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	for _, d := range doubts {
		g.Note("%s", d)
	}
	return fields.Hold(m, field)
}

// serve3DICE speaks the protocol of 3D-ICE.
func (o *serveOptions) serve3DICE(ctx context.Context, g *session.Session, served *gpusolve.Session,
	l net.Listener) error {
	outputs, ok := o.project.result.Outputs.(*project3dice.Outputs)
	if !ok {
		return exit.Usagef("%s asks for no outputs of 3D-ICE", o.stack)
	}
	if err := o.checkPrinted(g, outputs); err != nil {
		return err
	}
	say := func(text string) { g.Note("%s", text) }
	server, err := threedice.New(outputs, served, say)
	if err != nil {
		return exit.With(exit.Input, err)
	}
	idle, patience := o.times()
	host := server.Host(l, threedice.HostOptions{Idle: idle, Patience: patience, Keep: o.keep})
	if err := host.Run(ctx); err != nil {
		return err
	}
	return o.writePrinted(ctx, g, server.Printed())
}

// printedFiles is the set of files that clients of 3D-ICE's protocol had printed.
var printedFiles = staging.Options{Set: "serve", Command: "serve"}

// checkPrinted makes sure that the files can be written at the end.
func (o *serveOptions) checkPrinted(g *session.Session, outputs *project3dice.Outputs) error {
	options := printedFiles
	options.Force, options.Inputs, options.Outputs = g.Force, g.Inputs,
		[]string{"xaxis.txt", "yaxis.txt", "xyaxis_*.txt"}
	for _, ins := range outputs.Instructions {
		name := filepath.FromSlash(ins.File)
		if !filepath.IsLocal(name) {
			name = filepath.Base(name)
		}
		options.Outputs = append(options.Outputs, filepath.ToSlash(filepath.Clean(name)))
	}
	if err := staging.Check(o.out, options); err != nil {
		return exit.With(exit.Input, err)
	}
	return nil
}

// writePrinted writes the files that a client had printed.
func (o *serveOptions) writePrinted(ctx context.Context, g *session.Session, texts map[string][]byte) error {
	if len(texts) == 0 {
		return nil
	}
	var files []staging.File
	for name, text := range texts {
		files = append(files, staging.File{Name: name, Write: func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		}})
	}
	sort.Slice(files, func(a, b int) bool { return files[a].Name < files[b].Name })
	_, err := g.WriteFiles(ctx, o.out, printedFiles, files...)
	return exit.NothingWritten(err)
}
