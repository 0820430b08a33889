package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"thermsim/internal/testtier"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../..", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The notices are those of the modules that thermsim is built from today, on every system, and none of their licenses
// is copyleft.
func TestNotices(t *testing.T) {
	var b bytes.Buffer
	if err := writeNotices(&b); err != nil {
		t.Fatal(err)
	}
	if b.String() != read(t, "THIRD_PARTY_NOTICES.txt") {
		t.Error("THIRD_PARTY_NOTICES.txt is out of date; run: make notices")
	}
}

// Licenses that bind what is built with a module are refused, and so are those that nobody has looked at.
func TestRecognise(t *testing.T) {
	const bsd = "Redistribution and use in source and binary forms, with or without\nmodification, are permitted"
	for text, want := range map[string]string{
		"                 Apache License\n   Version 2.0, " +
			"January 2004": "Apache-2.0",
		"Permission is hereby granted, free of charge, to any person obtaining a copy\nof this software and " +
			"associated documentation files (the \"Software\")": "MIT",
		bsd: "BSD-2-Clause",
		bsd + "\n * Neither the name of the authors":      "BSD-3-Clause",
		"GNU GENERAL PUBLIC LICENSE\nVersion 3":           "",
		"GNU LESSER GENERAL\nPUBLIC LICENSE":              "",
		"GNU AFFERO GENERAL PUBLIC LICENSE":               "",
		"Mozilla Public License Version 2.0":              "",
		bsd + ", or under the GNU General Public License": "",
		"All rights reserved.":                            "",
		"":                                                "",
	} {
		got, err := recognize(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	// The other license of a module that offers two.
	modules, err := modulesOf([]string{"linux/amd64"})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, m := range modules {
		if m.Path != "github.com/golang/freetype" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(m.Dir, "licenses", "gpl.txt"))
		if errors.Is(err, os.ErrNotExist) {
			t.Skip("the module has no such file")
		}
		if spdx, refused := recognize(string(data)); err != nil || refused == nil {
			t.Errorf("the GPL of freetype is taken for %q, %v", spdx, err)
		}
		found = true
	}
	if !found {
		t.Error("freetype is not among the modules: are its notices still needed?")
	}
}

// Archives hold what was put in, with the time of the release, and have the same bits whatever the order was.
func TestArchives(t *testing.T) {
	at := time.Unix(1_700_000_000, 0).UTC()
	list := []entry{{"b", []byte("two"), 0o644}, {"a/x", bytes.Repeat([]byte("one"), 1000), 0o755}}
	for name, pack := range map[string]func(string, time.Time, []entry) ([]byte, error){
		"tar.gz": tarGz, "zip": zipped} {
		one, err := pack("top", at, list)
		if err != nil {
			t.Fatal(err)
		}
		two, err := pack("top", at, []entry{list[1], list[0]})
		if err != nil || !bytes.Equal(one, two) {
			t.Errorf("%s: other bits in another order: %v", name, err)
		}
		got := unpack(t, name, one)
		if len(got) != 2 || got[0].name != "top/a/x" || got[1].name != "top/b" {
			t.Fatalf("%s: %d files, %q first", name, len(got), got[0].name)
		}
		for i, want := range []entry{list[1], list[0]} {
			if !bytes.Equal(got[i].data, want.data) || got[i].mode != want.mode {
				t.Errorf("%s: %s has %d bytes and mode %o", name, want.name, len(got[i].data), got[i].mode)
			}
		}
	}
}

func unpack(t *testing.T, kind string, data []byte) (list []entry) {
	t.Helper()
	add := func(name string, r io.Reader, mode os.FileMode, at time.Time) {
		text, err := io.ReadAll(r)
		if err != nil || at.Unix() != 1_700_000_000 {
			t.Fatalf("%s: %v, of %s", name, err, at)
		}
		list = append(list, entry{name, text, mode})
	}
	if kind == "zip" {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			add(f.Name, r, f.Mode(), f.Modified)
		}
		return list
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if !z.ModTime.IsZero() || z.Name != "" {
		t.Errorf("the gzip header tells %s, %q", z.ModTime, z.Name)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil || h.Uid != 0 || h.Uname != "" {
			t.Fatalf("%v, %v", h, err)
		}
		add(h.Name, r, h.FileInfo().Mode(), h.ModTime)
	}
}

// A wheel contains the program as a script of every system, and RECORD has the size and checksum of each file.
func TestWheels(t *testing.T) {
	for version, want := range map[string]string{"1.2.3": "1.2.3", "v1.2.0-rc1": "1.2.0rc1", "0.0.0-ci": "0.0.0+ci",
		"v1.2.3-4-gabc1234-dirty": "1.2.3+4.gabc1234.dirty", "12ab34": "0+12ab34"} {
		if got := pythonVersion(version); got != want {
			t.Errorf("version %s is %s, want %s", version, got, want)
		}
	}
	r := &release{version: "1.2.3", time: time.Unix(1_700_000_000, 0).UTC()}
	for _, target := range targets {
		w, err := r.wheel(target, entry{"thermsim", []byte(target), 0o755})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(w.name, "thermsim-1.2.3-py3-none-") || strings.Contains(w.name, "none-.") {
			t.Errorf("%s: %s", target, w.name)
		}
		files := map[string]entry{}
		for _, e := range unpack(t, "zip", w.data) {
			files[e.name] = e
		}
		program := files["thermsim-1.2.3.data/scripts/thermsim"]
		if string(program.data) != target || program.mode != 0o755 || files["thermsim/__init__.py"].data == nil {
			t.Errorf("%s: %+v", target, program)
		}
		rows := strings.Fields(string(files["thermsim-1.2.3.dist-info/RECORD"].data))
		if len(rows) != len(files) || rows[len(rows)-1] != "thermsim-1.2.3.dist-info/RECORD,," {
			t.Errorf("%s: %d of %d files in RECORD", target, len(rows), len(files))
		}
		for _, row := range rows[:len(rows)-1] {
			name, _, _ := strings.Cut(row, ",")
			sum := sha256.Sum256(files[name].data)
			if want := fmt.Sprintf("%s,sha256=%s,%d", name, base64.RawURLEncoding.EncodeToString(sum[:]),
				len(files[name].data)); row != want {
				t.Errorf("%s: %s, want %s", target, row, want)
			}
		}
	}
}

// The bill of materials has what Go wrote into the program, each with a line in the notices. The quick tier takes
// packages that the tests compiled already: without paths of this machine in them, as in a release, they would be
// compiled again.
func TestSBOM(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	r, err := newRelease("1.2.3", t.TempDir(), projectAddress)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(r.out, "thermsim.exe")
	if err := r.build(runtime.GOOS+"/"+runtime.GOARCH, program, testtier.Pick("-trimpath=false", "-trimpath")); err !=
		nil {
		t.Fatal(err)
	}
	said, err := exec.Command(program, "version").Output()
	if err != nil || strings.TrimSpace(string(said)) != "thermsim 1.2.3" {
		t.Errorf("version: %q, %v", said, err)
	}
	var b bytes.Buffer
	if err := r.writeSBOM(&b, program); err != nil {
		t.Fatal(err)
	}
	var got bill
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if got.Metadata.Timestamp != "2023-11-14T22:13:20Z" || len(got.Components) != len(info.Deps)+2 ||
		len(info.Deps) < 10 {
		t.Errorf("of %s, %d components of %d modules", got.Metadata.Timestamp, len(got.Components), len(info.Deps))
	}
	notices := strings.Join(strings.Fields(read(t, "THIRD_PARTY_NOTICES.txt")), " ")
	for i, d := range info.Deps {
		c := got.Components[i]
		if c.PURL != "pkg:golang/"+d.Path+"@"+d.Version ||
			!strings.Contains(notices, d.Path+" "+d.Version+" "+c.Licenses[0].Expression) {
			t.Errorf("%s %s is %+v, and the notices have no such line", d.Path, d.Version, c)
		}
	}
}

// The manifests name every archive and wheel of a release with the checksum of checksums.txt, and are valid YAML, JSON
// and Ruby. A release that lacks a target has none.
func TestManifests(t *testing.T) {
	r, err := newRelease("v1.2.0-rc1", t.TempDir(), "https://forge.example/me/thermsim")
	if err != nil {
		t.Fatal(err)
	}
	r.time = time.Unix(1_700_000_000, 0).UTC()
	var files []entry
	for _, target := range targets {
		folder, suffix := archiveName(r.version, target)
		files = append(files, entry{name: folder + suffix, data: []byte("archive " + target)},
			entry{name: wheelName(r.version, target), data: []byte("wheel " + target)})
	}
	sums, text := checksums(files)
	list, err := r.manifests(sums)
	if err != nil {
		t.Fatal(err)
	}
	const base = "https://forge.example/me/thermsim/releases/download/v1.2.0-rc1/"
	manifest := map[string]string{}
	for _, m := range list {
		manifest[path.Base(m.name)] = strings.Join(strings.Fields(string(m.data)), " ")
		var parsed any
		if strings.Contains(string(m.data), "OWNER") ||
			!strings.HasSuffix(m.name, ".rb") && yaml.Unmarshal(m.data, &parsed) != nil {
			t.Errorf("%s: invalid YAML, or with a placeholder:\n%s", m.name, m.data)
		}
	}
	for _, f := range files {
		sum := fmt.Sprintf("%x", sha256.Sum256(f.data))
		name, want := "thermsim.rb", fmt.Sprintf("url %q sha256 %q", base+f.name, sum)
		switch {
		case strings.HasSuffix(f.name, ".whl"):
			name, want = "recipe.yaml", "url: "+base+f.name+" sha256: "+sum
		case strings.HasSuffix(f.name, ".zip"):
			name = "thermsim.thermsim.installer.yaml"
			want = "InstallerUrl: " + base + f.name + " InstallerSha256: " + sum
		}
		if !strings.Contains(manifest[name], want) || !strings.Contains(string(text), sum+"  "+f.name+"\n") {
			t.Errorf("%s lacks %s, or checksums.txt:\n%s", name, want, manifest[name])
		}
	}
	for name, want := range map[string]string{
		"thermsim.rb":                      `version "1.2.0-rc1"`,
		"recipe.yaml":                      `version: "1.2.0rc1"`,
		"thermsim.thermsim.yaml":           `PackageVersion: "1.2.0-rc1"`,
		"thermsim.thermsim.installer.yaml": `ReleaseDate: "2023-11-14"`,
		"schemastore.json":                 "https://forge.example/me/thermsim/releases/latest/download/stack.",
	} {
		if !strings.Contains(manifest[name], want) {
			t.Errorf("%s lacks %s:\n%s", name, want, manifest[name])
		}
	}
	delete(sums, files[0].name)
	if _, err := r.manifests(sums); err == nil || !strings.Contains(err.Error(), files[0].name) {
		t.Errorf("without the first archive: %v", err)
	}
	if err := writeFiles(r.out, list); err != nil {
		t.Fatal(err)
	}
	if ruby, err := exec.LookPath("ruby"); err == nil {
		said, err := exec.Command(ruby, "-c", filepath.Join(r.out, "manifests/homebrew/thermsim.rb")).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, said)
		}
	}
}

