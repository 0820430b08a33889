package main

import (
	"fmt"
	"reflect"
	"strings"

	"thermsim/report/summary"
)

// Table is an object of the file.
type Table struct {
	Name, Doc string
	Fields    []Field
}

// Field is a member of an object.
type Field struct {
	Name, Doc string
	Type      reflect.Type // without pointer and list
	List      bool
	Optional  bool
	Values    []any // allowed values, if there are only a few
}

// values are the fields that take one of a few values, by Go type and field.
var values = map[string][]any{
	"Summary.Schema":  {1},
	"Summary.Command": {"steady", "transient"},
	"System.Schema":   {1},
	"System.Command":  {"solve"},
	"Device.Kind":     {"cpu", "gpu"},
	"Region.Kind":     {"region", "rest", "power"},
	"Limit.Kind":      {"stack", "layer", "die", "region", "power", "block"},
	"Film.Face":       {"bottom", "top", "west", "east", "south", "north"},
	"Probe.Side":      {"below", "above"},
	"Matrix.Storage":  {"diagonals", "rows"},
}

// Names of the two kinds of files: of a run, and of a system given as a matrix.
const (
	runName    = "run"
	systemName = "solve"
)

// Tables are the objects of both files, each after the first object that contains it. root is the root of the
// repository, for the comments.
func Tables(root string) ([]Table, error) {
	comments, err := readComments(root)
	if err != nil {
		return nil, err
	}
	var out []Table
	known := map[string]bool{}
	var visit func(reflect.Type) error
	visit = func(t reflect.Type) error {
		if known[name(t)] {
			return nil
		}
		known[name(t)] = true
		table := Table{Name: name(t), Doc: comments.ofType(t)}
		if table.Fields, err = fields(t, comments); err != nil {
			return err
		}
		out = append(out, table)
		for _, f := range table.Fields {
			if f.Type.Kind() == reflect.Struct {
				if err := visit(f.Type); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, t := range []any{summary.Summary{}, summary.System{}} {
		if err := visit(reflect.TypeOf(t)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// name is the name of an object in the schema.
func name(t reflect.Type) string {
	switch t.Name() {
	case "Summary":
		return runName
	case "System":
		return systemName
	}
	return snake(t.Name())
}

// snake writes OutOfRange as out_of_range.
func snake(s string) string {
	var b strings.Builder
	for i, r := range s {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

func fields(t reflect.Type, comments comments) ([]Field, error) {
	var out []Field
	for i := range t.NumField() {
		g := t.Field(i)
		if g.Anonymous {
			inner, err := fields(g.Type, comments)
			if err != nil {
				return nil, err
			}
			out = append(out, inner...)
			continue
		}
		tag, option, _ := strings.Cut(g.Tag.Get("json"), ",")
		if tag == "-" {
			continue
		}
		f := Field{Name: tag, Doc: comments.ofField(t, g.Name), Type: g.Type, Optional: option != "",
			Values: values[t.Name()+"."+g.Name]}
		if f.Type.Kind() == reflect.Pointer {
			f.Type = f.Type.Elem()
		}
		if f.Type.Kind() == reflect.Slice {
			f.Type, f.List = f.Type.Elem(), true
		}
		if tag == "" || f.Doc == "" {
			return nil, fmt.Errorf("field %s of %s has no name in JSON or no comment for docs/reference/summary.md",
				g.Name, t)
		}
		out = append(out, f)
	}
	return out, nil
}
