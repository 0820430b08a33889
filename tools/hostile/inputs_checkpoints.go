//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// made runs the program on what is in the folder.
func made(dir string, args ...string) error {
	cmd := exec.Command(filepath.Join(dir, itself), args...)
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w: %s", args, err, said)
	}
	return nil
}

// resumed is a transient that was cut off after some steps and goes on from its checkpoint, which was changed
// meanwhile.
func resumed(change func(folder string) error, more ...string) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		_, err := stackText(sheet("checkpoint", heated, "[transient]\ndt = \"1 ms\"\nsteps = 1000\n"))(dir)
		if err != nil {
			return nil, err
		}
		run := []string{"transient", "--quiet", "--out", "out", "--checkpoint", "10 steps"}
		cmd := exec.Command(filepath.Join(dir, itself), run...)
		cmd.Dir = dir
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		folder := filepath.Join(dir, "out", "checkpoint")
		for at := 0; ; at++ {
			if _, err := os.Stat(filepath.Join(folder, "state")); err == nil {
				break
			}
			if at == 1000 {
				return nil, errors.New("no checkpoint was written")
			}
			pause()
		}
		_ = cmd.Process.Kill() // that is what leaves the checkpoint
		_ = cmd.Wait()
		return append(append(run, "--resume"), more...), change(folder)
	}
}

// changed gives a file other contents.
func changed(name string, change func(data []byte) []byte) func(string) error {
	return func(folder string) error {
		path := filepath.Join(folder, name)
		data, err := os.ReadFile(path)
		return errorsOf(err, os.WriteFile(path, change(data), 0o666))
	}
}

// signed is a state with a checksum that fits.
func signed(change func(data []byte) []byte) func(string) error {
	return changed("state", func(data []byte) []byte {
		data = change(data[:len(data)-sha256.Size])
		sum := sha256.Sum256(data)
		return append(data, sum[:]...)
	})
}

// words puts a large number in the place of each 8 bytes in turn from one to another.
func words(from, to int, value uint64) func([]byte) []byte {
	return func(data []byte) []byte {
		for at := from; at < to && at+8 <= len(data); at += 8 {
			binary.LittleEndian.PutUint64(data[at:], value)
		}
		return data
	}
}

func checkpointInputs() []input {
	grown := func(data []byte) []byte { return append(data, bytes.Repeat([]byte{7}, 10_000_000)...) }
	inputs := []input{
		{"checkpoint-cut", "checkpoint cut in half", resumed(changed("state", func(data []byte) []byte {
			return data[:len(data)/2]
		})), true},
		{"checkpoint-empty", "checkpoint of no bytes", resumed(changed("state", func([]byte) []byte {
			return nil
		})), true},
		{"checkpoint-grown", "checkpoint with 10 MB behind it", resumed(changed("state", grown)), true},
		{"checkpoint-grown-signed", "checkpoint with 10 MB behind it and a checksum that fits", resumed(signed(grown)),
			false},
		{"checkpoint-other", "10 MB of something else with a checksum that fits", resumed(signed(func([]byte) []byte {
			return bytes.Repeat([]byte{7}, 10_000_000)
		})), true},
		{"checkpoint-nan", "checkpoint whose second half is NaN", resumed(signed(func(data []byte) []byte {
			return words(len(data)/16*8, len(data), 0x7ff8000000000001)(data)
		})), false},
		{"checkpoint-length", "checkpoint whose second half is 2^40", resumed(signed(func(data []byte) []byte {
			return words(len(data)/16*8, len(data), 1<<40)(data)
		})), false},
		{"checkpoint-fifo", "FIFO as checkpoint", resumed(func(folder string) error {
			path := filepath.Join(folder, "state")
			return errorsOf(os.Remove(path), syscall.Mkfifo(path, 0o600))
		}), true},
		{"checkpoint-log-fifo", "FIFO as log of a checkpoint", resumed(func(folder string) error {
			path := filepath.Join(folder, "steps")
			return errorsOf(os.Remove(path), syscall.Mkfifo(path, 0o600))
		}), true},
		{"checkpoint-log-cut", "log of a checkpoint cut short", resumed(changed("steps", func(data []byte) []byte {
			return data[:50]
		})), true},
		{"checkpoint-log-none", "checkpoint without its log", resumed(func(folder string) error {
			return os.Remove(filepath.Join(folder, "steps"))
		}), true},
		{"checkpoint-grid", "checkpoint of another grid", resumed(func(string) error {
			return nil
		}, "--grid", "17x17"), true},
	}
	for _, at := range []int{0, 1, 2, 3, 5, 8} {
		inputs = append(inputs,
			input{fmt.Sprintf("checkpoint-head-%d", at), fmt.Sprintf("checkpoint whose word %d is 2^62", at),
				resumed(signed(words(8*at, 8*at+8, 1<<62))), true})
	}
	return inputs
}
