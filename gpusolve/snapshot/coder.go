// Package snapshot writes states as bytes and reads them back, with the same bits. One description serves both ways:
// see Coder.
package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Coder goes through the values of a state: it writes what they are, or sets them to what was written. The first error
// stays, and nothing more is done after it.
type Coder struct {
	w   io.Writer
	r   io.Reader
	err error
	buf [8 * chunk]byte
}

// chunk is how many numbers go at a time.
const chunk = 512

func NewWriter(w io.Writer) *Coder { return &Coder{w: w} }

func NewReader(r io.Reader) *Coder { return &Coder{r: r} }

// ErrFormat says that bytes are not those of a state that is expected.
var ErrFormat = errors.New("not the state that is expected")

func (c *Coder) Err() error { return c.err }

// Fail keeps an error of the caller.
func (c *Coder) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Reading says which way it goes.
func (c *Coder) Reading() bool { return c.r != nil }

func (c *Coder) word(v uint64) uint64 {
	if c.err != nil {
		return v
	}
	if c.r == nil {
		binary.LittleEndian.PutUint64(c.buf[:], v)
		_, c.err = c.w.Write(c.buf[:8])
		return v
	}
	if _, c.err = io.ReadFull(c.r, c.buf[:8]); c.err != nil {
		return v
	}
	return binary.LittleEndian.Uint64(c.buf[:])
}

func (c *Coder) Float(all ...*float64) {
	for _, v := range all {
		*v = math.Float64frombits(c.word(math.Float64bits(*v)))
	}
}

func (c *Coder) Int(all ...*int) {
	for _, v := range all {
		*v = int(c.word(uint64(*v)))
	}
}

func (c *Coder) Int32(all ...*int32) {
	for _, v := range all {
		*v = int32(c.word(uint64(*v)))
	}
}

func (c *Coder) Bool(all ...*bool) {
	for _, v := range all {
		word := uint64(0)
		if *v {
			word = 1
		}
		*v = c.word(word) != 0
	}
}

// Length takes the length of what follows, no more than most.
func (c *Coder) Length(n, most int) int {
	n = int(c.word(uint64(n)))
	if c.err == nil && (n < 0 || n > most) {
		c.err = fmt.Errorf("%w: %d values, at most %d", ErrFormat, n, most)
	}
	if c.err != nil {
		return 0
	}
	return n
}

// Values takes numbers in the room that they have.
func (c *Coder) Values(all []float64) {
	for len(all) > 0 && c.err == nil {
		part := all[:min(chunk, len(all))]
		bytes := c.buf[:8*len(part)]
		if c.r != nil {
			if _, c.err = io.ReadFull(c.r, bytes); c.err != nil {
				return
			}
			for i := range part {
				part[i] = math.Float64frombits(binary.LittleEndian.Uint64(bytes[8*i:]))
			}
		} else {
			for i, v := range part {
				binary.LittleEndian.PutUint64(bytes[8*i:], math.Float64bits(v))
			}
			_, c.err = c.w.Write(bytes)
		}
		all = all[len(part):]
	}
}

// Floats takes numbers and how many they are, no more than most. nil comes back as nil.
func (c *Coder) Floats(all *[]float64, most int) {
	there := *all != nil
	c.Bool(&there)
	n := c.Length(len(*all), most)
	if c.err == nil && c.Reading() {
		if *all = nil; there {
			*all = make([]float64, n)
		}
	}
	c.Values(*all)
}

// Text takes a text of at most most bytes.
func (c *Coder) Text(text *string, most int) {
	n := c.Length(len(*text), most)
	if c.err != nil {
		return
	}
	if c.r == nil {
		_, c.err = io.WriteString(c.w, *text)
		return
	}
	bytes := make([]byte, n)
	if _, c.err = io.ReadFull(c.r, bytes); c.err == nil {
		*text = string(bytes)
	}
}
