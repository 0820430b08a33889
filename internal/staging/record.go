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

// Record lists the files of a folder that thermsim wrote, by run.
type Record struct {
	Schema int   `json:"schema"`
	Sets   []Set `json:"sets"`
	// Commit is the plan of a commit in progress; it has no meaning in a record.
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

// Entry is a file, with the properties that show whether it was modified.
type Entry struct {
	Name     string `json:"name"` // with slashes
	Size     int64  `json:"size"`
	Modified int64  `json:"modified_ns"`
}

// commitPlan lists the changes of a commit, so that they can be rolled back.
type commitPlan struct {
	Fresh    []string `json:"fresh"`    // names that did not exist before
	Replaced []string `json:"replaced"` // names whose files are set aside
	Removed  []string `json:"removed"`  // files of previous runs, set aside without a replacement
}

const schema = 1

// Set finds the set with that name; nil if there is none.
func (r *Record) Set(name string) *Set {
	for i := range r.Sets {
		if r.Sets[i].Name == name {
			return &r.Sets[i]
		}
	}
	return nil
}

// Holds reports whether a file belongs to the set. A nil set is empty.
func (s *Set) Holds(name string) bool {
	return s != nil && slices.ContainsFunc(s.Files, func(e Entry) bool { return e.Name == name })
}

// owns reports whether a file belongs to any set.
func (r *Record) owns(name string) bool {
	return slices.ContainsFunc(r.Sets, func(s Set) bool { return s.Holds(name) })
}

// readRecord reads a record or a journal. It is empty if the file is missing or incomplete; names outside the folder
// are an error.
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
		return nil, fmt.Errorf("unsupported schema %d; this version reads schema %d", r.Schema, schema)
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
			return nil, fmt.Errorf("it lists %q, which is not inside the folder; remove %s", n, name)
		}
	}
	return r, nil
}

// mostNameBytes is the longest name that common file systems accept.
const mostNameBytes = 255

// validName reports whether a name, with slashes, is valid for an output file: inside the folder, but not in the hidden
// folder.
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
