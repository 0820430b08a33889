package tcp

import (
	"bufio"
	"hash/crc32"
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
		k, payload, err := readFrame(r, number, p.inbox.room)
		if err != nil {
			return err
		}
		if !handle(k, payload) {
			return nil
		}
	}
}
