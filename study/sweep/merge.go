package sweep

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// ErrIncomplete is a sweep of which runs are missing.
var ErrIncomplete = errors.New("the sweep is not complete")

// Merge reads the tables of all parts in a folder, which must be whole and of the sweep with that identity, and gives
// the rows in the order of the runs below their header.
func Merge(folder, identity string) (rows [][]string, err error) {
	found, err := filepath.Glob(filepath.Join(folder, "sweep-*-of-*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(found)
	var all State
	for _, path := range found {
		s, err := readState(path)
		if err != nil {
			return nil, err
		}
		if s.Identity != identity || all.Shards > 0 && s.Shards != all.Shards {
			return nil, fmt.Errorf("%s: %w", path, ErrOther)
		}
		part, err := ReadTable(filepath.Join(folder, Shard{s.Shard, s.Shards}.Name()+".csv"))
		if err != nil {
			return nil, err
		}
		runs := Shard{s.Shard, s.Shards}.Runs(s.Runs)
		if len(part) != len(runs)+1 {
			return nil, fmt.Errorf("%s: %w: %d of %d runs are done", path, ErrIncomplete, max(0, len(part)-1),
				len(runs))
		}
		if all.Shards == 0 {
			all = s
			rows = append(make([][]string, 0, s.Runs+1), Cells(s.Header))
			rows = rows[:s.Runs+1]
		}
		for i, run := range runs {
			rows[run+1] = part[i+1]
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: %w: no parts of it are there", folder, ErrIncomplete)
	}
	if len(found) < all.Shards {
		return nil, fmt.Errorf("%s: %w: %d of %d parts are there", folder, ErrIncomplete, len(found), all.Shards)
	}
	return rows, nil
}

// ReadTable reads the table of a sweep, header first.
func ReadTable(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}