// Versions and times that are not told are refused, not guessed.
func TestNewRelease(t *testing.T) {
	for _, c := range []struct{ version, epoch string }{{"1.0 beta", "0"}, {"-X", "0"}, {"1.0", "yesterday"},
		{"1.0", "-1"}} {
		t.Setenv("SOURCE_DATE_EPOCH", c.epoch)
		if _, err := newRelease(c.version, "out", projectAddress); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	if _, err := (&release{}).target("plan9/amd64", nil); err == nil ||
		!strings.Contains(err.Error(), "unknown target") {
		t.Error(err)
	}
}

// Tools that are fetched have a version each.
func TestPinned(t *testing.T) {
	tool := regexp.MustCompile(`[a-z0-9.-]+\.[a-z]+/[A-Za-z0-9./_-]+@([^\s"';]+)`)
	count := 0
	for _, file := range []string{"Makefile", ".ci/run", "tools/release/packages.go"} {
		for _, m := range tool.FindAllStringSubmatch(read(t, file), -1) {
			count++
			if !regexp.MustCompile(`^v\d+\.\d+\.\d+$`).MatchString(m[1]) {
				t.Errorf("%s: %s has no fixed version", file, m[0])
			}
		}
	}
	if count < 4 {
		t.Errorf("%d tools found", count)
	}
	if mod := read(t, "go.mod"); strings.Contains(mod, "replace ") {
		t.Error("go.mod replaces a module, which bills of materials do not show")
	}
}

// Every page that a help text names is in the archives, with the examples and the schemas.
func TestArchivesHaveWhatHelpsName(t *testing.T) {
	root, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	list, err := archivedFiles(root)
	if err != nil {
		t.Skip("no git: ", err)
	}
	have := map[string]bool{}
	for _, e := range list {
		have[e.name] = len(e.data) > 0
	}
	named := regexp.MustCompile(`\b(docs|examples|configs)/[\w./-]*\w\.(md|toml|json)\b`)
	sources, err := filepath.Glob(filepath.Join(root, "cmd/thermsim/*.go"))
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources", err)
	}
	names := []string{"examples/quickstart/stack.toml", "configs/summary.schema.json"}
	for _, path := range sources {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, named.FindAllString(string(text), -1)...)
	}
	if len(names) < 10 {
		t.Fatalf("only %d names", len(names))
	}
	for _, name := range names {
		if !have[name] {
			t.Errorf("%s is not in the archives", name)
		}
	}
}
