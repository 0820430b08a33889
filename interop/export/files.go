package export

import (
	"bufio"
	"bytes"
	"errors"
	"path/filepath"

	"thermsim/internal/staging"
)

// files are the outputs of a run, which remain open to its end.
type files struct {
	transaction *staging.Transaction
	order       []*file
	byName      map[string]*file
}

// file is an output under construction.
type file struct {
	*bufio.Writer
	name   string
	staged *staging.Output
	text   bytes.Buffer // without a transaction
}

func newFiles(t *staging.Transaction) *files {
	return &files{transaction: t, byName: map[string]*file{}}
}

// open creates a file. The same name twice gives the same file, as with programs that append.
func (s *files) open(name string) (*file, error) {
	if f, ok := s.byName[name]; ok {
		return f, nil
	}
	f := &file{name: name}
	if s.transaction == nil {
		f.Writer = bufio.NewWriter(&f.text)
	} else {
		staged, err := s.transaction.Create(name)
		if err != nil {
			return nil, err
		}
		f.Writer, f.staged = bufio.NewWriterSize(staged, 1<<16), staged
	}
	s.order = append(s.order, f)
	s.byName[name] = f
	return f, nil
}

// foresee fails if a file that is to be opened later would be refused.
func (s *files) foresee(patterns ...string) error {
	if s.transaction == nil {
		return nil
	}
	return s.transaction.Foresee(patterns...)
}

// finish completes all files; each keeps its first error.
func (s *files) finish() error {
	for _, f := range s.order {
		if err := errors.Join(f.Flush(), f.staged.Close()); err != nil {
			return s.transaction.Failed(f.name, err)
		}
	}
	return nil
}

// inside restricts a path of a project to the output folder: absolute paths and those with .. lose their folders.
func inside(name string) string {
	if clean := filepath.Clean(filepath.FromSlash(name)); filepath.IsLocal(clean) {
		return clean
	}
	return filepath.Base(name)
}
