package webpage

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"sync"

	"thermsim/gpusolve/reduction"
)

// A plane in the page: temperatures as whole numbers of quanta, less what a predictor expects, as bytes, deflated.
// Rounding to quanta is the only loss.
//
//	byte 0         the mode
//	then per cell  the residual r as z = 2r (r >= 0) or -2r-1, x fastest:
//	               z < 240           one byte
//	               z < 240+15*256    240 + (z-240)/256, (z-240)%256
//	               else              255 and z in four bytes, little endian
//
// assets/planes.js reads it.

// Predictors. West, south and south-west are the neighbours a, b, c before a cell: a + b - c continues a plane through
// them.
const (
	modeGradient   = iota // of the neighbours
	modePrevious          // the same cell in the frame before
	modeDifference        // the same cell in the frame before, and the gradient of the difference to it
	modes
)

// missing marks cells without a finite temperature.
const missing = reduction.Missing

const (
	shortEnd  = 240
	mediumEnd = shortEnd + 15*256
	escape    = 255
)

// coder holds the buffers of one encoding or decoding at a time.
type coder struct {
	residuals []byte
	best      []byte
	// difference to the frame before.
	difference []int32
	out        bytes.Buffer
	deflate    *flate.Writer
	inflate    io.ReadCloser // a flate.Resetter
}

// coders are those that no plane is packed or unpacked with at the moment.
var coders = sync.Pool{New: func() any { return new(coder) }}

// encode packs a plane of rows of w cells; previous is the plane of the frame before, or nil.
func (c *coder) encode(q []int32, w int, previous []int32) ([]byte, error) {
	c.best = c.residualsOf(c.best[:0], q, w, nil, modeGradient)
	if previous != nil {
		cost := weight(c.best)
		for mode := modePrevious; mode < modes; mode++ {
			c.residuals = c.residualsOf(c.residuals[:0], q, w, previous, mode)
			if other := weight(c.residuals); other < cost {
				cost = other
				c.best, c.residuals = c.residuals, c.best
			}
		}
	}
	c.out.Reset()
	if c.deflate == nil {
		d, err := flate.NewWriter(&c.out, flate.BestSpeed)
		if err != nil {
			return nil, err
		}
		c.deflate = d
	} else {
		c.deflate.Reset(&c.out)
	}
	if _, err := c.deflate.Write(c.best); err != nil {
		return nil, err
	}
	if err := c.deflate.Close(); err != nil {
		return nil, err
	}
	return bytes.Clone(c.out.Bytes()), nil
}

// weight estimates what is left to deflate: the sum of the bytes, and the number of bytes.
func weight(b []byte) int {
	sum := len(b)
	for _, v := range b {
		sum += int(v)
	}
	return sum
}

// residualsOf appends the mode and what the predictor misses. Sums wrap around alike in both directions, so nothing
// overflows.
func (c *coder) residualsOf(b []byte, q []int32, w int, previous []int32, mode int) []byte {
	b = append(b, byte(mode))
	if mode == modeGradient {
		return gradientResiduals(b, q, w)
	}
	c.difference = c.difference[:0]
	for n, v := range q {
		c.difference = append(c.difference, v-previous[n])
	}
	if mode == modeDifference {
		return gradientResiduals(b, c.difference, w)
	}
	for _, v := range c.difference {
		b = appendResidual(b, v)
	}
	return b
}

// gradientResiduals appends, row by row, what continuing the neighbours misses; see expected.
func gradientResiduals(b []byte, d []int32, w int) []byte {
	west := int32(0)
	for _, v := range d[:w] {
		b = appendResidual(b, v-west)
		west = v
	}
	for from := w; from < len(d); from += w {
		south, row := d[from-w:from], d[from:from+w]
		b = appendResidual(b, row[0]-south[0])
		for i := 1; i < len(row); i++ {
			b = appendResidual(b, row[i]-row[i-1]-south[i]+south[i-1])
		}
	}
	return b
}

func appendResidual(b []byte, v int32) []byte {
	z := uint32(v)<<1 ^ uint32(v>>31)
	switch {
	case z < shortEnd:
		return append(b, byte(z))
	case z < mediumEnd:
		return append(b, byte(shortEnd+(z-shortEnd)>>8), byte(z-shortEnd))
	}
	return append(b, escape, byte(z), byte(z>>8), byte(z>>16), byte(z>>24))
}

// expected continues the neighbours of cell n.
func expected(at func(int) int32, n, w int) int32 {
	switch {
	case n == 0:
		return 0
	case n < w:
		return at(n - 1)
	case n%w == 0:
		return at(n - w)
	}
	return at(n-1) + at(n-w) - at(n-w-1)
}

var errShort = errors.New("a plane of the page ends early")

// unpack inflates data, until the coder is used again.
func (c *coder) unpack(data []byte) ([]byte, error) {
	from := bytes.NewReader(data)
	if c.inflate == nil {
		c.inflate = flate.NewReader(from)
	} else if err := c.inflate.(flate.Resetter).Reset(from, nil); err != nil {
		return nil, err
	}
	c.out.Reset()
	_, err := c.out.ReadFrom(c.inflate)
	return c.out.Bytes(), err
}

// decode is the inverse of encode.
func decode(data []byte, cells, w int, previous []int32) ([]int32, error) {
	c := coders.Get().(*coder)
	defer coders.Put(c)
	b, err := c.unpack(data)
	if err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, errShort
	}
	mode := int(b[0])
	if mode >= modes || mode != modeGradient && previous == nil {
		return nil, fmt.Errorf("a plane of the page has mode %d", mode)
	}
	b = b[1:]
	d := make([]int32, cells) // the plane, or its difference to the one before
	at := func(n int) int32 { return d[n] }
	for n := range d {
		if len(b) == 0 {
			return nil, errShort
		}
		z, size := uint32(b[0]), 1
		switch {
		case z == escape:
			size = 5
		case z >= shortEnd:
			size = 2
		}
		if len(b) < size {
			return nil, errShort
		}
		switch size {
		case 5:
			z = uint32(b[1]) | uint32(b[2])<<8 | uint32(b[3])<<16 | uint32(b[4])<<24
		case 2:
			z = shortEnd + (z-shortEnd)<<8 + uint32(b[1])
		}
		b = b[size:]
		v := int32(z>>1) ^ -int32(z&1)
		if mode != modePrevious {
			v += expected(at, n, w)
		}
		d[n] = v
	}
	if mode != modeGradient {
		for n := range d {
			d[n] += previous[n]
		}
	}
	return d, nil
}
