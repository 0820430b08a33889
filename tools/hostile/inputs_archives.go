//go:build unix

package main

import (
	"archive/zip"
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// packedMatrix is a diagonal matrix with many entries, packed.
func packedMatrix(rows, entries int) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		err := write(filepath.Join(dir, "a.mtx.gz"), func(w *bufio.Writer) {
			z := gzip.NewWriter(w)
			fmt.Fprintf(z, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", rows, rows, entries)
			line := strings.Repeat("1 1 1\n", 1000)
			for range entries / 1000 {
				io.WriteString(z, line)
			}
			z.Close()
		})
		return []string{"solve", "a.mtx.gz", "--quiet", "--out", "out"}, err
	}
}

// manifest is that of a saved run, with further entries.
const manifest = `{"schema":1,"command":%q,"version":"","stack":"stack.toml","inputs":[],"status":{"converged":true},"energy":{"by_face_W":[0,0,0,0,0,0]},"peak_K":300,"saved_steps":[%d]%s}`

// archive writes a saved run, packed or stored as thermsim does: its manifest, stack and further entries.
func archive(stored bool, about, stack string, more map[string]func(io.Writer)) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		f, err := os.Create(filepath.Join(dir, "run.zip"))
		if err != nil {
			return nil, err
		}
		z := zip.NewWriter(f)
		entries := map[string]func(io.Writer){
			"run.json":   func(w io.Writer) { io.WriteString(w, about) },
			"stack.toml": func(w io.Writer) { io.WriteString(w, stack) },
		}
		maps.Copy(entries, more)
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			h := &zip.FileHeader{Name: name, Method: zip.Deflate}
			if stored {
				h.Method = zip.Store
			}
			w, err := z.CreateHeader(h)
			if err != nil {
				return nil, err
			}
			entries[name](w)
		}
		return []string{"render", "run.zip", "--quiet", "--out", "out"}, errorsOf(z.Close(), f.Close())
	}
}

func blanks(mib int) func(io.Writer) {
	return func(w io.Writer) {
		block := strings.Repeat(" ", 1<<20)
		for range mib {
			io.WriteString(w, block)
		}
	}
}

// plane is the field of sheet, all at 300 K: a FP64 number for each cell.
func plane(w io.Writer) {
	for range 256 {
		io.WriteString(w, "\x00\x00\x00\x00\x00\xc0\x72\x40")
	}
}

func archiveInputs() []input {
	steady := fmt.Sprintf(manifest, "steady", 0, "")
	text := sheet("saved", heated, "")
	return []input{
		{"mtx-bomb", "packed matrix that opens to 1e8 entries", packedMatrix(10, 100_000_000), true},
		{"mtx-announced", "packed matrix that announces 1e9 rows and entries",
			packedMatrix(1_000_000_000, 1_000_000_000), true},
		{"zip-bomb-manifest", "saved run whose manifest opens to 1.5 GB",
			archive(false, "", text, map[string]func(io.Writer){"run.json": blanks(1500)}), true},
		{"zip-bomb-stack", "saved run whose stack opens to 1.5 GB",
			archive(false, steady, "", map[string]func(io.Writer){"stack.toml": blanks(1500)}), true},
		{"zip-bomb-trace", "saved run whose trace opens to 1.5 GB",
			archive(false, steady, text, map[string]func(io.Writer){
				"field/step_000000/plane_0000.f64": plane, "trace.csv": blanks(1500)}), true},
		{"zip-steps-1M", "saved run of a million steps, drawn", longRun(1_000_000), false},
	}
}

// longRun is a saved transient of many steps, of which the last has a field.
func longRun(n int) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		head, tail, _ := strings.Cut(fmt.Sprintf(manifest, "transient", n, `,"dt_s":1,"steps":[|]`), "|")
		return archive(true, "", sheet("saved", heated, ""), map[string]func(io.Writer){
			"run.json": func(w io.Writer) {
				io.WriteString(w, head)
				for i := range n {
					if i > 0 {
						io.WriteString(w, ",")
					}
					fmt.Fprintf(w, `{"time_s":%d,"iterations":1,"max_K":300,"power_W":5,"converged":true}`, i+1)
				}
				io.WriteString(w, tail)
			},
			fmt.Sprintf("field/step_%06d/plane_0000.f64", n): plane,
			"trace.csv": func(w io.Writer) {
				io.WriteString(w, "time_s,power_W,max_K\n")
				for i := range n {
					fmt.Fprintf(w, "%d,5,300\n", i+1)
				}
			},
		})(dir)
	}
}
