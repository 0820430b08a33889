//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// pause waits a moment for another process.
func pause() { time.Sleep(10 * time.Millisecond) }

// includeInputs are stacks that include files, each of which includes the next.
func includeInputs() []input {
	included := func(n int, last string) func(string) ([]string, error) {
		return func(dir string) ([]string, error) {
			err := writeFile(dir, "stack.toml", "include = [\"i0.toml\"]\n"+heated())
			for i := range n {
				text := fmt.Sprintf("include = [\"i%d.toml\"]\n", i+1)
				if i == n-1 {
					text = last
				}
				err = errors.Join(err, writeFile(dir, fmt.Sprintf("i%d.toml", i), text))
			}
			return []string{"steady", "--quiet", "--out", "out"}, err
		}
	}
	return []input{
		{"include-cycle", "file that includes itself through 100 others", refused, included(100, "include = "+
			"[\"i0.toml\"]\n")},
		{"include-chain", "chain of 2,000 includes", anyStatus, included(2000, "")},
	}
}

// change makes other contents of a file.
type change func(data []byte) []byte

// in applies a change to a file of a folder.
func (c change) in(name string) func(folder string) error {
	return func(folder string) error {
		path := filepath.Join(folder, name)
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, c(data), 0o666)
	}
}

// half, nothing and others are contents in place of a file's.
func half(data []byte) []byte { return data[:len(data)/2] }
func nothing([]byte) []byte   { return nil }
func others(text []byte, n int) change {
	return func([]byte) []byte { return bytes.Repeat(text, n) }
}

// signed changes a checkpoint and corrects its checksum.
func signed(c change) change {
	return func(data []byte) []byte {
		data = c(data[:len(data)-sha256.Size])
		sum := sha256.Sum256(data)
		return append(data, sum[:]...)
	}
}

// words64 replaces each 8 bytes from one location to another.
func words64(from, to int, value uint64) change {
	return func(data []byte) []byte {
		for at := from; at < to && at+8 <= len(data); at += 8 {
			binary.LittleEndian.PutUint64(data[at:], value)
		}
		return data
	}
}

// secondHalf replaces each 8 bytes of the second half.
func secondHalf(value uint64) change {
	return func(data []byte) []byte { return words64(len(data)/16*8, len(data), value)(data) }
}

// resumed is an interrupted transient that resumes from its checkpoint, whose folder was changed.
func resumed(damage func(folder string) error, more ...string) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		err := writeFile(dir, "stack.toml", heated()+"[transient]\ndt = \"1 ms\"\nsteps = 1000\n")
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
		_ = cmd.Process.Kill() // which keeps the checkpoint
		_ = cmd.Wait()
		return append(append(run, "--resume"), more...), damage(folder)
	}
}

func checkpointInputs() []input {
	grown := change(func(data []byte) []byte { return append(data, bytes.Repeat([]byte{7}, 10_000_000)...) })
	cutLog := change(func(data []byte) []byte { return data[:50] })
	fifo := func(name string) func(string) error {
		return func(folder string) error {
			path := filepath.Join(folder, name)
			return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600))
		}
	}
	state := func(c change) func(string) ([]string, error) { return resumed(c.in("state")) }
	inputs := []input{
		{"checkpoint-cut", "checkpoint cut in half", refused, state(half)},
		{"checkpoint-empty", "checkpoint of no bytes", refused, state(nothing)},
		{"checkpoint-grown", "checkpoint with 10 MB behind it", refused, state(grown)},
		{"checkpoint-grown-signed", "checkpoint with 10 MB behind it and a checksum that fits", anyStatus,
			state(signed(grown))},
		{"checkpoint-other", "10 MB of something else with a checksum that fits", refused,
			state(signed(others([]byte{7}, 10_000_000)))},
		{"checkpoint-nan", "checkpoint whose second half is NaN", anyStatus,
			state(signed(secondHalf(0x7ff8000000000001)))},
		{"checkpoint-length", "checkpoint whose second half is 2^40", anyStatus, state(signed(secondHalf(1 << 40)))},
		{"checkpoint-fifo", "FIFO as checkpoint", refused, resumed(fifo("state"))},
		{"checkpoint-log-fifo", "FIFO as log of a checkpoint", refused, resumed(fifo("steps"))},
		{"checkpoint-log-cut", "log of a checkpoint cut short", refused, resumed(cutLog.in("steps"))},
		{"checkpoint-log-none", "checkpoint without its log", refused, resumed(func(folder string) error {
			return os.Remove(filepath.Join(folder, "steps"))
		})},
		{"checkpoint-grid", "checkpoint of another grid", refused, resumed(func(string) error {
			return nil
		}, "--grid", "17x17")},
	}
	for _, at := range []int{0, 1, 2, 3, 5, 8} {
		inputs = append(inputs, input{fmt.Sprintf("checkpoint-head-%d", at),
			fmt.Sprintf("checkpoint whose word %d is 2^62", at), refused, state(signed(words64(8*at, 8*at+8, 1<<62)))})
	}
	return inputs
}

