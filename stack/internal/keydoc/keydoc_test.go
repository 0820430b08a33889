package keydoc

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"thermsim/stack/internal/keys"
)

const (
	pageFile   = "../../../docs/reference/stack-format.md"
	schemaFile = "../../../configs/stack.schema.json"
)

func TestCommittedFilesAreUpToDate(t *testing.T) {
	page, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Fill(string(page), keys.Stack())
	if err != nil {
		t.Fatal(err)
	}
	if want != string(page) {
		t.Errorf("%s is out of date; run go generate ./stack", pageFile)
	}
	schema, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := Schema(keys.Stack(), "stack file", "docs/reference/stack-format.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(schema, fresh) {
		t.Errorf("%s is out of date; run go generate ./stack", schemaFile)
	}
}

// The schema must be one, accept every example, and refuse what the reader refuses for its shape.
func TestSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Glob("../../../examples/*/*.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range examples {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		read := decode(t, data)
		if _, ok := read.(map[string]any)["schema"]; !ok {
			continue // a sweep, a table of policies
		}
		if err := schema.Validate(read); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	const head = "schema = 1\nsize = [1, 1]\n[[layer]]\nname = 'a'\nmaterial = 'b'\nthickness = 1\n"
	if err := schema.Validate(decode(t, []byte(head))); err != nil {
		t.Errorf("minimal stack: %v", err)
	}
	for _, bad := range []string{
		"schema = 2\nsize = [1, 1]\nlayer = []\n",
		"schema = 1\nlayer = []\n",
		head + "cells = 0\n",
		head + "thicknes = 1\n",
		head + "power = { map = 'x', orientation = 'south' }\n",
		head + "contact_resistance = -1\n",
		"boundary.top = 'adiabetic'\n" + head,
	} {
		if schema.Validate(decode(t, []byte(bad))) == nil {
			t.Errorf("accepted:\n%s", bad)
		}
	}
}

func decode(t *testing.T, data []byte) any {
	t.Helper()
	var v map[string]any
	if err := toml.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
