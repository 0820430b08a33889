package stack

import "fmt"

// ReadFLP reads a HotSpot floorplan: one block per line, as
//
//	name  width  height  left-x  bottom-y  [specific-heat  resistivity]
//
// in m, with # comments. The optional figures and the lines of three words, which tell HotSpot about connectivity, are
// passed over. As in HotSpot the plan is moved so that its smallest x and y are 0. The blocks carry no power yet. The
// error is an [ErrorList].
func ReadFLP(path string, data []byte) ([]Block, error) {
	r := &fileReader{file: path}
	var blocks []Block
	index := map[string]int{}
	type link struct {
		line  int
		words []field
	}
	var links []link
	r.words(data, func(line int, w []field) bool {
		if len(w) == 3 {
			links = append(links, link{line, w})
			return true
		}
		b, ok := r.flpBlock(line, w)
		if first, twice := index[b.Name]; ok && twice {
			r.fail(line, w[0].col, "give each block its own name", "block %q is there twice, first in line %d",
				shorten(b.Name), blocks[first].Pos.Line)
			return true
		}
		if ok {
			index[b.Name] = len(blocks)
			blocks = append(blocks, b)
		}
		return true
	})
	for _, l := range links {
		for _, w := range l.words[:2] {
			if _, known := index[w.text]; !known && len(r.faults.list) == 0 {
				r.fail(l.line, w.col, "a block has name, width, height, left-x and bottom-y",
					"line of three words that connects no two blocks: %q is none", shorten(w.text))
			}
		}
	}
	if len(blocks) == 0 && len(r.faults.list) == 0 {
		r.fail(1, 1, "write lines of name, width, height, left-x and bottom-y in m", "the floorplan has no blocks")
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	toOrigin(blocks)
	return blocks, nil
}

func (r *fileReader) flpBlock(line int, w []field) (Block, bool) {
	if len(w) < 5 || len(w) > 8 {
		r.fail(line, w[0].col, "a block has name, width, height, left-x and bottom-y",
			"%d words in a line of a floorplan", len(w))
		return Block{}, false
	}
	var v [4]float64
	for i, what := range []string{"width", "height", "left-x", "bottom-y"} {
		x, ok := r.number(line, w[i+1], what)
		if ok && i < 2 && x <= 0 {
			r.fail(line, w[i+1].col, "", "%s of block %q must be positive, got %s", what, shorten(w[0].text),
				shorten(w[i+1].text))
			ok = false
		}
		if !ok {
			return Block{}, false
		}
		v[i] = x
	}
	return Block{Name: w[0].text, Rects: []Rect{{v[2], v[3], v[0], v[1]}}, Pos: Pos{r.file, line, w[0].col}}, true
}

// toOrigin moves blocks so that their smallest x and y are 0.
func toOrigin(blocks []Block) {
	x, y := blocks[0].Rects[0].X, blocks[0].Rects[0].Y
	for _, b := range blocks {
		x, y = min(x, b.Rects[0].X), min(y, b.Rects[0].Y)
	}
	for i := range blocks {
		blocks[i].Rects[0].X -= x
		blocks[i].Rects[0].Y -= y
	}
}

// PowerTable is powers in columns by block name: a .ptrace file or a CSV time trace.
type PowerTable struct {
	File  string
	Names []string
	Pos   []Pos // of the names
	// Times are the starts of the rows' intervals in s, ascending from 0; nil for a .ptrace file, which tells no times.
	Times []float64
	Rows  [][]float64 // W, one column per name
}

// ReadPTrace reads a HotSpot power trace: a line of block names, then rows of watts. The error is an [ErrorList].
func ReadPTrace(path string, data []byte) (*PowerTable, error) {
	return readPTrace(&fileReader{file: path}, data)
}

// ReadLayeredPTrace is ReadPTrace for a trace of several layers, whose blocks may share names.
func ReadLayeredPTrace(path string, data []byte) (*PowerTable, error) {
	return readPTrace(&fileReader{file: path, repeats: true}, data)
}

func readPTrace(r *fileReader, data []byte) (*PowerTable, error) {
	t := &PowerTable{File: r.file}
	r.words(data, func(line int, w []field) bool {
		if t.Names == nil {
			r.names(t, line, w)
			return true
		}
		r.row(t, line, w)
		return len(r.faults.list) < maxFaults
	})
	return t, r.finish(t)
}

// names takes over the header of a table.
func (r *fileReader) names(t *PowerTable, line int, w []field) {
	seen := map[string]bool{}
	t.Names = []string{}
	for _, f := range w {
		switch {
		case f.text == "":
			r.fail(line, f.col, "", "column without a name")
		case seen[f.text] && !r.repeats:
			r.fail(line, f.col, "give each block one column", "column %q is there twice", shorten(f.text))
		}
		seen[f.text] = true
		t.Names = append(t.Names, f.text)
		t.Pos = append(t.Pos, Pos{r.file, line, f.col})
	}
}

// row takes over a row of watts.
func (r *fileReader) row(t *PowerTable, line int, w []field) {
	if len(w) != len(t.Names) {
		r.fail(line, w[0].col, "", "row has %d powers, the header names %d blocks", len(w), len(t.Names))
		return
	}
	row := make([]float64, len(w))
	for i, f := range w {
		x, ok := r.watts(line, f, fmt.Sprintf("power of %q", shorten(t.Names[i])))
		if !ok {
			return
		}
		row[i] = x
	}
	t.Rows = append(t.Rows, row)
}

func (r *fileReader) finish(t *PowerTable) error {
	if len(r.faults.list) == 0 {
		switch {
		case t.Names == nil:
			r.fail(1, 1, "write a line of block names, then rows of watts", "the file is empty")
		case len(t.Rows) == 0:
			r.fail(1, 1, "add a row of watts", "the file has block names but no powers")
		}
	}
	return r.err()
}
