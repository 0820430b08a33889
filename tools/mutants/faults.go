package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"strings"
)

// fault is a change of a few characters that a test should notice.
type fault struct {
	File       string `json:"file"`
	Line       int    `json:"line"`
	Function   string `json:"function"`
	Was        string `json:"was"`
	Becomes    string `json:"becomes"`
	Occurrence int    `json:"occurrence"` // among equal faults of the function, from 0
	from, to   int    // bytes of the file
	with       string
}

// name identifies a fault, also after code has moved within the package.
func (f *fault) name() string {
	return fmt.Sprintf("%s %s: %s => %s #%d", path.Dir(f.File), f.Function, f.Was, f.Becomes, f.Occurrence)
}

// faultsOf finds what can be planted in a file.
func faultsOf(name string) ([]fault, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		return nil, err
	}
	p := planter{path: name, text: text, set: set, seen: map[string]int{}}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			p.function = f.Name.Name
			if f.Name.Name != "String" && f.Name.Name != "Error" {
				ast.Inspect(f.Body, p.visit)
			}
		}
	}
	return p.all, nil
}

type planter struct {
	path, function string
	text           []byte
	set            *token.FileSet
	seen           map[string]int
	all            []fault
}

// other operators: boundaries, negations, arithmetic and logic.
var other = map[token.Token][]string{
	token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
	token.EQL: {"!="}, token.NEQ: {"=="}, token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"/"}, token.QUO: {"*"},
	token.LAND: {"||"}, token.LOR: {"&&"},
	token.ADD_ASSIGN: {"-="}, token.SUB_ASSIGN: {"+="}, token.MUL_ASSIGN: {"/="}, token.QUO_ASSIGN: {"*="},
	token.INC: {"--"}, token.DEC: {"++"},
}

func (p *planter) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		p.operator(n.OpPos, n.Op)
	case *ast.IncDecStmt:
		p.operator(n.TokPos, n.Tok)
	case *ast.AssignStmt:
		p.operator(n.TokPos, n.Tok)
	case *ast.IfStmt:
		p.plant(n.Cond, "false && ("+p.of(n.Cond)+")")
	case *ast.BasicLit:
		switch {
		case n.Kind == token.FLOAT && strings.Trim(n.Value, "0.") != "":
			p.plant(n, "(2 * "+n.Value+")")
		case n.Kind == token.INT && n.Value != "0":
			p.plant(n, "("+n.Value+" + 1)")
		}
	case *ast.ReturnStmt:
		for _, r := range n.Results {
			if id, ok := r.(*ast.Ident); ok && id.Name == "err" {
				p.plant(id, "nil")
			}
		}
	case *ast.ExprStmt:
		p.plant(n, "_ = 0")
	case *ast.BranchStmt:
		if n.Tok == token.CONTINUE && n.Label == nil {
			p.plant(n, "_ = 0")
		}
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "min" || id.Name == "max") {
			p.plant(id, map[string]string{"min": "max", "max": "min"}[id.Name])
		}
		// Messages may be worded differently.
		return !p.words(n)
	}
	return true
}

// words reports whether a call only makes text.
func (p *planter) words(n *ast.CallExpr) bool {
	fun := p.of(n.Fun)
	return strings.HasPrefix(fun, "fmt.") || strings.HasPrefix(fun, "errors.") || strings.HasPrefix(fun, "strings.")
}

func (p *planter) operator(at token.Pos, op token.Token) {
	for _, with := range other[op] {
		p.add(at, at+token.Pos(len(op.String())), with)
	}
}

func (p *planter) plant(n ast.Node, with string) { p.add(n.Pos(), n.End(), with) }

func (p *planter) of(n ast.Node) string {
	return string(p.text[p.set.Position(n.Pos()).Offset:p.set.Position(n.End()).Offset])
}

func (p *planter) add(from, to token.Pos, with string) {
	at := p.set.Position(from)
	f := fault{File: p.path, Line: at.Line, Function: p.function, from: at.Offset, to: p.set.Position(to).Offset,
		with: with}
	// People read the line with the fault.
	begin, end := f.from, f.to
	for begin > 0 && p.text[begin-1] != '\n' {
		begin--
	}
	for end < len(p.text) && p.text[end] != '\n' {
		end++
	}
	short := func(s string) string {
		if s = strings.Join(strings.Fields(s), " "); len(s) > 160 {
			s = s[:160] + "..."
		}
		return s
	}
	f.Was, f.Becomes = short(string(p.text[begin:end])),
		short(string(p.text[begin:f.from])+with+string(p.text[f.to:end]))
	key := f.Function + f.Was + f.Becomes
	f.Occurrence = p.seen[key]
	p.seen[key]++
	p.all = append(p.all, f)
}

// planted is the file's text with the fault.
func (f *fault) planted() (string, error) {
	text, err := os.ReadFile(f.File)
	if err != nil {
		return "", err
	}
	return string(text[:f.from]) + f.with + string(text[f.to:]), nil
}
