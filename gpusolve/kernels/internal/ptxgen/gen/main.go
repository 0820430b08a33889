// Command gen compiles the CUDA sources of package kernels to ptx/ and writes their launchers. It runs in the folder of package kernels, by
// go generate or make ptx, and writes nothing unless everything compiles and agrees.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"thermsim/gpusolve/kernels/internal/ptxgen"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "ptxgen:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	files, err := ptxgen.Launchers(dir)
	if err != nil {
		return err
	}
	sources, err := ptxgen.Sources(dir)
	if err != nil {
		return err
	}
	for _, s := range sources {
		for _, b := range s.Builds() {
			if files[filepath.Join("ptx", b.PTX)], err = ptxgen.Compile(dir, s, b); err != nil {
				return err
			}
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "ptx"), 0o755); err != nil {
		return err
	}
	for name, content := range files {
		if err := write(filepath.Join(dir, name), content); err != nil {
			return err
		}
	}
	return removeOthers(dir, files)
}

// write leaves files alone that are up to date.
func write(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	return os.WriteFile(path, content, 0o644)
}

// removeOthers deletes generated files that no source stands behind any more.
func removeOthers(dir string, files map[string][]byte) error {
	present, err := ptxgen.GeneratedFiles(dir)
	if err != nil {
		return err
	}
	for _, name := range present {
		if _, wanted := files[name]; !wanted {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}
