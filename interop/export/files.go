package export

import (
	"bufio"
	"bytes"
	"errors"
	"path/filepath"

	"thermsim/internal/staging"
)

// files are the outputs of a run, which stay open to its end.
type files struct {
	transaction *staging.Transaction
	order       []*file
	byName      map[string]*file
	held        map[string]*bytes.Buffer // texts, where there is no transaction
}

// file is an output under construction.
type file struct {
	*bufio.Writer
	name   string
	staged *staging.Output
}

func newFiles(t *staging.Transaction) *files {
	return &files{transaction: t, byName: map[string]*file{}, held: map[string]*bytes.Buffer{}}
}

// open starts a file. The same name twice gives the same file, as with programs that append.
func (s *files) open(name string) (*file, error) {
	if f, ok := s.byName[name]; ok {
		return f, nil
	}
	if s.transaction == nil {
		text := new(bytes.Buffer)
		f := &file{bufio.NewWriter(text), name, nil}
		s.order, s.byName[name], s.held[name] = append(s.order, f), f, text
		return f, nil
	}
	staged, err := s.transaction.Create(name)
	if err != nil {
		return nil, err
	}
	f := &file{bufio.NewWriterSize(staged, 1<<16), name, staged}
	s.order = append(s.order, f)
	s.byName[name] = f
	return f, nil
}

// foresee fails where a file that is to be opened later would be refused.
func (s *files) foresee(patterns ...string) error {
	if s.transaction == nil {
		return nil
	}
	return s.transaction.Foresee(patterns...)
}

// has tells whether a file of that name was started.
func (s *files) has(name string) bool { return s.byName[name] != nil }

// finish completes all files; each has kept its first error.
func (s *files) finish() error {
	for _, f := range s.order {
		if err := errors.Join(f.Flush(), f.staged.Close()); err != nil {
			return s.transaction.Failed(f.name, err)
		}
	}
	return nil
}

// inside keeps a path that a project names within the output folder: absolute paths and those that climb lose their
// folders.
func inside(name string) string {
	if clean := filepath.Clean(filepath.FromSlash(name)); filepath.IsLocal(clean) {
		return clean
	}
	return filepath.Base(name)
}
