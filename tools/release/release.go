package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// release is a version to be released.
type release struct {
	version    string
	time       time.Time // of all files
	out        string
	repository string // address where the project is published, for manifests
}

// validVersion fits into names of files, purls and flags of the linker.
var validVersion = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+~-]*$`)

// taggedV is the mark of a tag, which is no part of the version: v1.2.3.
var taggedV = regexp.MustCompile(`^v([0-9])`)

// newRelease asks git for a missing version. SOURCE_DATE_EPOCH overrides the time of the commit
// (reproducible-builds.org).
func newRelease(version, out, repository string) (*release, error) {
	r := &release{version: version, out: out, repository: repository}
	if version == "" {
		text, err := output(exec.Command("git", "describe", "--tags", "--always", "--dirty", "--abbrev=12"))
		if err != nil {
			return nil, fmt.Errorf("no version; git has none. Fix: give -version: %w", err)
		}
		r.version = strings.TrimSpace(string(text))
	}
	r.version = taggedV.ReplaceAllString(r.version, "$1")
	if !validVersion.MatchString(r.version) {
		return nil, fmt.Errorf("version %q: expected letters, digits and . + ~ -", r.version)
	}
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		text, err := output(exec.Command("git", "log", "-1", "--format=%ct"))
		if err != nil {
			return nil, fmt.Errorf("SOURCE_DATE_EPOCH is not set, and git has no commit: %w", err)
		}
		epoch = strings.TrimSpace(string(text))
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil || seconds < 0 {
		return nil, fmt.Errorf("SOURCE_DATE_EPOCH %q: expected seconds since 1970", epoch)
	}
	r.time = time.Unix(seconds, 0).UTC()
	return r, nil
}

// build compiles thermsim for a target. Unless flags differ, the program contains the version, but neither the location
// nor the state of the source.
func (r *release) build(target, program string, flags ...string) error {
	root, err := repository()
	if err != nil {
		return err
	}
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.version=" + r.version,
		"-o", program}, flags...)
	cmd := exec.Command("go", append(args, "./cmd/thermsim")...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), buildEnv(target)...)
	_, err = output(cmd)
	return err
}

// shells are those with completions, and the usual names of the files in packages.
var shells = []struct{ shell, name string }{
	{"bash", "thermsim.bash"}, {"zsh", "_thermsim"}, {"fish", "thermsim.fish"}, {"powershell", "thermsim.ps1"},
}

// docs are the manual pages and completions, written by the program itself.
func (r *release) docs() ([]entry, error) {
	dir, err := os.MkdirTemp("", "thermsim-docs")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	host, err := output(exec.Command("go", "env", "GOHOSTOS", "GOHOSTARCH", "GOEXE"))
	if err != nil {
		return nil, err
	}
	words := strings.Fields(string(host))
	program := filepath.Join(dir, "thermsim.exe") // a name that runs everywhere
	if err := r.build(words[0]+"/"+words[1], program); err != nil {
		return nil, err
	}
	pages := filepath.Join(dir, "man")
	if _, err := output(exec.Command(program, "man", "--quiet", pages)); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(pages, "*.1"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, fmt.Errorf("no manual pages were written"))
	}
	var list []entry
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		list = append(list, entry{"man/" + filepath.Base(path), data, 0o644})
	}
	for _, s := range shells {
		text, err := output(exec.Command(program, "completion", s.shell))
		if err != nil {
			return nil, err
		}
		list = append(list, entry{"completions/" + s.name, text, 0o644})
	}
	return list, nil
}
