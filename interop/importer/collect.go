package importer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// Collector is the result under construction, with the faults found while a project is read.
type Collector struct {
	Result
	Request Request
	Faults  Faults
}

func newCollector(f *Format, r Request) *Collector {
	title := f.Title
	head := []string{"Imported from " + f.Title + ": " + r.Files[0] + " and the files it names.", f.Remark}
	if r.Compat {
		title += ", its arithmetic"
		head = append(head, "With --compat: what "+f.Title+" calculates in its own way is put into the figures below.")
	}
	return &Collector{Request: r, Result: Result{
		Format: f, Compat: r.Compat,
		Stack: &stack.Stack{Schema: 1, File: r.Files[0], Title: filepath.Base(r.Files[0]) + " (" + title + ")"},
		Comments: stackfile.Comments{
			Head: head, Materials: map[int][]string{}, Layers: map[int][]string{}, Contacts: map[int]string{},
			Powers: map[*stack.Power][]string{},
		},
	}}
}

// Note remarks on a line of the project.
func (c *Collector) Note(kind NoteKind, pos stack.Pos, format string, args ...any) {
	c.Notes = append(c.Notes, Note{Kind: kind, Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// NoteOnce remarks on a line that several layers may share.
func (c *Collector) NoteOnce(kind NoteKind, pos stack.Pos, format string, args ...any) {
	n := Note{Kind: kind, Pos: pos, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(c.Notes, n) {
		c.Notes = append(c.Notes, n)
	}
}

// Emulates records a deviation that makes a difference to this project, and reports whether to emulate it.
func (c *Collector) Emulates(d Deviation) bool {
	d.Emulated = c.Request.Emulates(d.Name)
	if !slices.ContainsFunc(c.Deviations, func(o Deviation) bool { return o.Name == d.Name }) {
		c.Deviations = append(c.Deviations, d)
	}
	return d.Emulated
}

// Open reads a file that the project names at pos. ok is false after a fault.
func (c *Collector) Open(name string, pos stack.Pos) (path string, data []byte, ok bool) {
	if name == "" {
		c.Faults.Add(pos, "", "the path is empty")
		return "", nil, false
	}
	paths := []string{name}
	searched := "in the working directory, then next to the " + c.Format.Main
	if !filepath.IsAbs(name) {
		paths = append(paths, filepath.Join(filepath.Dir(c.Request.Files[0]), name))
	}
	if c.Format.NextToMain {
		slices.Reverse(paths)
		searched = "next to the " + c.Format.Main + ", then in the working directory"
	}
	var missing error
	for _, path := range paths {
		data, err := c.Request.Open(path)
		switch {
		case err == nil:
			c.record(path, data)
			return path, data, true
		case !errors.Is(err, fs.ErrNotExist):
			c.cannotRead(path, pos, "", err)
			return "", nil, false
		}
		if missing == nil {
			missing = err
		}
	}
	c.cannotRead(paths[0], pos, "relative paths are searched for "+searched, missing)
	return "", nil, false
}

// OpenNear reads a file that another file names at pos; path is relative to the working folder. ok is false after a
// fault.
func (c *Collector) OpenNear(path string, pos stack.Pos) (data []byte, ok bool) {
	data, err := c.Read(path)
	if err != nil {
		c.cannotRead(path, pos, "paths are relative to the folder of the file that names them", err)
	}
	return data, err == nil
}

// Read reads a further input of the stack.
func (c *Collector) Read(path string) ([]byte, error) {
	data, err := c.Request.Open(path)
	if err == nil {
		c.record(path, data)
	}
	return data, err
}

func (c *Collector) cannotRead(path string, pos stack.Pos, remedy string, err error) {
	c.Faults.AddError(&stack.Error{Pos: pos, Msg: fmt.Sprintf("cannot read %s: %s", path, Reason(err)), Remedy: remedy,
		Err: err})
}

// record adds a file to the inputs of the stack.
func (c *Collector) record(path string, data []byte) {
	sum := sha256.Sum256(data)
	in := stack.Input{Path: path, SHA256: hex.EncodeToString(sum[:])}
	if !slices.Contains(c.Stack.Inputs, in) {
		c.Stack.Inputs = append(c.Stack.Inputs, in)
	}
}

// FirstOverlap finds two items whose boxes share more than a millionth of the smaller side, which excludes rounding. a
// comes before b.
func FirstOverlap[T any](items []T, box func(*T) stack.Rect) (a, b *T, found bool) {
	rects := make([]stack.Rect, len(items))
	order := make([]int, len(items))
	for i := range items {
		rects[i], order[i] = box(&items[i]), i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rects[i].X, rects[j].X) })
	for n, i := range order {
		r := &rects[i]
		slack := 1e-6 * min(r.Width, r.Height)
		for _, j := range order[n+1:] {
			q := &rects[j]
			if q.X >= r.X+r.Width-slack {
				break
			}
			if q.Y < r.Y+r.Height-slack && r.Y < q.Y+q.Height-slack {
				return &items[min(i, j)], &items[max(i, j)], true
			}
		}
	}
	return nil, nil, false
}