// repacked is a saved run with other contents of its entries.
func repacked(contents func(name string, data []byte) []byte, more func(*zip.Writer)) change {
	return func(old []byte) []byte {
		in, err := zip.NewReader(bytes.NewReader(old), int64(len(old)))
		if err != nil {
			panic(err) // thermsim wrote no archive
		}
		var out bytes.Buffer // writing to it cannot fail
		z := zip.NewWriter(&out)
		for _, f := range in.File {
			r, err := f.Open()
			if err != nil {
				panic(err)
			}
			data, _ := io.ReadAll(r)
			w, _ := z.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Store})
			_, _ = w.Write(contents(f.Name, data))
		}
		if more != nil {
			more(z)
		}
		_ = z.Close()
		return out.Bytes()
	}
}

// entry changes the entries whose names end so.
func entry(end string, contents change) change {
	return repacked(func(name string, data []byte) []byte {
		if strings.HasSuffix(name, end) {
			return contents(data)
		}
		return data
	}, nil)
}

// replaced replaces the first occurrences of texts, given in pairs.
func replaced(oldAndNew ...string) change {
	return func(data []byte) []byte {
		for i := 0; i < len(oldAndNew); i += 2 {
			data = bytes.Replace(data, []byte(oldAndNew[i]), []byte(oldAndNew[i+1]), 1)
		}
		return data
	}
}

// damagedRun is a change of a saved run, and a command on it: by default render.
type damagedRun struct {
	name, what, status string
	damage             change
	command            string
}

func damagedRuns() []damagedRun {
	empties := func(z *zip.Writer) {
		for i := range 90_000 {
			_, _ = z.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("e%d", i)})
		}
	}
	keep := func(_ string, data []byte) []byte { return data }
	onlyEmpties := func([]byte) []byte {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		empties(z)
		_ = z.Close()
		return out.Bytes()
	}
	many := func(before, text string, n int) change {
		return entry("run.json", replaced(before, before+strings.Repeat(text, n)))
	}
	return []damagedRun{
		{"cut", "saved run cut in half", refused, half, ""},
		{"empty", "saved run of no bytes", refused, nothing, ""},
		{"zeros", "saved run of 10 MB of zeros", refused, others([]byte{0}, 10_000_000), ""},
		{"signatures", "saved run of 2,500,000 signatures of archives", refused,
			others([]byte("PK\x05\x06"), 2_500_000), ""},
		{"entries", "saved run with 90,000 empty entries more", anyStatus, repacked(keep, empties), ""},
		{"only-entries", "archive of 90,000 empty entries", refused, onlyEmpties, ""},
		{"deep", "saved run whose manifest is 5,000,000 arrays in each other", refused,
			entry("run.json", others([]byte("["), 5_000_000)), ""},
		{"steps", "saved run whose manifest lists 3,000,000 empty steps", refused,
			entry("run.json", replaced("{", `{"steps":[`+strings.Repeat("{},", 3_000_000)+`{}],`)), ""},
		{"saved", "saved run that says it holds 4,000,000 steps", refused,
			many(`"saved_steps": [`, "0,", 4_000_000), ""},
		{"inputs", "saved run of 3,000,000 inputs", refused, many(`"inputs": [`, "{},", 3_000_000), ""},
		{"grid", "saved run whose stack has a grid of 100,000 by 10,000", "4",
			entry("stack.toml", replaced("nx = 16", "nx = 100000", "ny = 16", "ny = 10000")), ""},
		{"pairs", "saved run whose stack is 7 MB of pairs", refused, entry("stack.toml", func([]byte) []byte {
			return []byte("pairs = [" + strings.Repeat("[1,2],", 1_200_000) + "]")
		}), ""},
		{"nan", "saved run of temperatures that are none", anyStatus, entry(".f64", func(data []byte) []byte {
			return bytes.Repeat([]byte{0xff}, len(data))
		}), ""},
		{"plane", "saved run of a plane of 10 MB", refused, entry(".f64", others([]byte{0}, 10_000_000)), ""},
		{"short", "saved run of a plane of 8 bytes", refused, entry(".f64", func(data []byte) []byte {
			return data[:8]
		}), ""},
		{"diff", "saved run cut in half, compared with itself", refused, half, "diff run run --quiet --out out"},
		{"initial", "transient that begins with a saved run cut in half", refused, half,
			"transient --quiet --out out --initial run"},
	}
}

func runInputs() (all []input) {
	for _, c := range damagedRuns() {
		if c.command == "" {
			c.command = "render run --quiet --out out"
		}
		all = append(all, input{"run-" + c.name, c.what, c.status, func(dir string) ([]string, error) {
			if err := writeFile(dir, "stack.toml", small()); err != nil {
				return nil, err
			}
			cmd := exec.Command(filepath.Join(dir, itself), "steady", "--quiet", "--out", "run")
			cmd.Dir = dir
			if said, err := cmd.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%w: %s", err, said)
			}
			return strings.Fields(c.command), c.damage.in("run.zip")(filepath.Join(dir, "run"))
		}})
	}
	return all
}
