package stackfile

import (
	"os"
	"regexp"
	"testing"
)

// The example of the reference must load, with the files it shows.
func TestDocumentedExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/stack-format.md")
	if err != nil {
		t.Fatal(err)
	}
	f := files{}
	for _, m := range regexp.MustCompile("(?s)`(logic[.a-z]+)`:\n\n```text\n(.*?)```").FindAllStringSubmatch(
		string(page), -1) {
		f[m[1]] = m[2]
	}
	example := regexp.MustCompile("(?s)```toml\n(schema.*?)```").FindStringSubmatch(string(page))
	if example == nil || len(f) != 2 {
		t.Fatalf("found %d files beside the example", len(f))
	}
	f["stack.toml"] = example[1]
	s := mustParse(t, f)
	if w := s.Layers[0].Powers[0].Watts(); !near(w, 8.5+2.25) {
		t.Errorf("cores make %v W, want the mean of the rows, 10.75", w)
	}
}
