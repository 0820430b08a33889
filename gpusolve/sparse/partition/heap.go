package partition

// move is a vertex that may change its part, and the entries by which that reduces the cut.
type move struct{ v, gain int32 }

// heap has the move with the greatest gain on top, of equal ones that of the lowest vertex.
type heap []move

func (a move) before(b move) bool { return a.gain > b.gain || a.gain == b.gain && a.v < b.v }

func (h *heap) push(gain, v int32) {
	*h = append(*h, move{v, gain})
	q := *h
	for i := len(q) - 1; i > 0; {
		up := (i - 1) / 2
		if !q[i].before(q[up]) {
			return
		}
		q[i], q[up] = q[up], q[i]
		i = up
	}
}

func (h *heap) pop() move {
	q := *h
	top, last := q[0], len(q)-1
	q[0] = q[last]
	q = q[:last]
	*h = q
	for i := 0; ; {
		down := 2*i + 1
		if down+1 < last && q[down+1].before(q[down]) {
			down++
		}
		if down >= last || !q[down].before(q[i]) {
			return top
		}
		q[i], q[down] = q[down], q[i]
		i = down
	}
}
