//go:build unix

// Command hostile makes inputs that cost little to write and once cost thermsim minutes or gigabytes, gives them to a
// program, and prints what each costs: wall time, peak memory, exit status and message. docs/explanation/reliability.md
// holds its figures.
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

// What a refusal may cost.
const (
	mostTime   = 2 * time.Second
	mostMemory = 500e6    // bytes
	mostBytes  = 10 << 20 // of the input, for which that holds
)

// input is one hostile input: make writes it into an empty folder and returns the command line.
type input struct {
	name string // short, for -only
	what string
	make func(dir string) (args []string, err error)
	// it shall be refused with status 2, but for those of otherEnds; else it is large but sound, and shall be done
	refused bool
}

// failed says that an input did not end as it shall, or cost more than is promised.
func (in *input) failed(m *measured) bool {
	if status, other := otherEnds[in.name]; other {
		return m.ending() != status
	}
	return in.refused && !m.Large && (m.Status != 2 || m.Killed || m.CPU > mostTime || m.Memory > mostMemory)
}

func main() {
	if len(os.Args) > 3 && os.Args[1] == asMeter {
		if err := meter(os.Args[2], os.Args[3], os.Args[4:]); err != nil {
			fmt.Fprintln(os.Stderr, "hostile:", err)
			os.Exit(1)
		}
		return
	}
	program := flag.String("program", "bin/thermsim", "the thermsim to measure")
	only := flag.String("only", "", "regular expression of the inputs' names")
	check := flag.Bool("check", false, "fail where an input to be refused is not, or costs more than 2 s or 500 MB, "+
		"and where a sound command line ends with another status than it shall")
	into := flag.String("json", "", "renew the rows of this file, such as docs/measurements/hostile.json, by what "+
		"was measured")
	commit := flag.String("commit", "", "with -json: the commit that the program was built of")
	before := flag.Bool("before", false, "with -json: the program is one of before; rows that are there stay, others "+
		"get their columns of before")
	limit := flag.Duration("limit", 120*time.Second, "time after which a run is killed")
	flag.Parse()
	if err := run(*program, *only, *limit, *check, kept{*into, *commit, *before}); err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}

// kept is where figures are kept.
type kept struct {
	path, commit string
	before       bool
}

func run(program, only string, limit time.Duration, check bool, into kept) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if program, err = filepath.Abs(program); err != nil {
		return err
	}
	fmt.Println("| input | time | of processors | memory | status | message |\n|---|---|---|---|---|---|")
	failed := 0
	var rows []row
	var measured []input
	for _, in := range inputs() {
		if !wanted.MatchString(in.name) {
			continue
		}
		m, err := one(program, in, limit)
		if err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
		fmt.Println(m.row(in))
		rows, measured = append(rows, m.figures(in)), append(measured, in)
		if in.failed(&m) {
			fmt.Println("    FAILED:", in.name)
			failed++
		}
	}
	if into.path != "" {
		if err := renew(into.path, into.commit, measured, rows, into.before); err != nil {
			return err
		}
	}
	if check && failed > 0 {
		return fmt.Errorf("%d inputs do not end as they shall, or cost too much", failed)
	}
	return nil
}

// itself is the name of the program in the folder of an input, for inputs that it makes.
const itself = "thermsim"

// one makes an input, gives it to the program and removes it.
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
	m.Large = large
	return m, err
}

// size of all files in a folder in bytes.
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
	}) // what cannot be looked at does not count
	return n
}
