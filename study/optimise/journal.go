package optimise

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"thermsim/study/sweep"
)

// Journal keeps the solved designs on disk, in the table of a sweep. A run that was interrupted repeats the same steps,
// and takes these designs from there. A nil Journal keeps nothing.
type Journal struct {
	*sweep.Journal
	known map[string][]byte
	count int
}

// mostDesigns limits the rows of a journal.
const mostDesigns = 1_000_000

// OpenJournal opens or creates a journal in a folder. The identity is a digest of all that the designs depend on.
func OpenJournal(folder, version, file, identity string) (*Journal, error) {
	j := &Journal{known: map[string][]byte{}}
	var err error
	j.Journal, err = sweep.Open(folder, sweep.State{Schema: 1, Version: version, Sweep: file, Identity: identity,
		Runs: mostDesigns, Shards: 1, Header: []string{"run", "design", "status", "result", "message"}})
	if err != nil {
		return nil, err
	}
	rows, err := sweep.ReadTable(filepath.Join(folder, sweep.Whole.Name()+".csv"))
	for _, row := range rows[min(1, len(rows)):] {
		j.known[row[1]] = []byte(row[3])
	}
	j.count = len(j.known)
	return j, err
}

// End closes the journal after a run, and keeps it if an error ended the run after the first design.
func (j *Journal) End(err error) error {
	if err != nil && j.count > 0 {
		err = fmt.Errorf("%w; the solved designs are in %s; run the same command again to do the rest", err, j.Path)
		return errors.Join(err, j.Close())
	}
	return errors.Join(err, j.Remove())
}

// key of a design in the journal.
func (j *Journal) key(p *point) string {
	text, _ := json.Marshal(p) // of numbers
	return string(text)
}

// find is the design with a key; nil if it is not known.
func (j *Journal) find(key string) (p *point, err error) {
	if j == nil || j.known[key] == nil {
		return nil, nil
	}
	return p, json.Unmarshal(j.known[key], &p)
}

// add notes a design.
func (j *Journal) add(key string, p *point) error {
	if j == nil {
		return nil
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	j.count++
	return j.Add(&sweep.Row{Run: j.count - 1, Values: []string{key}, Status: sweep.Done, Cells: []string{string(text)}})
}
