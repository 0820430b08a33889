//go:build linux && amd64

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// home is what thermsim keeps for itself in an output folder.
const home = ".thermsim"

// snapshot is all files below a folder, by name.
type snapshot map[string]string

// look reads a folder: the user's files, and the names of those that thermsim keeps for itself.
func look(dir string) (all snapshot, kept []string, err error) {
	all = snapshot{}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path, dir+"/")
		if slashed := "/" + name + "/"; strings.Contains(slashed, "/"+home+"/") {
			if e.Name() != home {
				kept = append(kept, name)
			}
			return nil
		}
		if e.IsDir() {
			return nil
		}
		text, err := os.ReadFile(path)
		all[name] = string(text)
		return err
	})
	return all, kept, err
}

// copyFolder copies a folder with the times of its files, by which thermsim knows them.
func copyFolder(from, to string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return os.Chtimes(to+strings.TrimPrefix(path, from), info.ModTime(), info.ModTime())
	})
}
