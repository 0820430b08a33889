//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
)

// workplace makes a folder beside the package that looks like it to tests. What a fuzzer writes into it concerns no
// other turn. The caller removes it.
func (t *target) workplace() (string, error) {
	work, err := os.MkdirTemp(filepath.Dir(t.Package), ".fuzzing-")
	if err != nil {
		return "", err
	}
	data, seeds := "testdata", filepath.Join("testdata", "fuzz", t.Target)
	err = errors.Join(link(t.Package, work, ""), os.MkdirAll(filepath.Join(work, seeds), 0o777),
		link(t.Package, work, data), link(t.Package, work, seeds))
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(work))
	}
	return work, nil
}

// link makes links to what a folder of the package holds, where there is such a folder, but to what the workplace has.
func link(from, work, folder string) error {
	from, err := filepath.Abs(filepath.Join(from, folder))
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.Name() == "testdata" || e.Name() == "fuzz" && e.IsDir() {
			continue
		}
		if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(work, folder, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
