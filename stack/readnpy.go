package stack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// npyHeader finds the entries of the header of an NPY file, a Python dictionary.
var npyHeader = regexp.MustCompile(`'descr':\s*'([<>|=])([fiub])(\d)'.*'fortran_order':\s*(True|False).*'shape':\s*\((\d+),\s*(\d+)\)`)

// readNPY reads an array of two dimensions from a NumPy file: real numbers, whole numbers or booleans. Rows are those
// of the array.
func readNPY(data []byte) ([][]float64, error) {
	head, body, err := splitNPY(data)
	if err != nil {
		return nil, err
	}
	h := npyHeader.FindStringSubmatch(head)
	if h == nil {
		return nil, errors.New("not an array of two dimensions of real numbers; save it with numpy.save(file, a) " +
			"where a.ndim is 2")
	}
	var order binary.ByteOrder = binary.LittleEndian
	if h[1] == ">" {
		order = binary.BigEndian
	}
	number := npyNumber(order, h[2]+h[3])
	if number == nil {
		return nil, fmt.Errorf("numbers of type %s%s are not read; save them as float64", h[2], h[3])
	}
	ny, errY := strconv.Atoi(h[5])
	nx, errX := strconv.Atoi(h[6])
	size := int(h[3][0] - '0')
	if errX != nil || errY != nil || nx < 1 || ny < 1 || nx > maxTiles || ny > maxTiles/nx {
		return nil, fmt.Errorf("an array of %s by %s; a map has 1 to %d tiles", h[5], h[6], maxTiles)
	}
	if len(body) != nx*ny*size {
		return nil, fmt.Errorf("the file holds %d bytes of numbers, an array of %d by %d has %d", len(body), ny, nx,
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

// splitNPY parts the header from the numbers; the length of the header has two bytes in version 1, four in versions 2
// and 3.
func splitNPY(data []byte) (head string, body []byte, err error) {
	if len(data) < 12 || !strings.HasPrefix(string(data), "\x93NUMPY") {
		return "", nil, errors.New("not an NPY file")
	}
	if data[6] < 1 || data[6] > 3 {
		return "", nil, fmt.Errorf("version %d of the NPY format is not known; save the array with numpy.save", data[6])
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

// npyNumber converts the bytes of a number; nil for a type that is not known.
func npyNumber(order binary.ByteOrder, kind string) func([]byte) float64 {
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
