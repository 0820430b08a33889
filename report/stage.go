package report

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// stage collects files under temporary names in their folder and gives them their names all at once: a reader finds whole files
// or none. It may be used by several goroutines.
type stage struct {
	dir     string
	newDir  bool // the folder did not exist before
	create  func(path string) (io.WriteCloser, error)
	mu      sync.Mutex
	written []stagedFile
}

type stagedFile struct{ temporary, final string }

// newStage makes the folder if need be; "" is the working directory.
func newStage(dir string) (*stage, error) {
	if dir == "" {
		dir = "."
	}
	_, err := os.Stat(dir)
	s := &stage{dir: dir, newDir: errors.Is(err, fs.ErrNotExist), create: createNew}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, outputError(dir, err)
	}
	return s, nil
}

func createNew(path string) (io.WriteCloser, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// open starts a temporary file that will become name.
func (s *stage) open(name string) (io.WriteCloser, error) {
	final := filepath.Join(s.dir, name)
	for n := 0; ; n++ {
		temporary := filepath.Join(s.dir, fmt.Sprintf(".%s.%d-%d.tmp", name, os.Getpid(), n))
		f, err := s.create(temporary)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, outputError(final, err)
		}
		s.mu.Lock()
		s.written = append(s.written, stagedFile{temporary, final})
		s.mu.Unlock()
		return f, nil
	}
}

// write stages one file. A cancelled context stops it between two writes.
func (s *stage) write(ctx context.Context, name string, content func(io.Writer) error) error {
	f, err := s.open(name)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(cancelWriter{ctx, f}, 1<<16)
	err = content(b)
	if err == nil {
		err = b.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return outputError(filepath.Join(s.dir, name), err)
	}
	return nil
}

// seekable stages one file that is not written from front to back.
func (s *stage) seekable(name string, content func(io.WriteSeeker) error) error {
	f, err := s.open(name)
	if err != nil {
		return err
	}
	w, ok := f.(io.WriteSeeker)
	if !ok {
		return errors.Join(fmt.Errorf("%s cannot be written: the place has no seek", name), f.Close())
	}
	err = content(w)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return outputError(filepath.Join(s.dir, name), err)
	}
	return nil
}

// commit renames every file and returns the paths in alphabetical order. If a rename fails, the ones before are taken back where
// they replaced nothing, and the rest is removed.
func (s *stage) commit() ([]string, error) {
	slices.SortFunc(s.written, func(a, b stagedFile) int { return strings.Compare(a.final, b.final) })
	var paths, fresh []string
	for n, f := range s.written {
		_, err := os.Lstat(f.final)
		isNew := errors.Is(err, fs.ErrNotExist)
		if err := os.Rename(f.temporary, f.final); err != nil {
			for _, p := range fresh {
				_ = os.Remove(p) // best effort: the rename's error is what matters
			}
			s.written = s.written[n:]
			s.discard()
			return nil, outputError(f.final, err)
		}
		if isNew {
			fresh = append(fresh, f.final)
		}
		paths = append(paths, f.final)
	}
	s.written = nil
	return paths, nil
}

// discard removes what was staged, and the folder if this stage made it and it is empty.
func (s *stage) discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.written {
		_ = os.Remove(f.temporary) // best effort after another error
	}
	s.written = nil
	if s.newDir {
		_ = os.Remove(s.dir) // fails, as it should, when something lies in it
	}
}

// cancelWriter fails once its context is done.
type cancelWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c cancelWriter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}

// outputError says what could not be written and what to do about it.
func outputError(path string, err error) error {
	var file *fs.PathError
	var link *os.LinkError
	cause := err
	switch {
	case errors.As(err, &file):
		path, cause = file.Path, file.Err
	case errors.As(err, &link):
		path, cause = link.New, link.Err
	}
	remedy := ""
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, syscall.ENOSPC):
		remedy = "; free some space or name a folder on another disk with --out"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		remedy = "; name a folder that you may write to with --out"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist), errors.Is(err, syscall.EISDIR):
		remedy = "; something else has that name: move it away or name another folder with --out"
	}
	return fmt.Errorf("cannot write %s: %w%s", path, cause, remedy)
}
