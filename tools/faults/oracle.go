//go:build linux && amd64

package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"thermsim/internal/staging"
)

// prepared is a scenario that has run: the folder before the command, and what the command makes of it.
type prepared struct {
	*scenario
	subject *subject
	start   string // folder with inputs and what earlier commands wrote
	old     snapshot
	kept    []string // by thermsim, for itself
	made    snapshot
	varying map[string]bool // files that differ from run to run because they contain times
	list    []operation     // of a run that nothing disturbs
	took    time.Duration
}

// What a folder holds.
const (
	isOld     = "old"
	isNew     = "new"
	isPartial = "partial" // steps of an interrupted transient
	isNeither = "neither"
)

// files reads a folder, without ignored files.
func (p *prepared) files(work string) (all snapshot, kept []string, err error) {
	all, kept, err = readFolder(work)
	delete(all, p.ignored)
	return all, kept, err
}

// filesOnTheWay also omits what may exist temporarily.
func (p *prepared) filesOnTheWay(work string, f *fault) (all snapshot, kept []string, err error) {
	all, kept, err = p.files(work)
	maps.DeleteFunc(all, func(name, _ string) bool {
		// of a single file that was being replaced
		hidden := strings.HasPrefix(filepath.Base(name), ".") && filepath.Ext(name) == ".new"
		return p.passing != "" && strings.HasPrefix(name, p.passing) || hidden && f.abrupt()
	})
	return all, kept, err
}

// prints reports whether the command writes no files.
func (p *prepared) prints() bool { return maps.Equal(p.old, p.made) }

// classify determines the state of a folder, and why it is neither old nor new.
func (p *prepared) classify(work string, all snapshot) (string, string) {
	if maps.Equal(all, p.old) && !p.prints() {
		return isOld, ""
	}
	why := ""
	for _, name := range slices.Sorted(maps.Keys(p.made)) {
		text, there := all[name]
		before, was := p.old[name]
		switch {
		case !there:
			why = name + " is missing"
		case !p.varying[name] && text != p.made[name]:
			why = name + " differs from that of an undisturbed run"
			if was && text == before {
				why = name + " is the old one"
			}
		case p.varying[name] && was && text == before:
			why = name + " is the old one"
		}
		if why != "" {
			break
		}
	}
	for name := range all {
		if _, is := p.made[name]; !is && why == "" {
			why = name + " was not expected"
		}
	}
	sound := p.defects(work, all)
	if why == "" && sound == "" {
		return isNew, ""
	}
	if p.partial && sound == "" && strings.Contains(all["out/summary.json"], `"reason": "interrupted"`) {
		return isPartial, ""
	}
	return isNeither, strings.TrimPrefix(why+"; "+sound, "; ")
}

// defects returns what is wrong with single files, or with the record of the folder.
func (p *prepared) defects(work string, all snapshot) string {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text := all[name]
		switch filepath.Ext(name) {
		case ".json":
			if !json.Valid([]byte(text)) {
				return name + " is not valid JSON"
			}
		case ".html":
			if !strings.HasSuffix(strings.TrimSpace(text), "</html>") {
				return name + " is incomplete"
			}
		case ".zip", ".npz":
			if err := unpack(text); err != nil {
				return name + ": " + err.Error()
			}
		}
	}
	record, err := staging.Look(filepath.Join(work, "out"))
	if err != nil {
		return err.Error()
	}
	for _, set := range record.Sets {
		for _, e := range set.Files {
			info, err := os.Stat(filepath.Join(work, "out", e.Name))
			if err != nil || info.Size() != e.Size || info.ModTime().UnixNano() != e.Modified {
				return e.Name + " is not the recorded file"
			}
		}
	}
	return ""
}

