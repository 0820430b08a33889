package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"

	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/inputfile"
	"thermsim/interop/eda"
	"thermsim/interop/importer"
	"thermsim/mesh/plausibility"
)

// Kinds of files that import recognizes, in addition to the main files of flags.Formats.
const (
	kindDEF       = "DEF"
	kindLEF       = "LEF"
	kindPlacement = "placement"
	kindPower     = "power report"
)

// importKinds are expressions that texts of a kind match; the first match counts.
var importKinds = []struct {
	name string
	text *regexp.Regexp
}{
	{"ecxml", regexp.MustCompile(`(?i)<\s*neutralXML\b`)},
	{"3dice", regexp.MustCompile(`(?m)^\s*(material\s+\S+|layer\s+\S+|die\s+\S+|stack|dimensions|top heat sink)\s*:`)},
	{"hotspot", regexp.MustCompile(`(?m)^\s*-[a-z]\w+[ \t]+[^\s-]`)},
	{kindDEF, regexp.MustCompile(`(?m)^\s*(DESIGN|DIEAREA|COMPONENTS)\s`)},
	{kindLEF, regexp.MustCompile(`(?m)^\s*(MACRO|LAYER|SITE|VIA|MANUFACTURINGGRID)\s|^\s*DATABASE\s+MICRONS\s`)},
	{kindPlacement, regexp.MustCompile(`^(#.*\n|\s)*("?\w+\b[^,\n]*,)*"?(width|height)\b`)},
	{kindPower, regexp.MustCompile(`(?i)\b(internal|switching|leakage)\b`)},
}

// edaScope is what becomes of the files of 'import eda', which is no format of projects.
var edaScope = importer.Format{Name: "eda", Title: "DEF, LEF and power reports", Files: "a placement (.def) with the " +
	"sizes of its cells (.lef), or cells in CSV, and a power report of all instances",
	Scope: importer.Scope{
		Carried:    "the die area, placed components, sizes of macros, power of every instance as a power map",
		NotCarried: "nets, pins and routing, power without a location (with --unplaced spread, it is distributed)",
		Refused:    "power without a location, cells without a size",
	}}

// listFormats prints the formats with what becomes of their parts.
func listFormats(c *terminal.Console) {
	for _, f := range append(flags.Formats(), &edaScope) {
		fmt.Fprintf(c.Stdout, "%s  %s\n", f.Name, f.Title)
		for _, row := range [][2]string{
			{"files", f.Files}, {"carried over", f.Scope.Carried}, {"not carried over", f.Scope.NotCarried},
			{"refused", f.Scope.Refused},
		} {
			for i, line := range plausibility.Fold(row[1], c.Style.Width-20) {
				if i > 0 {
					row[0] = ""
				}
				fmt.Fprintf(c.Stdout, "  %-16s  %s\n", row[0], line)
			}
		}
	}
}

// kindOf recognizes a file by its extension or else by the beginning of its text; "" if it cannot.
func kindOf(path string) string {
	if f := flags.FormatOf(path); f != nil {
		return f.Name
	}
	const most = 1 << 18
	f, err := inputfile.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if magic, _ := r.(*bufio.Reader).Peek(2); string(magic) == "\x1f\x8b" {
		if r, err = inputfile.Unpack(r); err != nil {
			return ""
		}
	}
	text, _ := io.ReadAll(io.LimitReader(r, most)) // of a file that cannot be read, its reader will complain
	for _, k := range importKinds {
		if k.text.Match(text) {
			return k.name
		}
	}
	return ""
}

// mainOf finds the main file among those of a project, and puts it first.
func mainOf(files []string) (*importer.Format, []string) {
	for _, f := range slices.Backward(flags.Formats()) { // PACT's projects contain .config files as well
		for i, path := range files {
			if f.Name == kindOf(path) {
				return f, append(append([]string{path}, files[:i]...), files[i+1:]...)
			}
		}
	}
	return nil, files
}

// sortEDA assigns files to the inputs of an EDA import by their kinds, and returns the first of no such kind.
func sortEDA(q *eda.Request, files []string) (unknown string) {
	for _, path := range files {
		switch kind := kindOf(path); {
		case kind == kindLEF:
			q.LEF = append(q.LEF, path)
		case kind == kindDEF && q.DEF == "":
			q.DEF = path
		case kind == kindPlacement && q.Placement == "":
			q.Placement = path
		case kind == kindPower && q.Power == "":
			q.Power = path
		case unknown == "":
			unknown = path
		}
	}
	return unknown
}
