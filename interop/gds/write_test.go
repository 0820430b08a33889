package gds

import (
	"encoding/binary"
	"math"
)

// stream builds a GDSII file.
type stream struct{ b []byte }

func (s *stream) rec(kind, form byte, data ...byte) *stream {
	if len(data)%2 != 0 {
		data = append(data, 0)
	}
	s.b = binary.BigEndian.AppendUint16(s.b, uint16(4+len(data)))
	s.b = append(append(s.b, kind, form), data...)
	return s
}

func (s *stream) int2(kind byte, v ...int) *stream {
	var data []byte
	for _, x := range v {
		data = binary.BigEndian.AppendUint16(data, uint16(x))
	}
	return s.rec(kind, 2, data...)
}

func (s *stream) int4(kind byte, v ...int) *stream {
	var data []byte
	for _, x := range v {
		data = binary.BigEndian.AppendUint32(data, uint32(x))
	}
	return s.rec(kind, 3, data...)
}

func (s *stream) real(kind byte, v ...float64) *stream {
	var data []byte
	for _, x := range v {
		var bits uint64
		if x < 0 {
			bits, x = 1<<63, -x
		}
		e := 64
		for ; x >= 1; x /= 16 {
			e++
		}
		for ; x > 0 && x < 1.0/16; x *= 16 {
			e--
		}
		data = binary.BigEndian.AppendUint64(data, bits|uint64(e)<<56|uint64(math.Round(x*(1<<56))))
	}
	return s.rec(kind, 5, data...)
}

func (s *stream) text(kind byte, v string) *stream { return s.rec(kind, 6, []byte(v)...) }

// library begins a file of 1 nm per unit.
func library() *stream {
	s := &stream{}
	return s.int2(0, 600).int2(1, make([]int, 12)...).text(2, "LIB").real(recUnits, 1e-3, 1e-9)
}

func (s *stream) cell(name string) *stream {
	return s.int2(recBgnStr, make([]int, 12)...).text(recStrName, name)
}
func (s *stream) end() *stream  { return s.rec(recEndStr, 0) }
func (s *stream) bytes() []byte { return s.rec(recEndLib, 0).b }

func flatten(points []point) (xy []int) {
	for _, p := range points {
		xy = append(xy, int(p.x), int(p.y))
	}
	return xy
}

func (s *stream) boundary(layer int, points ...point) *stream {
	points = append(points[:len(points):len(points)], points[0])
	s.rec(recBoundary, 0).int2(recLayer, layer).int2(recDatatype, 0)
	return s.int4(recXY, flatten(points)...).rec(recEndEl, 0)
}

func (s *stream) rect(layer, x0, y0, x1, y1 int) *stream {
	b := box{float64(x0), float64(y0), float64(x1), float64(y1)}
	return s.boundary(layer, point{b.x0, b.y0}, point{b.x1, b.y0}, point{b.x1, b.y1}, point{b.x0, b.y1})
}

func (s *stream) path(layer, pathType, width int, points ...point) *stream {
	s.rec(recPath, 0).int2(recLayer, layer).int2(recDatatype, 0).int2(recPathType, pathType).int4(recWidth, width)
	return s.int4(recXY, flatten(points)...).rec(recEndEl, 0)
}

// ref places a structure, or an array of them with two more points.
func (s *stream) ref(name string, mirror bool, mag, angle float64, columns, lines int, points ...point) *stream {
	kind := byte(recSref)
	if len(points) > 1 {
		kind = recAref
	}
	bits := 0
	if mirror {
		bits = 0x8000
	}
	s.rec(kind, 0).text(recSname, name).int2(recStrans, bits).real(recMag, mag).real(recAngle, angle)
	if kind == recAref {
		s.int2(recColRow, columns, lines)
	}
	return s.int4(recXY, flatten(points)...).rec(recEndEl, 0)
}
