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

thermsim is licensed under the Apache License, Version 2.0 (LICENSE). Programs built from it hold parts of the Go distribution and of the modules below,
under their own licences, which follow. Names of licences are those of SPDX; all are permissive. Made by: make notices

Portions of this software are copyright The FreeType Project (www.freetype.org). All rights reserved. Of the two licences that Freetype-Go offers, the
FreeType License applies here.

`

const noticesRule = "================================================================================\n"

// writeNotices writes the licences of all that thermsim is built from, on any target.
func writeNotices(w io.Writer) error {
	modules, err := modulesOf(targets)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	b.WriteString(noticesHead)
	licences := make([][]licence, len(modules))
	for i, m := range modules {
		if licences[i], err = licencesOf(m); err != nil {
			return err
		}
		fmt.Fprintf(b, "%-38s %-36s %s\n", m.Path, m.Version, expression(licences[i]))
	}
	fmt.Fprintf(b, "%-38s %-36s %s\n\n", "The Go distribution", "", "BSD-3-Clause")
	for i, m := range modules {
		fmt.Fprintf(b, "%s%s %s\n", noticesRule, m.Path, m.Version)
		writeLicences(b, licences[i])
	}
	text, err := goLicence()
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "%sThe Go distribution\n", noticesRule)
	writeLicences(b, []licence{{name: "LICENSE", text: text}})
	return b.Flush()
}

func writeLicences(w io.Writer, list []licence) {
	for _, l := range list {
		if len(list) > 1 {
			fmt.Fprintf(w, "\n--- %s\n", l.name)
		}
		fmt.Fprintf(w, "\n%s\n", strings.TrimRight(strings.ReplaceAll(l.text, "\r\n", "\n"), "\n"))
	}
	io.WriteString(w, "\n")
}

// goLicence is that of the Go distribution.
func goLicence() (string, error) {
	root, err := output(exec.Command("go", "env", "GOROOT"))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
	return string(text), err
}
