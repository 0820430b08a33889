package cuda

import "thermsim/gpusolve/cuda/cudriver"

// Link moves device memory between the ranks of a run, in the order of a space's stream. Every rank asks for the same
// in the same order.
type Link interface {
	// Exchange sends down bytes from down.From to the rank below, which receives them at its down.To, and up bytes from
	// up.From to the rank above. At the ends of the ranks nothing is sent or received where there is no neighbour.
	Exchange(s *Space, down, up Transfer) error
	// AllGather gives every rank the bytes of all, in the order of their ranks.
	AllGather(s *Space, from, to cudriver.DevicePtr, bytes int64) error
	// AllToAll has every rank send pieces of its memory at from to every other, and receive theirs into to. with has a
	// portion for each rank; the own one counts for nothing.
	AllToAll(s *Space, from, to cudriver.DevicePtr, with []Portion) error
	// Recordable says whether transfers may be part of recorded launches: those that need the host may not.
	Recordable() bool
	// String says what carries the data, as "NCCL 2.28.9".
	String() string
	// Err is what has ended the link, nil while all is well.
	Err() error
	Close() error
}

// Transfer is what passes one way: what this rank sends lies at From, what it receives goes to To, of the same size.
type Transfer struct {
	From, To cudriver.DevicePtr
	Bytes    int64
}

// Spans of memory lie Step bytes apart from At on, with Bytes each.
type Spans struct{ At, Step, Bytes int64 }

// piece is where number n lies in memory.
func (p Spans) piece(base cudriver.DevicePtr, n int) cudriver.DevicePtr {
	return base + cudriver.DevicePtr(p.At+int64(n)*p.Step)
}

// Portion is what passes between this rank and another: so many pieces each way. Out are those that this rank sends, In
// where those that it receives go, There where they lie in the memory of the other.
type Portion struct {
	Count          int
	Out, In, There Spans
}
