//go:build unix

package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"thermsim/tools/campaign"
)

// least is the shortest turn; after mostCrashers failures a target has no more turns.
const (
	least        = 4 * time.Second
	mostCrashers = 3
)

// fuzzer runs all targets.
type fuzzer struct {
	*settings
	end     time.Time
	module  string
	targets []*target
	lock    sync.Mutex // of targets
	earlier record
	writing sync.Mutex // of the file of results
}

func (c *fuzzer) prepare(ctx context.Context) error {
	var err error
	if c.targets, err = find(c.only); err != nil {
		return err
	}
	if c.earlier, err = readRecord(c.json); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "go", "list", "-m").Output()
	if err != nil {
		return fmt.Errorf("go list -m: %w", err)
	}
	c.module = strings.TrimSpace(string(out))
	if c.corpus == "" {
		if out, err = exec.CommandContext(ctx, "go", "env", "GOCACHE").Output(); err != nil {
			return fmt.Errorf("go env GOCACHE: %w", err)
		}
		c.corpus = filepath.Join(strings.TrimSpace(string(out)), "fuzz")
	}
	for _, folder := range []*string{&c.corpus, &c.crashers, &c.binary} {
		if *folder, err = filepath.Abs(*folder); err != nil {
			return err
		}
	}
	return nil
}

// all builds the test programs and fuzzes until the end, with one target at a time on each core.
func (c *fuzzer) all(ctx context.Context) error {
	ctx, cancel := context.WithDeadline(ctx, c.end)
	defer cancel()
	byPackage := map[string][]*target{}
	for _, t := range c.targets {
		byPackage[t.Package] = append(byPackage[t.Package], t)
	}
	var builds, turns errgroup.Group
	builds.SetLimit(max(1, c.cores/8)) // each keeps several cores busy
	for folder, targets := range byPackage {
		builds.Go(func() error { return c.build(ctx, folder, targets) })
	}
	if err := builds.Wait(); err != nil || ctx.Err() != nil {
		return err
	}
	for range c.cores {
		turns.Go(func() error { return c.work(ctx) })
	}
	return turns.Wait()
}

// work runs turns on one core.
func (c *fuzzer) work(ctx context.Context) error {
	for {
		t, length := c.next(ctx)
		if t == nil {
			return nil
		}
		if err := c.turn(ctx, t, length); err != nil {
			return err
		}
		if err := c.write(); err != nil {
			return err
		}
	}
}

// next is the target with the smallest part of its share so far.
func (c *fuzzer) next(ctx context.Context) (*target, time.Duration) {
	c.lock.Lock()
	defer c.lock.Unlock()
	left := time.Until(c.end) - time.Second
	if ctx.Err() != nil || left < least {
		return nil, 0
	}
	var best *target
	for _, t := range c.targets {
		if t.Crashers < mostCrashers && (best == nil || t.taken*float64(best.share()) < best.taken*float64(t.share())) {
			best = t
		}
	}
	if best == nil {
		return nil, 0
	}
	length := c.slice
	if left < length+length/2 {
		length = left
	}
	best.taken += length.Seconds()
	return best, length
}

// write writes the sum of earlier campaigns and this one.
func (c *fuzzer) write() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return campaign.Save(c.json, c.earlier.plus(c.commit, c.rows()))
}

// rows are those of the targets that have had a turn.
func (c *fuzzer) rows() (all []row) {
	c.lock.Lock()
	defer c.lock.Unlock()
	for _, t := range c.targets {
		if t.CoreHours > 0 {
			all = append(all, t.row)
		}
	}
	return all
}
