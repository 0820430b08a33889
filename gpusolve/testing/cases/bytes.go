package cases

import (
	"encoding/binary"
	"math/rand/v2"
)

// Bytes draws figures from the bytes of a fuzzer, eight for each, so that a change of a few bytes changes one decision.
// Pseudo-random ones follow the last.
func Bytes(data []byte) *rand.Rand {
	return rand.New(&bytesSource{left: data, rest: rand.NewPCG(uint64(len(data)), 91)})
}

type bytesSource struct {
	left []byte
	rest *rand.PCG
}

func (b *bytesSource) Uint64() uint64 {
	if len(b.left) < 8 {
		return b.rest.Uint64()
	}
	v := binary.LittleEndian.Uint64(b.left)
	b.left = b.left[8:]
	return v
}

// Seeds are inputs for Bytes that a fuzzer may start from.
func Seeds(n int) [][]byte {
	seeds := make([][]byte, n)
	for i := range seeds {
		r := rand.New(rand.NewPCG(uint64(i), 92))
		for range 100 {
			seeds[i] = binary.LittleEndian.AppendUint64(seeds[i], r.Uint64())
		}
	}
	return seeds
}
