package ptxgen

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// Struct is a type that kernels may take pointers to. Unread is the first field that is neither a number nor a pointer;
// such a struct has no Go type.
type Struct struct {
	Name, Doc string
	Fields    []Param
	Unread    string
}

var structure = regexp.MustCompile(`(?m)^struct\s+(\w+)\s*\{([^{}]*)\}`)

// parseStructs reads the plain structs of a C text.
func parseStructs(text string) []Struct {
	bare := blankComments(text)
	var all []Struct
	for _, at := range structure.FindAllStringSubmatchIndex(bare, -1) {
		t := Struct{Name: bare[at[2]:at[3]], Doc: commentAbove(text, at[0])}
		for member := range strings.SplitSeq(bare[at[4]:at[5]], ";") {
			if member = strings.TrimSpace(member); member != "" && t.Unread == "" {
				t.add(member)
			}
		}
		all = append(all, t)
	}
	return all
}

// add reads a member as "const float *a, *b".
func (t *Struct) add(member string) {
	parts := strings.Split(member, ",")
	words := strings.Fields(strings.ReplaceAll(parts[0], "*", " * "))
	if len(words) > 0 && words[0] == "const" {
		words = words[1:]
	}
	if len(words) < 2 {
		t.Unread = member
		return
	}
	parts[0] = strings.Join(words[1:], "")
	for _, part := range parts {
		name, pointer := strings.CutPrefix(strings.TrimSpace(part), "*")
		p := Param{Name: strings.TrimSpace(name), Type: words[0]}
		if pointer {
			p.Type, p.Element = "pointer", words[0]
		}
		if _, ok := typeOf(p.Type); !ok || !plainName.MatchString(p.Name) {
			t.Unread = member
			return
		}
		t.Fields = append(t.Fields, p)
	}
}

var plainName = regexp.MustCompile(`^[A-Za-z]\w*$`)

// write writes the Go type. On processors with such GPUs, C and Go align each number and pointer to its size.
func (t *Struct) write(b *bytes.Buffer, prefix string, types map[string]string) error {
	if t.Unread != "" {
		return fmt.Errorf("struct %s: %q has no Go type; kernels can take pointers to structs of numbers and pointers",
			t.Name, t.Unread)
	}
	doc := t.Doc
	if rest, own := strings.CutPrefix(doc, t.Name+" "); own {
		doc = prefix + exported(t.Name) + " " + rest
	}
	writeComment(b, doc)
	fields := make([]string, len(t.Fields))
	for i := range t.Fields {
		value, err := t.Fields[i].valueType(types)
		if err != nil {
			return err
		}
		fields[i] = t.Fields[i].goType(value)
	}
	fmt.Fprintf(b, "type %s%s struct {\n", prefix, exported(t.Name))
	writeFields(b, t.Fields, fields)
	fmt.Fprint(b, "}\n\n")
	return nil
}

// takes reports whether a kernel has a pointer to a type, or to a struct that points to it.
func (s *Source) takes(element string) bool {
	for _, k := range s.Kernels {
		for _, p := range k.Params {
			if p.Element == element {
				return true
			}
		}
	}
	for _, t := range s.Structs {
		for _, f := range t.Fields {
			if f.Element == element && t.Name != element && s.takes(t.Name) {
				return true
			}
		}
	}
	return false
}

// elements are the Go types that pointers of a source may point to, by their names in C; s may be nil.
func (f *Folder) elements(s *Source) map[string]string {
	types := map[string]string{"half": "cudriver.Half", "u16": "uint16"}
	for _, number := range []string{"int", "u32", "i64", "u64", "float", "double"} {
		t, _ := typeOf(number)
		types[number] = t.Go
	}
	for _, h := range f.headers {
		for _, t := range h.structs {
			types[t.Name] = exported(t.Name)
		}
	}
	if s != nil {
		for _, t := range s.Structs {
			types[t.Name] = f.module(s) + exported(t.Name)
		}
	}
	return types
}

// valueType is the type in Go of a parameter, or of what a pointer points at.
func (p *Param) valueType(types map[string]string) (string, error) {
	if p.Type != "pointer" {
		t, _ := typeOf(p.Type)
		return t.Go, nil
	}
	element, ok := types[p.Element]
	if !ok {
		return "", fmt.Errorf("parameter %s: type %s is unknown. Fix: declare it as a struct in this file or a header "+
			"of this folder", p.Name, p.Element)
	}
	return element, nil
}

// goType is a parameter's type in Go from its valueType.
func (p *Param) goType(value string) string {
	if p.Type == "pointer" {
		return "cudriver.Ptr[" + value + "]"
	}
	return value
}
