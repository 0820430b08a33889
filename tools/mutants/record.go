package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// record is a file of results, a line of JSON each, written as soon as a result is there.
type record struct {
	file  *os.File
	found map[string]result
}

func (r *record) open(path string) error {
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	r.found = map[string]result{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var res result
		if err := json.Unmarshal(lines.Bytes(), &res); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if res.Outcome != unfinished {
			r.found[res.name()] = res
		}
	}
	r.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	return err
}

func (r *record) close() {
	if r.file != nil {
		r.file.Close()
	}
}

// known is what an earlier run found of a fault.
func (r *record) known(f *fault) (result, bool) {
	res, known := r.found[f.name()]
	return res, known
}

// ofRecord are all results of earlier runs.
func (r *runner) ofRecord() []result {
	var all []result
	for _, res := range r.record.found {
		if r.judge(&res); res.Outcome != invalid {
			all = append(all, res)
		}
	}
	return all
}

func (r *record) add(res *result) error {
	if _, known := r.known(&res.fault); known || r.file == nil {
		return nil
	}
	line, err := json.Marshal(res)
	if err != nil {
		return err
	}
	_, err = r.file.Write(append(line, '\n'))
	return err
}
