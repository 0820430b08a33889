package mpi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/rankstest"
	"thermsim/internal/launcher"
	"thermsim/internal/testtier"
)

// asRank is the environment variable that makes the test program one rank of a job.
const asRank = "THERMSIM_TEST_RANK"

func TestMain(m *testing.M) {
	if os.Getenv(asRank) == "" {
		os.Exit(m.Run())
	}
	if err := rank(); err != nil {
		fmt.Fprintln(os.Stderr, "rank:", err)
		os.Exit(1)
	}
}

// rank is what a process of a job does.
func rank() error {
	longest = 50 << 10 // so that some messages of the suite are longer, and others twice as long
	p, err := launcher.NewPlan(0, os.Getenv)
	if err != nil {
		return err
	}
	g, err := Join(context.Background(), p.Rank, p.Ranks)
	if err != nil {
		return err
	}
	if fault := recovered(); fault == nil {
		return errors.New("MPI has replaced the handler of faults")
	}
	if os.Getenv(asRank) == "abort" {
		if g.Rank() == 1 {
			g.Abort(42)
		}
		_, err := g.Gather(nil) // for ever
		return err
	}
	if err := rankstest.RunProcess(g); err != nil {
		return err
	}
	fmt.Printf("rank %d of %d by %s\n", g.Rank(), g.Size(), g.Library())
	return nil
}

// recovered provokes a fault, which Go's handler of signals turns into a panic.
func recovered() (fault any) {
	defer func() { fault = recover() }()
	var nothing *Group
	return nothing.rank
}

// job runs this program as n ranks and returns what they print.
func job(t *testing.T, launcher string, n int, what string) ([]byte, error) {
	cmd := rankstest.Launch(t, launcher, n, os.Args[0])
	cmd.Env = append(cmd.Env, asRank+"="+what)
	return cmd.CombinedOutput()
}

// A rank that aborts ends those that wait for it, with its status.
func TestAbort(t *testing.T) {
	for name := range rankstest.Launchers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, err := job(t, name, 2, "abort")
			var ended *exec.ExitError
			if !errors.As(err, &ended) || ended.ExitCode() != 42 {
				t.Errorf("%v: %s", err, said)
			}
		})
	}
}

// Ranks of both MPIs keep what every group of ranks does.
func TestGroup(t *testing.T) {
	for name := range rankstest.Launchers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, n := range testtier.Pick([]int{3}, []int{2, 3, 4, 8}) {
				said, err := job(t, name, n, "suite")
				if own := rankstest.Own(string(said), "rank "); err != nil || len(own) != n ||
					strings.Contains(name, "mpich") != strings.Contains(own[0], "MPICH") {
					t.Errorf("%d ranks: %v, %s", n, err, said)
				}
			}
		})
	}
}
