package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	notInSlugs = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	statusRow  = regexp.MustCompile(`(?m)^(?:\|| ) *(\d+) +(?:\||[a-z])`)
)

// Links between the pages lead to files and headings that exist.
func TestLinksOfDocs(t *testing.T) {
	root := filepath.FromSlash("../..")
	var pages []string
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/decisions/*.md", "examples/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	for _, page := range pages {
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
	if len(pages) < 40 {
		t.Errorf("%d pages found", len(pages))
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

// The README lists the exit statuses that the help of the commands lists.
func TestExitStatusesOfReadme(t *testing.T) {
	_, table, _ := strings.Cut(readPage(t, "../../README.md"), "### Exit statuses\n")
	table, _, _ = strings.Cut(table, "\n\nA folder")
	var listed [2][]string
	for i, text := range []string{table, exitHelp} {
		for _, m := range statusRow.FindAllStringSubmatch(text, -1) {
			listed[i] = append(listed[i], m[1])
		}
	}
	if a, b := strings.Join(listed[0], " "), strings.Join(listed[1], " "); a != b || len(listed[0]) != 9 {
		t.Errorf("the README lists %s, the help %s", a, b)
	}
}
