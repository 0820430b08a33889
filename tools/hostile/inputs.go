//go:build unix

package main

import (
	"archive/zip"
	"bufio"
	"compress/gzip"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/template"
)

// inputs are those of inputs.txt, and those that are made from files and messages of thermsim.
func inputs() ([]input, error) {
	all, err := listed(inputsText)
	projects, failed := listed(readersText)
	return slices.Concat(all, checkpointInputs(), runInputs(), includeInputs(), damagedProjects(projects)),
		errors.Join(err, failed)
}

//go:embed inputs.txt
var inputsText string

// written is an input of inputs.txt.
type written struct {
	templates *template.Template
	args      string
	files     []file
}

// file is a part of a written input. Its kind is the mark before its name: - for a file, p for a FIFO and l for a link.
type file struct {
	kind       byte
	name, text string
}

// listed reads the inputs of a text in the form that inputs.txt explains.
func listed(text string) (all []input, err error) {
	head, rest, _ := strings.Cut(text, "\n== ")
	_, defines, _ := strings.Cut(head, "\n\n")
	templates, err := template.New("").Funcs(functions).Parse(defines)
	if err != nil {
		return nil, err
	}
	for section := range strings.SplitSeq(rest, "\n== ") {
		title, body, _ := strings.Cut(section, "\n")
		if title == "flags" {
			commands, err := commandLines(templates, body)
			if err != nil {
				return nil, err
			}
			all = append(all, commands...)
			continue
		}
		name, what, found := strings.Cut(title, ": ")
		command, body, _ := strings.Cut(body, "\n")
		status, args, also := strings.Cut(command, " ")
		if !found || !also {
			return nil, fmt.Errorf("got %q, %q; expected NAME: DESCRIPTION, then a status and a command", title,
				command)
		}
		w := &written{templates, args, parts(body)}
		all = append(all, input{name, what, status, w.make})
	}
	return all, nil
}

// parts are the files of an input.
func parts(body string) []file {
	all := []file{{kind: '-', name: "stack.toml"}}
	for line := range strings.Lines(body) {
		if len(line) > 2 && line[0] == '-' && line[2] == ' ' && strings.IndexByte("-pl", line[1]) >= 0 {
			all = append(all, file{kind: line[1], name: strings.TrimSpace(line[3:])})
			continue
		}
		all[len(all)-1].text += line
	}
	for i := range all {
		all[i].text = strings.TrimRight(all[i].text, "\n")
	}
	if all[0].text == "" {
		all[0].text = "{{small}}"
		if len(all) > 1 && strings.HasPrefix(all[1].name, "stack.toml") {
			return all[1:]
		}
	}
	return all
}

// commandLines reads lines of status, command, flag and value.
func commandLines(templates *template.Template, text string) (all []input, err error) {
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 4)
		if len(fields) < 4 {
			continue
		}
		status, command, flag := fields[0], fields[1], fields[2]
		words, err := words(templates, fields[3])
		if err != nil {
			return nil, err
		}
		value := words[0]
		shown := value
		if len(shown) > 30 {
			shown = fmt.Sprintf("%s... (%d bytes)", shown[:20], len(shown))
		}
		all = append(all, input{fmt.Sprintf("flag-%s-%s-%.12s", command, flag, value),
			fmt.Sprintf("%s --%s %s", command, flag, shown), status, func(dir string) ([]string, error) {
				return []string{command, "--quiet", "--" + flag, value}, writeFile(dir, "stack.toml", small())
			}})
	}
	return all, nil
}

// words are those of a command line: ~ is a space within one, ^ a new line.
func words(templates *template.Template, text string) ([]string, error) {
	var b strings.Builder
	if err := execute(templates, text, &b); err != nil {
		return nil, err
	}
	all := strings.Fields(b.String())
	for i := range all {
		all[i] = strings.NewReplacer("~", " ", "^", "\n").Replace(all[i])
	}
	return all, nil
}

func execute(templates *template.Template, text string, w io.Writer) error {
	t, err := template.Must(templates.Clone()).Parse(text)
	if err != nil {
		return err
	}
	return t.Execute(w, nil)
}

// make writes the files and returns the command line.
func (w *written) make(dir string) ([]string, error) {
	var archive *zip.Writer
	for _, f := range w.files {
		path := filepath.Join(dir, f.name)
		var err error
		switch method, entry, _ := strings.Cut(f.name, "/"); {
		case f.kind == 'p':
			err = syscall.Mkfifo(path, 0o600)
		case f.kind == 'l':
			name, target, _ := strings.Cut(f.name, " ")
			err = os.Symlink(target, filepath.Join(dir, name))
		case entry != "":
			if archive == nil {
				run, failed := os.Create(filepath.Join(dir, "run.zip"))
				if failed != nil {
					return nil, failed
				}
				defer run.Close()
				archive = zip.NewWriter(run)
			}
			h := &zip.FileHeader{Name: entry, Method: zip.Deflate}
			if method == "stored" {
				h.Method = zip.Store
			}
			var to io.Writer
			if to, err = archive.CreateHeader(h); err == nil {
				err = execute(w.templates, f.text, to)
			}
		default:
			err = w.write(path, f)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if archive != nil {
		if err := archive.Close(); err != nil {
			return nil, err
		}
	}
	args, err := words(w.templates, w.args)
	if len(args) == 1 {
		args = append(args, "--quiet", "--out", "out")
	}
	return args, err
}

// write writes a file, compressed if its name ends in .gz. Texts end with a new line.
func (w *written) write(path string, f file) error {
	to, err := os.Create(path)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(to)
	text := f.text
	if ext := filepath.Ext(path); !slices.Contains([]string{".png", ".npy", ".npz", ".gds"}, ext) {
		text += "\n"
	}
	if strings.HasSuffix(path, ".gz") {
		z := gzip.NewWriter(b)
		err = errors.Join(execute(w.templates, text, z), z.Close())
	} else {
		err = execute(w.templates, text, b)
	}
	return errors.Join(err, b.Flush(), to.Close())
}

// writeFile writes a file of a folder.
func writeFile(dir, name, text string) error {
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)
}
