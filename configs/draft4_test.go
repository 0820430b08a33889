package configs

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The draft 4 form is a valid schema; it accepts every example and rejects what the other form does.
func TestDraft4(t *testing.T) {
	var schemas []*jsonschema.Schema
	older, err := Draft4()
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range [][]byte{StackSchema(), older} {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		name := []string{"a.json", "b.json"}[i]
		if err := c.AddResource(name, v); err != nil {
			t.Fatal(err)
		}
		s, err := c.Compile(name)
		if err != nil {
			t.Fatal(err)
		}
		schemas = append(schemas, s)
	}
	const head = "schema = 1\nsize = [1, 1]\n[[layer]]\nname = 'a'\nmaterial = 'b'\nthickness = 1\n"
	valid := 0
	texts := []string{head, "schema = 2\nsize = [1, 1]\nlayer = []\n", "schema = 1\nlayer = []\n", head + "cells = 0\n",
		head + "thicknes = 1\n", head + "contact_resistance = -1\n", "boundary.top = 'adiabetic'\n" + head,
		head + "[layer.fill]\nmaterial = 'c'\nfraction = 0\n", "schema = 1\nsize = [0, 1]\nlayer = []\n",
		"schema = 1\nsize = [1e-9, 1]\n"}
	files, err := filepath.Glob("../examples/*/stack.toml")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		var v map[string]any
		if err := toml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		newer, older := schemas[0].Validate(any(v)), schemas[1].Validate(any(v))
		if (newer == nil) != (older == nil) {
			t.Errorf("%v, in draft 4 %v:\n%s", newer, older, text)
		}
		if newer == nil {
			valid++
		}
	}
	if valid < len(files)+1 || valid > len(texts)-6 {
		t.Errorf("%d of %d are valid", valid, len(texts))
	}
}
