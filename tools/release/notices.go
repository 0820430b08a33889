package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const noticesHead = `Third-party notices

thermsim is licensed under the Apache License, Version 2.0 (LICENSE). Programs built from it contain parts of the Go distribution and of the modules and
libraries below, under their own licenses, which follow. Names of licenses are those of SPDX; all are permissive. Made by: make notices

Portions of this software are copyright The FreeType Project (www.freetype.org). All rights reserved. Of the two licenses that Freetype-Go offers, the
FreeType License applies here.

`

const noticesRule = "================================================================================\n"

// writeNotices writes the licenses of all dependencies of thermsim, on all targets.
func writeNotices(w io.Writer) error {
	modules, err := modulesOf(targets)
	if err != nil {
		return err
	}
	root, err := repository()
	if err != nil {
		return err
	}
	modules = append(modules, twgl(root))
	b := bufio.NewWriter(w)
	b.WriteString(noticesHead)
	licenses := make([][]license, len(modules))
	for i, m := range modules {
		if licenses[i], err = licensesOf(m); err != nil {
			return err
		}
		fmt.Fprintf(b, "%-38s %-36s %s\n", m.Path, m.Version, expression(licenses[i]))
	}
	fmt.Fprintf(b, "%-38s %-36s %s\n\n", "The Go distribution", "", "BSD-3-Clause")
	for i, m := range modules {
		fmt.Fprintf(b, "%s%s %s\n", noticesRule, m.Path, m.Version)
		writeLicenses(b, licenses[i])
	}
	text, err := goLicense()
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "%sThe Go distribution\n", noticesRule)
	writeLicenses(b, []license{{name: "LICENSE", text: text}})
	return b.Flush()
}

// twgl is the library for WebGL that report.html contains.
func twgl(root string) *module {
	return &module{Path: "twgl.js", Version: "7.0.0", Dir: filepath.Join(root, "report", "webpage", "twgl")}
}

func writeLicenses(w io.Writer, list []license) {
	for _, l := range list {
		if len(list) > 1 {
			fmt.Fprintf(w, "\n--- %s\n", l.name)
		}
		fmt.Fprintf(w, "\n%s\n", strings.TrimRight(strings.ReplaceAll(l.text, "\r\n", "\n"), "\n"))
	}
	io.WriteString(w, "\n")
}

// goLicense is that of the Go distribution.
func goLicense() (string, error) {
	root, err := output(exec.Command("go", "env", "GOROOT"))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
	return string(text), err
}
