//go:build unix

package main

import (
	"archive/zip"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every input has a name, a description of its own and a status, and its templates can be parsed.
func TestInputs(t *testing.T) {
	all, err := inputs()
	if err != nil || len(all) < 380 {
		t.Fatalf("%d inputs, %v", len(all), err)
	}
	seen := map[string]bool{}
	for _, in := range all {
		known := slices.Contains([]string{"0", refused, "4", anyStatus, within}, in.status)
		if seen[in.what] || in.name == "" || !known {
			t.Errorf("%q: %q, status %s, seen %t", in.name, in.what, in.status, seen[in.what])
		}
		seen[in.what] = true
	}
	for _, name := range []string{"tiles-chip.tar.gz-numbers", "tiles-planes.npz-cut", "title-8000", "fifo-map",
		"folder", "patch-npy", "set-lines", "flag-rth-rtol-1e-300"} {
		in := all[slices.IndexFunc(all, func(in input) bool { return in.name == name })]
		if args, err := in.make(t.TempDir()); err != nil || len(args) < 2 {
			t.Errorf("%s: %q, %v", name, args, err)
		}
	}
}

// Parts of an input become files, compressed files, entries of an archive, FIFOs and links.
func TestParts(t *testing.T) {
	all, err := listed("About.\n\n{{define \"a\"}}A{{end}}\n== one: first\n2 check\n== two: second\n" +
		"? solve a~b {{rep 2 \"x^\"}}\n" +
		"{{template \"a\"}}{{num 2 \"%[1]d%[2]d \"}}\n\n-- b.gz\nb\n-- stored/c\nc\n-p d\n-l e b.gz\n\n")
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	dir := t.TempDir()
	if args, err := all[0].make(dir); err != nil || strings.Join(args, " ") != "check --quiet --out out" ||
		text(t, dir, "stack.toml") != small()+"\n" {
		t.Errorf("%q, %v", args, err)
	}
	dir = t.TempDir()
	args, err := all[1].make(dir)
	if err != nil || !slices.Equal(args, []string{"solve", "a b", "x\nx\n"}) || all[1].status != anyStatus {
		t.Fatalf("%q, %v", args, err)
	}
	if got := text(t, dir, "stack.toml"); got != "A01 12 \n" {
		t.Errorf("stack.toml has %q", got)
	}
	z, err := gzip.NewReader(strings.NewReader(text(t, dir, "b.gz")))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || string(got) != "b\n" {
		t.Errorf("b.gz has %q, %v", got, err)
	}
	run, err := zip.OpenReader(filepath.Join(dir, "run.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if f := run.File[0]; f.Name != "c" || f.Method != zip.Store || f.UncompressedSize64 != 1 {
		t.Errorf("run.zip has %+v", f.FileHeader)
	}
	if d, err := os.Lstat(filepath.Join(dir, "d")); err != nil || d.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("d: %v, %v", d, err)
	}
	if to, err := os.Readlink(filepath.Join(dir, "e")); err != nil || to != "b.gz" {
		t.Errorf("e: %s, %v", to, err)
	}
	for _, wrong := range []string{"== a\n2 check", "== a: b\ncheck", "== flags\n2 check grid {{"} {
		if _, err := listed("\n" + wrong); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
}

func text(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Refusals must have status 2 and stay within the limits, except on large inputs; other inputs need their own status.
func TestFailed(t *testing.T) {
	modest := measured{}
	modest.Status = 2
	costly, large, other := modest, modest, modest
	costly.Memory = mostMemory + 1
	large.Memory, large.large = mostMemory+1, true
	other.Status = 0
	for _, c := range []struct {
		status string
		m      measured
		failed bool
	}{
		{refused, modest, false}, {refused, costly, true}, {refused, large, false}, {refused, other, true},
		{anyStatus, costly, false}, {"0", other, false}, {"0", modest, true},
		{within, modest, false}, {within, other, false}, {within, costly, true},
	} {
		if in := (input{status: c.status}); in.failed(&c.m) != c.failed {
			t.Errorf("status %s required, %+v", c.status, c.m)
		}
	}
}

// Rows of the same input are replaced, and others are kept.
func TestUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hostile.json")
	if err := os.WriteFile(path, []byte(`{"about": "x", "rows": [{"what": "a", "MB": 9}, {"what": "d", "status": "2"}]}`),
		0o666); err != nil {
		t.Fatal(err)
	}
	all := []input{{name: "a", what: "a"}, {name: "flag-b", what: "b"}, {name: "c", what: "c"}}
	rows := map[string]row{"a": {What: "a", Status: "2", CPUS: 1}, "b": {What: "b", Status: "0", CPUS: 3}}
	if err := update(path, "1", all, rows); err != nil {
		t.Fatal(err)
	}
	got := text(t, filepath.Dir(path), "hostile.json")
	for _, want := range []string{`"about": "x"`, `"what": "d"`, `"inputs": 3`, `"refused": 2`,
		`"most_cpu_s": 1,`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	if strings.Contains(got, `"MB": 9`) {
		t.Errorf("the old row is in %s", got)
	}
}
