package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/configs"
	"thermsim/internal/staging"
)

// templates has a folder for each kind of stack that init starts.
//
//go:embed templates
var templates embed.FS

// templateKinds are the folders of templates, in the order of the help; the first is taken where none is named.
var templateKinds = []string{"plain", "flip-chip", "hbm", "3d", "hotspot-like"}

const initHelp = `Write a commented stack file to start from.

stack.toml and the files that it names go into DIR or the working directory. It runs
unmodified; 'thermsim check' draws it. Existing files are not replaced. Editors complete
and check keys by stack.schema.json, which the first line names.

  plain         a die, an interface and a lid (default).
  flip-chip     a package with a lid on a board, under a finned heat sink.
  hbm           an accelerator and two HBM stacks on an interposer, with the same cooling.
  3d            two memory dies on a logic die, each described once and placed.
  hotspot-like  die, spreader and sink, from a floorplan and a power trace.
`

const initExample = `  thermsim init                      # stack.toml here; then: thermsim check
  thermsim init hbm                  # another kind
  thermsim init flip-chip my-chip    # into a folder, created if it does not exist`

func newInitCommand(g *session.Session) *cobra.Command {
	return &cobra.Command{
		Use:     "init [KIND [DIR]]",
		Short:   "Write a stack file to start from",
		Long:    initHelp,
		Example: initExample,
		Annotations: exit.Statuses("0", "1 a file could not be written",
			"2 usage error, or a file exists already; nothing was written", "130"),
		Args: flags.Arguments(0, 2, "a kind and a folder"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return templateKinds, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(c *cobra.Command, args []string) error {
			kind, dir := templateKinds[0], "."
			if len(args) > 0 {
				kind = args[0]
			}
			if len(args) > 1 {
				dir = args[1]
			}
			return runInit(c.Context(), g, kind, dir)
		},
	}
}

func runInit(ctx context.Context, g *session.Session, kind, dir string) error {
	files, err := templateFiles(kind)
	if err != nil {
		return err
	}
	if dir == "" {
		return exit.Usagef("the folder is empty; give one, or omit it for the working directory")
	}
	t, err := g.Begin(dir, staging.Options{Flag: "DIR"})
	if err != nil {
		return err
	}
	defer t.Abort()
	if err := refuseToStartOver(dir, files); err != nil {
		return err
	}
	if _, err := g.Publish(ctx, t, files...); err != nil {
		return err
	}
	var names []string
	for _, f := range files {
		if f.Name == schemaName {
			continue
		}
		names = append(names, filepath.Join(dir, f.Name))
	}
	argument := ""
	if dir != "." {
		argument = " " + dir
	}
	g.Note("wrote %s; next: 'thermsim check%s' and 'thermsim steady%[2]s'", strings.Join(names, ", "), argument)
	return nil
}

// templateFiles are those of a kind.
func templateFiles(kind string) ([]staging.File, error) {
	entries, err := templates.ReadDir(path.Join("templates", kind))
	if err != nil || path.Base(kind) != kind || kind == "." || kind == ".." {
		return nil, exit.Usagef("unknown kind %q; choose one of %s (a folder comes second: thermsim init %s DIR)", kind,
			strings.Join(templateKinds, ", "), templateKinds[0])
	}
	schema, err := configs.Draft4()
	if err != nil {
		return nil, err
	}
	files := []staging.File{{Name: schemaName, Write: writer(schema)}}
	for _, e := range entries {
		text, err := templates.ReadFile(path.Join("templates", kind, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("cannot read the template: %w", err)
		}
		if e.Name() == "stack.toml" {
			text = append([]byte("#:schema ./"+schemaName+"\n"), text...)
		}
		files = append(files, staging.File{Name: e.Name(), Write: writer(text)})
	}
	return files, nil
}

// schemaName is the file by which editors know the keys of a new stack.
const schemaName = "stack.schema.json"

func writer(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}

// refuseToStartOver reports files that exist already.
func refuseToStartOver(dir string, files []staging.File) error {
	for _, f := range files {
		existing := filepath.Join(dir, f.Name)
		taken, err := session.Exists(existing)
		if err != nil {
			return exit.Usagef("%w; name another folder", err)
		}
		if taken {
			return exit.Usagef("%s exists already and is not replaced. Fix: choose another folder, or move the "+
				"file", existing)
		}
	}
	return nil
}

const schemaHelp = `Print the JSON Schema of stack files, by which editors complete and check keys.

It is of draft 2020-12; Taplo and the editors that use it read draft 4. The first line
of a stack file names its schema: #:schema ./stack.schema.json
`

func newSchemaCommand(g *session.Session) *cobra.Command {
	older := false
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of stack files",
		Long:  schemaHelp,
		Example: "  thermsim schema --draft4 > stack.schema.json\n" +
			"  thermsim schema | jq '.[\"$defs\"].layer.properties | keys'",
		Annotations:       exit.Statuses("0"),
		Args:              flags.NoArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) (err error) {
			schema := configs.StackSchema()
			if older {
				if schema, err = configs.Draft4(); err != nil {
					return err
				}
			}
			_, err = g.Stdout.Write(schema)
			return err
		},
	}
	cmd.Flags().BoolVar(&older, "draft4", false, "in draft 4 of JSON Schema")
	return cmd
}
