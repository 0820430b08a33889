// Package notebook converts a Markdown page to a Jupyter notebook. Python blocks become cells, and the text blocks
// after them their outputs. The format is nbformat 4.5, https://nbformat.readthedocs.io.
package notebook

//go:generate go run thermsim/tools/notebook/gen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Block is a part of a page: text, or the text between two fences with the language of the first.
type Block struct{ Language, Text string }

// Blocks cuts a page at its fences.
func Blocks(page string) (list []Block) {
	var b Block
	inside := false
	flush := func() {
		if strings.TrimSpace(b.Text) != "" {
			list = append(list, b)
		}
		b = Block{}
	}
	for line := range strings.Lines(page) {
		fence, found := strings.CutPrefix(line, "```")
		if !found {
			b.Text += line
			continue
		}
		flush()
		if inside = !inside; inside {
			b.Language = strings.TrimSpace(fence)
		}
	}
	flush()
	return list
}

// Notebook is a file of nbformat 4.5.
type Notebook struct {
	Cells       []Cell         `json:"cells"`
	Metadata    map[string]any `json:"metadata"`
	Format      int            `json:"nbformat"`
	MinorFormat int            `json:"nbformat_minor"`
}

// Cell is Markdown or code.
type Cell struct {
	Kind     string         `json:"cell_type"`
	ID       string         `json:"id"`
	Metadata map[string]any `json:"metadata"`
	Source   []string       `json:"source"` // lines with their ends
	*Run
}

// Run is the part that only code cells have.
type Run struct {
	Count   *int     `json:"execution_count"`
	Outputs []Output `json:"outputs"`
}

// Output is what a cell printed.
type Output struct {
	Kind string   `json:"output_type"`
	Name string   `json:"name"`
	Text []string `json:"text"`
}

// Make converts a page to a notebook.
func Make(page string) ([]byte, error) {
	n := Notebook{Format: 4, MinorFormat: 5, Metadata: map[string]any{
		"kernelspec":    map[string]any{"display_name": "Python 3", "language": "python", "name": "python3"},
		"language_info": map[string]any{"name": "python"},
	}}
	for _, b := range Blocks(page) {
		switch b.Language {
		case "":
			n.add("markdown", b.Text)
		case "python":
			n.add("code", b.Text)
		case "text":
			last := &n.Cells[len(n.Cells)-1]
			if last.Run == nil {
				return nil, fmt.Errorf("got the output %q; expected a code cell before it", b.Text)
			}
			last.Outputs = []Output{{"stream", "stdout", lines(b.Text)}}
		default:
			return nil, fmt.Errorf("got a block of %q; expected python or text", b.Language)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(n)
	return b.Bytes(), err
}

func (n *Notebook) add(kind, text string) {
	c := Cell{Kind: kind, ID: fmt.Sprintf("cell-%02d", len(n.Cells)), Metadata: map[string]any{},
		Source: lines(strings.Trim(text, "\n"))}
	if kind == "code" {
		c.Run = &Run{Outputs: []Output{}}
	}
	n.Cells = append(n.Cells, c)
}

func lines(text string) (list []string) {
	for line := range strings.Lines(text) {
		list = append(list, line)
	}
	return list
}
