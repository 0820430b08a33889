package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// checked are the pages whose measured figures all come from files, with what may stand in them all the same: the
// papers' own figures, and numbers that are no measurements.
var checked = map[string][]string{
	"../reference/bench.md": {"1000 W/(m2 K)", "100,000 W/(m2 K)", "0.01 s, about half", "0.1 s, about a fiftieth",
		"(5.4 s)"},
	"chebyshev.md":         nil,
	"cmg.md":               nil,
	"ddilu.md":             nil,
	"ilu.md":               {"12 and 45 ms on an A100"},
	"papers.md":            nil,
	"parac.md":             {"nominally 4.8 TB/s"},
	"papers/block-ildu.md": nil,
	"papers/cmg.md":        nil,
	"papers/cuth.md": {"raised by 5 %", "up to 20 times the iterations", "34 times one of IC(0) in the " +
		"paper's Table IV"},
	"papers/parac.md":     {"the paper's machine 2.61 s and 16.7 s with AMD"},
	"papers/structilu.md": {"within 15 % of its 23"},
}

var (
	marked    = regexp.MustCompile(`(?s)\n<!-- figures .*?<!-- end of figures -->`)
	harmless  = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)|\\(paper: [^)]*\\)")
	inCells   = regexp.MustCompile(`\d ?(ms|us|ns|s|TB/s|GB/s|%|times|iterations|K)\b|\d %`)
	inText    = regexp.MustCompile(`\d ?(ms|us|TB/s|GB/s)\b`)
	bareCells = regexp.MustCompile(`\|( *[\d.,]+ *\|){3}`)
)

// byHand finds lines with figures that come from no file: cells with a unit of what is measured, three cells of numbers
// beside each other, and times and rates in text. In pages that go through a paper the first column is the paper's.
func byHand(text string, ofPaper bool, allowed []string) []string {
	text = marked.ReplaceAllString(text, "\n")
	text = inline.ReplaceAllString(text, "")
	var found []string
	for line := range strings.SplitSeq(text, "\n") {
		shown := harmless.ReplaceAllString(line, "")
		for _, a := range allowed {
			shown = strings.ReplaceAll(shown, a, "")
		}
		if !strings.HasPrefix(line, "|") {
			if inText.MatchString(shown) {
				found = append(found, line)
			}
			continue
		}
		if _, rest, ok := strings.Cut(shown[1:], "|"); ok && ofPaper {
			shown = "|" + rest
		}
		if inCells.MatchString(shown) || bareCells.MatchString(shown) {
			found = append(found, line)
		}
	}
	return found
}

func TestNoFigureByHand(t *testing.T) {
	for page, allowed := range checked {
		text, err := os.ReadFile(filepath.Join("../../docs/explanation", filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range byHand(string(text), strings.HasPrefix(page, "papers/"), allowed) {
			t.Errorf("%s has a figure that comes from no file of docs/measurements; make it by a mark "+
				"(tools/figures), or allow it in this test:\n%s", page, line)
		}
	}
}

func TestByHand(t *testing.T) {
	for text, want := range map[string]int{
		"a solve takes 3 ms\n":    1,
		"a solve of `3 ms`\n":     0,
		"| a | 3 ms |\n":          1,
		"| 3 ms | a |\n":          1,
		"| a | 1 | 2.5 | 3,000 |": 1,
		"| degree | 30 | 40 |":    0,
		"text <!-- figure f.json; ; {t:s} -->3 ms<!-- end of figure -->\n":                           0,
		"\n<!-- figures f.json\ncolumns: t = {t:s}\n-->\n\n| t |\n| 3 ms |\n\n" + markEnd + "\n2 us": 1,
		"it is raised by 3 us, as it should\n":                                                       0,
	} {
		if got := byHand(text, false, []string{"raised by 3 us"}); len(got) != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := byHand("| 3 times as fast | as in the paper |\n| slower | 2 times |\n", true, nil); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
