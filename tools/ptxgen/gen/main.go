// Command gen is run by go generate: it compiles the CUDA sources of a package to ptx/ and writes their launchers. It
// runs in the package's folder, by go generate or make ptx, and writes nothing unless everything compiles and agrees.
// -I names the folder of headers that several packages include.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"thermsim/tools/ptxgen"
)

func main() {
	headers := flag.String("I", "", "folder of headers")
	flag.Parse()
	if err := run(".", *headers); err != nil {
		fmt.Fprintln(os.Stderr, "ptxgen:", err)
		os.Exit(1)
	}
}

func run(dir, headers string) error {
	f, err := ptxgen.ReadFolder(dir, headers)
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	if files[ptxgen.LauncherFile], err = f.Launcher(); err != nil {
		return err
	}
	for _, s := range f.Sources {
		for _, b := range s.Builds() {
			if files[filepath.Join("ptx", b.PTX)], err = f.Compile(s, b); err != nil {
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

// write does not touch files that are up to date.
func write(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	return os.WriteFile(path, content, 0o644)
}

// removeOthers deletes generated files without a source.
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
