//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// mostVirtual is the address space that a program gets, in KiB: more would endanger the machine.
const mostVirtual = 6_000_000

// measured is what a run cost and said.
type measured struct {
	Wall    time.Duration
	CPU     time.Duration // what other programs on the machine take does not count
	Memory  int64         // bytes, largest resident size
	Status  int
	Killed  bool
	Message string
	Large   bool `json:"-"` // the input has more bytes than are promised anything
}

// measure runs the program in dir, whose file stdin, if there is one, is its input. The system counts what a process
// had before it became the program as memory of the program: so a small process of its own starts it.
func measure(program, dir string, args []string, limit time.Duration) (m measured, err error) {
	self, err := os.Executable()
	if err != nil {
		return m, err
	}
	cmd := exec.Command(self, append([]string{asMeter, limit.String(), program}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(out, &m)
}

// asMeter in place of flags makes this program the small process.
const asMeter = "-meter"

// meter starts the program in the working directory and prints what it cost.
func meter(limit, program string, args []string) error {
	most, err := time.ParseDuration(limit)
	if err != nil {
		return err
	}
	script := fmt.Sprintf(`ulimit -v %d 2> /dev/null; exec "$0" "$@"`, mostVirtual)
	cmd := exec.Command("sh", append([]string{"-c", script, program}, args...)...)
	if in, err := os.Open("stdin"); err == nil {
		defer in.Close()
		cmd.Stdin = in
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	timer := time.AfterFunc(most, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	m := measured{Wall: time.Since(start), Killed: !timer.Stop(), Message: said.String(),
		Status: cmd.ProcessState.ExitCode()}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return err
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.Memory = int64(usage.Maxrss) << 10
		m.CPU = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return json.NewEncoder(os.Stdout).Encode(m)
}

// row is a line of the table.
func (m *measured) row(in input) string {
	return fmt.Sprintf("| %s | %.2f s | %.2f s | %d MB | %s | %s |", in.what, m.Wall.Seconds(), m.CPU.Seconds(),
		m.Memory/1e6, m.ending(), shown(m.Message))
}

// ending is the exit status, or what ended the program.
func (m *measured) ending() string {
	switch {
	case m.Killed:
		return "killed"
	case m.Status < 0:
		return "crash"
	}
	return fmt.Sprint(m.Status)
}

// shortened is the first line of a message, cut.
func shortened(message string, most int) string {
	first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	if r := []rune(first); len(r) > most {
		first = string(r[:most]) + "..."
	}
	return first
}

// shown is a message in a cell of a table: its first line, and how long the whole was.
func shown(message string) string {
	first := shortened(message, 240)
	if len(message) > 4096 {
		first += fmt.Sprintf(" (%d bytes in all)", len(message))
	}
	return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(fmt.Sprintf("%q", first))
}

// pause waits a moment for another process.
func pause() { time.Sleep(10 * time.Millisecond) }
