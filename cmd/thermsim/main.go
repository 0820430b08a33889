// Command thermsim simulates how hot a 3D IC gets: a stack file goes in; temperature maps, tables and a verdict come
// out.
//
// Each command has its file, cmd_<name>.go: newXCommand describes it to cobra, runX does it. This package
// reads flags, shows progress and turns errors into exit statuses; physics lives in the packages it calls.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/printable"
)

func main() {
	exit.AbortOnCrash()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns the exit status.
func run(args []string, stdout, stderr *os.File) (status int) {
	g := &session.Session{Console: terminal.New(stdout, stderr, os.LookupEnv), Start: time.Now()}
	defer func() {
		if fault := recover(); fault != nil {
			status = reportPanic(g, fault, debug.Stack())
		}
	}()
	g.Exit, g.Ends = os.Exit, true
	return execute(g, args)
}

// execute carries out the command line and returns the exit status.
func execute(g *session.Session, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), session.EndSignals()...)
	// a program that ends at once goes on to hear: a signal between its last file and its end would end it as if it had
	// none
	if !g.Ends {
		defer stop()
	}
	ctx, end := g.CancelOnClosedPipe(ctx)
	defer end()
	g.Say = func(text string) { g.Fail(errors.New(text)) }
	defer g.Watch()()
	called := ""
	if len(args) > 0 {
		called = args[0]
	}
	cmd := newRootCommand(g, called)
	cmd.SetArgs(args)
	cmd.SetOut(g.Stdout)
	cmd.SetErr(printable.Writer(g.Stderr, false))
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		err = g.Unknown
	}
	if failed := g.WriteTimings(); err == nil {
		err = failed
	}
	if err != nil && !g.Started {
		// Whatever fails before a command starts is cobra's complaint about the command line.
		err = exit.With(exit.Input, err)
	}
	err = g.Unprinted(err)
	if err != nil && !errors.As(err, new(exit.Quiet)) {
		g.Fail(err)
	}
	return exit.Status(err)
}

// reportPanic reports a bug in thermsim. The stack trace is for its developers.
func reportPanic(g *session.Session, fault any, trace []byte) int {
	msg := fmt.Sprintf("internal error: %v; this is a bug in thermsim: please report it with the stack file and "+
		"the output of -v", fault)
	if g.Verbose {
		msg += "\n\n" + string(trace)
	}
	g.Fail(exit.With(exit.Crash, fmt.Errorf("%s", msg)))
	return exit.Crash
}
