// Package ptxgen makes, from the CUDA sources of package kernels, the PTX modules and the typed Go launchers. A launcher's types come from the
// kernel's declaration, and the PTX that clang made of it must agree, so that a launch with wrong arguments does not compile.
package ptxgen

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"thermsim/gpusolve/kernels/internal/lineclass"
)

// Build is one compilation of a source: one PTX file.
type Build struct {
	PTX     string   // file name: krylov.ptx, lines_16.ptx
	Defines []string // preprocessor definitions: NZ=16
}

// Builds lists the compilations of a source: one, or one for each column-length class where the source asks for NZ.
func (s *Source) Builds() []Build {
	if !s.Classed {
		return []Build{{PTX: s.Name + ".ptx"}}
	}
	var builds []Build
	for _, class := range lineclass.All() {
		n := strconv.Itoa(class)
		builds = append(builds, Build{PTX: s.Name + "_" + n + ".ptx", Defines: []string{"NZ=" + n}})
	}
	return builds
}

// Sources reads every .cu file of a folder, in the order of their names.
func Sources(dir string) ([]*Source, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.cu"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: no .cu files; run this in gpusolve/kernels", dir)
	}
	var sources []*Source
	for _, path := range paths {
		s, err := ReadSource(path)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// Launchers returns the Go files of a folder's sources and headers by name.
func Launchers(dir string) (map[string][]byte, error) {
	sources, err := Sources(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, s := range sources {
		if files[s.LauncherFile()], err = s.Launcher(); err != nil {
			return nil, err
		}
	}
	headers, err := filepath.Glob(filepath.Join(dir, "*.h"))
	if err != nil {
		return nil, err
	}
	for _, path := range headers {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		constants, err := ParseConstants(path, string(text))
		if err != nil {
			return nil, err
		}
		if len(constants) > 0 {
			name := filepath.Base(path)
			if files[strings.TrimSuffix(name, ".h")+"_constants.go"], err = HeaderConstants(name, constants); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// GeneratedFiles lists the files of a folder that look like the generator's, relative to it.
func GeneratedFiles(dir string) ([]string, error) {
	var all []string
	for _, pattern := range []string{"*_launch.go", "*_constants.go", "ptx/*.ptx"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return nil, err
			}
			all = append(all, name)
		}
	}
	return all, nil
}

// LauncherFile names the Go file of a source.
func (s *Source) LauncherFile() string { return s.Name + "_launch.go" }

// exported is a kernel's or module's name in Go.
func exported(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
