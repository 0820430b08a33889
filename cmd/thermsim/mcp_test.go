package main

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A client of the SDK calls every tool. 1 W through 250 W/(m2 K) on 100 mm2 is a rise of 40 K, through 500 W/(m2 K) of
// 20 K, and its derivative by the power is 40 K/W. Files are written into the given folder only.
func TestAssistant(t *testing.T) {
	dir := t.TempDir()
	texts := map[string]string{"bad.toml": "schema = 2\n", "stack.toml": `schema = 1
ambient = "25 degC"
tmax = "60 degC"
size = ["10 mm", "10 mm"]
grid = { nx = 2, ny = 2 }
materials.ideal = { k = "1e9 W/(m K)", c = "1e6 J/(m^3 K)" }
boundary.top = { h = "250 W/(m^2 K)" }
[[layer]]
name = "die"
material = "ideal"
thickness = "100 um"
[[layer.block]]
name = "all"
x = 0
y = 0
width = "10 mm"
height = "10 mm"
power = "1 W"
`}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := exec.Command("thermsim", "mcp", "results")
	server.Dir = dir
	ctx := context.Background()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(ctx,
		&mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	warm := object{"stack": "stack.toml"}
	for _, c := range []struct {
		tool   string
		args   object
		failed bool
		want   string
	}{
		{"check", object{"stack": "bad.toml"}, false, `"file": "bad.toml"`},
		{"check", warm, false, `"severity": "warning"`},
		{"steady", warm, false, `"max_K": 338.14999`}, // above tmax, which is a result
		{"steady", object{"stack": "stack.toml", "set": object{"boundary.top.h": 500}}, false, `"max_K": 318.14999`},
		{"transient", object{"stack": "stack.toml", "until": "1 ms"}, false, `"command": "transient"`},
		{"sensitivity", object{"stack": "stack.toml", "of": []string{"max"}}, false, `39.99999`},
		{"materials", object{"names": []string{"copper"}}, false, `"name": "copper"`},
		{"explain", object{"topic": "layer.thickness"}, false, "layer.thickness in [[layer]]: "},
		{"explain", object{"topic": "steady"}, false, "EXIT STATUS"},
		{"steady", object{"stack": "--out=elsewhere"}, true, "cannot read the stack file"},
		{"steady", object{"stack": "stack.toml", "grid": "no"}, true, "--grid"},
	} {
		got, err := session.CallTool(ctx, &mcp.CallToolParams{Name: c.tool, Arguments: c.args})
		if err != nil {
			t.Fatal(err)
		}
		text := got.Content[0].(*mcp.TextContent).Text
		if got.IsError != c.failed || !strings.Contains(text, c.want) {
			t.Errorf("%s %v: failed = %v, no %q in\n%.3000s", c.tool, c.args, got.IsError, c.want, text)
		}
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	entries, err := fs.ReadDir(os.DirFS(dir), ".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"bad.toml", "results", "stack.toml"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
