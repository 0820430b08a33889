package notebook

import (
	"os"
	"path/filepath"
	"strings"
)

// OfPython generates the notebook of docs/guides/python.md, with the stacks of the modelling guide that it uses. The
// first line of a stack is a comment with its name.
func OfPython(docs string) ([]byte, error) {
	guide, err := os.ReadFile(filepath.Join(docs, "modelling.md"))
	if err != nil {
		return nil, err
	}
	page, err := os.ReadFile(filepath.Join(docs, "python.md"))
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, b := range Blocks(string(guide)) {
		if first, _, _ := strings.Cut(b.Text, "\n"); b.Language == "toml" {
			files[strings.TrimPrefix(first, "# ")] = b.Text
		}
	}
	return Make(string(page), files)
}
