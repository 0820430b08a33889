package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/internal/inputfile"
	"thermsim/report/checkpoint"
	"thermsim/stack/stackfile"
)

// interval is --checkpoint: an interval in seconds, or in steps.
type interval struct {
	wall  time.Duration
	steps int
	text  string
}

// defaultInterval is that of --resume alone.
const defaultInterval = "10 min"

func (i *interval) Set(text string) error {
	*i = interval{text: text}
	if number, rest := strings.CutSuffix(strings.TrimSuffix(text, "s"), "step"); rest {
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || n < 1 {
			return errors.New(`write a whole number, as in "1000 steps"`)
		}
		i.steps = n
		return nil
	}
	s, err := stackfile.ParseTime(text)
	switch {
	case err != nil:
		return fmt.Errorf(`%w; or a number of steps, as in "1000 steps"`, err)
	case !(s > 0) || s > 1e8:
		return errors.New("it must be positive, and at most 1e8 s")
	}
	i.wall = time.Duration(s * 1e9)
	return nil
}

func (i *interval) String() string { return i.text }
func (i *interval) Type() string   { return "TIME" }

// checkpointOptions are the flags of checkpoints.
type checkpointOptions struct {
	every  interval
	resume bool
	facts  []checkpoint.Fact // flags that the result depends on
}

func (o *checkpointOptions) addFlags(f *pflag.FlagSet) {
	f.Var(&o.every, "checkpoint", `keep the state this often, as "10 min" or "1000 steps", for --resume`)
	f.BoolVar(&o.resume, "resume", false, "continue from the checkpoint in --out, if there is one")
}

// needed says that checkpoints are asked for.
func (o *checkpointOptions) needed() bool { return o.resume || o.every.text != "" }

// presentation are flags that change no file, or that the solver compares itself.
var presentation = []string{"checkpoint", "resume", "out", "quiet", "verbose", "json", "json-lines", "no-map", "strict",
	"device"}

// given keeps the flags that were given.
func (o *checkpointOptions) given(f *pflag.FlagSet) {
	f.Visit(func(f *pflag.Flag) {
		if !slices.Contains(presentation, f.Name) {
			o.facts = append(o.facts, checkpoint.Fact{Name: "--" + f.Name, Value: f.Value.String()})
		}
	})
}

// checkpointing is the state of a run that writes checkpoints.
type checkpointing struct {
	*checkpoint.Files
	g      *session.Session
	every  interval
	from   gpusolve.Checkpoints
	last   time.Time
	unable bool // the state cannot be kept from here on
}

// keep prepares checkpoints before the solve.
func (s *simulation) keep(o *transientOptions) error {
	c := &o.checkpoints
	switch {
	case !c.needed():
		return nil
	case o.project.network() != nil:
		return exit.Usagef("--checkpoint and --resume: with --compat this project is solved as a network of nodes, " +
			"which has no checkpoints. Fix: omit --compat")
	case s.Mesh.Stack.Transient.Periodic:
		return exit.Usagef("--checkpoint and --resume: a periodic state is found by corrections to its start, and " +
			"has no checkpoints")
	}
	facts, err := s.facts(o)
	if err != nil {
		return err
	}
	k := &checkpointing{g: s.g, every: c.every, last: time.Now()}
	there, err := checkpoint.Exists(o.out)
	if err != nil {
		return err
	}
	switch {
	case there && !c.resume:
		return exit.Usagef("%s holds the checkpoint of a run that did not end; continue it with --resume, or remove "+
			"that "+
			"folder to start again", filepath.Join(o.out, checkpoint.Folder))
	case there:
		k.Files, err = checkpoint.Resume(o.out, facts)
	default:
		if c.resume {
			s.g.Note("no checkpoint in %s: the run starts at the beginning", o.out)
		}
		if k.every.text == "" {
			_ = k.every.Set(defaultInterval) // it is right
		}
		k.Files, err = checkpoint.Create(o.out, facts, k.every.text)
	}
	if err != nil {
		return resuming(err)
	}
	if k.every.text == "" {
		if err := k.every.Set(k.Interval); err != nil {
			k.Close()
			return exit.With(exit.Input, err)
		}
	}
	k.Interval = k.every.text
	s.kept = k
	return nil
}

