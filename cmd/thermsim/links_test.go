package main

import (
	"html"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"thermsim/cmd/thermsim/exit"
	"thermsim/internal/testtier"
)

var (
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	notInSlugs = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	address    = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	goName     = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)`)
	statusRow  = regexp.MustCompile(`(?m)^(?:\|| ) *(\d+) +(?:\||[a-z])`)
)

// Links between the pages lead to files and headings that exist.
func TestLinksOfDocs(t *testing.T) {
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(readPage(t, page), ""), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(file))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s leads nowhere", page, m[1])
			} else if anchor != "" && strings.HasSuffix(target, ".md") && !anchors(t, target)[anchor] {
				t.Errorf("%s: %s leads to no heading", page, m[1])
			}
		}
	}
}

func readPage(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// anchors are the headings of a page as links name them.
func anchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(readPage(t, page), -1) {
		out[strings.ReplaceAll(notInSlugs.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return out
}

// Links of the documentation site lead to files and elements that exist.
func TestLinksOfSite(t *testing.T) {
	if !testtier.Pick(false, true) {
		t.Skip("Hugo takes minutes to compile")
	}
	build := exec.Command("make", "docs")
	build.Dir = "../.."
	if text, err := build.CombinedOutput(); err != nil || strings.Contains(string(text), "WARN") {
		t.Fatalf("%v\n%s", err, text)
	}
	files := map[string]string{}
	err := filepath.WalkDir("../../bin/docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path] = ""
			if filepath.Ext(path) == ".html" {
				files[path] = readPage(t, path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for page, text := range files {
		for _, m := range address.FindAllStringSubmatch(text, -1) {
			to, err := url.Parse(html.UnescapeString(m[1]))
			if err != nil || to.IsAbs() {
				continue
			}
			links++
			target := page
			if to.Path != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(to.Path))
			}
			if there, ok := files[target]; !ok {
				t.Errorf("%s: %s leads nowhere", page, m[1])
			} else if to.Fragment != "" && !strings.Contains(there, `id="`+html.EscapeString(to.Fragment)+`"`) {
				t.Errorf("%s: %s leads to no element", page, m[1])
			}
		}
	}
	if len(files) < 100 || links < 1000 {
		t.Errorf("%d files and %d links", len(files), links)
	}
}

// What blocks of Go name exists.
func TestNamesInGoBlocks(t *testing.T) {
	packages := map[string]string{} // the source of all packages of a name
	for _, pattern := range []string{"*", "*/*", "*/*/*"} {
		files, err := filepath.Glob(filepath.Join("../..", filepath.FromSlash(pattern), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			packages[filepath.Base(filepath.Dir(f))] += readPage(t, f)
		}
	}
	found := 0
	for _, page := range pages(t) {
		for _, b := range fence.FindAllStringSubmatch(readPage(t, page), -1) {
			for _, m := range goName.FindAllStringSubmatch(b[3], -1) {
				if source, ours := packages[m[1]]; ours && b[1] == "go" {
					found++
					if !regexp.MustCompile(`(?m)^(func|type) ` + m[2] + `\b`).MatchString(source) {
						t.Errorf("%s: no %s", page, m[0])
					}
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("%d names found", found)
	}
}

// The page on exit statuses lists those that the help of the commands lists.
func TestExitStatusesOfPage(t *testing.T) {
	_, table, _ := strings.Cut(readPage(t, "../../docs/reference/exit-status.md"), "## Exit statuses\n")
	table, _, _ = strings.Cut(table, "\n\nA folder")
	var listed [2][]string
	for i, text := range []string{table, exit.OfRuns[exit.HelpKey]} {
		for _, m := range statusRow.FindAllStringSubmatch(text, -1) {
			listed[i] = append(listed[i], m[1])
		}
	}
	if a, b := strings.Join(listed[0], " "), strings.Join(listed[1], " "); a != b || len(listed[0]) != 9 {
		t.Errorf("the page lists %s, the help %s", a, b)
	}
}

var (
	namedFile = regexp.MustCompile("`((?:bench|cmd|docs|examples|gpusolve|mesh|tools)/[^` :]+)`")
	verdicts  = map[string]bool{"as in the paper": true, "different": true, "absent": true}
)

// The pages on papers: each row has a verdict, a reason where it is another than the paper's, and what is here leads to
// a file. Files that are named exist.
func TestPapers(t *testing.T) {
	pages, err := filepath.Glob("../../docs/explanation/papers/*.md")
	if err != nil || len(pages) != 5 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range append(pages, "../../docs/explanation/papers.md") {
		text := readPage(t, page)
		for _, m := range namedFile.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join("../..", filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s: there is no %s", page, m[1])
			}
		}
		inTable := false
		for line := range strings.Lines(text) {
			cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), `\|`, ""), "|")
			switch {
			case strings.HasPrefix(line, "| in the paper |"):
				inTable = true
			case !strings.HasPrefix(line, "|"):
				inTable = false
			case !inTable || strings.HasPrefix(line, "|---"):
			case len(cells) != 6:
				t.Errorf("%s: %d cells, not 4: %s", page, len(cells)-2, line)
			default:
				verdict, why, where := strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3]), cells[4]
				if !verdicts[verdict] {
					t.Errorf("%s: %q is no verdict: %s", page, verdict, line)
				}
				if verdict != "as in the paper" && why == "" {
					t.Errorf("%s: no reason: %s", page, line)
				}
				if verdict != "absent" && !link.MatchString(where) {
					t.Errorf("%s: the last column leads to no file: %s", page, line)
				}
			}
		}
	}
}
