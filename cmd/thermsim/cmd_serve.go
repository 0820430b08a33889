package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"thermsim/gpusolve"
	"thermsim/internal/staging"
	"thermsim/interop/serve"
)

const serveHelp = `Step the temperatures of a stack for another program, which sets powers and reads
temperatures while it goes on: a simulator of the chip's software, a controller,
a script. Requests and answers are lines of JSON on stdin and stdout, or on a
socket with --listen or --port; docs/guides/serve.md has the protocol and its schema.

The stack is set up once, on a device that stays open. Without a client's word
powers go by the traces and schedules of the stack; the time step is that of
transient. A socket takes clients one after the other, each of which finds the
state that the last one left; while one is served, others are refused with a
message. Only this machine can connect unless --remote says otherwise. Over TCP
clients begin with a token, {"op":"hello","token":"..."}: that of --token, or one
that is made and printed. A Unix socket is its owner's alone and asks for none
unless --token is given.

With --protocol 3d-ice, tools written for 3D-ICE's server find one here: STACK is
a project of 3D-ICE, time step and slots are its own, the client's EXIT ends the
server (unless --keep), and files that it has printed go into --out. With
--compat temperatures are calculated as 3D-ICE does.

EXIT STATUS
===========

  0    the client has ended the server, or stdin has ended
  1    internal failure, or a file could not be written
  2    wrong usage or invalid input, or an address that cannot be listened on
  3    the steady state of --initial steady was not reached
  4    device failure, or not enough memory
  6    thermal runaway: --initial steady has no stable state
  130  interrupted
` + crashHelp

