package staging

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Result reports the effect of a commit.
type Result struct {
	Files []string // paths, in alphabetical order
	// Removed are files of previous runs that the new ones supersede. Changed are such files that were kept because a
	// user or another program modified them.
	Removed, Changed []string
}

// Commit renames all files to their final names. After an error or a cancelled context the folder is unchanged. The
// steps are as follows.
//
//  1. All files are on the disk, in .thermsim/new.
//  2. So is the journal .thermsim/commit.json, which lists the changes.
//  3. Files that will be replaced or removed are moved to .thermsim/old, and the new ones get their names.
//  4. The journal is renamed to .thermsim/files.json. Now the folder contains the new run.
//
// An error before the fourth step undoes the third. If the process dies, the next transaction or reader does so.
func (t *Transaction) Commit(ctx context.Context) (*Result, error) {
	r, next, err := t.plan(ctx)
	if err == nil {
		err = t.apply(ctx, next)
	}
	if err != nil {
		t.Abort()
		return nil, err
	}
	// The folder holds the new run. The remaining steps protect against power failures and free the space of the old
	// files.
	err = t.disk.syncFolder(home)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended, t.made = true, nil
	_ = t.disk.removeAll(oldFiles) // the next transaction sweeps
	_ = t.disk.removeAll(newFiles)
	for _, name := range next.Commit.Removed {
		t.disk.removeEmptyAbove(name)
	}
	t.release()
	if err != nil {
		return nil, fmt.Errorf("the files of this run are in %s, but could be lost in a power failure: %w", t.dir,
			cause(err))
	}
	return r, nil
}

