package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"thermsim/cmd/thermsim/exit"
)

// savedRun makes a run and gives its run.zip, with the names of the entries.
func savedRun(f *testing.F, args ...string) (data []byte, entries []string) {
	f.Helper()
	dir := f.TempDir()
	file := filepath.Join(dir, "stack.toml")
	if err := os.WriteFile(file, []byte(fuzzStack), 0o666); err != nil {
		f.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		f.Fatal(err)
	}
	defer null.Close()
	if status := run(append(args, file, "--device", "cpu", "--quiet", "--no-page", "--out", dir), null,
		null); status != exit.Done {
		f.Fatalf("%v ends with status %d", args, status)
	}
	data, err = os.ReadFile(filepath.Join(dir, "run.zip"))
	if err != nil {
		f.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range z.File {
		entries = append(entries, e.Name)
	}
	return data, entries
}

// spoilt is an archive in which an entry is replaced, or has bytes put over it, or, without an entry, the whole archive
// has.
func spoilt(t *testing.T, archive []byte, entry string, over bool, at uint16, data []byte) []byte {
	t.Helper()
	put := func(old []byte) []byte {
		if !over {
			return data
		}
		out := slices.Clone(old)
		if len(out) > 0 {
			copy(out[int(at)%len(out):], data)
		}
		return out
	}
	if entry == "" {
		return put(archive)
	}
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range z.File {
		r, err := e.Open()
		if err != nil {
			t.Fatal(err)
		}
		old, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if e.Name == entry {
			old = put(old)
		}
		to, err := w.CreateHeader(&zip.FileHeader{Name: e.Name, Method: e.Method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(old); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// addRuns gives seeds to targets that spoil a saved run.
func addRuns(f *testing.F) {
	f.Add(uint8(0), true, uint16(40), []byte("x"), uint8(0))
	f.Add(uint8(0), false, uint16(0), []byte("PK\x05\x06\x00\x00\x00\x00"), uint8(1))
	f.Add(uint8(1), false, uint16(0), []byte(`{"schema":1,"command":"steady","stack":"stack.toml","saved_steps":[0]}`),
		uint8(2))
	f.Add(uint8(1), true, uint16(90), []byte(`99`), uint8(3))
	f.Add(uint8(2), true, uint16(20), []byte("4 mm"), uint8(4))
	f.Add(uint8(3), true, uint16(0), []byte("\x00\x00\x00\x00\x00\x00\xf0\x7f"), uint8(5))
	f.Add(uint8(4), true, uint16(2), []byte("\xff"), uint8(6))
}

// Whatever stands in a saved run, render and diff end with a status of the contract, and a refusal leaves no file.
func FuzzRender(f *testing.F) {
	archive, entries := savedRun(f, "transient", "--steps", "3", "--dt", "1ms", "--save", "all", "--maps", "all")
	entries = append([]string{""}, entries...)
	options := []string{
		"", "--figures all", "--files vtr,npz,csv --file-steps all", "--formats svg,pdf --to-scale",
		"--maps all --range 20:90 --zoom die", "--files raw --float32 --file-box :,:,:",
		"--figures section-x,animation --frames die --cut 1,1", "--page-budget 1 --page-error 1",
	}
	addRuns(f)
	command := quietly(f)
	f.Fuzz(func(t *testing.T, which uint8, over bool, at uint16, data []byte, how uint8) {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("run.zip", spoilt(t, archive, entries[int(which)%len(entries)], over, at, data),
			0o666); err != nil {
			t.Fatal(err)
		}
		if tooFine("run.zip") {
			t.Skip("a large grid")
		}
		contract(t, command, "render run.zip --quiet --out out "+options[int(how)%len(options)])
	})
}

func FuzzDiff(f *testing.F) {
	archive, entries := savedRun(f, "transient", "--steps", "2", "--dt", "1ms", "--save", "all")
	entries = append([]string{""}, entries...)
	addRuns(f)
	command := quietly(f)
	f.Fuzz(func(t *testing.T, which uint8, over bool, at uint16, data []byte, how uint8) {
		t.Chdir(t.TempDir())
		for name, content := range map[string][]byte{"whole.zip": archive,
			"run.zip": spoilt(t, archive, entries[int(which)%len(entries)], over, at, data)} {
			if err := os.MkdirAll(name[:3], 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(name[:3], "run.zip"), content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if tooFine(filepath.Join("run", "run.zip")) {
			t.Skip("a large grid")
		}
		order := []string{"run who", "who run", "run run", "who run --step 1 --limit 1", "run who --maps all --json"}
		contract(t, command, "diff --quiet --out out "+order[int(how)%len(order)])
	})
}

// contract runs a command on files that may be damaged.
func contract(t *testing.T, command func(*testing.T, string) (int, string), line string) {
	t.Helper()
	status, said := command(t, line)
	if !slices.Contains([]int{exit.Done, exit.Input, exit.NotConverged, exit.Device, exit.TooHot, exit.Runaway},
		status) {
		t.Fatalf("%s ends with status %d: %s", line, status, said)
	}
	if status != exit.Input {
		return
	}
	if said == "" {
		t.Fatalf("%s is refused without a word", line)
	}
	if _, err := os.Stat("out"); err == nil {
		t.Fatalf("%s is refused (%s) and leaves files", line, said)
	}
}

// fineGrid are counts of cells of three digits and more.
var fineGrid = regexp.MustCompile(`(nx|ny|cells|auto|count)\D{0,9}[0-9]{3}|auto`)

// tooFine looks for a grid of a stack that would take long to draw: sizes that fuzzers like.
func tooFine(path string) bool {
	z, err := zip.OpenReader(path)
	if err != nil {
		return false
	}
	defer z.Close()
	r, err := z.Open("stack.toml")
	if err != nil {
		return false
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, 1<<20))
	return err == nil && (strings.Count(string(text), "[[layer]]") > 9 || fineGrid.Match(text))
}
