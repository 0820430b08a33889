package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every table of a page that is made from measurements shows what they hold.
func TestPages(t *testing.T) {
	pages, err := pagesOf("../..")
	if err != nil || len(pages) < 40 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	tables := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		renewed, err := renewPage("../../docs", string(text))
		if err != nil {
			t.Errorf("%s:%v", page, err)
		} else if renewed != string(text) {
			t.Errorf("%s is not what docs/measurements makes: run go generate ./tools/figures", page)
		}
		tables += strings.Count(string(text), "\n"+markBegin)
	}
	t.Logf("%d tables", tables)
}

const example = `{"gpu": "G", "copy": 2, "rows": [
 {"case": "a b", "n": 14348907, "t": 0.46, "threads": 1, "more": {"it": 27}}, {"case": "a b", "n": 14348907, "t": 0.02, "threads": 16, "more": {"it": 27}},
 {"case": "c", "n": 5000, "t": 12.34, "threads": 1, "note": "x|y"}, {"case": "d", "n": 1, "t": 1, "threads": 3, "zero": 0}],
 "tables": [{"name": "one", "rows": []}, {"name": "two", "rows": [{"case": "e", "t": 1e-5}]}]}`

func page(mark string) string {
	return "a\n<!-- figures f.json\n" + mark + "\n-->\nold\n" + markEnd + "\nz\n"
}

func TestTables(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.json"), []byte(example), 0o644); err != nil {
		t.Fatal(err)
	}
	for mark, want := range map[string]string{
		"rows: case=\"a b\"|c threads=1\nabove: On {gpu}.\ncolumns: case = {case} | unknowns = {n:d}, {n:M}\n| time " +
			"= {t:s} | it = {more.it?} | copy = {.copy*t/2:2}": "" +
			"On G.\n\n| case | unknowns | time | it | copy |\n|---|---|---|---|---|\n| a b | 14,348,907, 14.3 M | " +
			"460 ms | 27 | 0.46 |\n| c | 5,000, 0.00500 M | 12.3 s |  | 12 |\n",
		"rows: case=\"a b\"\nby: case\ncolumns: case = {case} | times = {t[threads=1]/t[threads=16]:2} | none = " +
			"{t[threads=2]?:s}{t[case=a:b]?}": "" +
			"| case | times | none |\n|---|---|---|\n| a b | 23 |  |\n",
		"at: tables[name=two].rows\ncolumns: t = {t:s}, {t:e}, " +
			"{t*1e5:.1}, {t*1e4:%}": "| t |\n|---|\n| 10.0 us, 1.0e-05, 1.0, 10 % |\n",
		"rows: case=\"a b\"\ncolumns: t = {threads} | x = " +
			"{t[threads=1]/t:.1}": "| t | x |\n|---|---|\n| 1 | 1.0 |\n| 16 | 23.0 |\n",
		"rows: case=d\ncolumns: a = {t*0:.1 W}{t-more.it?0:1} | b = {t/zero?:.0 B} | c = " +
			"{t/more.it?:.0 B}": "| a | b | c |\n|---|---|---|\n| 0.0 W1 |  |  |\n",
		"rows: case=c\ncolumns: note = {note} " +
			"{t*1000:ms}": "| note |\n|---|\n| x\\|y 12.3 s |\n",
	} {
		got, err := renew(dir, page(mark))
		if err != nil {
			t.Errorf("%s: %v", mark, err)
			continue
		}
		if whole := "a\n<!-- figures f.json\n" + mark + "\n-->\n\n" + want + "\n" + markEnd + "\nz\n"; got != whole {
			t.Errorf("%s gives\n%s", mark, got)
		}
		if again, err := renew(dir, got); err != nil || again != got {
			t.Errorf("a second time: %v\n%s", err, again)
		}
	}
}

func TestFiguresInLines(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.json"), []byte(example), 0o644); err != nil {
		t.Fatal(err)
	}
	const text = "| it is <!-- figure f.json; case=\"a b\"; {t[threads=1]/t[threads=16]:2} -->%s<!-- end of figure " +
		"--> times, <!-- figure f.json; case=c; {t:s} -->%s<!-- end of figure --> |\n"
	got, err := renewPage(dir, fmt.Sprintf(text, "22", ""))
	if want := fmt.Sprintf(text, "23", "12.3 s"); err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	for mark, want := range map[string]string{"f.json; case=c": "expected file; rows; template",
		"f.json; case=q; {t}": "no row",
		"f.json; ; {speed}":   "2: f.json; ; {speed}"} {
		if _, err := renewPage(dir, "\n<!-- figure "+mark+" -->1<!-- end of figure -->\n"); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", mark, err)
		}
	}
}

func TestLeastAndMost(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.json"), []byte(example), 0o644); err != nil {
		t.Fatal(err)
	}
	for mark, want := range map[string]string{
		"f.json; threads=1|3; {least t:2} to {most t:s}":                      "0.46 to 12.3 s",
		"f.json; by=case; {least t[threads=1]?/t[threads=16]?:2}":             "23",
		"f.json; by=case; {most t[threads=1]?:2} {most n[threads=16]?/1e6:M}": "12 0.0000143 M",
		"f.json; ; {each case}, {each case:hash}":                             "a b, c, d, a b, c, d",
		"f.json; threads=1|3; {range t:.1}, {range t*0:2}":                    "0.5 to 12.3, 0",
		"f.json; at=tables[name=two].rows; {most t:e}":                        "1.0e-05",
	} {
		if got, err := inlineText(dir, mark); err != nil || got != want {
			t.Errorf("%s: %q, %v", mark, got, err)
		}
	}
	for mark, want := range map[string]string{"f.json; by=case; {least t[threads=2]?:2}": "no line has",
		"f.json; by=case; {least t[threads=2]:2}": "0 rows", "f.json; ; {most case:2}": "not a number"} {
		if got, err := inlineText(dir, mark); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", mark, got, err)
		}
	}
}

func TestFaultsOfMarks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.json"), []byte(example), 0o644); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		page("columns: a"):                                          "2: column",
		page("rows: case=q\ncolumns: a = {case}"):                   "2: f.json: no row matches",
		page("rows: case\ncolumns: a = {case}"):                     "NAME=VALUE",
		page("columns: a = {speed:s}"):                              "speed has no value",
		page("columns: a = {case:s}"):                               "not a number",
		page("columns: a = {t:q}"):                                  "not a format",
		page("columns: a = {t%2:s}"):                                "expected + - * or /",
		page("columns: a = {t/0:s}"):                                "Inf",
		page("at: nowhere\ncolumns: a = {t}"):                       "no array",
		page("at: tables[name=3].rows\ncolumns: a = {t}"):           "no element matches",
		page("by: case\ncolumns: a = {t[threads=99]}"):              "0 rows of",
		page("colour: red\ncolumns: a = {t}"):                       "expected at, by",
		"a\n<!-- figures g.json\ncolumns: a = {b}\n-->\n" + markEnd: "g.json",
		"a\n<!-- figures f.json\ncolumns: a = {b}\n-->\n":           "no line",
		"a\n" + markEnd:                                             "has no beginning",
	} {
		if got, err := renew(dir, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s\n%s", text, err, want, got)
		}
	}
}
