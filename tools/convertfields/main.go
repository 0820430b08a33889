// Command convertfields turns the temperature maps that 3D-ICE and HotSpot print into the compact files of
// study/verify/testdata:
//
//	go run ./tools/convertfields 3dice   QUANTUM OUT Tmap_*.txt          all instants of all files, one after the other
//	go run ./tools/convertfields hotspot QUANTUM OUT FILE FIRST LAST      layers FIRST to LAST of a .grid.steady or .grid.ttrace[.gz]
//
// See the README there for where the originals come from.
package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"thermsim/study/verify/peerfield"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal("convertfields: ", err)
	}
}

func run(args []string) error {
	if len(args) < 4 {
		return errors.New("give 3dice or hotspot, a quantum, the file to write and the files to read")
	}
	quantum, err := strconv.ParseFloat(args[1], 64)
	if err != nil {
		return err
	}
	m := &peerfield.Maps{Quantum: quantum}
	switch files := args[3:]; args[0] {
	case "3dice":
		for _, f := range files {
			if err := read3DICE(m, f); err != nil {
				return fmt.Errorf("%s: %w", f, err)
			}
		}
	case "hotspot":
		if err := readHotSpot(m, files); err != nil {
			return fmt.Errorf("%s: %w", files[0], err)
		}
	default:
		return fmt.Errorf("unknown simulator %q", args[0])
	}
	out, err := os.Create(args[2])
	if err != nil {
		return err
	}
	return errors.Join(peerfield.Write(out, m), out.Close())
}

// read3DICE reads a Tmap: a comment, then per instant one line per row, the southern first, and an empty line.
func read3DICE(m *peerfield.Maps, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var values []float64
	rows := 0
	flush := func() {
		if rows > 0 {
			m.NY = rows
			m.Values = append(m.Values, values)
		}
		values, rows = nil, 0
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			flush()
			continue
		}
		if fields[0] == "%" {
			continue
		}
		for _, f := range fields {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				return err
			}
			values = append(values, v)
		}
		m.NX = len(fields)
		rows++
	}
	flush()
	return nil
}

// readHotSpot reads "Layer n:" headers and "index<TAB>value" lines, the northern row first, of square grids.
func readHotSpot(m *peerfield.Maps, args []string) error {
	if len(args) != 3 {
		return errors.New("give FILE FIRST LAST")
	}
	first, err1 := strconv.Atoi(args[1])
	last, err2 := strconv.Atoi(args[2])
	file, err3 := os.Open(args[0])
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	defer file.Close()
	var in io.Reader = file
	if strings.HasSuffix(args[0], ".gz") {
		var err error
		if in, err = gzip.NewReader(file); err != nil {
			return err
		}
	}
	layer := -1
	var values []float64
	flush := func() {
		if len(values) > 0 && layer >= first && layer <= last {
			m.NX = int(math.Sqrt(float64(len(values))))
			m.NY = m.NX
			rows := slices.Collect(slices.Chunk(values, m.NX))
			slices.Reverse(rows)
			m.Values = append(m.Values, slices.Concat(rows...))
		}
		values = nil
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var index, n int
		var v float64
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "Layer"):
			flush()
			if _, err := fmt.Sscanf(line, "Layer %d:", &n); err != nil {
				return err
			}
			layer = n
		case strings.HasPrefix(line, "t ="), strings.TrimSpace(line) == "":
		default:
			if _, err := fmt.Sscanf(line, "%d\t%g", &index, &v); err != nil {
				return fmt.Errorf("%q: %w", line, err)
			}
			if index != len(values) {
				return fmt.Errorf("value %d where %d was expected", index, len(values))
			}
			values = append(values, v)
		}
	}
	flush()
	return lines.Err()
}
