package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"thermsim/cmd/thermsim/session"
	"thermsim/internal/staging"
)

var summarySchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	return jsonschema.NewCompiler().Compile("../../configs/summary.schema.json")
})

// validateSummaries holds every summary.json below a script's folder, and what --json printed, against the schema. args
// are those of the command.
func validateSummaries(ts *testscript.TestScript, args []string) {
	ts.Check(filepath.WalkDir(ts.MkAbs("."), func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "summary.json" && d.Type().IsRegular() {
			text, err := os.ReadFile(name)
			if err == nil && strings.Contains(string(text), `"schema":`) { // else a decoy of the script
				validateSummary(ts, name, string(text))
			}
		}
		if err == nil && filepath.Base(filepath.Dir(name)) == ".thermsim" && d.Name() == "files.json" {
			record, err := os.ReadFile(name)
			if _, again := checked.LoadOrStore(string(record), true); err == nil && !again {
				foreseen(ts, filepath.Dir(filepath.Dir(name)))
			}
		}
		return nil // folders that the script took away or forbids
	}))
	if len(args) > 0 && slices.Contains([]string{"steady", "transient", "solve"}, args[0]) &&
		slices.Contains(args, "--json") && !slices.Contains(args, "--model") { // a model has no summary
		if text := ts.ReadFile("stdout"); text != "" {
			validateSummary(ts, "stdout", text)
		}
	}
}

// foreseen holds the names in a folder's record against the patterns by which files of a user are found before anything
// is solved.
func foreseen(ts *testscript.TestScript, dir string) {
	record, err := staging.Look(dir)
	if err != nil {
		return // a decoy of the script
	}
	// of other simulators' files, which their writers open before the solve
	others := []string{".txt", ".vtk", ".steady", ".ttrace"}
	for _, set := range record.Sets {
		patterns := session.OutputsOf(set.Name, "transient")
		if len(patterns) == 0 {
			continue
		}
		for _, file := range set.Files {
			if !slices.Contains(others, path.Ext(file.Name)) &&
				!slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, file.Name); return ok }) {
				ts.Fatalf("%s wrote %s, which none of the patterns %q foresees", set.Command, file.Name, patterns)
			}
		}
	}
}

// checked are the summaries and records of folders that were valid.
var checked sync.Map

func validateSummary(ts *testscript.TestScript, name, text string) {
	if _, again := checked.Load(text); again {
		return
	}
	schema, err := summarySchema()
	ts.Check(err)
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err == nil {
		err = schema.Validate(v)
	}
	if err != nil {
		ts.Fatalf("%s: %v", name, err)
	}
	checked.Store(text, true)
}
