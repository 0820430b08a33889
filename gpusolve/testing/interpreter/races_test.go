package interpreter_test

import (
	"testing"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter"
)

// A race is found whatever the order in which the threads happen to run, and what is ordered is never called a race.
func TestRaces(t *testing.T) {
	message := func(how int32) func(b *bench) error {
		return func(b *bench) error {
			return b.launch("message", 2, 64, how, zeros[uint32](b, 1), zeros[float32](b, 64), b.alloc(256))
		}
	}
	last := func(fenced int32) func(b *bench) error {
		return func(b *bench) error {
			x := make([]float32, 8*20)
			for i := range x {
				x[i] = 1
			}
			ticket, out := zeros[uint32](b, 1), b.alloc(4)
			for range 2 { // the ticket goes back to zero
				if err := b.launch("lastBlock", 20, 32, fenced, upload(b, x), b.alloc(4*20), ticket, out); err != nil {
					return err
				}
				equal(b, "sum", download[float32](b, out, 1), []float32{160})
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		run   func(b *bench) error
		words []string // nil: no race
	}{
		"shared, no barrier": {func(b *bench) error {
			return b.launch("sharedRace", 2, 64, b.alloc(256))
		}, []string{"data race: read of 4 bytes at offset", "of shared memory", "the other access is a write by block",
			"st.shared"}},
		"shared, barrier": {func(b *bench) error { return b.launch("sharedOrdered", 1, 64, b.alloc(256)) }, nil},
		"shared, used again": {func(b *bench) error {
			return b.launch("sharedReuse", 1, 64, b.alloc(256))
		}, []string{"data race: ", "of shared memory"}},
		"shared, warp's barrier": {func(b *bench) error { return b.launch("warpOrdered", 1, 64, b.alloc(256)) }, nil},
		"shared, wrong warp": {func(b *bench) error {
			return b.launch("warpRace", 1, 64, b.alloc(256))
		}, []string{"data race: ", "of shared memory"}},
		"global, own element": {func(b *bench) error {
			return b.launch("globalRace", 3, 64, zeros[float32](b, 192), int32(0))
		}, nil},
		"global, neighbour's": {func(b *bench) error {
			return b.launch("globalRace", 1, 64, zeros[float32](b, 64), int32(1))
		}, []string{"data race: ", "of allocation 1"}},
		"global, other block's": {func(b *bench) error {
			return b.launch("globalRace", 2, 64, zeros[float32](b, 128), int32(64))
		}, []string{"data race: ", "of allocation 1"}},
		"global, same word": {func(b *bench) error {
			return b.launch("sameWord", 2, 1, b.alloc(4))
		}, []string{"data race: write of 4 bytes", "the other access is a write by block"}},
		"bytes of one word": {func(b *bench) error {
			p := zeros[float32](b, 17) // known by words at first, then by bytes
			if err := b.launch("globalRace", 1, 16, p, int32(0)); err != nil {
				return err
			}
			return b.launch("bytes", 2, 33, p)
		}, nil},
		"atomic against plain": {func(b *bench) error {
			return b.launch("atomicAndPlain", 2, 1, zeros[uint32](b, 1), b.alloc(4))
		}, []string{"data race: "}},
		"read-only and written": {func(b *bench) error {
			return b.launch("readOnlyWritten", 1, 32, b.alloc(128), b.alloc(128))
		}, []string{"ld.global.nc", "memory written in the same launch"}},

		"release and acquire":       {message(0), nil},
		"fences round a flag":       {message(1), nil},
		"a flag without fences":     {message(2), []string{"data race: ", "of allocation 2"}},
		"released before a barrier": {message(3), []string{"data race: ", "of allocation 2"}},
		"a fence on one side":       {message(4), []string{"data race: ", "of allocation 2"}},
		"last block, with a fence":  {last(1), nil},
		"last block, without one":   {last(0), []string{"data race: ", "kernel lastBlock"}},
		"launches follow each other": {func(b *bench) error {
			p := zeros[float32](b, 64)
			for range 2 {
				if err := b.launch("globalRace", 1, 64, p, int32(0)); err != nil {
					return err
				}
			}
			return b.launch("sameWord", 1, 1, p)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range int64(20) {
				b := faults(t, interpreter.Options{Seed: seed})
				err := c.run(b)
				if c.words == nil {
					b.must(err)
				} else {
					wantFault(t, err, cudriver.LaunchFailed, c.words...)
				}
				if t.Failed() {
					t.Fatalf("with seed %d", seed)
				}
			}
		})
	}
}

func TestRacesCanBeLeftAside(t *testing.T) {
	b := faults(t, interpreter.Options{NoRaces: true})
	b.must(b.launch("sharedRace", 2, 64, b.alloc(256)))
}
