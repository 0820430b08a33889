package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"thermsim/gpusolve/testing/rankstest"
	"thermsim/internal/testtier"
)

// ensemble is the processes of a run over ranks.
type ensemble struct {
	out   string
	ranks []*exec.Cmd
	said  []*bytes.Buffer // stderr
	shown []*bytes.Buffer // stdout
}

// startRanks starts a command n times, once for each rank, in an order that is drawn. more are the arguments of single
// ranks.
func startRanks(t *testing.T, dir string, n int, args []string, more map[int][]string) *ensemble {
	t.Helper()
	e := &ensemble{out: filepath.Join(dir, "out"), ranks: make([]*exec.Cmd, n), said: make([]*bytes.Buffer, n),
		shown: make([]*bytes.Buffer, n)}
	place := rankstest.Place(t)
	for _, rank := range rand.Perm(n) {
		all := append(append([]string{}, args...), "--out", "out", "--ranks", fmt.Sprint(n), "--rank", fmt.Sprint(rank),
			"--rendezvous", place, "--ranks-wait", "20 s")
		cmd := program(t, dir, append(all, more[rank]...)...)
		e.said[rank], e.shown[rank] = new(bytes.Buffer), new(bytes.Buffer)
		cmd.Stderr, cmd.Stdout = e.said[rank], e.shown[rank]
		e.ranks[rank] = cmd
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// end waits for all processes.
func (e *ensemble) end() {
	for _, cmd := range e.ranks {
		_ = cmd.Wait() // the status is looked at
	}
}

func (e *ensemble) status(rank int) int { return e.ranks[rank].ProcessState.ExitCode() }

func (e *ensemble) String() string {
	var b strings.Builder
	for rank := range e.ranks {
		fmt.Fprintf(&b, "\n  rank %d: status %d: %q", rank, e.status(rank), e.said[rank])
	}
	return b.String()
}

// files of the output folder that users see.
func (e *ensemble) files(t *testing.T) string {
	t.Helper()
	entries, err := os.ReadDir(e.out)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, f := range entries {
		if f.Name() != ".thermsim" {
			names = append(names, f.Name())
		}
	}
	return strings.Join(names, " ")
}

// Whichever rank of a run is killed, and when: all others end, one line names it, and the output folder holds a whole
// run or nothing.
func TestKilledRanks(t *testing.T) {
	t.Parallel() // a rank that is killed before all have met makes the others wait
	args := []string{"transient", "--quiet", "--steps", "50", "--dt", "0.2 ms"}
	sizes := testtier.Pick([]int{3}, []int{2, 3, 4, 8})
	kills := testtier.Pick(2, 100) // over all sizes
	for i, n := range sizes {
		t.Run(fmt.Sprintf("%d ranks", n), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "stack.toml"),
				[]byte(strings.Replace(resumedStack, "MATERIAL", `material = "copper"`, 1)), 0o666); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			e := startRanks(t, dir, n, grid(args), nil)
			e.end()
			took := time.Since(start)
			whole := e.files(t)
			if e.status(0) != 0 || !strings.Contains(whole, "summary.json") {
				t.Fatalf("without a kill: %v, files %s", e, whole)
			}
			for k := i; k < kills; k += len(sizes) {
				if err := os.RemoveAll(e.out); err != nil {
					t.Fatal(err)
				}
				victim, moment := rand.IntN(n), time.Duration(rand.Float64()*1.1*float64(took))
				e = startRanks(t, dir, n, grid(args), nil)
				time.Sleep(moment)
				_ = e.ranks[victim].Process.Kill() // unless it has ended already
				e.end()
				if fault := e.judge(victim, whole, e.files(t)); fault != "" {
					t.Errorf("rank %d killed after %v of %v: %s: %v", victim, moment, took, fault, e)
				}
			}
		})
	}
}

// grid splits among eight ranks.
func grid(args []string) []string { return append(append([]string{}, args...), "--grid", "20x32") }

// judge says what is wrong with what is left after a rank was killed.
func (e *ensemble) judge(victim int, whole, files string) string {
	if files != "" && files != whole {
		return "the folder holds " + files
	}
	finished := true // every survivor thinks so: the kill came too late
	for rank := range e.ranks {
		finished = finished && (rank == victim || e.status(rank) == 0)
	}
	if finished || e.status(victim) == 0 && e.status(0) == 0 {
		if files == "" && e.status(0) == 0 {
			return "no files"
		}
		return ""
	}
	for rank := range e.ranks {
		said := e.said[rank].String()
		tells := rank == 0 || victim == 0
		switch {
		case rank == victim:
			if said != "" {
				return "the killed rank spoke"
			}
		case e.status(rank) == 0 && !(files == whole):
			return fmt.Sprintf("rank %d succeeded", rank)
		case tells && e.status(rank) != 0 &&
			(strings.Count(said, "\n") != 1 || !strings.Contains(said, fmt.Sprintf("rank %d ", victim))):
			return fmt.Sprintf("rank %d does not name the one that was killed, in one line", rank)
		case !tells && said != "":
			return fmt.Sprintf("rank %d speaks beside rank 0", rank)
		}
	}
	return ""
}
