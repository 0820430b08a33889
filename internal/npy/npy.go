// Package npy reads and writes arrays in the file format of NumPy
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
package npy

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Header is that of format 1.0, for an array whose last index is fastest.
func Header(kind string, shape []int) []byte {
	dims := ""
	for _, n := range shape {
		dims += fmt.Sprintf("%d, ", n)
	}
	if len(shape) > 1 {
		dims = strings.TrimSuffix(dims, ", ")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, dims)
	const prefix = 10 // magic, version and length
	text += strings.Repeat(" ", 63-(prefix+len(text))%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(b[8:], uint16(len(text)))
	return append(b, text...)
}

// header finds the entries of the header of an NPY file, a Python dictionary.
var header = regexp.MustCompile(`'descr':\s*'([<>|=])([fiub])(\d)'.*'fortran_order':\s*(True|False).*` +
	`'shape':\s*\((\d+),\s*(\d*)(?:,\s*(\d+))?\)`)

// errDimensions refuses arrays of other shapes.
var errDimensions = errors.New("not a two-dimensional array of real numbers; save it with numpy.save(file, a), where " +
	"a.ndim is 2")

// Matrix reads an array of two dimensions and at most a number of values: real numbers, whole numbers or booleans. Rows
// are those of the array.
func Matrix(data []byte, most int) ([][]float64, error) {
	rows, flat, err := Columns(data, most)
	if err == nil && flat {
		return nil, errDimensions
	}
	return rows, err
}

// Columns is Matrix that also reads an array of one dimension (flat), as one column.
func Columns(data []byte, most int) (rows [][]float64, flat bool, err error) {
	h, body, err := parsed(data)
	if err != nil {
		return nil, false, err
	}
	if h[7] != "" {
		return nil, false, errDimensions
	}
	if flat = h[6] == ""; flat {
		h[6] = "1"
	}
	rows, err = values(h, body, most)
	return rows, flat, err
}

// Planes is Matrix that also reads an array of three dimensions, the rows of its planes one after the other, and their
// number.
func Planes(data []byte, most int) (rows [][]float64, planes int, err error) {
	h, body, err := parsed(data)
	if err != nil || h[7] == "" {
		rows, err = Matrix(data, most)
		return rows, 1, err
	}
	planes, errZ := strconv.Atoi(h[5])
	ny, errY := strconv.Atoi(h[6])
	if errY != nil || errZ != nil || planes < 1 || ny < 1 || planes > most/ny || h[4] == "True" {
		return nil, 0, fmt.Errorf("array of %s by %s by %s; expected 1 to %d values, with the last index fastest",
			h[5], h[6], h[7], most)
	}
	h[5], h[6] = strconv.Itoa(planes*ny), h[7]
	rows, err = values(h, body, most)
	return rows, planes, err
}

// Member is an array of an archive (NPZ), as the NPY file that it is there.
func Member(data []byte, name string) ([]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("not an NPZ file: %w", err)
	}
	var names []string
	for _, f := range z.File {
		if names = append(names, strings.TrimSuffix(f.Name, ".npy")); f.Name != name+".npy" {
			continue
		}
		if f.UncompressedSize64 > freeBytes+mostRatio*uint64(len(data)) {
			return nil, fmt.Errorf("array %q is compressed to less than 1/%d; save it with numpy.savez", name,
				mostRatio)
		}
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer in.Close()
		return io.ReadAll(io.LimitReader(in, int64(f.UncompressedSize64)))
	}
	return nil, fmt.Errorf("no array %q among %.200q; save it with numpy.savez(file, %[1]s=...)", name, names)
}

// An array of an archive may have mostRatio times the size of the file, and freeBytes more.
const mostRatio, freeBytes = 100, 1 << 20

// parsed finds the entries of the header, and the numbers.
func parsed(data []byte) (h []string, body []byte, err error) {
	head, body, err := split(data)
	if err != nil {
		return nil, nil, err
	}
	if h = header.FindStringSubmatch(head); h == nil {
		return nil, nil, errDimensions
	}
	return h, body, nil
}

// values reads the numbers behind a header.
func values(h []string, body []byte, most int) ([][]float64, error) {
	var order binary.ByteOrder = binary.LittleEndian
	if h[1] == ">" {
		order = binary.BigEndian
	}
	number := numberOf(order, h[2]+h[3])
	if number == nil {
		return nil, fmt.Errorf("numbers of type %s%s are not supported; save them as float64", h[2], h[3])
	}
	ny, errY := strconv.Atoi(h[5])
	nx, errX := strconv.Atoi(h[6])
	size := int(h[3][0] - '0')
	if errX != nil || errY != nil || nx < 1 || ny < 1 || nx > most || ny > most/nx {
		return nil, fmt.Errorf("array of %s by %s; expected 1 to %d values", h[5], h[6], most)
	}
	if len(body) != nx*ny*size {
		return nil, fmt.Errorf("the file contains %d bytes of data; a %d by %d array needs %d", len(body), ny, nx,
			nx*ny*size)
	}
	rows := make([][]float64, ny)
	for j := range rows {
		rows[j] = make([]float64, nx)
		for i := range rows[j] {
			at := j*nx + i
			if h[4] == "True" {
				at = i*ny + j
			}
			rows[j][i] = number(body[at*size:])
		}
	}
	return rows, nil
}

// split parts the header from the numbers; the length of the header has two bytes in version 1, four in versions 2
// and 3.
func split(data []byte) (head string, body []byte, err error) {
	if len(data) < 12 || !strings.HasPrefix(string(data), "\x93NUMPY") {
		return "", nil, errors.New("not an NPY file")
	}
	if data[6] < 1 || data[6] > 3 {
		return "", nil, fmt.Errorf("version %d of the NPY format is not supported; save the array with numpy.save",
			data[6])
	}
	from, length := 10, int64(binary.LittleEndian.Uint16(data[8:]))
	if data[6] > 1 {
		from, length = 12, int64(binary.LittleEndian.Uint32(data[8:]))
	}
	if int64(len(data)) < int64(from)+length {
		return "", nil, errors.New("the NPY file ends within its header")
	}
	return string(data[from : from+int(length)]), data[from+int(length):], nil
}

// numberOf converts the bytes of a number; nil for a type that is not known.
func numberOf(order binary.ByteOrder, kind string) func([]byte) float64 {
	switch kind {
	case "f8":
		return func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }
	case "f4":
		return func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }
	case "u1", "b1":
		return func(b []byte) float64 { return float64(b[0]) }
	case "i1":
		return func(b []byte) float64 { return float64(int8(b[0])) }
	case "u2":
		return func(b []byte) float64 { return float64(order.Uint16(b)) }
	case "i2":
		return func(b []byte) float64 { return float64(int16(order.Uint16(b))) }
	case "u4":
		return func(b []byte) float64 { return float64(order.Uint32(b)) }
	case "i4":
		return func(b []byte) float64 { return float64(int32(order.Uint32(b))) }
	case "i8":
		return func(b []byte) float64 { return float64(int64(order.Uint64(b))) }
	}
	return nil
}
