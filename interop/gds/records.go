package gds

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"thermsim/stack"
)

// Types of records that are read.
const (
	recUnits    = 0x03
	recEndLib   = 0x04
	recBgnStr   = 0x05
	recStrName  = 0x06
	recEndStr   = 0x07
	recBoundary = 0x08
	recPath     = 0x09
	recSref     = 0x0a
	recAref     = 0x0b
	recText     = 0x0c
	recLayer    = 0x0d
	recDatatype = 0x0e
	recWidth    = 0x0f
	recXY       = 0x10
	recEndEl    = 0x11
	recSname    = 0x12
	recColRow   = 0x13
	recNode     = 0x15
	recStrans   = 0x1a
	recMag      = 0x1b
	recAngle    = 0x1c
	recPathType = 0x21
	recBox      = 0x2d
	recBoxType  = 0x2e
	recBgnExtn  = 0x30
	recEndExtn  = 0x31
)

const (
	bufferSize = 1 << 17 // above the largest record, 65535 bytes
	mostPoints = 1 << 16 // of an element
)

// records reads the records of a part of a file.
type records struct {
	file io.ReaderAt
	path string
	in   *bufio.Reader
	at   int64 // where the next record begins
}

// part moves to another part of the file.
func (r *records) part(from, to int64) {
	section := io.NewSectionReader(r.file, from, to-from)
	if r.in == nil {
		r.in = bufio.NewReaderSize(section, bufferSize)
	}
	r.in.Reset(section)
	r.at = from
}

func (r *records) fail(remedy, format string, args ...any) error {
	return fault(r.path, remedy, "byte %d: %s", r.at, fmt.Sprintf(format, args...))
}

// fault is an error in a file.
func fault(path, remedy, format string, args ...any) error {
	return &stack.Error{Pos: stack.Pos{File: path}, Remedy: remedy, Msg: fmt.Sprintf(format, args...)}
}

// next is the type and the data of the next record; the data are valid until the following call.
func (r *records) next() (kind byte, data []byte, err error) {
	head, err := r.in.Peek(4)
	if err != nil {
		return 0, nil, r.truncated(err)
	}
	n := int(binary.BigEndian.Uint16(head))
	if n < 4 || n%2 != 0 {
		return 0, nil, r.fail("check that this is a GDSII file", "record of %d bytes; expected an even number, at "+
			"least 4", n)
	}
	record, err := r.in.Peek(n)
	if err != nil {
		return 0, nil, r.truncated(err)
	}
	r.at += int64(n)
	_, err = r.in.Discard(n)
	return record[2], record[4:], err
}

func (r *records) truncated(err error) error {
	if !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	return r.fail("copy the file again", "the file is incomplete: it ends without ENDLIB")
}

// element is a shape, a reference or a text.
type element struct {
	kind           byte
	layer          layerKey
	xy             []point
	pathType       int16
	width          int32
	begin, end     int32 // extensions of a path of type 4
	name           []byte
	mirror         bool
	absolute       bool // of magnification or angle
	mag, angle     float64
	columns, lines int
}

type point struct{ x, y float64 }

// layerKey is a layer in the upper and a datatype in the lower 16 bits.
type layerKey uint32

func (k layerKey) String() string { return fmt.Sprintf("%d/%d", k>>16, k&0xffff) }

// isShape reports whether the element covers area.
func (e *element) isShape() bool {
	return e.kind == recBoundary || e.kind == recPath || e.kind == recBox
}

// begins reports whether a record begins an element.
func (e *element) begins(kind byte) bool {
	return kind >= recBoundary && kind <= recText || kind == recNode || kind == recBox
}

// element reads the records of an element up to its end.
func (r *records) element(kind byte, e *element) error {
	*e = element{kind: kind, xy: e.xy[:0], name: e.name[:0], mag: 1, columns: 1, lines: 1}
	for {
		rec, data, err := r.next()
		if err != nil {
			return err
		}
		if rec == recEndEl {
			return r.checked(e)
		}
		if n := sizes[rec]; n > 0 && (len(data) < n || rec == recXY && len(data)%n != 0) {
			return r.fail("", "record of type %d has %d bytes of data; expected %d", rec, len(data), n)
		}
		switch rec {
		case recLayer:
			e.layer = e.layer&0xffff | layerKey(binary.BigEndian.Uint16(data))<<16
		case recDatatype, recBoxType:
			e.layer = e.layer&^0xffff | layerKey(binary.BigEndian.Uint16(data))
		case recWidth:
			e.width = word(data)
		case recPathType:
			e.pathType = int16(binary.BigEndian.Uint16(data))
		case recBgnExtn:
			e.begin = word(data)
		case recEndExtn:
			e.end = word(data)
		case recXY:
			for ; len(data) > 0 && len(e.xy) < mostPoints; data = data[8:] {
				e.xy = append(e.xy, point{float64(word(data)), float64(word(data[4:]))})
			}
		case recSname:
			e.name = append(e.name[:0], text(data)...)
		case recColRow:
			e.columns = int(int16(binary.BigEndian.Uint16(data)))
			e.lines = int(int16(binary.BigEndian.Uint16(data[2:])))
		case recStrans:
			e.mirror, e.absolute = data[0]&0x80 != 0, data[1]&6 != 0
		case recMag:
			e.mag = real8(data)
		case recAngle:
			e.angle = real8(data)
		case recBgnStr, recEndStr, recEndLib:
			return r.fail("", "the structure ends within an element")
		}
	}
}

// sizes are the bytes of data that a record needs; an XY record has any multiple.
var sizes = [256]int{recUnits: 16, recLayer: 2, recDatatype: 2, recBoxType: 2, recWidth: 4, recPathType: 2,
	recBgnExtn: 4, recEndExtn: 4, recXY: 8, recSname: 1, recColRow: 4, recStrans: 2, recMag: 8, recAngle: 8}

// checked finds values of an element that nothing can be made of.
func (r *records) checked(e *element) error {
	switch {
	case len(e.xy) >= mostPoints:
		return r.fail("", "element of more than %d points", mostPoints-1)
	case e.kind == recAref && (e.columns < 1 || e.lines < 1):
		return r.fail("", "array of %d columns and %d rows; expected 1 to 32767", e.columns, e.lines)
	case !(e.mag > 0 && e.mag <= 1e6) || !(math.Abs(e.angle) <= 1e6):
		return r.fail("", "magnification %g and angle %g; expected a magnification above 0, at most 1e6", e.mag,
			e.angle)
	case (e.kind == recSref && len(e.xy) < 1 || e.kind == recAref && len(e.xy) < 3):
		return r.fail("", "reference of %d points; expected 1, or 3 of an array", len(e.xy))
	}
	return nil
}

func word(data []byte) int32 { return int32(binary.BigEndian.Uint32(data)) }

// text is a name without the zero that pads it.
func text(data []byte) []byte {
	for len(data) > 0 && data[len(data)-1] == 0 {
		data = data[:len(data)-1]
	}
	return data
}

// real8 is a number with a sign, an exponent to the base 16 in excess of 64, and a fraction of 56 bits.
func real8(data []byte) float64 {
	bits := binary.BigEndian.Uint64(data)
	v := math.Ldexp(float64(bits&(1<<56-1)), 4*(int(bits>>56&0x7f)-64)-56)
	if bits>>63 != 0 {
		return -v
	}
	return v
}
