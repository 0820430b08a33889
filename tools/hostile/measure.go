//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// mostVirtual is the address space that a program gets, in KiB: more would endanger the machine.
const mostVirtual = 6_000_000

// measured is what a run cost and said.
type measured struct {
	wall    time.Duration
	cpu     time.Duration // what other programs on the machine take does not count
	memory  int64         // bytes, largest resident size
	status  int
	killed  bool
	message string
}

// measure runs the program in dir.
func measure(program, dir string, args []string, limit time.Duration) (measured, error) {
	script := fmt.Sprintf(`ulimit -v %d 2> /dev/null; exec "$0" "$@"`, mostVirtual)
	cmd := exec.Command("sh", append([]string{"-c", script, program}, args...)...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return measured{}, err
	}
	timer := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	m := measured{wall: time.Since(start), killed: !timer.Stop(), message: said.String(), status: cmd.ProcessState.ExitCode()}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return m, err
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.memory = int64(usage.Maxrss) << 10
		m.cpu = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return m, nil
}

// row is a line of the table.
func (m *measured) row(in input) string {
	return fmt.Sprintf("| %s | %.2f s | %.2f s | %d MB | %s | %s |", in.what, m.wall.Seconds(), m.cpu.Seconds(), m.memory/1e6, m.ending(), shown(m.message))
}

// ending is the exit status, or what ended the program.
func (m *measured) ending() string {
	switch {
	case m.killed:
		return "killed"
	case m.status < 0:
		return "crash"
	}
	return fmt.Sprint(m.status)
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
