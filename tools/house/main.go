// House checks limits of the source: folders at the top, files of a package, length of lines, fields of structs and
// parameters of functions. It prints a line per breach and ends with status 1.
//
//	go run ./tools/house
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Limits. Those above the aim in CONTRIBUTING.md may only decrease.
const (
	mostFolders    = 14  // at the top
	mostColumns    = 120 // of a line, with tabs of four; text between backquotes and directives may be longer
	mostFiles      = 45  // of a package, without tests
	mostWide       = 8   // structs of more than mostFields; aim 8
	mostFields     = 20
	mostLong       = 4 // functions of more than mostParameters; aim 10
	mostParameters = 6
)

type house struct {
	files      map[string]int // by folder, without tests
	wide, long []string
	breaches   []string
}

func (h *house) breach(format string, a ...any) {
	h.breaches = append(h.breaches, fmt.Sprintf(format, a...))
}

func main() {
	h := house{files: map[string]int{}}
	if err := h.inspect("."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, b := range h.breaches {
		fmt.Println(b)
	}
	if len(h.breaches) > 0 {
		os.Exit(1)
	}
}

func (h *house) inspect(root string) error {
	top, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	folders := 0
	for _, e := range top {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "bin" {
			folders++
		}
	}
	if folders > mostFolders {
		h.breach("%d folders at the top; limit %d", folders, mostFolders)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "bin" || len(d.Name()) > 1 && d.Name()[0] == '.') {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		return h.file(path)
	})
	if err != nil {
		return err
	}
	for folder, n := range h.files {
		if n > mostFiles {
			h.breach("%s: %d files without tests; limit %d", folder, n, mostFiles)
		}
	}
	if n := len(h.wide); n > mostWide {
		h.breach("%d structs have more than %d fields; limit %d:\n\t%s", n, mostFields, mostWide,
			strings.Join(h.wide, "\n\t"))
	}
	if n := len(h.long); n > mostLong {
		h.breach("%d functions have more than %d parameters; limit %d:\n\t%s", n, mostParameters, mostLong,
			strings.Join(h.long, "\n\t"))
	}
	return nil
}

func (h *house) file(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, text, parser.ParseComments)
	if err != nil || ast.IsGenerated(f) {
		return err
	}
	quoted := quotedLines(text)
	for n, line := range strings.Split(string(text), "\n") {
		columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
		if columns > mostColumns && !quoted[n+1] && !strings.HasPrefix(line, "//go:") {
			h.breach("%s:%d: %d columns; limit %d", path, n+1, columns, mostColumns)
		}
	}
	if strings.HasSuffix(path, "_test.go") {
		return nil
	}
	h.files[filepath.Dir(path)]++
	ast.Inspect(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncDecl:
			if c := x.Type.Params.NumFields(); c > mostParameters {
				h.long = append(h.long, fmt.Sprintf("%s: %d", set.Position(x.Pos()), c))
			}
		case *ast.TypeSpec:
			if s, ok := x.Type.(*ast.StructType); ok && s.Fields.NumFields() > mostFields {
				h.wide = append(h.wide, fmt.Sprintf("%s: %d", set.Position(x.Pos()), s.Fields.NumFields()))
			}
		}
		return true
	})
	return nil
}

// quotedLines are the lines with text between backquotes.
func quotedLines(text []byte) map[int]bool {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return lines
		}
		if tok == token.STRING && literal[0] == '`' {
			first := file.Line(pos)
			for n := range 1 + strings.Count(literal, "\n") {
				lines[first+n] = true
			}
		}
	}
}
