package ptxgen

import (
	"bytes"
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
		if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, launcherEnd) ||
			strings.HasSuffix(path, constantsEnd) {
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

// Launchers returns the Go files of the sources and headers by name.
func (f *Folder) Launchers() (map[string][]byte, error) {
	files := map[string][]byte{}
	var err error
	for _, s := range f.Sources {
		if files[s.LauncherFile()], err = f.Launcher(s); err != nil {
			return nil, err
		}
	}
	for n := range f.headers {
		text, err := f.header(&f.headers[n])
		if err != nil {
			return nil, err
		}
		if text != nil {
			files[strings.TrimSuffix(f.headers[n].name, ".h")+constantsEnd] = text
		}
	}
	return files, nil
}

// header returns the Go file with a header's enumerations, and its structs that kernels take pointers to; nil if it has
// neither.
func (f *Folder) header(h *header) ([]byte, error) {
	types, pointers := f.elements(nil), false
	var structs bytes.Buffer
	for _, t := range h.structs {
		used := false
		for _, s := range f.Sources {
			used = used || s.takes(t.Name)
		}
		if !used {
			continue
		}
		if err := t.write(&structs, "", types); err != nil {
			return nil, fmt.Errorf("%s: %w", h.name, err)
		}
		for _, p := range t.Fields {
			pointers = pointers || p.Type == "pointer"
		}
	}
	if len(h.constants) == 0 && structs.Len() == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	if pointers {
		f.writeHead(&b, h.name, "thermsim/gpusolve/cuda/cudriver")
	} else {
		f.writeHead(&b, h.name)
	}
	writeConstants(&b, "", h.constants)
	b.Write(structs.Bytes())
	return formatted(h.name, &b)
}

const launcherEnd, constantsEnd = "_launch.go", "_constants.go"

// GeneratedFiles lists the files of a folder whose names are those of generated files, relative to it.
func GeneratedFiles(dir string) ([]string, error) {
	var all []string
	for _, pattern := range []string{"*" + launcherEnd, "*" + constantsEnd, "ptx/*.ptx"} {
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
