// Command thermsim simulates how hot a 3D IC gets: a stack file goes in; temperature maps, tables and a verdict come
// out.
//
// Each command lives in a file of its own, cmd_<name>.go: newXCommand describes it to cobra, runX does it. This package
// reads flags, shows progress and turns errors into exit statuses; physics lives in the packages it calls.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"thermsim/internal/printable"
)

func main() {
	abortOnCrash()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns the exit status.
func run(args []string, stdout, stderr *os.File) (status int) {
	g := &globals{console: newConsole(stdout, stderr, os.LookupEnv), start: time.Now()}
	defer func() {
		if fault := recover(); fault != nil {
			status = reportPanic(g, fault, debug.Stack())
		}
	}()
	g.exit, g.ends = os.Exit, true
	return execute(g, args)
}

// execute carries out the command line and returns the exit status.
func execute(g *globals, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	// a program that ends at once goes on to hear: a signal between its last file and its end would end it as if it had
	// none
	if !g.ends {
		defer stop()
	}
	ctx, end := g.endWithoutReader(ctx)
	defer end()
	g.say = func(text string) { g.fail(errors.New(text)) }
	defer g.watch()()
	cmd := newRootCommand(g)
	cmd.SetArgs(args)
	cmd.SetOut(g.stdout)
	cmd.SetErr(printable.Writer(g.stderr, false))
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		err = g.unknown
	}
	if told := g.tellTimings(); err == nil {
		err = told
	}
	if err != nil && !g.started {
		// Whatever fails before a command starts is cobra's complaint about the command line.
		err = withStatus(exitInput, err)
	}
	err = g.unprinted(err)
	if err != nil && !errors.As(err, new(quiet)) {
		g.fail(err)
	}
	return exitStatus(err)
}

// endings are the signals that end a run in order. SIGHUP is none where the program was told to outlive its terminal,
// as by nohup.
func endings() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return []os.Signal{os.Interrupt, syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

// reportPanic says that thermsim itself is at fault. The stack trace helps only those who mend it.
func reportPanic(g *globals, fault any, trace []byte) int {
	msg := fmt.Sprintf("internal error: %v; this is a fault of thermsim: please report it with the stack file and "+
		"the output of -v", fault)
	if g.verbose {
		msg += "\n\n" + string(trace)
	}
	g.fail(withStatus(exitCrash, fmt.Errorf("%s", msg)))
	return exitCrash
}
