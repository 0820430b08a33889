//go:build linux && amd64

package main

import (
	"bytes"
	"errors"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"thermsim/internal/testtier"
	"thermsim/tools/campaign"
)

var tested *subject // of all tests: what one prepares, others need not

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "faults")
		if err != nil {
			log.Fatal(err)
		}
		defer os.RemoveAll(dir)
		program := filepath.Join(dir, "thermsim")
		// go run keeps what it links, which go build does not.
		if out, err := exec.Command("go", "run", "-buildvcs=false", "-ldflags=-s -w", "-exec=cp",
			"thermsim/cmd/thermsim", program).CombinedOutput(); err != nil {
			log.Fatalf("%v: %s", err, out)
		}
		tested = &subject{program: program, repository: "../..", folder: dir, limit: 5 * time.Minute}
		return m.Run()
	}())
}

// sound fails the test for runs that did not end as they should.
func (r *results) sound(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
		t.Skip("programs may not be traced here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range r.Wrong {
		t.Errorf("%s: %s at %v: %q", w.Command, w.Fault, w.At, w.Wrong)
	}
	for _, row := range append(append(r.Rows, r.Signals...), r.Pairs...) {
		t.Logf("%s: %v, %v", row.Command, row.Faults, row.Held)
	}
}

// A sample of faults on files; the whole campaign takes most of an hour.
func TestFaults(t *testing.T) {
	c := tested
	var r results
	s := settings{most: 1, every: testtier.Pick(173, 67), workers: 2, faults: regexp.MustCompile("")}
	s.only = regexp.MustCompile(testtier.Pick("^(resumed transient|solve)$", "^(steady|resumed transient|render|solve|"+
		"sweep|import eda|bench)$"))
	r.sound(t, s.inject(c, &r))
}

// A file of the previous run that cannot be examined must not stay next to the new run, which would not know of it.
// Before the solve, where names are only compared with those that the run may write, a failure may go unnoticed.
func TestFaultsOnOldFiles(t *testing.T) {
	c := tested
	p, err := c.prepare(&scenario{name: "old fields", earlier: words("steady --no-page --files raw --out out"),
		command: strings.Fields("steady --no-page --no-map --out out")})
	if err != nil {
		(&results{}).sound(t, err)
	}
	var looks []operation
	for _, at := range p.list {
		if at.Kind == opStat && at.Name == "out/field.bin" {
			looks = append(looks, at)
		}
	}
	refused := 0
	for _, at := range choose(looks, testtier.Pick(3, len(looks))) {
		one, err := p.strike(&faults[0], at)
		if err != nil || one.ended == nil {
			t.Errorf("%v: not struck, %v", at, err)
			continue
		}
		whole := one.state == isOld && one.Status > 0 || one.state == isNew && one.Status == 0
		if !whole || len(one.wrong) > 0 {
			t.Errorf("%v: %s, %v, status %d", at, one.state, one.wrong, one.Status)
		}
		if one.state == isOld {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no failure was noticed")
	}
}

// A sample of signals and of pairs of runs.
func TestDisturbedRuns(t *testing.T) {
	c := tested
	var r results
	s := settings{signals: testtier.Pick(2, 210), pairs: testtier.Pick(1, 70), workers: 2,
		seed: testtier.Pick(1, uint64(time.Now().UnixNano()))}
	t.Logf("-seed %d", s.seed)
	r.sound(t, s.test(c, &r))
}

// Of many operations of one kind on one file the first, the last and some between are chosen.
func TestChoose(t *testing.T) {
	var list []operation
	for n := range 100 {
		list = append(list, operation{Kind: opWrite, Name: "a", N: n})
	}
	list = append(list, operation{Kind: opClose, Name: "a"})
	for most, want := range map[int]int{1: 1, 2: 2, 6: 6, 100: 100, 1000: 100} {
		got := choose(list, most)
		if len(got) != want+1 || got[0].N != 0 || most > 1 && got[want-1].N != 99 || got[want].Kind != opClose {
			t.Errorf("most %d: %v", most, got)
		}
	}
}

// The totals of the page are those of the figures that are kept.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/explanation/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"faults", "signals"} {
		var r results
		if err := campaign.Load("../../docs/measurements/reliability-"+name+".json", &r); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		r.print(&b)
		totals := b.String()
		for _, row := range slices.Concat(r.Rows, r.Signals) {
			totals = regexp.MustCompile(`(?m)^\| `+regexp.QuoteMeta(row.Command)+` \|.*\n`).ReplaceAllString(totals, "")
		}
		if r.Commit == "" || !strings.Contains(string(page), totals) {
			t.Errorf("%s of commit %q: docs/explanation/reliability.md has no such tables:\n%s", name, r.Commit, totals)
		}
	}
}
