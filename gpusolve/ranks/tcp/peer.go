package tcp

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// peer is another rank as this one sees it.
type peer struct {
	rank int
	host string
	conn net.Conn

	writing sync.Mutex
	wrote   uint32       // frames so far
	last    atomic.Int64 // when something was last sent, in ns since the group began

	heard atomic.Int64 // when something last came
	ended chan struct{}

	inbox inbox
	begun time.Time
}

func newPeer(rank int, host string, conn net.Conn) *peer {
	return &peer{rank: rank, host: host, conn: conn, ended: make(chan struct{}),
		inbox: inbox{ready: make(chan struct{}, 1)}, begun: time.Now()}
}

// present are the peers that are not nil.
func present(all []*peer) []*peer {
	return slices.DeleteFunc(slices.Clone(all), func(p *peer) bool { return p == nil })
}

// now counts from the beginning of the peer, on the clock that no one sets.
func (p *peer) now() int64 { return int64(time.Since(p.begun)) }

// send writes a frame as one write where it is short, so that it travels as one packet.
func (p *peer) send(k kind, payload []byte) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.write(k, payload)
}

// shortest is the length up to which copying is cheaper than a second buffer.
const shortest = 4096

// write is send for those who hold the lock.
func (p *peer) write(k kind, payload []byte) error {
	h := header{kind: k, number: p.wrote, length: uint64(len(payload)), checksum: crc32.Checksum(payload, checked)}
	var raw [headerSize]byte
	h.encode(&raw)
	var err error
	if len(payload) <= shortest {
		_, err = p.conn.Write(append(raw[:], payload...))
	} else {
		both := net.Buffers{raw[:], payload}
		_, err = both.WriteTo(p.conn)
	}
	p.wrote++
	p.last.Store(p.now())
	return err
}

// Read reads from the connection and notes that something came: a long message is a sign of life too.
func (p *peer) Read(b []byte) (int, error) {
	n, err := p.conn.Read(b)
	if n > 0 {
		p.heard.Store(p.now())
	}
	return n, err
}

// readAhead is the buffer that gathers short frames into one read.
const readAhead = 64 << 10

// listen reads frames for ever and hands them to handle, which says whether to go on. It reads whether anyone waits or
// not: therefore two ranks that send to each other at once do not wait for each other.
func (p *peer) listen(handle func(kind, []byte) bool) error {
	r := bufio.NewReaderSize(p, readAhead)
	for number := uint32(0); ; number++ {
		k, payload, err := readFrame(r, number, p.inbox.allocate)
		if err != nil {
			return err
		}
		if !handle(k, payload) {
			return nil
		}
	}
}

// kind of a frame. Frames of data bear the operation that sent them, so that ranks which do not do the same are found
// out.
type kind byte

const (
	beat       kind = 'b' // nothing to say: the rank is alive
	bye        kind = 'q' // the rank leaves in order
	failed     kind = 'f' // the group has failed; the payload gives the reason
	gathered   kind = 'g'
	exchanged  kind = 'x'
	sent       kind = 's'
	headerSize      = 24
)

// mostBytes bounds a frame: a terabyte is no message.
const mostBytes = 1 << 40

// checked is the polynomial for which processors have an instruction.
var checked = crc32.MakeTable(crc32.Castagnoli)

// header of a frame, little endian.
//
//	byte 0       kind
//	bytes 4-7    number of the frame, counted by the sender for each receiver
//	bytes 8-15   length of the payload
//	bytes 16-19  CRC-32C of the payload
//	bytes 20-23  CRC-32C of all bytes before.
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

// readFrame reads a frame into a buffer from allocate.
func readFrame(r io.Reader, number uint32, allocate func(int) []byte) (kind, []byte, error) {
	var raw [headerSize]byte
	if _, err := io.ReadFull(r, raw[:]); err != nil {
		return 0, nil, err
	}
	var h header
	if err := h.decode(&raw, number); err != nil {
		return 0, nil, err
	}
	payload := allocate(int(h.length))
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, err
	}
	if crc32.Checksum(payload, checked) != h.checksum {
		return 0, nil, fmt.Errorf("message %d came damaged", number)
	}
	return h.kind, payload, nil
}

// message is a frame of data that waits to be taken.
type message struct {
	kind    kind
	payload []byte
}

// inbox holds what came from a rank until it is asked for. It has no bound: what one rank sends ahead is what it has
// itself.
type inbox struct {
	mu    sync.Mutex
	queue []message
	spare [][]byte
	ready chan struct{} // holds a token where the queue is not empty
}

func (b *inbox) put(m message) {
	b.mu.Lock()
	b.queue = append(b.queue, m)
	b.mu.Unlock()
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// take removes the first message; ok is false where there is none.
func (b *inbox) take() (m message, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) == 0 {
		return m, false
	}
	m = b.queue[0]
	b.queue[0] = message{}
	b.queue = b.queue[1:]
	return m, true
}

// mostSpare is how many buffers are kept: a rank is at most one exchange ahead of its neighbour.
const mostSpare = 3

// allocate returns a buffer of n bytes, one that was given back where it fits without waste.
func (b *inbox) allocate(n int) []byte {
	if n == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, s := range b.spare {
		if cap(s) >= n && cap(s) <= 2*n {
			b.spare[i] = b.spare[len(b.spare)-1]
			b.spare = b.spare[:len(b.spare)-1]
			return s[:n]
		}
	}
	return make([]byte, n)
}

// giveBack keeps a buffer whose contents are no longer needed.
func (b *inbox) giveBack(s []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.spare) == mostSpare {
		copy(b.spare, b.spare[1:])
		b.spare = b.spare[:mostSpare-1]
	}
	b.spare = append(b.spare, s)
}

func (b *inbox) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue) == 0
}
