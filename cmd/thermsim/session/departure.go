package session

import (
	"cmp"
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/internal/staging"
)

// gracePeriod is how long a command may take to end after a signal before it is ended by force. Solvers check for
// signals in each iteration; parsing, preconditioner setup and pictures do not, and may take minutes.
const gracePeriod = 700 * time.Millisecond

// commitGrace is how long a commit, or the removal of what was staged, may take once a command is left. What it does
// not get done, the next run does.
const commitGrace = 200 * time.Millisecond

// departure ends the program where a command does not end by itself after a signal. What it has staged is removed; a
// commit that goes on is waited for.
type departure struct {
	Exit func(status int) // os.Exit; nil where nothing is ended by force, as in tests
	Say  func(text string)

	mu          sync.Mutex
	open        *staging.Transaction
	committing  chan struct{} // closed after the commit; nil before
	keeps       bool          // what was finished shall be saved: the first signal does not end the program
	written     bool          // a commit has ended
	folder      string        // that the last commit without an error wrote into
	onForcedEnd func(status int)
	silent      bool   // another process reports signals
	kept        string // message where nothing was written, but results are kept
	gone        bool
}

// Watch waits for signals until the command has ended.
func (d *departure) Watch() (stop func()) {
	if d.Exit == nil {
		return func() {}
	}
	signals, done := make(chan os.Signal, 4), make(chan struct{})
	signal.Notify(signals, EndSignals()...)
	go func() {
		for n := 1; ; n++ {
			select {
			case <-signals:
				time.AfterFunc(gracePeriod, func() { d.leave(n > 1) })
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
		d.mu.Lock()
		d.gone = true
		d.mu.Unlock()
	}
}

// opened notes what is to be removed.
func (d *departure) opened(t *staging.Transaction) {
	d.mu.Lock()
	d.open, d.committing = t, nil
	d.mu.Unlock()
}

// commits notes that files get their names, until done is called.
func (d *departure) commits(folder string) (done func(error)) {
	committing := make(chan struct{})
	d.mu.Lock()
	d.committing = committing
	d.mu.Unlock()
	return func(err error) {
		close(committing)
		d.mu.Lock()
		if err == nil {
			d.folder = folder
		}
		d.open, d.committing, d.keeps, d.written = nil, nil, false, true
		d.mu.Unlock()
	}
}

// wrote is the folder that files were written into; "" before that.
func (d *departure) wrote() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.folder
}

// OnForcedEnd sets what to do last when the program is ended by force. It need not return. If silent, another process
// reports that a signal was the reason.
func (d *departure) OnForcedEnd(onForcedEnd func(status int), silent bool) {
	d.mu.Lock()
	d.onForcedEnd, d.silent = onForcedEnd, silent
	d.mu.Unlock()
}

// Keep notes that a transient has finished a step, which the first signal must not lose.
func (d *departure) Keep() {
	d.mu.Lock()
	d.keeps = true
	d.mu.Unlock()
}

// Keeping sets the message of a program that is ended by force before files are written.
func (d *departure) Keeping(text string) {
	d.mu.Lock()
	d.kept = text
	d.mu.Unlock()
}

// leave ends the program, at a second signal in any case.
func (d *departure) leave(second bool) {
	d.mu.Lock()
	if d.gone || d.keeps && !second || d.committing != nil && !second {
		d.mu.Unlock()
		return
	}
	written, committing, silent, kept := d.written, d.committing != nil, d.silent, d.kept
	d.mu.Unlock()
	text := cmp.Or(kept, "interrupted; nothing was written")
	switch {
	case silent:
		text = ""
	case committing:
		text = "interrupted while files got their names"
	case written:
		text = "interrupted after the files were written"
	}
	d.End(text, exit.Interrupted)
}

// End ends the program with a message, which may be empty, and a status.
func (d *departure) End(text string, status int) {
	d.mu.Lock()
	if d.gone || d.Exit == nil {
		d.mu.Unlock()
		return
	}
	d.gone = true
	open, committing, onForcedEnd := d.open, d.committing, d.onForcedEnd
	d.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		switch {
		case committing != nil:
			<-committing
		case open != nil:
			open.Abort()
		}
	}()
	select {
	case <-ended:
	case <-time.After(commitGrace):
	}
	if text != "" {
		d.Say(text)
	}
	if onForcedEnd != nil {
		onForcedEnd(status)
	}
	d.Exit(status)
}

// EndSignals are the signals that end a run in order. SIGHUP is not among them if it is ignored, as under
// nohup.
func EndSignals() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return []os.Signal{os.Interrupt, syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

// Outlast returns a context for saving what was finished: the first interrupt does not end it, the second one does. An
// interrupt that ended ctx already counts as the first.
func Outlast(ctx context.Context) (saving context.Context, stop func()) {
	saving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, EndSignals()...)
	left := 2
	if ctx.Err() != nil {
		left = 1
	}
	go func() {
		for left > 0 {
			select {
			case <-signals:
				left--
			case <-saving.Done():
				return
			}
		}
		cancel()
	}()
	return saving, func() {
		signal.Stop(signals)
		cancel()
	}
}
