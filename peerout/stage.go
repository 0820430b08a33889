package peerout

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// stage collects files under temporary names and gives them their names at the end: a reader finds whole files or none.
type stage struct {
	dir    string
	files  []*file
	byName map[string]*file
}

// file is an output under construction.
type file struct {
	*bufio.Writer
	name string
	temp *os.File
}

func newStage(dir string) *stage { return &stage{dir: dir, byName: map[string]*file{}} }

// open starts a file. The same name twice gives the same file, as with programs that append.
func (s *stage) open(name string) (*file, error) {
	if f, ok := s.byName[name]; ok {
		return f, nil
	}
	folder := filepath.Join(s.dir, filepath.Dir(name))
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, cannotWrite(folder, err)
	}
	temp, err := os.CreateTemp(folder, ".thermsim-*.tmp")
	if err != nil {
		return nil, cannotWrite(folder, err)
	}
	f := &file{bufio.NewWriterSize(temp, 1<<16), name, temp}
	s.files = append(s.files, f)
	s.byName[name] = f
	return f, nil
}

// has tells whether a file of that name was started.
func (s *stage) has(name string) bool { return s.byName[name] != nil }

// commit gives the files their names.
func (s *stage) commit() (paths []string, err error) {
	for _, f := range s.files {
		if err := errors.Join(f.Flush(), f.temp.Chmod(0o644), f.temp.Close()); err != nil {
			s.abort()
			return nil, cannotWrite(filepath.Join(s.dir, f.name), err)
		}
	}
	for _, f := range s.files {
		path := filepath.Join(s.dir, f.name)
		if err := os.Rename(f.temp.Name(), path); err != nil {
			s.abort()
			return nil, cannotWrite(path, err)
		}
		paths = append(paths, path)
	}
	s.files = nil
	return paths, nil
}

// abort removes what has no name yet.
func (s *stage) abort() {
	for _, f := range s.files {
		_ = f.temp.Close() // closed already after a commit that failed
		_ = os.Remove(f.temp.Name())
	}
	s.files = nil
}

func cannotWrite(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("cannot write %s: %w; name another folder with --out", path, err)
}

// inside keeps a path that a project names within the output folder: absolute paths and those that climb lose their folders.
func inside(name string) string {
	if clean := filepath.Clean(filepath.FromSlash(name)); filepath.IsLocal(clean) {
		return clean
	}
	return filepath.Base(name)
}
