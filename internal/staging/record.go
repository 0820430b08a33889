package staging

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Record says which files of a folder thermsim wrote, and in which run.
type Record struct {
	Schema int   `json:"schema"`
	Sets   []Set `json:"sets"`
	// Commit is there in the journal of a commit that goes on, and means nothing in a record.
	Commit *commitPlan `json:"commit,omitempty"`
}

// Set is the files of one run.
type Set struct {
	Name    string  `json:"name"` // Options.Set
	ID      string  `json:"id"`
	Command string  `json:"command"`
	Shows   string  `json:"shows,omitempty"` // Options.Shows
	Files   []Entry `json:"files"`
}

// Entry is a file, with what tells it from another of the same name.
type Entry struct {
	Name     string `json:"name"` // with slashes
	Size     int64  `json:"size"`
	Modified int64  `json:"modified_ns"`
}

// commitPlan is what a commit does, for whoever has to undo it.
type commitPlan struct {
	Fresh    []string `json:"fresh"`    // names that were free before
	Replaced []string `json:"replaced"` // names whose files are set aside
	Removed  []string `json:"removed"`  // files of runs before, set aside with nothing in their place
}

const schema = 1

// Set finds the set of that name, nil where there is none.
func (r *Record) Set(name string) *Set {
	for i := range r.Sets {
		if r.Sets[i].Name == name {
			return &r.Sets[i]
		}
	}
	return nil
}

// Holds says whether a file belongs to the set. Of a nil set none does.
func (s *Set) Holds(name string) bool {
	return s != nil && slices.ContainsFunc(s.Files, func(e Entry) bool { return e.Name == name })
}

// owns says whether a file belongs to any set.
func (r *Record) owns(name string) bool {
	return slices.ContainsFunc(r.Sets, func(s Set) bool { return s.Holds(name) })
}

// readRecord reads a record or a journal. Where there is none, or it was cut short, it is empty; names that would lead
// out of the folder are an error.
func (d *disk) readRecord(name string) (*Record, error) {
	r := &Record{Schema: schema}
	text, err := d.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(text, r) != nil {
		return &Record{Schema: schema}, nil
	}
	if r.Schema != schema {
		return nil, fmt.Errorf("its schema is %d, this thermsim knows %d", r.Schema, schema)
	}
	var names []string
	for _, s := range r.Sets {
		for _, e := range s.Files {
			names = append(names, e.Name)
		}
	}
	if r.Commit != nil {
		names = slices.Concat(names, r.Commit.Fresh, r.Commit.Replaced, r.Commit.Removed)
	}
	for _, n := range names {
		if !validName(n) {
			return nil, fmt.Errorf("it names %q, which is no file of the folder; remove %s", n, name)
		}
	}
	return r, nil
}

// mostNameBytes is the longest name that common file systems take.
const mostNameBytes = 255

// validName says whether a name, with slashes, is that of a file in the folder that is not the transaction's own.
func validName(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > mostNameBytes {
			return false
		}
	}
	return filepath.IsLocal(filepath.FromSlash(name)) && path.Clean(name) == name && name != "." && name != home &&
		!isBelow(name, home)
}

func isBelow(name, folder string) bool {
	return len(name) > len(folder) && name[:len(folder)] == folder && name[len(folder)] == '/'
}
