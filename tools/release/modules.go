package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// module is a dependency of the program.
type module struct {
	Path, Version, Dir string
	packages           []string
}

// listedPackage is the output of go list for a package.
type listedPackage struct {
	ImportPath string
	Module     *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// modulesOf are the modules of thermsim on all targets, in order.
func modulesOf(targets []string) ([]*module, error) {
	found := map[string]*module{}
	for _, target := range targets {
		packages, err := packagesOf(target)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			if p.Module == nil || p.Module.Main {
				continue
			}
			m := found[p.Module.Path]
			if m == nil {
				m = &module{Path: p.Module.Path, Version: p.Module.Version, Dir: p.Module.Dir}
				found[m.Path] = m
			}
			m.packages = append(m.packages, p.ImportPath)
		}
	}
	var list []*module
	for _, m := range found {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b *module) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// packagesOf are the packages that thermsim is built from on a target.
func packagesOf(target string) ([]listedPackage, error) {
	root, err := repository()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Module", "./cmd/thermsim")
	cmd.Dir, cmd.Env = root, append(os.Environ(), buildEnv(target)...)
	text, err := output(cmd)
	if err != nil {
		return nil, err
	}
	var list []listedPackage
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p listedPackage
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		}
		list = append(list, p)
	}
}

// buildEnv is the environment of a build for a target.
func buildEnv(target string) []string {
	system, arch, _ := strings.Cut(target, "/")
	return []string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + arch, "GOFLAGS="}
}

// repository is the root of the repository.
var repository = sync.OnceValues(func() (string, error) {
	file, err := output(exec.Command("go", "env", "GOMOD"))
	return filepath.Dir(strings.TrimSpace(string(file))), err
})

// output of a command; its standard error is part of the error.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, stderr.Bytes())
	}
	return text, nil
}
