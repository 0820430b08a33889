//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
)

// row is an input of the file of figures. What an older build took stays as it is.
type row struct {
	What     string  `json:"what"`
	Before   string  `json:"before,omitempty"`
	BeforeMB int     `json:"before_MB,omitempty"`
	WallS    float64 `json:"wall_s"`
	CPUS     float64 `json:"cpu_s"`
	MB       int     `json:"MB"`
	Status   string  `json:"status"`
	Says     string  `json:"says,omitempty"`
}

// table is the file.
type table struct {
	About string `json:"about"`
	Rows  []row  `json:"rows"`
}

func (m *measured) figures(in input) row {
	second := func(s float64) float64 { return math.Round(100*s) / 100 }
	return row{What: in.what, WallS: second(m.Wall.Seconds()), CPUS: second(m.CPU.Seconds()), MB: int(m.Memory / 1e6), Status: m.ending(), Says: shortened(m.Message, 90)}
}

// renew puts rows in the place of those of the same inputs, and others behind the last.
func renew(path string, rows []row) error {
	var t table
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, r := range rows {
		if i := slices.IndexFunc(t.Rows, func(old row) bool { return old.What == r.What }); i >= 0 {
			r.Before, r.BeforeMB = t.Rows[i].Before, t.Rows[i].BeforeMB
			t.Rows[i] = r
			continue
		}
		t.Rows = append(t.Rows, r)
	}
	text, err = json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o666)
}
