package findings

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"thermsim/mesh/plausibility"
	"thermsim/stack"
)

// Ranges end behind the key, the value or the header that begins at a position; columns count characters.
func TestRanges(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.toml")
	text := "[[layer]] # µ\nname = \"µm µm\" # x\nk = {a = 1.5, b = 2}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(line, column int) *stack.Error {
		return &stack.Error{Pos: stack.Pos{File: file, Line: line, Col: column}, Msg: "wrong"}
	}
	err := stack.ErrorList{at(1, 1), at(2, 8), at(2, 19), at(3, 6), at(3, 10), at(9, 1), at(1, 99), at(0, 0)}
	var got [][3]int
	for _, f := range Of(err, nil, "stack.toml", false) {
		got = append(got, [3]int{f.Line, f.Column, f.EndColumn})
	}
	want := [][3]int{{1, 1, 10}, {2, 8, 15}, {2, 17, 18}, {3, 6, 7}, {3, 10, 13}, {9, 0, 0}, {1, 0, 0}, {0, 0, 0}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// SARIF follows the schema that OASIS publishes at https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas.
func TestSARIF(t *testing.T) {
	packed, err := os.Open("testdata/sarif-schema-2.1.0.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	text, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif.json", parsed); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	warnings := []plausibility.Warning{{Code: "size", Place: "my chip.toml:3:7", Text: "large", Remedy: "use mm"}}
	for _, found := range [][]Finding{nil, Of(errors.New("disk full"), warnings, "/tmp/a b.toml", true),
		{{Severity: "error", Code: "invalid-input", File: "a.toml", Line: 1, Column: 2, EndColumn: 5, Message: "x"}}} {
		var out bytes.Buffer
		if err := Write(&out, "sarif", "v1", found); err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(&out)
		if err == nil {
			err = schema.Validate(v)
		}
		if err != nil {
			t.Error(err)
		}
	}
	got := Of(errors.New("disk full"), warnings, "/tmp/a b.toml", true)
	if got[0].Code != "failed" || uri(got[0].File) != "file:///tmp/a%20b.toml" ||
		uri(got[1].File) != "my%20chip.toml" || got[1].Severity != "error" || got[1].Line != 3 {
		t.Error(got)
	}
	var out strings.Builder
	want := "/tmp/a b.toml:1:1: error: disk full [failed]\nmy chip.toml:3:1: error: large; use mm [size]\n"
	if err := Write(&out, "text", "", got); err != nil || out.String() != want {
		t.Error(out.String(), err)
	}
}
