package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"thermsim/configs"
)

// rootFiles are the files of the root of the repository in every archive.
var rootFiles = []string{"CHANGELOG.md", "LICENSE", "README.md", "THIRD_PARTY_NOTICES.txt"}

// dist writes an archive, a bill of materials and a Python package for each target, for Linux also packages for Debian
// and Red Hat, the schema of stack files, and checksums.txt of all. With all targets it writes the manifests too.
func (r *release) dist(wanted []string) error {
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
	schema, err := configs.Draft4()
	if err != nil {
		return err
	}
	files := []entry{{"stack.schema.json", schema, 0o644}}
	for _, target := range wanted {
		list, err := r.target(target, slices.Concat(common, pages))
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		files = append(files, list...)
	}
	sums, text := checksums(files)
	files = append(files, entry{"checksums.txt", text, 0o644})
	if len(wanted) == len(targets) {
		list, err := r.manifests(sums)
		if err != nil {
			return err
		}
		files = append(files, list...)
	}
	return writeFiles(r.out, files)
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

// archiveName is the name of the archive of a target, which is that of the folder in it, and the suffix.
func archiveName(version, target string) (folder, suffix string) {
	folder = "thermsim_" + version + "_" + strings.ReplaceAll(target, "/", "_")
	if strings.HasPrefix(target, "windows/") {
		return folder, ".zip"
	}
	return folder, ".tar.gz"
}

// target makes the archive of a target, the bill of materials of the program in it, and the packages.
func (r *release) target(target string, common []entry) ([]entry, error) {
	if !slices.Contains(targets, target) {
		return nil, fmt.Errorf("unknown target; expected one of %s", strings.Join(targets, ", "))
	}
	dir, err := os.MkdirTemp("", "thermsim-dist")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	folder, suffix := archiveName(r.version, target)
	name, pack := "thermsim", tarGz
	if suffix == ".zip" {
		name, pack = "thermsim.exe", zipped
	}
	path := filepath.Join(dir, name)
	if err := r.build(target, path); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	program := entry{name, data, 0o755}
	var bill bytes.Buffer
	if err := r.writeSBOM(&bill, path); err != nil {
		return nil, err
	}
	contents := append(common, program)
	archive, err := pack(folder, r.time, contents)
	if err != nil {
		return nil, err
	}
	wheel, err := r.wheel(target, program)
	if err != nil {
		return nil, err
	}
	list := []entry{{folder + suffix, archive, 0o644}, {folder + ".cdx.json", bill.Bytes(), 0o644}, wheel}
	if strings.HasPrefix(target, "linux/") {
		packages, err := r.linuxPackages(target, contents)
		if err != nil {
			return nil, err
		}
		list = append(list, packages...)
	}
	return list, nil
}
