package notebook

import (
	"bytes"
	"os"
	"testing"
)

func TestNotebookIsThatOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/guides/python.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := Make(string(page))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../docs/guides/python.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/guides/python.ipynb differs from docs/guides/python.md: go generate ./tools/notebook")
	}
}

func TestOutputNeedsACell(t *testing.T) {
	if _, err := Make("words\n```text\n1\n```\n"); err == nil {
		t.Error("an output without a cell is accepted")
	}
	if _, err := Make("```rust\n1\n```\n"); err == nil {
		t.Error("another language is accepted")
	}
}
