package rankstest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Launchers are the MPI launchers that tests use, by the names that Debian gives them, with what makes them start more
// processes than there are cores, as root.
var Launchers = map[string][]string{
	"mpirun.mpich":   nil,
	"mpirun.openmpi": {"--allow-run-as-root", "--oversubscribe"},
}

// Launch is the command that starts a program n times, once for each rank. Without the launcher, the test is skipped.
func Launch(t testing.TB, launcher string, n int, program ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath(launcher)
	if err != nil {
		t.Skipf("there is no %s: install mpich and openmpi-bin", launcher)
	}
	args := append([]string{}, Launchers[launcher]...)
	cmd := exec.Command(path, append(append(args, "-n", fmt.Sprint(n)), program...)...)
	// The default data store of PMIx has locks in shared memory, and mpirun waits forever for one of a killed rank.
	cmd.Env = append(os.Environ(), "PMIX_MCA_gds=hash")
	return cmd
}

// Own are the lines of a launched program's output that begin with a prefix. Launchers add other lines.
func Own(output, prefix string) (own []string) {
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, prefix) {
			own = append(own, line)
		}
	}
	return own
}
