package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
)

// comments are those of struct types, by package.Type, and of their fields, by package.Type.Field.
type comments map[string]string

// readComments reads the packages whose types are in summary.json.
func readComments(root string) (comments, error) {
	c := comments{}
	for _, folder := range []string{"report/summary", "mesh/plausibility"} {
		files, err := os.ReadDir(filepath.Join(root, folder))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, folder, f.Name()), nil,
				parser.ParseComments)
			if err != nil {
				return nil, err
			}
			c.readFile(file)
		}
	}
	return c, nil
}

func (c comments) readFile(file *ast.File) {
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range group.Specs {
			t, ok := s.(*ast.TypeSpec)
			if !ok {
				continue
			}
			key := file.Name.Name + "." + t.Name.Name
			c[key] = text(group.Doc)
			if structure, ok := t.Type.(*ast.StructType); ok {
				for _, f := range structure.Fields.List {
					for _, n := range f.Names {
						c[key+"."+n.Name] = strings.TrimSpace(text(f.Doc) + " " + text(f.Comment))
					}
				}
			}
		}
	}
}

// text is the first paragraph of a comment.
func text(g *ast.CommentGroup) string {
	first, _, _ := strings.Cut(g.Text(), "\n\n")
	return strings.Join(strings.Fields(first), " ")
}

func key(t reflect.Type) string { return path.Base(t.PkgPath()) + "." + t.Name() }

// ofType is the comment of a type without the type's name.
func (c comments) ofType(t reflect.Type) string {
	doc := strings.TrimPrefix(c[key(t)], t.Name()+" ")
	for _, verb := range []string{"is ", "are "} {
		doc = strings.TrimPrefix(doc, verb)
	}
	if doc == "" {
		return ""
	}
	return strings.ToUpper(doc[:1]) + doc[1:]
}

func (c comments) ofField(t reflect.Type, field string) string {
	return strings.TrimSuffix(c[key(t)+"."+field], ".")
}
