//go:build linux && amd64

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"thermsim/tools/campaign"
)

// subject is the program under test.
type subject struct {
	program    string
	repository string
	folder     string // for work folders
	limit      time.Duration
	folders    atomic.Int64
	ready      sync.Map // functions that prepare a scenario once, by its name
}

// ended is a run whose outcome is to be judged.
type ended struct {
	campaign.Outcome
	operations []operation // of a traced run
	work       string
	stderr     string        // on standard error
	after      time.Duration // from a signal to the end
}

// environment makes runs comparable: no GPU, no colors, nothing of the user's.
func environment(work string) []string {
	return []string{"PATH=/usr/bin:/bin", "HOME=" + work, "TMPDIR=" + filepath.Join(work, "tmp"),
		"CUDA_VISIBLE_DEVICES=", "GOMAXPROCS=2"}
}

// traced runs a command in a work folder and asks decide about every operation.
func (c *subject) traced(s *scenario, work string, args []string, decide func(operation) verdict) (*ended, error) {
	if err := os.WriteFile(work+".stdin", []byte(s.input), 0o666); err != nil {
		return nil, err
	}
	e, err := trace(c.program, args, work, environment(work), c.limit, decide)
	if err != nil {
		return nil, err
	}
	e.work = work
	stderr, err := os.ReadFile(work + ".stderr")
	if err != nil {
		return nil, err
	}
	if s.answers {
		answers, err := os.ReadFile(work + ".stdout")
		if err != nil {
			return nil, err
		}
		if stderr = append(stderr, answers...); e.Status == 0 && bytes.Contains(answers, []byte(`"ok":false`)) {
			e.Status = 1 // which that answer represents
		}
	}
	e.stderr = string(stderr)
	return e, nil
}

// command is that of a scenario, or another one, for a run that is not traced.
func (c *subject) command(s *scenario, work string, args []string) *exec.Cmd {
	cmd := exec.Command(c.program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = work, environment(work), strings.NewReader(s.input)
	return cmd
}

// undisturbed runs a command without tracing, which is faster.
func (c *subject) undisturbed(s *scenario, work string, args []string) (*ended, error) {
	o, err := campaign.Run(c.command(s, work, args), c.limit)
	return &ended{Outcome: o, work: work, stderr: o.Stderr}, err
}

// fresh copies the folder before the command to a new work folder.
func (p *prepared) fresh() (string, error) {
	work := p.subject.name()
	return work, copyFolder(p.start, work)
}

// name of a new work folder.
func (c *subject) name() string { return filepath.Join(c.folder, fmt.Sprintf("w%d", c.folders.Add(1))) }

func remove(work string) {
	for _, path := range []string{work, work + ".stdout", work + ".stderr", work + ".stdin"} {
		_ = os.RemoveAll(path) // temporary
	}
}

var errStart = errors.New("the undisturbed command does not do what it should")

// prepare runs the earlier commands of a scenario, and its command three times. A scenario is prepared once.
func (c *subject) prepare(s *scenario) (*prepared, error) {
	once, _ := c.ready.LoadOrStore(s.name, sync.OnceValues(func() (*prepared, error) {
		p := &prepared{scenario: s, subject: c, start: c.name(), varying: map[string]bool{}}
		if err := p.begin(); err != nil {
			return nil, err
		}
		for n := range 3 {
			if err := p.recordRun(n == 0); err != nil {
				return nil, fmt.Errorf("%w: %s: %w", errStart, strings.Join(s.command, " "), err)
			}
		}
		return p, nil
	}))
	return once.(func() (*prepared, error))()
}

// begin makes the folder before the command.
func (p *prepared) begin() (err error) {
	c, s := p.subject, p.scenario
	if err := s.prepare(c.repository, p.start); err != nil {
		return err
	}
	for _, args := range s.earlier {
		if e, err := c.undisturbed(s, p.start, args); err != nil || e.Status != 0 {
			return fmt.Errorf("%w: %s: %v %+v", errStart, strings.Join(args, " "), err, e)
		}
	}
	if p.old, _, err = p.filesOnTheWay(p.start, new(fault)); err != nil {
		return err
	}
	if s.killed != nil {
		if _, err := c.traced(s, p.start, s.killed, func(o operation) verdict {
			if o.key() == s.at {
				return verdict{sends: syscall.SIGKILL}
			}
			return verdict{}
		}); err != nil {
			return err
		}
	}
	_, p.kept, err = p.filesOnTheWay(p.start, new(fault))
	return err
}

// recordRun runs the command undisturbed, and records what it does and which files differ from run to run.
func (p *prepared) recordRun(first bool) error {
	work, err := p.fresh()
	defer remove(work)
	if err != nil {
		return err
	}
	e, err := p.subject.traced(p.scenario, work, p.command, func(operation) verdict { return verdict{} })
	if err != nil {
		return err
	}
	if e.Status != 0 {
		return fmt.Errorf("status %d, %s", e.Status, e.stderr)
	}
	all, kept, err := p.files(work)
	if err != nil {
		return err
	}
	if first {
		p.made, p.list = all, e.operations
	}
	for name, text := range all {
		if text != p.made[name] {
			p.varying[name] = true
		}
	}
	if state, why := p.classify(work, all); state != isNew || len(leftovers(kept)) > 0 {
		return fmt.Errorf("the folder is %s: %s, %v", state, why, leftovers(kept))
	}
	return nil
}

// run is a disturbed run: the fault, where it struck, the state of its folder afterwards, and what was wrong.
type run struct {
	*prepared
	fault *fault
	at    operation
	state string
	wrong []string
	*ended
}

// strike makes a fault strike at an operation; without ended the run did not do the operation.
func (p *prepared) strike(f *fault, at operation) (*run, error) {
	r := &run{prepared: p, fault: f, at: at}
	work, err := p.fresh()
	defer remove(work)
	if err != nil {
		return nil, err
	}
	struck := false
	e, err := p.subject.traced(p.scenario, work, p.command, func(o operation) verdict {
		switch {
		case o.key() == at.key():
			struck = true
			return f.verdict
		case struck && f.affects(o):
			return f.verdict
		}
		return verdict{}
	})
	if err != nil || !struck {
		return r, err
	}
	r.ended = e
	r.state, r.wrong = p.judge(e, f, at)
	return r, nil
}

// home is the folder of thermsim's own files in an output folder.
const home = ".thermsim"

// snapshot is all files below a folder, by name.
type snapshot map[string]string

// readFolder reads a folder: the user's files, and the names of thermsim's own.
func readFolder(dir string) (all snapshot, kept []string, err error) {
	all = snapshot{}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path, dir+"/")
		if slashed := "/" + name + "/"; strings.Contains(slashed, "/"+home+"/") {
			if e.Name() != home {
				kept = append(kept, name)
			}
			return nil
		}
		if e.IsDir() {
			return nil
		}
		text, err := os.ReadFile(path)
		all[name] = string(text)
		return err
	})
	return all, kept, err
}

// copyFolder copies a folder with the times of its files, by which thermsim recognizes them.
func copyFolder(from, to string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return os.Chtimes(to+strings.TrimPrefix(path, from), info.ModTime(), info.ModTime())
	})
}
