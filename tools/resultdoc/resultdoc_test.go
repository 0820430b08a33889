package main

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"thermsim/report/jsonfile"
	"thermsim/report/summary"
)

const (
	pageFile   = "../../docs/reference/summary.md"
	schemaFile = "../../configs/summary.schema.json"
)

func TestCommittedFilesAreUpToDate(t *testing.T) {
	tables, err := Tables("../..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := Fill(string(page), tables); err != nil || want != string(page) {
		t.Errorf("%s is out of date; run go generate ./report (%v)", pageFile, err)
	}
	schema, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if fresh, err := Schema(tables); err != nil || !bytes.Equal(schema, fresh) {
		t.Errorf("%s is out of date; run go generate ./report (%v)", schemaFile, err)
	}
}

// What WriteJSON makes of empty summaries, and of one whose numbers are not finite, is valid; slips are not. The
// scripts of cmd/thermsim validate real ones.
func TestSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	run := summary.Summary{Schema: 1, Command: "steady", Device: summary.Device{Kind: "cpu"}, RthKPerW: math.NaN()}
	run.Solver.Nonlinear = &summary.Nonlinear{
		ResidualNormW: math.Inf(1),
		OutOfRange:    []summary.OutOfRange{{Material: "a", Cells: 1}},
		Leakage:       &summary.Leakage{LoopGain: math.NaN()},
	}
	system := summary.System{Schema: 1, Command: "solve", Device: summary.Device{Kind: "gpu"},
		Matrix: summary.Matrix{Storage: "rows"}}
	for _, v := range []any{run, system} {
		text := write(t, v)
		if err := validate(t, schema, text); err != nil {
			t.Error(err)
		}
		for old, slip := range map[string]string{
			`"schema": 1`:         `"schema": 2`,
			`"version": ""`:       `"version": 1`,
			`"iterations": 0`:     `"iterations": 0.5`,
			`"reason": ""`:        `"reasons": ""`,
			`"converged": false,`: ``,
		} {
			if bad := strings.Replace(text, old, slip, 1); bad == text || validate(t, schema, bad) == nil {
				t.Errorf("%s in place of %s is accepted, or the latter is not there", slip, old)
			}
		}
	}
}

func write(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	if err := jsonfile.Write(&b, v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func validate(t *testing.T, schema *jsonschema.Schema, text string) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}
