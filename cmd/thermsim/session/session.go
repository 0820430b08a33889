// Package session holds what every command shares: the console, the signals that end a run, and the files it writes.
package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
)

// Session is what every command shares.
type Session struct {
	*terminal.Console
	departure
	Start   time.Time               // of the process
	Timings timingsFlag             // where the time went
	Started bool                    // a command has begun: errors from here on are not cobra's
	Unknown error                   // the help of a command that does not exist was asked for
	Default Defaults                // of the user
	Force   bool                    // --force: files that no run wrote may be replaced
	Inputs  []string                // files that were read and must stay
	Adjust  func(*gpusolve.Options) // only tests set it, for their own executor
	// ends says that the process ends with the run, which need not give its memory back before.
	Ends  bool
	Fault func(op, name string) error // only tests set it, to fail operations on the disk
}

// Unprinted adds to an error of printing where the results are all the same, and the status of a run whose reader is
// gone.
func (g *Session) Unprinted(err error) error {
	if !errors.As(err, new(*terminal.PrintError)) {
		return err
	}
	if dir := g.wrote(); dir != "" {
		err = fmt.Errorf("%w; they are in %s", err, dir)
	}
	if g.Reader.Lost() {
		err = exit.With(exit.Interrupted, err)
	}
	return err
}

// CancelOnClosedPipe lets ctx end when the reader is gone. With a handler in place, writes fail instead of ending the
// program; SIGPIPE itself says nothing, as sockets send it too.
func (g *Session) CancelOnClosedPipe(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
	g.Reader.WhenLost(func() {
		cancel()
		if g.Exit != nil {
			time.AfterFunc(gracePeriod, func() { g.leave(false) })
		}
	})
	return ctx, func() {
		signal.Stop(unread)
		cancel()
	}
}
