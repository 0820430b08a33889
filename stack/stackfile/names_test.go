package stackfile

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"thermsim/stack"
)

// A name that is too long is told once, with the limit that holds for it.
func TestLongNames(t *testing.T) {
	text := func(layer, block string) string {
		return `schema = 1
ambient = "25 degC"
size = ["10 mm", "10 mm"]
boundary.top = { h = "5000 W/(m^2 K)" }
[[layer]]
name = "` + layer + `"
material = "silicon"
thickness = "100 um"
[[layer.power]]
block = [{ name = "` + block + `", x = 0, y = 0, width = "1 mm", height = "1 mm", power = "1 W" }]
`
	}
	for _, c := range []struct{ layer, block, want string }{
		{strings.Repeat("x", 100), strings.Repeat("y", 1000), ""},
		{strings.Repeat("x", 101), "y", "is longer than 100 bytes"},
		{strings.Repeat("x", 1001), "y", "is longer than 100 bytes"},
		{"x", strings.Repeat("y", 1001), "is longer than 1000 bytes"},
		{`x\u001b`, "y", "contains control characters"},
	} {
		_, err := Parse("stack.toml", []byte(text(c.layer, c.block)), nil)
		var list stack.ErrorList
		switch {
		case c.want == "" && err == nil:
		case !errors.As(err, &list) || len(list) != 1 || !strings.Contains(err.Error(), c.want):
			t.Errorf("layer of %d bytes, block of %d: %v; want one fault %q", len(c.layer), len(c.block), err, c.want)
		}
	}
}

// Files beyond the limit are not looked for, and told once.
func TestManyIncludes(t *testing.T) {
	asked := 0
	open := func(name string) ([]byte, error) {
		asked++
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	var text strings.Builder
	text.WriteString("schema = 1\ninclude = [")
	for i := range 100_000 {
		fmt.Fprintf(&text, "\"f%d.toml\",", i)
	}
	text.WriteString("]\n")
	_, err := Parse("stack.toml", []byte(text.String()), open)
	if err == nil || !strings.Contains(err.Error(), "cannot read f0.toml") || asked > maxIncludes {
		t.Errorf("asked for %d files: %.300v", asked, err)
	}
}
