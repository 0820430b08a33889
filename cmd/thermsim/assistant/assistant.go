// Package assistant offers commands to assistants by the Model Context Protocol (MCP) on stdin and stdout.
package assistant

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/configs"
)

const help = `Offer check, steady, transient, sensitivity, materials and explain as tools.

Assistants start it and talk to it on stdin and stdout, by the Model Context Protocol.
Results are written into DIR only, a folder for each tool; everything else is read.
`

// NewCommand is the command mcp of a version.
func NewCommand(version string) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp DIR",
		Short: "Offer tools to assistants by the Model Context Protocol",
		Long:  help,
		Example: "  claude mcp add thermsim -- thermsim mcp /tmp/thermsim\n" +
			"  thermsim mcp results      # for a client that starts it",
		Annotations: exit.Statuses("0 the client closed stdin", "1", "2 usage error", "130"),
		Args:        flags.Arguments(1, 1, "the folder of results"),
		RunE: func(c *cobra.Command, args []string) error {
			program, err := os.Executable()
			if err != nil {
				return err
			}
			dir, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			s := mcp.NewServer(&mcp.Implementation{Name: "thermsim", Version: version}, nil)
			(&tools{program: program, dir: dir}).add(s)
			return s.Run(c.Context(), &mcp.StdioTransport{})
		},
	}
}

type tools struct {
	program, dir string
	busy         sync.Mutex // a run at a time, as they share folders
}

// model is a stack and how it is changed for a run.
type model struct {
	Stack string         `json:"stack" jsonschema:"stack file, or folder with a stack.toml"`
	Set   map[string]any `json:"set,omitempty" jsonschema:"values to replace, by key, such as boundary.top.h"`
	Grid  string         `json:"grid,omitempty" jsonschema:"cells such as 64x64, or auto"`
}

type transient struct {
	model
	Until string `json:"until,omitempty" jsonschema:"end, such as 10 s; with adaptive steps unless dt is given"`
	Dt    string `json:"dt,omitempty" jsonschema:"fixed time step, such as 1 ms"`
	Steps int    `json:"steps,omitempty" jsonschema:"number of fixed time steps"`
}

type sensitivity struct {
	model
	Of []string `json:"of,omitempty" jsonschema:"outputs, such as max or LAYER/BLOCK; default all blocks"`
}

type materials struct {
	Names []string `json:"names,omitempty" jsonschema:"materials; default all"`
}

type topic struct {
	Topic string `json:"topic" jsonschema:"a command, or a key of stack files"`
}

func (t *tools) add(s *mcp.Server) {
	addTool(s, "check", "Errors and warnings about a stack, with file, line and column; solves nothing.",
		func(ctx context.Context, m model) (string, error) {
			return t.run(ctx, append(append([]string{"check", "--format=json"}, m.args()...), "--", m.Stack))
		})
	addTool(s, "steady", "Steady-state temperatures: the content of summary.json, in SI units.",
		func(ctx context.Context, m model) (string, error) { return t.solve(ctx, "steady", m.Stack, m.args()) })
	addTool(s, "transient", "Temperatures over time: the content of summary.json; trace.csv has all steps.",
		func(ctx context.Context, m transient) (string, error) {
			args := append(m.args(), given("until", m.Until)...)
			args = append(args, given("dt", m.Dt)...)
			if m.Steps > 0 {
				args = append(args, fmt.Sprintf("--steps=%d", m.Steps))
			}
			return t.solve(ctx, "transient", m.Stack, args)
		})
	addTool(s, "sensitivity", "Derivatives of temperatures by powers, thicknesses, conductivities and h.",
		func(ctx context.Context, m sensitivity) (string, error) {
			args := m.args()
			for _, of := range m.Of {
				args = append(args, given("of", of)...)
			}
			return t.solve(ctx, "sensitivity", m.Stack, args)
		})
	addTool(s, "materials", "The material library: k, c, temperature and source.",
		func(ctx context.Context, m materials) (string, error) {
			return t.run(ctx, append([]string{"materials", "--json", "--"}, m.Names...))
		})
	addTool(s, "explain", "The help of a command, or what a key of stack files means in each table.",
		func(ctx context.Context, m topic) (string, error) {
			if text, err := keys(m.Topic); err != nil || text != "" {
				return text, err
			}
			return t.run(ctx, []string{"help", "--", m.Topic})
		})
}

func addTool[In any](s *mcp.Server, name, description string, call func(context.Context, In) (string, error)) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: description},
		func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
			text, err := call(ctx, in)
			if err != nil {
				return nil, nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
}

// args are flags and the stack. Values follow an equals sign and the stack a "--", so that none is taken for a flag.
func (m *model) args() []string {
	var args []string
	for _, key := range slices.Sorted(maps.Keys(m.Set)) {
		value := fmt.Sprint(m.Set[key])
		if _, scalar := m.Set[key].(string); !scalar {
			text, err := json.Marshal(m.Set[key])
			if err == nil {
				value = string(text)
			}
		}
		args = append(args, "--set="+key+"="+value)
	}
	return append(args, given("grid", m.Grid)...)
}

func given(flag, value string) []string {
	if value == "" {
		return nil
	}
	return []string{"--" + flag + "=" + value}
}

// solve runs a command that writes files.
func (t *tools) solve(ctx context.Context, command, stack string, args []string) (string, error) {
	args = append([]string{command, "--json", "--out=" + filepath.Join(t.dir, command)}, args...)
	return t.run(ctx, append(args, "--", stack))
}

// run returns the output of thermsim. Status 5 (too hot) is a result; others are errors, with what was printed.
func (t *tools) run(ctx context.Context, args []string) (string, error) {
	t.busy.Lock()
	defer t.busy.Unlock()
	c := exec.CommandContext(ctx, t.program, args...)
	var out, messages bytes.Buffer
	c.Stdout, c.Stderr = &out, &messages
	err := c.Run()
	var status *exec.ExitError
	switch {
	case err == nil || out.Len() > 0 && args[0] == "check":
		return out.String(), nil
	case errors.As(err, &status) && status.ExitCode() == exit.TooHot:
		return messages.String() + out.String(), nil
	}
	return "", fmt.Errorf("%w: %s%s", err, messages.String(), out.String())
}

// keys describes a key by the schema of stack files; "" if there is none.
func keys(name string) (string, error) {
	var schema struct {
		Defs map[string]struct {
			Description string
			Properties  map[string]struct{ Description string }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(configs.StackSchema(), &schema); err != nil {
		return "", err
	}
	var text strings.Builder
	for _, table := range slices.Sorted(maps.Keys(schema.Defs)) {
		if key, ok := schema.Defs[table].Properties[name[strings.LastIndex(name, ".")+1:]]; ok {
			fmt.Fprintf(&text, "%s in %s: %s\n", name, schema.Defs[table].Description, key.Description)
		}
	}
	return text.String(), nil
}
