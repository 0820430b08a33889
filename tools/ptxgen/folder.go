package ptxgen

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// Folder is a Go package with CUDA sources.
type Folder struct {
	Dir     string
	Headers string // folder of shared headers, relative to Dir; empty if there are none
	Package string
	Sources []*Source
	headers []header
}

// header is what a .h file declares.
type header struct {
	name      string
	constants []Constant
	structs   []Struct
}

// ReadFolder reads every .cu and .h file of a folder, in the order of their names.
func ReadFolder(dir, headers string) (*Folder, error) {
	f := &Folder{Dir: dir, Headers: headers}
	var err error
	if f.Package, err = packageName(dir); err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.cu"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: no .cu files; run this in a folder with some", dir)
	}
	for _, path := range paths {
		s, err := ReadSource(path)
		if err != nil {
			return nil, err
		}
		f.Sources = append(f.Sources, s)
	}
	if paths, err = filepath.Glob(filepath.Join(dir, "*.h")); err != nil {
		return nil, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		h := header{name: filepath.Base(path), structs: parseStructs(string(text))}
		if h.constants, err = ParseConstants(path, string(text)); err != nil {
			return nil, err
		}
		f.headers = append(f.headers, h)
	}
	return f, nil
}

// packageName reads the clause of the first Go file that no generator wrote.
func packageName(dir string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", err
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || filepath.Base(path) == LauncherFile {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
		if err != nil {
			return "", err
		}
		return file.Name.Name, nil
	}
	return "", errors.New(dir + ": no Go file that names the package")
}

// GeneratedFiles lists the files of a folder whose names are those of generated files, relative to it.
func GeneratedFiles(dir string) ([]string, error) {
	var all []string
	for _, pattern := range []string{"*_launch.go", "ptx/*.ptx"} {
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
