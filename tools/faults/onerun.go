//go:build linux && amd64

package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"thermsim/internal/staging"
)

// oneRun says what is wrong with a folder that shall hold files of one run of each kind, as its record tells, and
// nothing else. A file that is as the record says, in size and nanosecond, is the one that the run wrote.
func (p *prepared) oneRun(work string) (wrong []string) {
	all, kept, err := p.files(work)
	if err != nil {
		return []string{err.Error()}
	}
	if left := leftovers(kept); len(left) > 0 {
		wrong = append(wrong, "there is "+strings.Join(left, ", "))
	}
	if bad := p.sound(work, all); bad != "" {
		wrong = append(wrong, bad)
	}
	record, err := staging.Look(filepath.Join(work, "out"))
	if err != nil {
		return append(wrong, err.Error())
	}
	if len(record.Sets) == 0 { // a table that has no record
		if held, why := p.which(work, all); held != isNew {
			wrong = append(wrong, why)
		}
		return wrong
	}
	of := map[string]string{}
	for _, set := range record.Sets {
		for _, e := range set.Files {
			if of[e.Name] != "" {
				wrong = append(wrong, fmt.Sprintf("%s belongs to two runs", e.Name))
			}
			of[e.Name] = set.ID
		}
	}
	for name := range all {
		if below, ok := strings.CutPrefix(name, "out/"); ok && of[below] == "" {
			wrong = append(wrong, name+" is of no run")
		}
	}
	return wrong
}
