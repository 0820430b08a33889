package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A page that compares a generated figure with a paper gives the paper's figures behind it, as in "2.1 to 2.3 times
// (paper: 2 to 2.2)": a range, at most or at least a value, about a value, which is within 10 %, or "not quantified".
var (
	ofPaper  = regexp.MustCompile(`\(paper: ([^)]*)\)`)
	limits   = regexp.MustCompile(`^(at most |at least |about )?(` + number + `)(?: to (` + number + `))?(?: \w+)?$`)
	quantity = regexp.MustCompile(number)
)

const number = `-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?: (?:ms|us|s|%))?`

// valueOf reads a number with a unit of time, in seconds, or without.
func valueOf(text string) float64 {
	text, unit, _ := strings.Cut(strings.ReplaceAll(text, ",", ""), " ")
	v, _ := strconv.ParseFloat(text, 64)
	return v * map[string]float64{"ms": 1e-3, "us": 1e-6, "s": 1, "%": 1, "": 1}[unit]
}

// judged compares the figures of a text with those of the paper behind them. outside are those that the paper does not
// have, open those that no figures of the paper follow.
func judged(text string) (outside, open []string, compared int, err error) {
	at := 0
	for _, m := range ofPaper.FindAllStringSubmatchIndex(text, -1) {
		if text[m[2]:m[3]] == "not quantified" {
			at = m[1]
			continue
		}
		l := limits.FindStringSubmatch(text[m[2]:m[3]])
		if l == nil {
			return nil, nil, 0, fmt.Errorf("%q: expected A, A to B, at most A, at least A or about A", text[m[0]:m[1]])
		}
		low, high := valueOf(l[2]), valueOf(l[2])
		switch {
		case l[3] != "":
			high = valueOf(l[3])
		case l[1] == "at most ":
			low = -high
		case l[1] == "at least ":
			high = 1e300
		case l[1] == "about ":
			low, high = 0.9*low, 1.1*high
		}
		for _, shown := range inline.FindAllStringSubmatch(text[at:m[0]], -1) {
			for _, q := range quantity.FindAllString(shown[2], -1) {
				compared++
				if v := valueOf(q); v < low || v > high {
					outside = append(outside, q+" "+text[m[0]:m[1]])
				}
			}
		}
		at = m[1]
	}
	for _, shown := range inline.FindAllStringSubmatch(text[at:], -1) {
		open = append(open, shown[2])
	}
	return outside, open, compared, nil
}

// verdict returns what is wrong with a line of a page: a row of a paper's page, with a verdict in the second column, or
// text.
func verdict(line string) string {
	escaped := strings.ReplaceAll(line, `\|`, "\x00")
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(escaped, "|"), "|"), "|")
	same := strings.Contains(strings.ToLower(line), "as in the paper")
	claim := ""
	if strings.HasPrefix(line, "|") && len(cells) > 1 {
		word := strings.TrimSpace(cells[1])
		switch same = word == "as in the paper"; {
		case !same && word != "different" && word != "absent":
		case len(cells) != 4:
			return fmt.Sprintf("%d cells; expected the claim, the verdict, how, and where", len(cells))
		default:
			claim = strings.TrimSpace(cells[0])
		}
	}
	outside, open, compared, err := judged(line)
	switch {
	case err != nil:
		return err.Error()
	case same && len(outside) > 0:
		return fmt.Sprintf("as in the paper, but %q", outside)
	case same && len(open) > 0:
		return fmt.Sprintf("as in the paper, without the paper's figures behind %q", open)
	case same && claim != "" && inCells.MatchString(harmless.ReplaceAllString(claim, "")) && compared == 0:
		return "as in the paper, without a figure of thermsim"
	case !same && claim != "" && compared > 0 && len(outside) == 0:
		return "not as in the paper, but all figures are in its range"
	}
	return ""
}

// Where a page says "as in the paper", its figures are in the paper's range, and where it says otherwise, one is not.
func TestVerdicts(t *testing.T) {
	compared := 0
	for page := range checked {
		text, err := os.ReadFile(filepath.Join("../../docs/explanation", filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(marked.ReplaceAllString(string(text), "\n"), "\n") {
			if why := verdict(line); why != "" {
				t.Errorf("%s: %s:\n%s", page, why, line)
			}
			_, _, n, _ := judged(line)
			compared += n
		}
	}
	if compared < 40 {
		t.Errorf("%d figures are compared with a paper's; expected at least 40", compared)
	}
}

func TestVerdict(t *testing.T) {
	figure := func(shown string) string {
		return "<!-- figure f.json; a=b\\|c; {t:s} -->" + shown + "<!-- end of figure -->"
	}
	row := func(claim, word, how string) string { return "| " + claim + " | " + word + " | " + how + " | where |" }
	const same, other = "as in the paper", "different"
	for _, c := range [][2]string{
		{row("fast", same, figure("1.95 to 2.04")+" times (paper: 2 to 2.2)"), "but"},
		{row("fast", same, figure("2.05 to 2.20")+" times (paper: 2 to 2.2)"), ""},
		{row("fast", other, figure("1.95 to 2.04")+" times (paper: 2 to 2.2)"), ""},
		{row("fast", other, figure("2.05 to 2.20")+" times (paper: 2 to 2.2)"), "in its range"},
		{row("fast", same, figure("2.05")+" times"), "without the paper's"},
		{row("fast", other, figure("2.05")+" times"), ""},
		{row("fast", other, "see above | "), "5 cells"},
		{row("2 to 2.2 times", same, "a sentence"), "without a figure"},
		{row("3 `a 2 times`", same, "a sentence"), ""},
		{row("short", same, figure("3 ms")+" (paper: at most 0.012 s), "+figure("7 us")+" (paper: 7e-6 s)"), ""},
		{row("short", same, figure("13.6 ms")+" (paper: at most 0.012 s)"), "but"},
		{row("short", same, figure("93 % to 95 %")+" (paper: at least 90 %)"), ""},
		{row("short", same, figure("1185")+" (paper: about 1,192)"), ""},
		{row("short", same, figure("201")+" (paper: about 256)"), "but"},
		{row("short", same, figure("201")+" (paper: not quantified)"), ""},
		{row("short", same, figure("2")+" (paper: some)"), "expected A"},
		{"Two groups gain, as in the paper: " + figure("1.3 to 1.5") + " times (paper: 1.1 to 2.9).", ""},
		{"Two groups gain, as in the paper: " + figure("1.0") + " times (paper: 1.1 to 2.9).", "but"},
		{"The degree is 30, as in the paper.", ""},
	} {
		if got := verdict(c[0]); (got == "") != (c[1] == "") || !strings.Contains(got, c[1]) {
			t.Errorf("%s: %q, want %q", c[0], got, c[1])
		}
	}
}