const serveExample = `  echo '{"op":"step","n":10,"read":{"blocks":true}}' | thermsim serve examples/trace
  thermsim serve chip.toml --listen unix:/tmp/chip.sock --states states
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
	dt       quantity
	initial  beginning
	protocol string
	listen   string
	port     int
	ported   bool // --port was given
	remote   bool
	token    string
	tell     bool // nobody but the server knows the token
	keep     bool
	states   string
	idle     quantity
	patience quantity
}

func newServeCommand(g *globals) *cobra.Command {
	o := serveOptions{simulateOptions: newSimulateOptions(), dt: duration(),
		initial: beginning{quantity: temperature()}, idle: duration(), patience: duration()}
	cmd := &cobra.Command{
		Use:               "serve [STACK]",
		Short:             "Step a stack for another program",
		Long:              serveHelp,
		Example:           serveExample,
		Args:              stackArgument,
		ValidArgsFunction: completeStack,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.stack, o.ported = firstArgument(args), cmd.Flags().Changed("port")
			return runServe(cmd.Context(), g, o)
		},
	}
	o.addFlags(cmd)
	return cmd
}

// addFlags in place of those of steady and transient.
func (o *serveOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	group(f, "Clients", func() {
		f.StringVar(&o.listen, "listen", "", "serve on a socket, `ADDRESS`: unix:PATH or HOST:PORT")
		f.IntVar(&o.port, "port", 0, "serve on port `N` of this machine; 0 takes a free one")
		f.BoolVar(&o.remote, "remote", false, "accept clients from other machines where --listen names such an address")
		f.StringVar(&o.token, "token", "", "`TEXT` that clients begin with (default over TCP one that is printed)")
		f.StringVar(&o.protocol, "protocol", protocolJSON, "`NAME` of what is spoken: json or 3d-ice")
		f.BoolVar(&o.keep, "keep", false, "with 3d-ice: wait for the next client after EXIT, from the start")
		f.Var(&o.idle, "idle", "give a client up that asks nothing for so long (default never)")
		f.Var(&o.patience, "patience", "give a client up that takes longer over a message (default 30 s)")
	})
	group(f, groupSolver, func() {
		o.addSolverFlags(cmd)
		f.Lookup("device").Usage = deviceUsage
		f.Var(&o.dt, "dt", `time step, such as "1 ms"; a bare number is in s`)
		f.Var(&o.initial, "initial", "a temperature, steady, or a saved run's DIR or DIR@TIME (default ambient)")
	})
	group(f, groupResults, func() {
		f.StringVar(&o.states, "states", "", "let clients save states as files in `DIR`, and restore them")
		addOutFlag(cmd, &o.out)
	})
	group(f, groupProjects, func() {
		f.BoolVar(&o.project.compat, "compat", false, "calculate as the simulator does that the project was made for")
	})
	o.project.set.addFlag(f)
	o.project.addOptions(f, formats()...)
	completeFlag(cmd, "protocol", []string{protocolJSON, protocol3DICE})
}

// check finds contradictions between flags.
func (o *serveOptions) check(quiet bool) error {
	if err := o.simulateOptions.check(); err != nil {
		return err
	}
	if o.device.several() {
		return usagef("--device %s: a server runs on one device; choose auto, cpu, gpu or gpu:N", &o.device)
	}
	if o.ported {
		if o.listen != "" {
			return usagef("--port %d is short for --listen 127.0.0.1:%[1]d; give one of them", o.port)
		}
		if o.port < 0 || o.port > 65535 {
			return usagef("--port %d: ports have numbers from 1 to 65535, and 0 takes a free one", o.port)
		}
		o.listen = net.JoinHostPort("127.0.0.1", strconv.Itoa(o.port))
	}
	if err := o.checkToken(quiet); err != nil {
		return err
	}
	switch {
	case o.protocol != protocolJSON && o.protocol != protocol3DICE:
		return usagef("--protocol %s: there are %s and %s", o.protocol, protocolJSON, protocol3DICE)
	case o.protocol == protocol3DICE && o.listen == "":
		return usagef("--protocol %s is spoken on a socket: give --port N", protocol3DICE)
	case o.protocol == protocol3DICE && o.states != "":
		return usagef("--states: the protocol of 3D-ICE knows none")
	case o.protocol == protocol3DICE && o.dt.value > 0:
		return usagef("--dt: with --protocol %s the time step is that of the project", protocol3DICE)
	case o.protocol == protocolJSON && o.keep:
		return usagef("--keep is for --protocol %s; with %s a server goes on until a client says shutdown",
			protocol3DICE, protocolJSON)
	case o.remote && o.listen == "":
		return usagef("--remote needs --listen")
	case (o.idle.value > 0 || o.patience.value > 0) && o.listen == "":
		return usagef("--idle and --patience need a socket: give --listen or --port")
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
		return usagef("--quiet would hide the token that clients need; choose one with --token, or listen on unix:PATH")
	case o.token == "":
		o.token, o.tell = serve.NewToken(), true
		return nil
	case o.protocol == protocol3DICE:
		return usagef("--token: the protocol of 3D-ICE knows none")
	case o.listen == "":
		return usagef("--token needs a socket: give --listen or --port")
	}
	if err := serve.CheckToken(o.token); err != nil {
		return usagef("--token: %w", err)
	}
	return nil
}

func runServe(ctx context.Context, g *globals, o serveOptions) error {
	if err := o.check(g.quiet); err != nil {
		return err
	}
	if o.states != "" {
		if err := staging.Check(o.states, stateOptions(g)); err != nil {
			return withStatus(exitInput, err)
		}
	}
	p := startProgress(g.console, "preparing")
	defer p.stop()
	m, err := o.prepare(ctx, g)
	if err != nil {
		return err
	}
	var listener net.Listener
	if o.listen != "" {
		if listener, err = serve.Listen(o.listen, o.remote); err != nil {
			return withStatus(exitInput, err)
		}
		defer listener.Close()
	}
	session, start, err := o.open(ctx, g, m, p)
	p.stop()
	if err != nil {
		return steadyInterrupted(err)
	}
	defer session.Close()
	g.detail("device: %s, opened in %s", deviceText(session.Device()), seconds(session.OpenedIn.Seconds()))
	g.detail("%s; set up in %s", session.Method(), seconds(session.Timing().Setup.Seconds()))
	where := stdioDescription
	if listener != nil {
		where = listener.Addr().String()
	}
	if o.tell {
		g.note(`clients begin with {"op":"hello","token":"%s"}`, o.token)
	}
	g.note("serving %s on %s, steps of %s", stackPath(o.stack), where, seconds(session.Dt()))
	if o.protocol == protocol3DICE {
		err = o.serve3DICE(ctx, g, session, listener)
	} else {
		err = o.serveJSON(ctx, g, session, listener, start)
	}
	if errors.Is(err, context.Canceled) {
		return withStatus(exitInterrupted, fmt.Errorf("interrupted after %d steps", session.Steps()))
	}
	return err
}

// times are those that clients get.
func (o *serveOptions) times() (idle, patience time.Duration) {
	patience = defaultPatience
	if o.patience.value > 0 {
		patience = asDuration(o.patience.value)
	}
	return asDuration(o.idle.value), patience
}

// asDuration of some s; longer than anybody waits where it is longer than it holds.
func asDuration(s float64) time.Duration {
	const most = 1e9 // s
	return time.Duration(min(s, most) * float64(time.Second))
}

// serveJSON answers requests in lines of JSON.
func (o *serveOptions) serveJSON(ctx context.Context, g *globals, session *gpusolve.Session, l net.Listener,
	start gpusolve.Field) error {
	options := serve.Options{Version: versionText(), Initial: start}
	if o.states != "" {
		options.Files = &stateFiles{ctx, g, o.states}
	}
	sim, err := serve.New(session, options)
	if err != nil {
		return err
	}
	if l == nil {
		_, err := serve.Serve(ctx, sim, serve.Stream{In: g.stdin(), Out: g.stdout})
		if errors.Is(err, serve.ErrClient) && !errors.As(err, new(*printError)) {
			g.note("%v", err)
			return nil
		}
		return err
	}
	idle, patience := o.times()
	host := serve.Host{Listener: l, Admit: serve.Admit(o.token), Patience: patience, Refusal: serve.BusyAnswer(),
		Say: func(text string) { g.note("%s", text) },
		Session: func(ctx context.Context, c net.Conn) (bool, error) {
			return serve.Serve(ctx, sim, serve.Stream{In: c, Out: c, Conn: c, Idle: idle, Patience: patience})
		}}
	return host.Run(ctx)
}
