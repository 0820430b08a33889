// Command figures renews the tables of Markdown pages that are made from measurements:
//
//	<!-- figures measurements/NAME.json
//	at: tables[name=steady].rows
//	rows: method=parac|cmg device=gpu
//	by: case
//	above: {gpu}, commit {commit}.
//	columns: case = {case} | unknowns = {unknowns:d} | times = {solve_s[threads=1]/solve_s[threads=16]:2}
//	-->
//	the table, which is renewed
//	<!-- end of figures -->
//
// The file is relative to docs. at leads to an array of rows, by default "rows"; "." is the whole file. rows takes
// those whose fields have these values, with | between alternatives and "..." around what has spaces. above is text
// over the table, made of fields of the file. columns may go on in the lines below, each beginning with |.
//
// A template holds {EXPRESSION:FORMAT}. An expression is made of numbers and fields of the row, with + - * and /
// between, from left to right; .FIELD is a field of the file. FIELD[NAME=VALUE,...] is the field of the one row of the
// table that has these values. With by, rows of one value are one line, FIELD is that of the first of them, and
// brackets choose among them. Where FIELD? is missing, there is no such row, or it is zero and divides, the placeholder
// is empty; without the question mark that is an error. FIELD?0 is zero where it is missing.
//
// Formats: none, as it stands in the file; s, seconds in a fitting unit; ms, the same of milliseconds; 1, 2, 3, so many
// significant figures; .0, .1 ..., so many decimals; d, thousands apart; M, millions; e, an exponent; %, percent. A
// unit may follow, with a space between.
//
// Figures within a line are made by <!-- figure FILE; ROWS; TEMPLATE -->, with <!-- end of figure --> behind them.
// at=PATH and by=FIELD may stand among the rows. There {least EXPRESSION:FORMAT} and {most EXPRESSION:FORMAT} take the
// least and the most over all lines, those without a value left out if it is optional, and {range EXPRESSION:FORMAT} is
// both, one where they read the same.
//
// Before the pages it renews measurements/cuth-ranking.json, which ranks the methods of bench-h200.json next to the
// CUTh-Solver paper's.
//
// The tests of this package compare the pages with what this program makes, so a figure that is not in its file fails.
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

// pagesOf lists the pages of the repository that may hold such tables.
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

// renewPage makes tables and figures within lines anew.
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
