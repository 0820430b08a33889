package terminal

import (
	"errors"
	"io"
	"io/fs"
	"sync"
	"syscall"
)

// reader is the process at the other end of the output pipe, as head in "thermsim ... | head". When it ends, the run
// ends as after SIGINT: the default action of SIGPIPE would leave staged files behind.
type reader struct {
	mu   sync.Mutex
	gone bool
	tell func() // when it is gone; may be nil
}

// lose notes that the pipe is closed.
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

// WhenLost sets what to do when the reader is gone.
func (r *reader) WhenLost(tell func()) {
	r.mu.Lock()
	r.tell = tell
	r.mu.Unlock()
}

// Lost says whether the reader is gone.
func (r *reader) Lost() bool {
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
		err = &PrintError{err}
	}
	return n, err
}

// PrintError says that results could not be printed.
type PrintError struct{ err error }

func (e *PrintError) Error() string {
	if file := (*fs.PathError)(nil); errors.As(e.err, &file) {
		return "cannot print the results: " + file.Err.Error()
	}
	return "cannot print the results: " + e.err.Error()
}

func (e *PrintError) Unwrap() error { return e.err }