// unpack reads all of an archive, which verifies its checksums.
func unpack(text string) error {
	z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// crashed reports a crash or a run that does not end.
func (e *ended) crashed() string {
	switch {
	case e.Killed:
		return "does not end"
	case e.Status == 134 || strings.Contains(e.stderr, "goroutine ") || strings.Contains(e.stderr, "internal error"):
		return "crashes"
	}
	return ""
}

// judge determines the state of the folder after a fault at an operation, and what was wrong. Then it runs the command
// once more, undisturbed.
func (p *prepared) judge(e *ended, f *fault, at operation) (state string, wrong []string) {
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if crash := e.crashed(); crash != "" {
		complain("%s", crash)
	}
	sent := f.verdict.sends
	ends := sent // the reader's end ends a run like a signal
	if f.name == brokenPipe {
		ends = syscall.SIGPIPE
	}
	failed := e.Status != 0
	switch {
	case sent == syscall.SIGKILL && e.Signal == syscall.SIGKILL:
	case e.Signal == sent && p.untouched(e.work, f): // before the program had installed its handler
	case e.Status < 0:
		complain("ends by %v", e.Signal)
	case failed && f.transparent:
		complain("ends with status %d", e.Status)
	case failed && ends != 0 && e.Status != 130, failed && ends == 0 && e.Status != 1 && e.Status != 2:
		complain("ends with status %d", e.Status)
	case failed && ends == 0 && at.Name != "stderr" && !namesFault(e.stderr, f, at):
		complain("the message does not name what failed")
	}
	_, kept, err := p.filesOnTheWay(e.work, f)
	if err != nil {
		complain("%v", err)
	}
	// the next run cleans up
	if left := p.fresher(leftovers(kept)); len(left) > 0 && !f.abrupt() && !strings.Contains(at.Name, home) {
		complain("leaves %s", strings.Join(left, ", "))
	}
	for _, dir := range []string{e.work, filepath.Join(e.work, "out")} {
		if _, err := staging.Look(dir); err != nil { // like any reader, it rolls back an interrupted commit
			complain("the folder cannot be read: %v", err)
		}
	}
	all, _, err := p.filesOnTheWay(e.work, f)
	if err != nil {
		complain("%v", err)
	}
	state, why := p.classify(e.work, all)
	switch {
	case p.resumes && !(e.Status == 0 && state != isNew):
	case state == isNeither:
		complain("the folder is neither old nor new: %s", why)
	case e.Status == 0 && state != isNew:
		complain("ends with status %d, and the folder is %s", e.Status, state)
	case failed && state == isNew && !p.prints() && !p.answers && e.Status >= 0 && e.Status != 130 &&
		!strings.Contains(e.stderr, " are in ") && !strings.Contains(e.stderr, "is in "):
		complain("ends with status %d, and the folder is new", e.Status)
	}
	_, kept, err = p.filesOnTheWay(e.work, f)
	if state == isOld && err == nil && slices.Equal(kept, p.kept) && !p.resumes && p.passing == "" {
		return state, wrong // the folder is that before an undisturbed run
	}
	if p.once && state == isNew {
		return state, wrong
	}
	return state, append(wrong, p.next(e.work)...)
}

// untouched reports whether a folder is as before the command.
func (p *prepared) untouched(work string, f *fault) bool {
	all, kept, err := p.filesOnTheWay(work, f)
	return err == nil && maps.Equal(all, p.old) && slices.Equal(kept, p.kept)
}

// namesFault reports whether a message names what failed.
func namesFault(stderr string, f *fault, at operation) bool {
	return strings.Contains(stderr, f.verdict.fails.Error()) || strings.Contains(stderr, filepath.Base(at.Name))
}

// fresher omits what an earlier killed run left.
func (p *prepared) fresher(left []string) []string {
	return slices.DeleteFunc(left, func(name string) bool { return slices.Contains(p.kept, name) })
}

// leftovers are thermsim's own files that should not remain after a run.
func leftovers(kept []string) []string {
	return slices.DeleteFunc(slices.Clone(kept), func(name string) bool { return filepath.Base(name) == "files.json" })
}

// next runs the command undisturbed after a disturbed run.
func (p *prepared) next(work string) (wrong []string) {
	e, err := p.subject.undisturbed(p.scenario, work, p.command)
	if err != nil {
		return []string{"the next run: " + err.Error()}
	}
	all, kept, err := p.files(work)
	state, why := p.classify(work, all)
	switch {
	case err != nil:
		wrong = append(wrong, err.Error())
	case e.Status != 0:
		wrong = append(wrong,
			fmt.Sprintf("the next run ends with status %d: %s", e.Status, strings.TrimSpace(e.stderr)))
	case state != isNew:
		wrong = append(wrong, fmt.Sprintf("the next run leaves the folder %s: %s", state, why))
	}
	if left := leftovers(kept); len(left) > 0 {
		wrong = append(wrong, "the next run leaves "+strings.Join(left, ", "))
	}
	return wrong
}

// oneRun returns what is wrong with a folder that must contain the files of one run of each kind, as in its record, and
// nothing else. A file with the recorded size and time, to the nanosecond, is the one that the run wrote.
func (p *prepared) oneRun(work string) (wrong []string) {
	all, kept, err := p.files(work)
	if err != nil {
		return []string{err.Error()}
	}
	if left := leftovers(kept); len(left) > 0 {
		wrong = append(wrong, "leaves "+strings.Join(left, ", "))
	}
	if bad := p.defects(work, all); bad != "" {
		wrong = append(wrong, bad)
	}
	record, err := staging.Look(filepath.Join(work, "out"))
	if err != nil {
		return append(wrong, err.Error())
	}
	if len(record.Sets) == 0 { // a table without a record
		if state, why := p.classify(work, all); state != isNew {
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
			wrong = append(wrong, name+" belongs to no run")
		}
	}
	return wrong
}
