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

// Journal is the table of a sweep on disk. It grows by a row at a time, in the order of the runs, so that a sweep that
// was cut off goes on behind its last whole row.
type Journal struct {
	Path   string // of the table
	Done   int    // rows that were there already
	Faults int    // those of them without a result
	file   *os.File
}

// State is what the file beside the table says of the sweep that it belongs to.
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

// ErrOther is a folder that holds another sweep.
var ErrOther = errors.New("the folder holds another sweep")

// Open opens the table of a part of a sweep, or makes it, for this process alone. A table of the same sweep goes on
// behind its last whole row; of another one it is refused.
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

// begin begins the table. Its state is there before its first line, so that no line is without.
func (j *Journal) begin(stateFile string, s State) error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() > 0 {
		return fmt.Errorf("%s: %w", j.Path, ErrOther)
	}
	picture := strings.TrimSuffix(j.Path, ".csv") + ".png" // of the whole sweep, which is drawn in the end
	if _, err := os.Lstat(picture); !errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(j.Path) // nothing was written into it
		return fmt.Errorf("%s: %w", picture, ErrOther)
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

// resume cuts a row off that was not written whole, and checks those before it.
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
		return fmt.Errorf("%s has %d rows, more than the sweep has runs", j.Path, len(rows)-1)
	}
	for i, row := range rows {
		if i == 0 {
			continue
		}
		if row[0] != strconv.Itoa(runs[i-1]) {
			return fmt.Errorf("%s: row %d is of run %s, not of run %d", j.Path, i, row[0], runs[i-1])
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

// Faults counts the rows of a table, header first, that have no result.
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

// write puts a line into the file at once: a process that is killed leaves whole lines and at most one that is not.
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

// Cells are texts for a CSV file: what is no number, or number and unit, must not run as a formula where a spreadsheet
// opens the file.
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

// Sync brings the table to the disk.
func (j *Journal) Sync() error { return j.file.Sync() }

// Close brings the table to the disk, and lets other processes have it.
func (j *Journal) Close() error { return errors.Join(j.Sync(), j.file.Close()) }

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
