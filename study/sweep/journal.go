package sweep

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/stack/stackfile"
)

// Journal is the table of a sweep on disk. Rows are appended in the order of the runs, so that an interrupted sweep
// resumes after its last complete row.
type Journal struct {
	Path   string // of the table
	Done   int    // existing rows.
	Faults int    // existing rows without a result.
	file   *os.File
}

// State identifies the sweep of a table, in a file next to it.
type State struct {
	Schema   int      `json:"schema"`   // 1
	Version  string   `json:"version"`  // of thermsim
	Sweep    string   `json:"sweep"`    // path of the sweep file
	Identity string   `json:"identity"` // SHA-256 of all inputs, in hexadecimal
	Runs     int      `json:"runs"`     // of the whole sweep
	Shard    int      `json:"shard"`    // number of this part, from 0
	Shards   int      `json:"shards"`
	Header   []string `json:"header"` // of the table
}

// ErrOther reports a folder that contains another sweep.
var ErrOther = errors.New("the folder contains another sweep")

// Open opens or creates the table of a part of a sweep, exclusively for this process. A table of the same sweep is
// resumed after its last complete row; one of another sweep is an error.
func Open(folder string, s State) (_ *Journal, err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	shard := Shard{s.Shard, s.Shards}
	j := &Journal{Path: filepath.Join(folder, shard.Name()+".csv")}
	if j.file, err = os.OpenFile(j.Path, os.O_CREATE|os.O_RDWR, 0o666); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.file.Close())
		}
	}()
	if err := staging.Lock(j.file); err != nil {
		return nil, fmt.Errorf("%s: %w", j.Path, err)
	}
	stateFile := filepath.Join(folder, shard.Name()+".json")
	was, err := readState(stateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return j, j.begin(stateFile, s)
	}
	if err != nil {
		return nil, err
	}
	if was.Identity != s.Identity || was.Version != s.Version || was.Runs != s.Runs ||
		!slices.Equal(was.Header, s.Header) {
		return nil, fmt.Errorf("%s: %w", stateFile, ErrOther)
	}
	return j, j.resume(shard.Runs(s.Runs), s.Header)
}

func readState(path string) (s State, err error) {
	data, err := os.ReadFile(path)
	if err == nil {
		if err = json.Unmarshal(data, &s); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	return s, err
}

// Pictures of a complete sweep by the path of its table: of the maximum, and of two outputs.
func Pictures(table string) [2]string {
	stem := strings.TrimSuffix(table, ".csv")
	return [2]string{stem + ".png", stem + "_pareto.png"}
}

// begin creates the table. The state is written before the first line, so that every table has a state.
func (j *Journal) begin(stateFile string, s State) error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() > 0 {
		return fmt.Errorf("%s: %w", j.Path, ErrOther)
	}
	for _, picture := range Pictures(j.Path) {
		if _, err := os.Lstat(picture); !errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(j.Path) // it is empty
			return fmt.Errorf("%s: %w", picture, ErrOther)
		}
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := staging.Replace(stateFile, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	}); err != nil {
		return err
	}
	return j.write(s.Header)
}

// resume removes an incomplete last row, and checks the others.
func (j *Journal) resume(runs []int, header []string) error {
	data, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	r := csv.NewReader(bytes.NewReader(data[:whole]))
	r.FieldsPerRecord = len(header)
	rows, err := r.ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", j.Path, err)
	}
	if len(rows) > len(runs)+1 {
		return fmt.Errorf("%s has %d rows, more than the number of runs", j.Path, len(rows)-1)
	}
	for i, row := range rows {
		if i == 0 {
			continue
		}
		if row[0] != strconv.Itoa(runs[i-1]) {
			return fmt.Errorf("%s: row %d: got run %s; expected run %d", j.Path, i, row[0], runs[i-1])
		}
	}
	if err := j.file.Truncate(int64(whole)); err != nil {
		return err
	}
	if _, err := j.file.Seek(int64(whole), 0); err != nil {
		return err
	}
	if len(rows) == 0 {
		return j.write(header)
	}
	j.Done, j.Faults = len(rows)-1, Faults(rows)
	return nil
}

// Faults counts the rows of a table, header first, without a result.
func Faults(rows [][]string) (n int) {
	status := len(rows[0]) - 1
	for status > 0 && rows[0][status] != fixed[0] {
		status--
	}
	for _, row := range rows[1:] {
		if row[status] != Done {
			n++
		}
	}
	return n
}

// Add writes a row.
func (j *Journal) Add(r *Row) error { return j.write(r.record()) }

// write appends a line with a single write: a killed process leaves at most one incomplete line.
func (j *Journal) write(line []string) error {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(Cells(line)); err != nil {
		return err
	}
	w.Flush()
	_, err := j.file.Write(b.Bytes())
	return err
}

// Cells escapes texts for a CSV file: texts other than a number, or a number and unit, must not run as a formula in a
// spreadsheet.
func Cells(line []string) []string {
	safe := make([]string, len(line))
	for i, cell := range line {
		if _, unit, err := stackfile.SplitQuantity(cell); err != nil || strings.ContainsFunc(unit, func(r rune) bool {
			return !unicode.IsLetter(r)
		}) {
			cell = printable.Cell(cell)
		}
		safe[i] = cell
	}
	return safe
}

// Sync syncs the table to disk.
func (j *Journal) Sync() error { return j.file.Sync() }

// Close syncs and unlocks the table.
func (j *Journal) Close() error { return errors.Join(j.Sync(), j.file.Close()) }

// Remove closes and removes the table and its state, and the folder if it is then empty.
func (j *Journal) Remove() error {
	_ = os.Remove(strings.TrimSuffix(j.Path, ".csv") + ".json")
	err := errors.Join(j.file.Close(), os.Remove(j.Path))
	_ = os.Remove(filepath.Dir(j.Path)) // unless there are other files
	return err
}

// ErrIncomplete reports a sweep with missing runs.
var ErrIncomplete = errors.New("the sweep is not complete")

// Merge reads the tables of all parts in a folder, which must be complete and have the given identity. It returns the
// header and the rows in the order of the runs.
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
		return nil, fmt.Errorf("%s: %w: no parts found", folder, ErrIncomplete)
	}
	if len(found) < all.Shards {
		return nil, fmt.Errorf("%s: %w: %d of %d parts found", folder, ErrIncomplete, len(found), all.Shards)
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
