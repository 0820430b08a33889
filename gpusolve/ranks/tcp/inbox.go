package tcp

import "sync"

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

// room is a buffer of n bytes, one that was given back where it fits without waste.
func (b *inbox) room(n int) []byte {
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
