package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// platforms are the tags of wheels by target. The program for Linux needs glibc, so there is no tag for musl.
var platforms = map[string]string{
	"linux/amd64":   "manylinux_2_17_x86_64.manylinux2014_x86_64",
	"linux/arm64":   "manylinux_2_17_aarch64.manylinux2014_aarch64",
	"darwin/amd64":  "macosx_12_0_x86_64",
	"darwin/arm64":  "macosx_12_0_arm64",
	"windows/amd64": "win_amd64",
}

// wheelMetadata are the lines of METADATA before the version.
var wheelMetadata = []string{"Metadata-Version: 2.1", "Name: thermsim", "Summary: Thermal simulation of 3D ICs",
	"License: Apache-2.0", "License-File: LICENSE", "License-File: THIRD_PARTY_NOTICES.txt",
	"Requires-Python: >=3.10", "Requires-Dist: numpy", "Version: "}

// wheel makes the Python package of a target, with the program in it, as packaging.python.org specifies for binary
// distributions.
func (r *release) wheel(target string, program entry) (entry, error) {
	root, err := repository()
	if err != nil {
		return entry{}, err
	}
	version := pythonVersion(r.version)
	name := "thermsim-" + version
	about := "Wheel-Version: 1.0\nGenerator: thermsim tools/release\nRoot-Is-Purelib: false\n"
	for platform := range strings.SplitSeq(platforms[target], ".") {
		about += "Tag: py3-none-" + platform + "\n"
	}
	list := []entry{
		{name + ".data/scripts/" + program.name, program.data, 0o755},
		{name + ".dist-info/METADATA", []byte(strings.Join(wheelMetadata, "\n") + version + "\n"), 0o644},
		{name + ".dist-info/WHEEL", []byte(about), 0o644},
	}
	sources, err := fs.Glob(os.DirFS(root), "python/thermsim/*.*")
	if err != nil {
		return entry{}, err
	}
	for _, file := range append(sources, "LICENSE", "THIRD_PARTY_NOTICES.txt") {
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return entry{}, err
		}
		into, inside := strings.CutPrefix(file, "python/")
		if !inside {
			into = name + ".dist-info/" + file
		}
		list = append(list, entry{into, data, 0o644})
	}
	record := name + ".dist-info/RECORD"
	var b strings.Builder
	for _, e := range inOrder(list) {
		sum := sha256.Sum256(e.data)
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", e.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(e.data))
	}
	fmt.Fprintf(&b, "%s,,\n", record)
	data, err := zipped("", r.time, append(list, entry{record, []byte(b.String()), 0o644}))
	return entry{wheelName(r.version, target), data, 0o644}, err
}

func wheelName(version, target string) string {
	return fmt.Sprintf("thermsim-%s-py3-none-%s.whl", pythonVersion(version), platforms[target])
}

// numbers are the part of a version that Python orders by: numbers and a mark of early versions, as in 1.2.0-rc1.
var numbers = regexp.MustCompile(`^v?([0-9]+(?:\.[0-9]+)*)(-?(?:a|b|rc)[0-9]+)?(?:$|[.+~-])`)

// pythonVersion is a version in the form that Python requires (packaging.python.org, version specifiers). Text after
// the numbers becomes a local version, and a commit without a tag that of 0.
func pythonVersion(version string) string {
	public := "0"
	if n := numbers.FindStringSubmatch(version); n != nil {
		version = strings.TrimPrefix(strings.TrimPrefix(version, "v"), n[1]+n[2])
		public = n[1] + strings.TrimPrefix(n[2], "-")
	}
	words := strings.FieldsFunc(version, func(c rune) bool { return strings.ContainsRune(".+~-", c) })
	if len(words) == 0 {
		return public
	}
	return public + "+" + strings.ToLower(strings.Join(words, "."))
}
