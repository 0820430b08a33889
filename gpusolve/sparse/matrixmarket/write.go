package matrixmarket

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"thermsim/gpusolve/sparse"
)

// WriteMatrix writes a matrix in coordinate format, symmetric ones by their lower triangle. Values read back are the
// same to the last bit. The comment, which may have several lines, stands below the header.
func WriteMatrix(w io.Writer, a *sparse.CSR, symmetric bool, comment string) error {
	b := bufio.NewWriterSize(w, 1<<16)
	kind, entries := "general", 0
	if symmetric {
		kind = "symmetric"
	}
	kept := func(r int, c int32) bool { return !symmetric || int(c) <= r }
	for r := range a.N() {
		cols, _ := a.Row(r)
		for _, c := range cols {
			if kept(r, c) {
				entries++
			}
		}
	}
	writeHead(b, "coordinate real "+kind, comment)
	fmt.Fprintf(b, "%d %d %d\n", a.N(), a.N(), entries)
	var line []byte
	for r := range a.N() {
		cols, vals := a.Row(r)
		for i, c := range cols {
			if !kept(r, c) {
				continue
			}
			line = strconv.AppendInt(line[:0], int64(r+1), 10)
			line = append(line, ' ')
			line = strconv.AppendInt(line, int64(c)+1, 10)
			line = append(line, ' ')
			line = strconv.AppendFloat(line, vals[i], 'g', -1, 64)
			b.Write(append(line, '\n'))
		}
	}
	return b.Flush() // which repeats the first failure of the writes before
}

// WriteVector writes a vector as an array of one column.
func WriteVector(w io.Writer, v []float64, comment string) error {
	return WriteVectors(w, [][]float64{v}, comment)
}

// WriteVectors writes vectors of one length as the columns of an array.
func WriteVectors(w io.Writer, vectors [][]float64, comment string) error {
	b := bufio.NewWriterSize(w, 1<<16)
	writeHead(b, "array real general", comment)
	fmt.Fprintf(b, "%d %d\n", len(vectors[0]), len(vectors))
	var line []byte
	for _, v := range vectors {
		for _, x := range v {
			line = strconv.AppendFloat(line[:0], x, 'g', -1, 64)
			b.Write(append(line, '\n'))
		}
	}
	return b.Flush()
}

func writeHead(b *bufio.Writer, kind, comment string) {
	fmt.Fprintf(b, "%s matrix %s\n", banner, kind)
	for line := range strings.Lines(comment) {
		fmt.Fprintf(b, "%% %s\n", strings.TrimRight(line, "\r\n"))
	}
}
