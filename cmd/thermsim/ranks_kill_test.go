package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve/testing/rankstest"
	"thermsim/internal/testtier"
)

// launchers are the MPI launchers that a test uses: in the extended tier all, else one, which may be absent.
func launchers(number int) []string {
	all := slices.Sorted(maps.Keys(rankstest.Launchers))
	one := number % len(all)
	return testtier.Pick(all[one:one+1], all)
}

// job is a command over MPI ranks.
type job struct {
	*exec.Cmd
	out  string // folder of its results
	said strings.Builder
}

// newJob prepares a command with n ranks, of which the last one has different arguments if last is not nil. Every rank
// writes its process number to a file.
func newJob(t *testing.T, dir, launcher string, n int, args, last []string) *job {
	t.Helper()
	words := func(args []string) []string {
		if !slices.Contains(args, "--out") {
			args = append(args, "--out", "out")
		}
		return append([]string{"sh", "-c", `echo $$ > pid-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; exec "$@"`, "sh",
			"thermsim"}, args...)
	}
	same := n
	if last != nil {
		same--
	}
	j := &job{Cmd: rankstest.Launch(t, launcher, same, words(args)...), out: filepath.Join(dir, "out")}
	if last != nil {
		j.Args = append(append(j.Args, ":", "-n", "1"), words(last)...)
	}
	j.Dir = dir
	j.Env = append(j.Env, "CUDA_VISIBLE_DEVICES=")
	j.Stdout, j.Stderr = &j.said, &j.said
	return j
}

// run runs the job and returns its exit status.
func (j *job) run() int {
	_ = j.Run() // the status is looked at
	return j.ProcessState.ExitCode()
}

// own are the lines that thermsim itself printed.
func (j *job) own() []string { return rankstest.Own(j.said.String(), "thermsim: ") }

// files of the output folder that users see.
func (j *job) files(t *testing.T) string {
	t.Helper()
	entries, err := os.ReadDir(j.out)
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

// kill kills a rank at once, if it has started and not yet ended.
func (j *job) kill(rank int) {
	text, err := os.ReadFile(filepath.Join(j.Dir, fmt.Sprintf("pid-%d", rank)))
	if err != nil {
		return
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return
	}
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// Whichever rank of a run is killed, and when: the launcher ends the job with a nonzero status, and the output folder
// holds a whole run or nothing.
func TestKilledRanks(t *testing.T) {
	t.Parallel()
	args := []string{"transient", "--quiet", "--steps", "50", "--dt", "0.2 ms", "--grid", "20x32"}
	kills := testtier.Pick(1, 20) // of each launcher and number of ranks
	for _, launcher := range slices.Sorted(maps.Keys(rankstest.Launchers)) {
		for _, n := range testtier.Pick([]int{3}, []int{2, 3, 4, 8}) {
			t.Run(fmt.Sprintf("%s, %d ranks", launcher, n), func(t *testing.T) {
				t.Parallel()
				dir := stackFolder(t, strings.Replace(resumedStack, "MATERIAL", `material = "copper"`, 1))
				start := time.Now()
				j := newJob(t, dir, launcher, n, args, nil)
				if status := j.run(); status != 0 || j.said.Len() > 0 {
					t.Fatalf("without a kill: status %d, %s", status, j.said.String())
				}
				took, whole := time.Since(start), j.files(t)
				for range kills {
					if err := os.RemoveAll(j.out); err != nil {
						t.Fatal(err)
					}
					j = newJob(t, dir, launcher, n, args, nil)
					if err := j.Start(); err != nil {
						t.Fatal(err)
					}
					victim, moment := rand.IntN(n), time.Duration(rand.Float64()*float64(took))
					time.Sleep(moment)
					j.kill(victim)
					_ = j.Wait() // the status is looked at
					status, files := j.ProcessState.ExitCode(), j.files(t)
					if files != "" && files != whole || status == 0 && files != whole ||
						strings.Contains(j.said.String(), "goroutine ") {
						t.Errorf("rank %d killed after %v of %v: status %d, files %s: %s", victim, moment, took, status,
							files, j.said.String())
					}
				}
			})
		}
	}
}

// Where a rank fails, or has other input, one line says which and why, and the job ends with its status.
func TestJobsThatFail(t *testing.T) {
	for i, tt := range []struct {
		name       string
		args, last []string
		status     int
		want       string
		files      string
	}{
		{"no folder", []string{"--out", "stack.toml"}, nil, exit.Input, "thermsim: cannot write to stack.toml", ""},
		{"another grid", nil, []string{"--grid", "40x64"}, exit.Input,
			"was refused: the grid is 40 x 64 x 5 cells there and 48 x 64 x 5 cells on rank 0", ""},
		{"no stack", nil, []string{"nosuch.toml"}, exit.Input, "failed: nosuch.toml: cannot read the stack file", ""},
		{"too hot", []string{"--tmax", "301 K"}, nil, exit.TooHot, "--tmax", "limits.csv"},
	} {
		for _, launcher := range launchers(i) {
			t.Run(tt.name+", "+launcher, func(t *testing.T) {
				t.Parallel()
				args := append([]string{"steady", "--quiet"}, tt.args...)
				last := tt.last
				if last != nil {
					last = append(args, last...)
				}
				j := newJob(t, stackFolder(t, regionsStack), launcher, 3, args, last)
				status, own := j.run(), j.own()
				if status != tt.status || len(own) != 1 || !strings.Contains(own[0], tt.want) ||
					last != nil && !strings.HasPrefix(own[0], "thermsim: rank 2 on ") ||
					!strings.Contains(j.files(t), tt.files) || tt.files == "" && j.files(t) != "" {
					t.Errorf("status %d, files %s: %s", status, j.files(t), j.said.String())
				}
			})
		}
	}
}
