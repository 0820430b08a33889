package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"thermsim/interop/importer"
)

// simulator is a program that thermsim is compared with.
type simulator interface {
	title() string
	folder() string // of its cases
	format() importer.Format
	// studies lists the cases of a folder. Those that thermsim refuses are among them.
	studies(folder string) ([]study, error)
}

// study is one run of a simulator.
type study struct {
	name, what string
	request    importer.Request
	// args are thermsim's, without --compat and --out. They ask for files in the simulator's format.
	args []string
	// maps reads the simulator's maps of a folder: of its own results, or of thermsim's.
	maps func(folder string) ([]peerMap, error)
	// own is the folder of the simulator's results.
	own      string
	measured cost
}

// peerMap is what a simulator says of one plane: instants of ny rows of nx temperatures in K, south first.
type peerMap struct {
	name     string
	nx, ny   int
	instants [][]float64
}

// cost is what a run took.
type cost struct {
	wall   float64 // s, 0 where it was not measured
	cpu    float64 // s, of all cores, user and system
	memory float64 // bytes
}

// readCost reads what /usr/bin/time -v wrote; a file that is missing tells nothing.
func readCost(path string) (c cost) {
	f, err := os.Open(path)
	if err != nil {
		return c
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, value, _ := strings.Cut(strings.TrimSpace(lines.Text()), "): ")
		if value == "" {
			continue
		}
		switch {
		case strings.HasPrefix(name, "User time"), strings.HasPrefix(name, "System time"):
			v, _ := strconv.ParseFloat(value, 64) // 0 tells nothing
			c.cpu += v
		case strings.HasPrefix(name, "Elapsed"):
			c.wall = clock(value)
		case strings.HasPrefix(name, "Maximum resident"):
			kilobytes, _ := strconv.ParseFloat(value, 64) // 0 tells nothing
			c.memory = kilobytes * 1024
		}
	}
	return c
}

// clock reads h:mm:ss or m:ss.
func clock(text string) (seconds float64) {
	for part := range strings.SplitSeq(text, ":") {
		v, _ := strconv.ParseFloat(part, 64) // 0 tells nothing
		seconds = 60*seconds + v
	}
	return seconds
}
