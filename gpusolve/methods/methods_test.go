package methods_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond"
)

// The stack format names the methods without knowing this package.
func TestStackFormatKnowsEveryPreconditioner(t *testing.T) {
	text, err := os.ReadFile("../../configs/stack.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]struct {
			Properties map[string]struct{ Pattern string }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	want := "^(" + strings.Join(methods.Names(), "|") + ")(:.*)?$"
	if got := schema.Defs["solver"].Properties["preconditioner"].Pattern; got != want {
		t.Errorf("the stack format takes %s, the solver %s", got, want)
	}
}

// Every default must be a value that the setting takes.
func TestDefaultsOfSettingsAreValid(t *testing.T) {
	for _, m := range methods.All() {
		for _, k := range m.Keys {
			if _, err := precond.Parse(k.Name+"="+k.Default, m.Keys); err != nil {
				t.Errorf("%s: %v", m.Name, err)
			}
			if k.Doc == "" {
				t.Errorf("%s: setting %s says nothing of itself", m.Name, k.Name)
			}
		}
	}
}

func TestCheckPreconditioner(t *testing.T) {
	for spec, want := range map[string]string{
		"multigrid": "", "": "", "none": "",
		"multigird":     `"multigird" is unknown; choose one of multigrid`,
		"multigrid:a=1": "preconditioner multigrid: setting",
	} {
		err := methods.Check(spec)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", spec, err, want)
		}
	}
}