// plan checks for conflicts, and computes the new record of the folder.
func (t *Transaction) plan(ctx context.Context) (*Result, *Record, error) {
	for _, f := range t.order {
		if err := f.Close(); err != nil {
			return nil, nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	r, plan := &Result{}, &commitPlan{}
	set := Set{Name: t.options.Set, ID: t.id, Command: t.options.Command, Shows: t.options.Shows}
	for name, f := range t.files {
		set.Files = append(set.Files, f.entry)
		info, err := t.disk.root.Lstat(name)
		switch {
		case err == nil && info.IsDir():
			return nil, nil, t.failed(name, syscall.EISDIR)
		case err == nil:
			plan.Replaced = append(plan.Replaced, name)
		case errors.Is(err, fs.ErrNotExist):
			plan.Fresh = append(plan.Fresh, name)
		default:
			return nil, nil, t.failed(name, err)
		}
		r.Files = append(r.Files, t.path(name))
	}
	next := &Record{Schema: schema, Commit: plan}
	for _, s := range t.before.Sets {
		s.Files = slices.DeleteFunc(slices.Clone(s.Files), func(e Entry) bool { return t.files[e.Name] != nil })
		switch {
		case t.options.Set == "": // a self-contained file supersedes no others
			next.Sets = append(next.Sets, s)
		case s.Name == set.Name && s.ID == set.ID:
			set.Files, set.Shows = append(set.Files, s.Files...), cmp.Or(set.Shows, s.Shows)
		case s.Name == set.Name || len(s.Files) < len(t.before.Set(s.Name).Files),
			s.Shows != set.Shows && slices.Contains(t.options.Replaces, s.Name):
			if err := t.supersede(&s, plan, r); err != nil {
				return nil, nil, err
			}
		default:
			next.Sets = append(next.Sets, s)
		}
	}
	if t.options.Set != "" {
		slices.SortFunc(set.Files, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
		next.Sets = append(next.Sets, set)
	}
	for _, list := range [][]string{plan.Fresh, plan.Replaced, plan.Removed, r.Files} {
		slices.Sort(list)
	}
	return r, next, nil
}

// supersede removes the remaining files of a set, except files modified since.
func (t *Transaction) supersede(s *Set, plan *commitPlan, r *Result) error {
	for _, e := range s.Files {
		info, err := t.disk.root.Lstat(e.Name)
		switch {
		case errors.Is(err, fs.ErrNotExist), err != nil && notDir(err):
		case err != nil: // it may exist, and its owner would no longer be recorded
			return t.failed(e.Name, err)
		case !info.Mode().IsRegular() || info.Size() != e.Size || info.ModTime().UnixNano() != e.Modified:
			r.Changed = append(r.Changed, t.path(e.Name))
		default:
			plan.Removed = append(plan.Removed, e.Name)
			r.Removed = append(r.Removed, t.path(e.Name))
		}
	}
	return nil
}

func (t *Transaction) path(name string) string { return filepath.Join(t.dir, filepath.FromSlash(name)) }

// apply performs the steps from writing the journal to renaming it, or none. The journal is synced together with the
// last files.
func (t *Transaction) apply(ctx context.Context, next *Record) error {
	text, err := json.MarshalIndent(next, "", " ")
	if err != nil {
		return err
	}
	err = t.disk.writeSynced(journalName, append(text, '\n'))
	if err != nil {
		err = t.failed(journalName, err)
	}
	if err = cmp.Or(err, t.pending.Wait(), ctx.Err()); err != nil {
		_ = t.disk.remove(journalName) // nothing was renamed
		return err
	}
	err = t.move(next.Commit)
	if err == nil {
		err = t.change(next)
	}
	if err == nil {
		return nil
	}
	if failed := t.disk.undo(next.Commit); failed != nil {
		return fmt.Errorf("%w; %s contains files of two runs, because the rollback failed too (%w). The next thermsim "+
			"that opens it retries the rollback", err, t.dir, cause(failed))
	}
	_ = t.disk.removeAll(oldFiles) // the next transaction sweeps
	return err
}

// move sets the old files aside and renames the new ones.
func (t *Transaction) move(p *commitPlan) error {
	d := t.disk
	folders := map[string]bool{".": true}
	into := func(from, to string) error {
		folders[path.Dir(from)], folders[path.Dir(to)] = true, true
		if dir := path.Dir(to); dir != "." {
			if err := d.mkdir(dir); err != nil {
				return err
			}
		}
		return d.rename(from, to)
	}
	for _, name := range slices.Concat(p.Replaced, p.Removed) {
		if err := into(name, path.Join(oldFiles, name)); err != nil {
			return t.failed(name, err)
		}
	}
	for _, name := range slices.Concat(p.Fresh, p.Replaced) {
		if err := into(path.Join(newFiles, name), name); err != nil {
			return t.failed(name, err)
		}
	}
	for f := range folders {
		if f == home || isBelow(f, home) {
			continue
		}
		if err := d.syncFolder(f); err != nil {
			return t.failed(f, err)
		}
	}
	return nil
}

// change makes the folder hold the new run.
func (t *Transaction) change(next *Record) error {
	var err error
	if len(next.Sets) > 0 {
		err = t.disk.rename(journalName, recordName)
	} else {
		err = t.disk.remove(journalName)
	}
	if err != nil {
		return t.failed(recordName, err)
	}
	return nil
}

// settle cleans up after a process that died: it rolls back an interrupted commit and removes temporary files. The
// caller holds the lock.
func (d *disk) settle() (undone bool, err error) {
	cut, err := d.exists(journalName)
	if err != nil {
		return false, err
	}
	if cut {
		journal, err := d.readRecord(journalName)
		if err != nil {
			return false, err
		}
		if journal.Commit != nil {
			undone = true
			if err := d.undo(journal.Commit); err != nil {
				return false, err
			}
		} else if err := d.remove(journalName); err != nil { // interrupted before anything was renamed
			return false, err
		}
	}
	for _, name := range []string{newFiles, oldFiles} {
		there, err := d.exists(name)
		if err == nil && there {
			err = d.removeAll(name)
		}
		if err != nil {
			return false, err
		}
	}
	return undone, nil
}

// undo rolls back the completed part of a commit. It can be interrupted and repeated.
func (d *disk) undo(p *commitPlan) error {
	for _, name := range p.Fresh {
		waits, err := d.exists(path.Join(newFiles, name))
		if err != nil {
			return err
		}
		if waits {
			continue // not renamed yet
		}
		if err := d.remove(name); err != nil {
			return err
		}
		d.removeEmptyAbove(name)
	}
	for _, name := range slices.Concat(p.Replaced, p.Removed) {
		aside := path.Join(oldFiles, name)
		there, err := d.exists(aside)
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		if err := d.mkdir(path.Dir(name)); path.Dir(name) != "." && err != nil {
			return err
		}
		if err := d.rename(aside, name); err != nil {
			return err
		}
	}
	if err := d.syncFolder("."); err != nil {
		return err
	}
	return d.remove(journalName)
}

// Look reads the record of a folder, for readers of its files. An interrupted commit is rolled back first; Look waits
// for a commit in progress. The record is empty if the folder has none or does not exist.
func Look(dir string) (*Record, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return &Record{Schema: schema}, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	d := &disk{dir: dir, root: root}
	defer d.close()
	return d.look()
}

func (d *disk) look() (*Record, error) {
	const patience = 5 * time.Second
	dir := d.dir
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		cut, err := d.exists(journalName)
		if err != nil {
			return nil, fmt.Errorf("cannot inspect %s: %w", dir, cause(err))
		}
		if !cut {
			break
		}
		lock, err := d.takeLock()
		if errors.Is(err, ErrBusy) && time.Now().Before(deadline) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s contains an interrupted commit that cannot be rolled back: %w", dir, cause(err))
		}
		_, err = d.settle()
		d.dropLock(lock)
		if err != nil {
			return nil, fmt.Errorf("%s contains an interrupted commit that cannot be rolled back: %w", dir, cause(err))
		}
	}
	r, err := d.readRecord(recordName)
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", dir, recordName, cause(err))
	}
	return r, nil
}
