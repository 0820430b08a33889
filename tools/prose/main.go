// Command prose checks the English of pages, comments, and texts that the program and report.html show, with Vale and
// the rules in .vale.
//
//	go run ./tools/prose [-vale PROGRAM] [-list] [FILE or FOLDER...]
//
// It writes comments and texts of production code in Go, JavaScript, Python and CUDA to plain files for Vale, and
// reports what Vale finds at their location in the code. -list prints the number of findings of each kind alone.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	vale := flag.String("vale", "vale", "the Vale program")
	list := flag.Bool("list", false, "print the number of findings of each kind alone")
	flag.Parse()
	roots := flag.Args()
	if len(roots) == 0 {
		roots = []string{"."}
	}
	found, err := check(*vale, roots)
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(2)
	}
	kinds := map[string]int{}
	for _, f := range found {
		kinds[f.Check]++
		if !*list {
			fmt.Printf("%s:%d: %s\n", f.file, f.Line, f.Message)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(os.Stderr, "%6d %s\n", kinds[kind], kind)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

// finding is what Vale reports of a line.
type finding struct {
	file           string
	Line           int
	Check, Message string
}

// check runs Vale on the pages below roots, and on the comments and texts of their code.
func check(vale string, roots []string) ([]finding, error) {
	var pages, code []string
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			name := d.Name()
			switch {
			case err != nil:
				return err
			case d.IsDir() && (name == "testdata" || name == "bin" || len(name) > 1 && name[0] == '.'):
				return filepath.SkipDir
			case strings.HasSuffix(name, "_test.go"):
			case slices.Contains([]string{".go", ".js", ".py", ".cu", ".h"}, filepath.Ext(name)):
				code = append(code, path)
			case strings.HasSuffix(name, ".md"), name == "page.html":
				pages = append(pages, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp("", "thermsim-prose-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	texts := map[string]*extract{} // a file each: Vale takes long over large ones
	for n, path := range code {
		x, err := read(path)
		if err != nil {
			return nil, err
		}
		text := filepath.Join(dir, strconv.Itoa(n)+filepath.Ext(path)+".txt")
		if err := os.WriteFile(text, x.text.Bytes(), 0o666); err != nil {
			return nil, err
		}
		texts[text] = x
		pages = append(pages, text)
	}
	of, err := run(vale, pages)
	if err != nil {
		return nil, err
	}
	for n := range of {
		if x := texts[of[n].file]; x != nil {
			at := x.lines[of[n].Line-1]
			of[n].file, of[n].Line = at.Filename, at.Line
		}
	}
	slices.SortStableFunc(of, func(a, b finding) int { return strings.Compare(a.file, b.file) })
	return of, nil
}

// run checks files with Vale and the rules of the working folder.
func run(vale string, files []string) ([]finding, error) {
	c := exec.Command(vale, append([]string{"--config=.vale.ini", "--no-exit", "--output=JSON"}, files...)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, err
	}
	var byFile map[string][]finding
	if err := json.Unmarshal(out, &byFile); err != nil {
		return nil, fmt.Errorf("reading what %s reports: %w", vale, err)
	}
	var all []finding
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		for _, f := range byFile[file] {
			f.file = file
			all = append(all, f)
		}
	}
	return all, nil
}

// extract is the prose of Go files, and where each of its lines comes from.
type extract struct {
	text  bytes.Buffer
	lines []token.Position
}

// Comments of one or more lines, and quoted texts: of JavaScript and CUDA, and of Python.
var (
	scriptTexts = regexp.MustCompile("(?m)(?:^[ \\t]*//.*\\n)+|\"[^\"\\n]*\"|`[^`]*`")
	pythonTexts = regexp.MustCompile(`(?m)(?:^[ \t]*#.*\n)+|"""(?:[^"]|"[^"])*"""|"[^"\n]*"`)
)

// readScript takes comments and quoted texts of JavaScript, CUDA and Python.
func readScript(path string) (*extract, error) {
	x := &extract{}
	script, err := os.ReadFile(path)
	texts := scriptTexts
	if filepath.Ext(path) == ".py" {
		texts = pythonTexts
	}
	for _, m := range texts.FindAllIndex(script, -1) {
		var text strings.Builder
		for line := range strings.Lines(string(script[m[0]:m[1]])) {
			line = strings.TrimPrefix(strings.TrimLeft(strings.TrimSpace(line), "/#"), " ")
			if strings.HasPrefix(line, ">>>") || strings.HasPrefix(line, "...") {
				line = "\t" // code
			}
			text.WriteString(strings.Trim(line, "\"`") + "\n")
		}
		x.add(token.Position{Filename: path, Line: 1 + bytes.Count(script[:m[0]], []byte("\n"))}, text.String())
	}
	return x, err
}

func read(path string) (*extract, error) {
	if filepath.Ext(path) != ".go" {
		return readScript(path)
	}
	x := &extract{}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil || ast.IsGenerated(f) {
		return x, err
	}
	for _, c := range f.Comments {
		x.add(files.Position(c.Pos()), c.Text())
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			return n.Tag == nil
		case ast.Expr:
			if text, ok := literal(n); ok {
				x.add(files.Position(n.Pos()), text)
				return false
			}
		}
		return true
	})
	return x, nil
}

// literal is a string that may be written in parts.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, ok := literal(e.X)
		right, also := literal(e.Y)
		return left + right, ok && also && e.Op == token.ADD
	}
	return "", false
}

// add takes texts of three words or more as paragraphs. Each ends with an exclamation mark: Vale joins paragraphs that
// have no end, and takes a last letter with a period for an initial.
func (x *extract) add(at token.Position, text string) {
	text = strings.TrimRight(text, "\n ")
	if len(strings.Fields(text)) < 3 {
		return
	}
	if !strings.ContainsRune(":?!", rune(text[len(text)-1])) {
		text = strings.TrimSuffix(text, ".") + "!"
	}
	for line := range strings.Lines(text + "\n\n") {
		if line[0] == '\t' || strings.HasPrefix(line, "  ") {
			line = "!\n" // a formula, a command or a table
		}
		x.text.WriteString(line)
		x.lines = append(x.lines, at)
		at.Line++
	}
}