// resuming says which flag brought a fault of the input up.
func resuming(err error) error {
	if exit.Status(err) == exit.Input {
		return fmt.Errorf("--resume: %w", err)
	}
	return err
}

// facts are what the files of the run depend on.
func (s *simulation) facts(o *transientOptions) ([]checkpoint.Fact, error) {
	of := s.Mesh.Stack
	facts := []checkpoint.Fact{{Name: "thermsim", Value: versionText()},
		{Name: "the grid", Value: fmt.Sprintf("%d x %d x %d cells", s.Mesh.NX(), s.Mesh.NY(), s.Mesh.NZ())}}
	seen := map[string]int{}
	for _, in := range of.Inputs {
		name := filepath.Base(in.Path)
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		facts = append(facts, checkpoint.Fact{Name: name, Value: in.SHA256})
	}
	if o.policy != "" {
		text, err := inputfile.Read(o.policy)
		if err != nil {
			return nil, exit.With(exit.Input, err)
		}
		sum := sha256.Sum256(text)
		facts = append(facts, checkpoint.Fact{Name: filepath.Base(o.policy) + " of --policy",
			Value: hex.EncodeToString(sum[:])})
	}
	return append(facts, o.checkpoints.facts...), nil
}

// checkpoints are the options of the solver, once the recorders have seen the steps before the checkpoint; nil without
// checkpoints.
func (s *simulation) checkpoints() (*gpusolve.Checkpoints, error) {
	k := s.kept
	if k == nil {
		return nil, nil
	}
	if k.Saved() {
		steps, history, state, err := k.Replay(func(step solution.Step, f solution.Field) error {
			return s.show(step, f)
		})
		if err != nil {
			return nil, resuming(err)
		}
		*s.history = append(*s.history, history...)
		k.from.From, k.from.Reported = state, steps
		if n := len(steps); n > 0 {
			s.g.Note("continuing from t = %s", terminal.Seconds(steps[n-1].Time))
		}
	}
	k.from.Due = k.due
	k.from.Save = func(steps int, write func(io.Writer) error) error {
		err := k.Save(*s.history, write)
		if errors.Is(err, gpusolve.ErrNoCheckpoint) {
			k.unable = true
			k.g.Note("%v", err)
			return nil
		}
		k.last = time.Now()
		if err != nil {
			return fmt.Errorf("the checkpoint could not be written: %w", err)
		}
		k.g.Detail("kept the state after %d steps", steps)
		return nil
	}
	return &k.from, nil
}

// due says that a state is to be kept.
func (k *checkpointing) due(steps int) bool {
	switch {
	case k.unable:
		return false
	case k.every.steps > 0:
		return steps%k.every.steps == 0
	}
	return time.Since(k.last) >= k.every.wall
}

// leaveCheckpoint keeps the checkpoint of a failed run and adds to its error how to continue, or that --checkpoint
// would have allowed it after a device failure.
func (s *simulation) leaveCheckpoint(err error) error {
	lost := errors.Is(err, gpusolve.ErrDevice)
	switch k := s.kept; {
	case k != nil:
		if k.Close(); err != nil && k.Saved() {
			return fmt.Errorf("%w; --resume continues from the checkpoint", err)
		}
	case lost && s.steps > 0:
		return fmt.Errorf("%w; --checkpoint keeps finished steps for --resume", err)
	}
	return err
}

// endCheckpoint removes the checkpoint of a finished run. After an interrupt it keeps it and returns how to continue.
func (s *simulation) endCheckpoint(ctx context.Context) (further string) {
	k := s.kept
	if k == nil {
		return ""
	}
	s.kept = nil
	if ctx.Err() == nil {
		if err := k.Remove(); err != nil {
			s.g.Note("the checkpoint of this run, which is finished, could not be removed: %v; remove the folder", err)
		}
		return ""
	}
	if k.Close(); k.Saved() {
		further = "; --resume continues from the checkpoint"
	}
	return further
}
