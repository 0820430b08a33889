package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// checkFolder makes sure that files can be written into dir before time is spent on them, and leaves no trace. If dir does not exist,
// the nearest folder above it must take it.
func checkFolder(dir string) error {
	existing := filepath.Clean(dir)
	for {
		info, err := os.Stat(existing)
		if err == nil {
			if !info.IsDir() {
				return usagef("cannot write into %s: %s is not a folder; name another one with --out", dir, existing)
			}
			break
		}
		parent := filepath.Dir(existing)
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) || parent == existing {
			return unwritable(dir, err)
		}
		existing = parent
	}
	probe, err := os.MkdirTemp(existing, ".thermsim-*.tmp")
	if err != nil {
		return unwritable(dir, err)
	}
	return os.Remove(probe)
}

func unwritable(dir string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return usagef("cannot write into %s: %w; name a folder that you may write to with --out", dir, err)
}
