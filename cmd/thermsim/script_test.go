package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"thermsim/internal/testtier"
)

func TestMain(m *testing.M) {
	testscript.Main(&withProgram{m}, map[string]func(){"thermsim": main, "crash": crash})
}

// withProgram are tests with the program on PATH. A program without tests starts faster than the test binary.
type withProgram struct{ *testing.M }

func (w *withProgram) Run() int {
	dir, err := os.MkdirTemp("", "thermsim")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	// go run keeps what it links, which go build does not.
	if out, err := exec.Command("go", "run", "-buildvcs=false", "-ldflags=-s -w", "-exec=cp", ".",
		filepath.Join(dir, "thermsim")).CombinedOutput(); err != nil {
		log.Fatalf("%v: %s", err, out)
	}
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config")) // without the defaults file of the user
	os.Setenv("CUDA_VISIBLE_DEVICES", "")                      // the same answers on machines with a GPU
	os.Setenv("GOGC", "400")                                   // short runs: a sixth less processor time
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return w.M.Run()
}

// Scripts run the commands as a user does. See the files for the cases; these are the words that they add to
// testscript's:
//
//	status N PROGRAM ARGS...              run, expect the exit status N, hold every summary.json against its schema
//	interrupt N SIGNAL TEXT PROGRAM ...   run, send the signal once TEXT shows on stderr, and expect the exit status N
//	samesummary A B                       compare two summaries apart from times, memory and the names of inputs
//	editfile FILE OLD NEW                 replace text in a copied input
func TestScripts(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", examples)
			e.Setenv("LONG", strings.Repeat("x", 300)) // than names of files may be
			for _, name := range []string{"CUDA_VISIBLE_DEVICES", "GOGC"} {
				e.Setenv(name, os.Getenv(name))
			}
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "root":
				return os.Geteuid() == 0, nil
			case "extended":
				return testtier.Pick(false, true), nil
			}
			return false, errors.New("unknown condition")
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":      wantStatus,
			"interrupt":   interrupt,
			"samesummary": sameSummary,
			"editfile":    editFile,
			"unhex":       unhex,
		},
	})
}

// unhex writes the bytes of a file of hexadecimal digits.
func unhex(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: unhex TEXT FILE")
	}
	data, err := hex.DecodeString(strings.Join(strings.Fields(ts.ReadFile(args[0])), ""))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o600))
}

func wantStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	if got := statusOf(ts, err); got != want {
		ts.Fatalf("exit status %d, expected %d", got, want)
	}
	validateSummaries(ts, args[2:])
}

func statusOf(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() {
			return 128 + int(w.Signal()) // as shells tell it
		}
		return exit.ExitCode()
	}
	ts.Fatalf("%v", err)
	return -1
}

func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: interrupt N SIGNAL TEXT PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	sig, ok := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}[args[1]]
	if !ok {
		ts.Fatalf("signal %s: expected INT, TERM or HUP", args[1])
	}
	path, err := exec.LookPath(args[3])
	ts.Check(err)
	cmd := exec.Command(path, args[4:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "PATH="+ts.Getenv("PATH"))
	stderr, err := os.Create(ts.MkAbs("interrupted.err"))
	ts.Check(err)
	defer stderr.Close()
	cmd.Stderr = stderr
	// Under nohup the tests ignore SIGHUP, and what they start does, too. A signal that is caught here has its default
	// action there.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, sig)
	defer signal.Stop(caught)
	ts.Check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	sent := false
	for {
		select {
		case err := <-ended:
			if got := statusOf(ts, err); got != want || !sent {
				ts.Fatalf("exit status %d, expected %d; signal sent: %v\n%s", got, want, sent,
					ts.ReadFile("interrupted.err"))
			}
			return
		case <-time.After(2 * time.Millisecond):
			if !sent && strings.Contains(ts.ReadFile("interrupted.err"), args[2]) {
				ts.Check(cmd.Process.Signal(sig))
				sent = true
			}
		}
	}
}

func sameSummary(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: samesummary A B")
	}
	var s [2]map[string]any
	for i, name := range args {
		d := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(name))))
		d.UseNumber() // digit for digit
		ts.Check(d.Decode(&s[i]))
		for _, key := range []string{"time", "memory", "stack", "input_sha256"} {
			if _, ok := s[i][key]; !ok {
				ts.Fatalf("%s has no %q", name, key)
			}
			delete(s[i], key)
		}
		if list, ok := s[i]["warnings"].([]any); ok {
			for _, w := range list {
				delete(w.(map[string]any), "place")
			}
		}
	}
	if diff := cmp.Diff(s[0], s[1]); diff != "" {
		ts.Fatalf("summaries differ:\n%s", diff)
	}
}

func editFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: editfile FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o666))
}
