package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var summarySchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	return jsonschema.NewCompiler().Compile("../../configs/summary.schema.json")
})

// validateSummaries holds every summary.json below a script's folder, and what --json printed, against the schema. args are those of the command.
func validateSummaries(ts *testscript.TestScript, args []string) {
	ts.Check(filepath.WalkDir(ts.MkAbs("."), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "summary.json" && d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err == nil && strings.Contains(string(text), `"schema":`) { // else a decoy of the script
				validateSummary(ts, path, string(text))
			}
		}
		return nil // folders that the script took away or forbids
	}))
	if len(args) > 0 && slices.Contains([]string{"steady", "transient", "solve"}, args[0]) && slices.Contains(args, "--json") {
		if text := ts.ReadFile("stdout"); text != "" {
			validateSummary(ts, "stdout", text)
		}
	}
}

func validateSummary(ts *testscript.TestScript, name, text string) {
	schema, err := summarySchema()
	ts.Check(err)
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err == nil {
		err = schema.Validate(v)
	}
	if err != nil {
		ts.Fatalf("%s: %v", name, err)
	}
}
