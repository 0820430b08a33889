//go:build unix

// Command hostile makes inputs that cost little to write and once cost thermsim minutes or gigabytes, gives them to a program, and prints what each
// costs: wall time, peak memory, exit status and message. docs/reliability.md holds its figures.
//
//	go run ./tools/hostile -program bin/thermsim
//	go run ./tools/hostile -program bin/thermsim -only 'title|mix' -check
//	go run ./tools/hostile -program bin/thermsim -json docs/measurements/hostile.json
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// What a refusal may cost.
const (
	mostTime   = 2 * time.Second
	mostMemory = 500 << 20 // bytes
)

// input is one hostile input: make writes it into an empty folder and returns the command line.
type input struct {
	name    string // short, for -only
	what    string
	make    func(dir string) (args []string, err error)
	refused bool // it shall be refused with status 2; else it is large but sound, and shall be done
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
	check := flag.Bool("check", false, "fail where an input to be refused is not, or costs more than 2 s or 500 MiB")
	into := flag.String("json", "", "renew the rows of this file, such as docs/measurements/hostile.json, by what was measured")
	limit := flag.Duration("limit", 120*time.Second, "time after which a run is killed")
	flag.Parse()
	if err := run(*program, *only, *into, *limit, *check); err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}

func run(program, only, into string, limit time.Duration, check bool) error {
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
	for _, in := range inputs() {
		if !wanted.MatchString(in.name) {
			continue
		}
		m, err := one(program, in, limit)
		if err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
		fmt.Println(m.row(in))
		rows = append(rows, m.figures(in))
		if in.refused && (m.Status != 2 || m.Killed || m.CPU > mostTime || m.Memory > mostMemory) {
			failed++
		}
	}
	if into != "" {
		if err := renew(into, rows); err != nil {
			return err
		}
	}
	if check && failed > 0 {
		return fmt.Errorf("%d inputs are not refused, or cost too much", failed)
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
	return measure(program, dir, args, limit)
}
