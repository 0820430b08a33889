package tcp

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// kind of a frame. Frames of data bear the operation that sent them, so that ranks which do not do the same are found
// out.
type kind byte

const (
	beat       kind = 'b' // nothing to say: the rank is alive
	bye        kind = 'q' // the rank leaves in order
	failed     kind = 'f' // the group has failed; the payload tells why
	gathered   kind = 'g'
	exchanged  kind = 'x'
	sent       kind = 's'
	headerSize      = 24
)

// mostBytes bounds a frame: a terabyte is no message.
const mostBytes = 1 << 40

// checked is the polynomial for which processors have an instruction.
var checked = crc32.MakeTable(crc32.Castagnoli)

// header of a frame, little endian:
//
//	byte 0       kind
//	bytes 4-7    number of the frame, counted by the sender for each receiver
//	bytes 8-15   length of the payload
//	bytes 16-19  CRC-32C of the payload
//	bytes 20-23  CRC-32C of bytes 0-19
type header struct {
	kind     kind
	number   uint32
	length   uint64
	checksum uint32
}

func (h *header) encode(b *[headerSize]byte) {
	*b = [headerSize]byte{0: byte(h.kind)}
	binary.LittleEndian.PutUint32(b[4:], h.number)
	binary.LittleEndian.PutUint64(b[8:], h.length)
	binary.LittleEndian.PutUint32(b[16:], h.checksum)
	binary.LittleEndian.PutUint32(b[20:], crc32.Checksum(b[:20], checked))
}

// decode reads a header, of which the number is to be the one given.
func (h *header) decode(b *[headerSize]byte, number uint32) error {
	if crc32.Checksum(b[:20], checked) != binary.LittleEndian.Uint32(b[20:]) {
		return fmt.Errorf("the head of message %d came damaged", number)
	}
	h.kind = kind(b[0])
	h.number = binary.LittleEndian.Uint32(b[4:])
	h.length = binary.LittleEndian.Uint64(b[8:])
	h.checksum = binary.LittleEndian.Uint32(b[16:])
	switch {
	case h.number != number:
		return fmt.Errorf("message %d came where %d was due", h.number, number)
	case h.length > mostBytes:
		return fmt.Errorf("message %d of %d bytes is too long", number, h.length)
	}
	return nil
}

// readFrame reads a frame into a buffer that room provides.
func readFrame(r io.Reader, number uint32, room func(int) []byte) (kind, []byte, error) {
	var raw [headerSize]byte
	if _, err := io.ReadFull(r, raw[:]); err != nil {
		return 0, nil, err
	}
	var h header
	if err := h.decode(&raw, number); err != nil {
		return 0, nil, err
	}
	payload := room(int(h.length))
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, err
	}
	if crc32.Checksum(payload, checked) != h.checksum {
		return 0, nil, fmt.Errorf("message %d came damaged", number)
	}
	return h.kind, payload, nil
}
