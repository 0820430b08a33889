package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// rootFiles are the files of the root of the repository in every archive.
var rootFiles = []string{"CHANGELOG.md", "LICENSE", "README.md", "THIRD_PARTY_NOTICES.txt"}

// dist writes an archive, a bill of materials and a Python package for each target, and checksums.txt of all.
func (r *release) dist(targets []string) error {
	common, err := r.docs()
	if err != nil {
		return err
	}
	root, err := repository()
	if err != nil {
		return err
	}
	for _, name := range rootFiles {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		common = append(common, entry{name, data, 0o644})
	}
	pages, err := archivedFiles(root)
	if err != nil {
		return err
	}
	common = append(common, pages...)
	if err := os.MkdirAll(r.out, 0o777); err != nil {
		return err
	}
	var sums []string
	for _, target := range targets {
		files, err := r.target(target, common)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(r.out, f.name), f.data, 0o666); err != nil {
				return err
			}
			sums = append(sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(f.data), f.name))
		}
	}
	slices.SortFunc(sums, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return os.WriteFile(filepath.Join(r.out, "checksums.txt"), []byte(strings.Join(sums, "")), 0o666)
}

// archived are the folders whose files are in every archive: what help texts and pages refer to.
var archived = []string{"configs", "docs/README.md", "docs/explanation", "docs/guides", "docs/images",
	"docs/measurements", "docs/reference", "docs/tutorial", "examples"}

// archivedFiles reads the files in these folders, except for Go code and the outputs of runs.
func archivedFiles(root string) (list []entry, err error) {
	tree := os.DirFS(root)
	for _, folder := range archived {
		err = fs.WalkDir(tree, folder, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && strings.HasPrefix(d.Name(), "thermsim-"):
				return fs.SkipDir
			case d.IsDir() || strings.HasSuffix(name, ".go"):
				return nil
			}
			data, err := fs.ReadFile(tree, name)
			list = append(list, entry{name, data, 0o644})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// target makes the archive of a target, the bill of materials of the program in it, and the Python package.
func (r *release) target(target string, common []entry) ([]entry, error) {
	system, arch, ok := strings.Cut(target, "/")
	if !ok || !slices.Contains(targets, target) {
		return nil, fmt.Errorf("unknown target; expected one of %s", strings.Join(targets, ", "))
	}
	dir, err := os.MkdirTemp("", "thermsim-dist")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name, pack, suffix := "thermsim", tarGz, ".tar.gz"
	if system == "windows" {
		name, pack, suffix = "thermsim.exe", zipped, ".zip"
	}
	program := filepath.Join(dir, name)
	if err := r.build(target, program); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	var bill bytes.Buffer
	if err := r.writeSBOM(&bill, program); err != nil {
		return nil, err
	}
	full := fmt.Sprintf("thermsim_%s_%s_%s", r.version, system, arch)
	archive, err := pack(full, r.time, append([]entry{{name, data, 0o755}}, common...))
	if err != nil {
		return nil, err
	}
	wheel, err := r.wheel(target, entry{name, data, 0o755})
	if err != nil {
		return nil, err
	}
	return []entry{{full + suffix, archive, 0o644}, {full + ".cdx.json", bill.Bytes(), 0o644}, wheel}, nil
}
