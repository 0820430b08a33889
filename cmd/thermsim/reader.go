package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// reader is whoever reads what the program prints, as head in "thermsim ... | head". When it is gone, the run ends as
// by SIGINT: the system's own way, SIGPIPE, would leave staged files behind.
type reader struct {
	mu   sync.Mutex
	gone bool
	tell func() // what to do when it is gone; may be nil
}

// lose notes that nobody reads any more.
func (r *reader) lose() {
	r.mu.Lock()
	tell := r.tell
	if r.gone {
		tell = nil
	}
	r.gone = true
	r.mu.Unlock()
	if tell != nil {
		tell()
	}
}

// lost says whether the reader is gone.
func (r *reader) lost() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone
}

// readerOf writes for a reader.
type readerOf struct {
	w      io.Writer
	reader *reader
}

func (r readerOf) Write(p []byte) (int, error) {
	n, err := r.w.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		r.reader.lose()
	}
	if err != nil {
		err = &printError{err}
	}
	return n, err
}

// printError says that results could not be printed.
type printError struct{ err error }

func (e *printError) Error() string {
	if file := (*fs.PathError)(nil); errors.As(e.err, &file) {
		return "cannot print the results: " + file.Err.Error()
	}
	return "cannot print the results: " + e.err.Error()
}

func (e *printError) Unwrap() error { return e.err }

// unprinted adds to an error of printing where the results are all the same, and the status of a run whose reader is
// gone.
func (g *globals) unprinted(err error) error {
	if !errors.As(err, new(*printError)) {
		return err
	}
	if dir := g.wrote(); dir != "" {
		err = fmt.Errorf("%w; they are in %s", err, dir)
	}
	if g.reader.lost() {
		err = withStatus(exitInterrupted, err)
	}
	return err
}

// endWithoutReader lets ctx end when the reader is gone. With a handler in place, writes fail instead of ending the
// program; SIGPIPE itself says nothing, as sockets send it too.
func (g *globals) endWithoutReader(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
	g.reader.mu.Lock()
	g.reader.tell = func() {
		cancel()
		if g.exit != nil {
			time.AfterFunc(patience, func() { g.leave(false) })
		}
	}
	g.reader.mu.Unlock()
	return ctx, func() {
		signal.Stop(unread)
		cancel()
	}
}
