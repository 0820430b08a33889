// Command figures updates the tables of Markdown pages that are generated from measurements:
//
//	<!-- figures measurements/NAME.json
//	at: tables[name=steady].rows
//	rows: method=parac|cmg device=gpu
//	by: case
//	above: {gpu}, commit {commit}.
//	columns: case = {case} | unknowns = {unknowns:d} | times = {solve_s[threads=1]/solve_s[threads=16]:2}
//	-->
//	the table, which is generated
//	<!-- end of figures -->
//
// The file is relative to docs. at is the path of an array of rows, by default "rows"; "." is the whole file. rows
// selects those whose fields have the given values, with | between alternatives and quotation marks around spaces.
// above is text over the table, with fields of the file. columns may continue on the next lines, each beginning with |.
//
// A template contains {expression:format}. An expression has numbers and fields of the row, with + - * and / between,
// from left to right; .field is a field of the file. field[name=value,...] is the field of the only row of the table
// with these values. With by, rows with the same value are one line, field is that of the first of them, and brackets
// choose among them. field? makes the placeholder empty if the field or the row is missing, or if it is zero and a
// divisor; without the question mark that is an error. field?0 is zero if it is missing.
//
// Formats: none, as in the file; s, seconds in a suitable unit; ms, the same for milliseconds; 1, 2, 3, significant
// digits; .0, .1, ..., decimals; d, thousands separators; M, millions; e, an exponent; %, percent. A unit may follow
// after a space.
//
// <!-- figure file; rows; template --> generates a figure within a line, which <!-- end of figure --> ends. at=path and
// by=field may be among the rows. {least expression:format} and {most expression:format} are the least and the greatest
// value of all lines; lines without an optional value are omitted. {range expression:format} is both, or one if they
// have the same text. {each expression} lists all different values; with the format hash commits are shortened.
//
// Before the pages it updates measurements/cuth-ranking.json, which compares the ranks of methods in bench-h200.json
// with those of the CUTh-Solver paper.
//
// The tests of this package compare the pages with the output of this program, so a figure that is not in its file
// fails.
package main

//go:generate go run . ../..

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := renewAll(root); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// pagesOf lists the pages of the repository that may contain such tables.
func pagesOf(root string) ([]string, error) {
	var all []string
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md", "docs/explanation/papers/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.Sort(all)
	return all, nil
}

// renewPage updates tables and figures within lines.
func renewPage(dir, text string) (string, error) {
	renewed, err := renew(dir, text)
	if err != nil {
		return "", err
	}
	return renewInline(dir, renewed)
}

func renewAll(root string) error {
	if err := renewRanking(filepath.Join(root, "docs", "measurements")); err != nil {
		return err
	}
	pages, err := pagesOf(root)
	if err != nil {
		return err
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		renewed, err := renewPage(filepath.Join(root, "docs"), string(text))
		if err != nil {
			return fmt.Errorf("%s:%w", page, err)
		}
		if renewed != string(text) {
			if err := os.WriteFile(page, []byte(renewed), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
