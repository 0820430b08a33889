package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Comments and texts of three words or more are checked, each at its line: doc comments, messages written in parts, and
// comments and texts of scripts. Imports, tags and single words are not.
func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		source, want string
		lines        []int
	}{
		"a.go": {
			source: `// Package a does it.
package a

import "a b c d"

// T is a type:
// two lines.
type T struct {
	F int "one two three"
}

var e = errors.New("got one; " +
	"expected two")

const key = "a key"
`,
			want:  "Package a does it!\n\nT is a type:\ntwo lines!\n\ngot one; expected two!\n\n",
			lines: []int{1, 2, 6, 7, 8, 12, 13},
		},
		"c.py": {
			source: "# One comment here,\n# of two lines.\ndef f(a):\n    \"\"\"Does \"this\" and that.\n\n" +
				"    >>> f(1)\n    \"\"\"\n    raise Error(f\"got {a} of it\")\n",
			want:  "One comment here,\nof two lines!\n\nDoes \"this\" and that.\n\n!\n\ngot {a} of it!\n\n",
			lines: []int{1, 2, 3, 4, 5, 6, 7, 8, 9},
		},
		"b.js": {
			source: "// Says \"this and that\":\n// two lines\nlet a = \"b\";\n" +
				"  set(`peak of ${x} kelvin`, \"click on a row\");\n",
			want:  "Says \"this and that\":\ntwo lines!\n\npeak of ${x} kelvin!\n\nclick on a row!\n\n",
			lines: []int{1, 2, 3, 4, 5, 4, 5},
		},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(c.source), 0o666); err != nil {
			t.Fatal(err)
		}
		x, err := read(path)
		if err != nil || x.text.String() != c.want || len(x.lines) != len(c.lines) {
			t.Fatalf("%s: %v, %q", name, err, &x.text)
		}
		for i, at := range x.lines {
			if at.Line != c.lines[i] || at.Filename != path {
				t.Errorf("%s: text line %d is at %v; expected line %d", name, i+1, at, c.lines[i])
			}
		}
	}
}
