//go:build unix

// Command hostile generates inputs that cost little to write and once cost thermsim minutes or gigabytes, runs a
// program on them, and prints what each run takes: wall time, processor time, peak memory, exit status and message.
// docs/explanation/reliability.md describes the guarantees.
//
//	go run ./tools/hostile -program bin/thermsim
//	go run ./tools/hostile -program bin/thermsim -only 'title|mix' -check
//	go run ./tools/hostile -program bin/thermsim -json docs/measurements/hostile.json
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// Limits of a refusal.
const (
	mostTime   = 2 * time.Second
	mostMemory = 500e6    // bytes
	mostBytes  = 10 << 20 // size of the input up to which these limits apply
)

// input is one hostile input.
type input struct {
	name, what string
	status     string // required exit status; anyStatus for valid inputs that are large
	// make writes the input into an empty folder and returns the command line.
	make func(dir string) (args []string, err error)
}

const (
	refused   = "2"
	anyStatus = "?"
	within    = "0 or 2" // within the limits in either case
)

// failed reports whether an input ended with another status than required, or that its refusal exceeded the limits.
func (in *input) failed(m *measured) bool {
	switch in.status {
	case anyStatus:
		return false
	case refused, within:
		ended := m.ending() == refused || in.status == within && m.ending() == "0"
		return !m.large && (!ended || m.CPU > mostTime || m.Memory > mostMemory)
	}
	return m.ending() != in.status
}

func main() {
	if len(os.Args) > 3 && os.Args[1] == asMeter {
		exitOn(meter(os.Args[2], os.Args[3], os.Args[4:]))
		return
	}
	program := flag.String("program", "bin/thermsim", "the thermsim to measure")
	only := flag.String("only", "", "regular expression of the inputs' names")
	check := flag.Bool("check", false, "fail if an input ends with another exit status than required, or a refusal "+
		"exceeds 2 s or 500 MB")
	into := flag.String("json", "", "update the rows of this file, such as docs/measurements/hostile.json")
	commit := flag.String("commit", "", "with -json: the commit that the program was built from")
	limit := flag.Duration("limit", 120*time.Second, "time after which a run is killed")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	exitOn(err)
	*program, err = filepath.Abs(*program)
	exitOn(err)
	all, err := inputs()
	exitOn(err)
	fmt.Println("| input | time | of processors | memory | status | message |\n|---|---|---|---|---|---|")
	failed := 0
	rows := map[string]row{}
	for _, in := range all {
		if !wanted.MatchString(in.name) {
			continue
		}
		m, err := one(*program, in, *limit)
		if err != nil {
			exitOn(fmt.Errorf("%s: %w", in.name, err))
		}
		fmt.Println(m.line(in))
		rows[in.what] = m.row(in)
		if in.failed(&m) {
			fmt.Println("    FAILED:", in.name)
			failed++
		}
	}
	exitOn(update(*into, *commit, all, rows))
	if *check && failed > 0 {
		exitOn(fmt.Errorf("%d inputs do not end as required, or exceed the limits", failed))
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}

// itself is the name of the program in the folder of an input, for inputs that it makes.
const itself = "thermsim"

// one generates an input, runs the program on it and removes it.
func one(program string, in input, limit time.Duration) (measured, error) {
	dir, err := os.MkdirTemp("", "hostile")
	if err != nil {
		return measured{}, err
	}
	defer os.RemoveAll(dir)
	if err := os.Symlink(program, filepath.Join(dir, itself)); err != nil {
		return measured{}, err
	}
	args, err := in.make(dir)
	if err != nil {
		return measured{}, err
	}
	large := size(dir) > mostBytes
	m, err := measure(program, dir, args, limit)
	return measured{m, large}, err
}

// size is the total size of the regular files in a folder, in bytes.
func size(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return err
	}) // unreadable files do not count
	return n
}
