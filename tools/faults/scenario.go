//go:build linux && amd64

package main

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// scenario is a command that overwrites the files of an earlier one.
type scenario struct {
	name    string
	earlier [][]string // commands before it
	// killed is a command before it that is killed at an operation.
	killed  []string
	at      operation
	command []string
	input   string // of standard input
	copies  string // a folder of the repository whose files are inputs too
	// resumes marks commands that keep partial results for the next run; only the folder after that matters.
	resumes bool
	// ignored is the name of a file that is not compared, such as a log.
	ignored string
	// passing is the beginning of names that may exist until a run has ended, such as a checkpoint.
	passing string
	// partial marks transients, which save their steps when they are interrupted.
	partial bool
	once    bool // it refuses to overwrite files
	// answers marks commands that report failures on standard output and continue.
	answers bool
}

func words(lines ...string) (all [][]string) {
	for _, l := range lines {
		all = append(all, strings.Fields(l))
	}
	return all
}

var resumed = strings.Fields("transient --steps 6 --dt 1ms --no-page --checkpoint 2steps --resume --out out")

// scenarios are all commands that write files, or read inputs.
var scenarios = []scenario{
	{name: "steady", earlier: words("steady --grid 6x6 --maps all --files raw --out out"),
		command: strings.Fields("steady --files vtr,csv --figures panels --formats png,svg,pdf --out out")},
	{name: "steady after a kill", earlier: words("steady --grid 6x6 --maps all --out out"),
		command: strings.Fields("steady --no-page --out out"),
		killed:  strings.Fields("steady --grid 7x7 --maps all --files raw --out out"),
		at:      operation{Kind: opRename, Name: "out/map_die.png"}},
	{name: "transient", earlier: words("steady --grid 6x6 --maps all --out out"),
		command: strings.Fields("transient --steps 4 --dt 1ms --files npz --file-steps 1 --out out"), partial: true},
	{name: "transient with checkpoints", earlier: words("steady --grid 6x6 --out out"), command: resumed, partial: true,
		passing: "out/checkpoint/"},
	{name: "resumed transient", earlier: words("steady --grid 6x6 --out out"), command: resumed, killed: resumed,
		at:      operation{Kind: opRename, Name: "out/checkpoint/state", N: 1},
		partial: true, passing: "out/checkpoint/"},
	{name: "render", earlier: words("steady --out out"),
		command: strings.Fields("render out --colors viridis --maps all")},
	{name: "diff", earlier: words("steady --grid 6x6 --quiet --out a", "steady --quiet --out b", "diff a a --out out"),
		command: strings.Fields("diff a b --out out")},
	{name: "check", earlier: words("check --grid 4x4 --out out"), command: strings.Fields("check --out out")},
	{name: "sweep", command: strings.Fields("sweep sweep.toml --out out"), resumes: true},
	{name: "converge", command: strings.Fields("converge --grid 4x4")},
	{name: "rth", earlier: words("rth --grid 4x4 --out out"), command: strings.Fields("rth --out out")},
	{name: "zth", earlier: words("zth --grid 4x4 --times 1ms:1s --out out"),
		command: strings.Fields("zth --times 1ms:1s --out out")},
	{name: "sensitivity", earlier: words("sensitivity --grid 4x4 --out out"),
		command: strings.Fields("sensitivity --out out")},
	{name: "reduce", earlier: words("reduce --grid 4x4 --out out"), command: strings.Fields("reduce --out out")},
	{name: "jedec", command: strings.Fields("jedec package.toml")},
	{name: "solve", earlier: words("solve A.mtx --out out"), command: strings.Fields("solve A.mtx b.mtx --out out")},
	{name: "export", earlier: words("export --grid 4x4 --out out"), command: strings.Fields("export --out out")},
	{name: "bench", earlier: words("bench --tables steady --grid 4x4 --systems mol10 --device cpu --runs 1 --precond " +
		"jacobi --out out.json,out.csv"),
		command: strings.Fields("bench --tables steady --grid 6x6 --systems mol10 --device cpu --runs 1 --precond " +
			"jacobi --out out.json,out.csv")},
	{name: "serve", command: strings.Fields("serve --states out"),
		input: "{\"op\":\"step\",\"n\":3}\n{\"op\":\"save\",\"file\":\"three\"}\n", answers: true},
	{name: "import 3dice", copies: "interop/threedice/testdata/steady",
		earlier: words("import 3dice case.stk --compat --measure=false -o out.toml"),
		command: strings.Fields("import 3dice case.stk --measure=false --force -o out.toml")},
	{name: "import eda", earlier: words("import eda --placement cells.csv --grid 4x4 -o chip"),
		command: strings.Fields("import eda --placement cells.csv --grid 8x8 --cells --force -o chip")},
	{name: "init", command: strings.Fields("init hbm out"), once: true},
	{name: "man", command: strings.Fields("man out")},
	{name: "verify", command: strings.Fields("verify slab-steady --json")},
	{name: "materials", command: strings.Fields("materials --json")},
	{name: "timings", earlier: words("steady --no-page --grid 6x6 --out out --timings t.json"),
		command: strings.Fields("steady --no-page --out out --timings t.json"), ignored: "t.json"},
}

// large are commands on two million cells, so that signals arrive during the setup of a preconditioner, the drawing of
// a picture or the saving of a field.
var large = []scenario{
	{name: "large steady", earlier: words("steady large.toml --grid 6x6 --out out"),
		command: strings.Fields("steady large.toml --maps all --figures panels --files vtr --out out")},
	{name: "large cmg", earlier: words("steady large.toml --grid 6x6 --out out"),
		command: strings.Fields("steady large.toml --precond cmg --no-page --out out")},
	{name: "large parac", earlier: words("steady large.toml --grid 6x6 --out out"),
		command: strings.Fields("steady large.toml --precond parac --no-page --out out")},
	{name: "large transient", earlier: words("steady large.toml --grid 6x6 --out out"),
		command: strings.Fields("transient large.toml --steps 4 --dt 1ms --out out"), partial: true},
	{name: "large render", earlier: words("steady large.toml --save last --out out"),
		command: strings.Fields("render out --colors viridis --maps all --formats png,svg,pdf")},
}

// inputs are copied to every work folder.
//
//go:embed inputs
var inputs embed.FS

// prepare creates a work folder with the inputs.
func (s *scenario) prepare(repository, work string) error {
	if err := os.MkdirAll(filepath.Join(work, "tmp"), 0o777); err != nil {
		return err
	}
	if s.copies != "" {
		if err := copyFolder(filepath.Join(repository, s.copies), work); err != nil {
			return err
		}
	}
	files, err := fs.Sub(inputs, "inputs")
	if err != nil {
		return err
	}
	return os.CopyFS(work, files)
}
