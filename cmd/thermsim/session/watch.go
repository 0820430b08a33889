package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/internal/inputfile"
)

// watchPoll is how often files are looked at. Modification times work on every file system, networks' too, where
// notices of changes do not.
const watchPoll = 200 * time.Millisecond

// WatchFlag is --watch.
type WatchFlag bool

func (w *WatchFlag) AddFlag(f *pflag.FlagSet) {
	f.BoolVar((*bool)(w), "watch", false, "run again whenever the stack file or a file it names changes")
}

// stamp identifies the state of a file; the zero value means that it does not exist.
type stamp struct {
	size int64
	time time.Time
	mode fs.FileMode
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime(), info.Mode()}
}

// Watched notes the files that a run reads, as they were before it read them. Files that cannot be read count too: they
// may come.
type Watched struct {
	mu     sync.Mutex
	stamps map[string]stamp
}

func newWatched(path string) *Watched {
	return &Watched{stamps: map[string]stamp{path: stampOf(path)}}
}

// Read is a stack.Opener.
func (w *Watched) Read(path string) ([]byte, error) {
	w.mu.Lock()
	if _, known := w.stamps[path]; !known {
		w.stamps[path] = stampOf(path)
	}
	w.mu.Unlock()
	return inputfile.Read(path)
}

// changed are the files that are not as they were, in order.
func (w *Watched) changed() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []string
	for path, before := range w.stamps {
		if stampOf(path) != before {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// now are the stamps that the files have.
func (w *Watched) now() map[string]stamp {
	w.mu.Lock()
	defer w.mu.Unlock()
	stamps := make(map[string]stamp, len(w.stamps))
	for path := range w.stamps {
		stamps[path] = stampOf(path)
	}
	return stamps
}

// wait returns the files that changed, once they have rested for one look: editors write in several steps.
func (w *Watched) wait(ctx context.Context) ([]string, error) {
	ticker := time.NewTicker(watchPoll)
	defer ticker.Stop()
	var last map[string]stamp // while something has changed
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ticker.C:
		}
		list := w.changed()
		if len(list) == 0 {
			last = nil
			continue
		}
		now := w.now()
		if maps.Equal(now, last) {
			return list, nil
		}
		last = now
	}
}

// StackPath is the file of a STACK argument.
func StackPath(argument string) string {
	if argument == "" {
		return "stack.toml"
	}
	if info, err := os.Stat(argument); err == nil && info.IsDir() {
		return filepath.Join(argument, "stack.toml")
	}
	return argument
}

// checkWatch refuses inputs that cannot change.
func checkWatch(argument string) error {
	if argument == inputfile.Stdin {
		return exit.Usagef("--watch: what is piped in does not change; name a file")
	}
	return nil
}

// WatchRuns runs a command whenever its inputs change, until the user ends it. Errors are reported, and may be fixed.
func WatchRuns(ctx context.Context, g *Session, argument string, once func(context.Context, *Watched) error) error {
	if err := checkWatch(argument); err != nil {
		return err
	}
	g.Ends = false
	path := StackPath(argument)
	why := ""
	for n := 1; ; n++ {
		g.Note("run %d at %s%s", n, time.Now().Format(time.TimeOnly), why)
		g.Start = time.Now()
		w := newWatched(path)
		if err := once(ctx, w); err != nil {
			if ctx.Err() != nil {
				return err
			}
			g.Fail(err)
		}
		g.Note("watching %s; Ctrl-C ends", filesText(len(w.now())))
		changed, err := w.wait(ctx)
		if err != nil {
			return exit.With(exit.Interrupted, errors.New("no longer watching; the files of the last run stay"))
		}
		why = ": " + shortList(changed) + " changed"
	}
}

func filesText(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

// shortList names three files at most.
func shortList(paths []string) string {
	var names []string
	for _, p := range paths[:min(3, len(paths))] {
		names = append(names, filepath.Base(p))
	}
	if more := len(paths) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
