package interpreter_test

import (
	"strings"
	"testing"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter"
)

func TestAccessesThatAreNotAllowed(t *testing.T) {
	const floats = 64
	for name, c := range map[string]struct {
		run    func(b *bench) error
		result cudriver.Result
		words  []string
	}{
		"behind the end": {func(b *bench) error {
			return b.launch("store", 1, 32, b.alloc(4*floats), int64(floats-31))
		},
			cudriver.IllegalAddress,
			[]string{"kernel store, ptx line", "(st.global.u32)", "block (0,0,0), thread (31,0,0)",
				"out of bounds: byte offset 256 of allocation 1 (256 bytes"}},
		"before the beginning": {func(b *bench) error { return b.launch("store", 1, 1, b.alloc(4*floats), int64(-3)) },
			cudriver.IllegalAddress, []string{"12 bytes before allocation 1"}},
		"past 2^32": {func(b *bench) error { return b.launch("store", 1, 1, b.alloc(1<<33), int64(1<<31)) },
			cudriver.IllegalAddress, []string{"byte offset 8589934592 of allocation 1 (8589934592 bytes"}},
		"no allocation": {func(b *bench) error { return b.launch("store", 1, 1, cudriver.DevicePtr(64), int64(0)) },
			cudriver.IllegalAddress, []string{"at 0x40: address belongs to no allocation"}},
		"misaligned": {func(b *bench) error { return b.launch("storeBytes", 1, 1, b.alloc(64), int64(6)) },
			cudriver.MisalignedAddress, []string{"misaligned access of 4 bytes", "byte offset 6 of allocation 1"}},
		"freed": {func(b *bench) error {
			p := b.alloc(64)
			b.must(b.d.MemFree(p))
			return b.launch("store", 1, 1, p, int64(0))
		}, cudriver.IllegalAddress, []string{"use after free of allocation 1"}},
		"unwritten": {func(b *bench) error {
			p := b.alloc(4 * 32)
			b.must(b.d.MemsetD32Async(p, 0, 31, 0))
			return b.launch("load", 1, 32, p, b.alloc(4*32))
		}, cudriver.LaunchFailed, []string{"thread (31,0,0)", "read of memory nothing wrote: 4 bytes",
			"byte offset 124 of allocation 1"}},
		"unwritten shared": {func(b *bench) error {
			return b.launch("sharedUnwritten", 1, 32, b.alloc(128), int32(30))
		},
			cudriver.LaunchFailed, []string{"read of memory nothing wrote: 4 bytes at offset 124 of shared memory"}},
		"unwritten local": {func(b *bench) error {
			return b.launch("localUnwritten", 1, 1, upload(b, []int32{0, 1, 2, 3, 4, 6, 7, 5}), b.alloc(4))
		}, cudriver.LaunchFailed, []string{"read of memory nothing wrote: 4 bytes at offset 20 of local memory"}},
		"local overrun": {func(b *bench) error {
			return b.launch("localUnwritten", 1, 1, upload(b, []int32{0, 1, 2, 3, 4, 5, 6, 8}), b.alloc(4))
		}, cudriver.IllegalAddress, []string{"offset 32 of 32 bytes of local memory"}},
		"shared overrun": {func(b *bench) error { return b.launch("sharedOverrun", 1, 16, b.alloc(64), int32(1)) },
			cudriver.IllegalAddress, []string{"thread (15,0,0)", "offset 64 of 64 bytes of shared memory"}},
		"division by zero": {func(b *bench) error { return b.launch("divide", 1, 8, b.alloc(64), int32(3)) },
			cudriver.LaunchFailed, []string{"thread (3,0,0)", "integer division by zero"}},
		"trap": {func(b *bench) error { return b.launch("giveUp", 1, 8, b.alloc(64), int32(3)) },
			cudriver.LaunchFailed, []string{"thread (3,0,0)", "(trap)", "the kernel gives up"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := faults(t, interpreter.Options{})
			err := c.run(b)
			wantFault(t, err, c.result, c.words...)
			// The context is lost, as on a GPU.
			if again := b.d.CtxSynchronize(); again == nil || again.Error() != err.Error() {
				t.Errorf("the next call gives %v", again)
			}
		})
	}
}

func TestNeighboursThatAreAllowed(t *testing.T) {
	b := faults(t, interpreter.Options{})
	b.must(b.launch("store", 1, 32, b.alloc(256), int64(32)))
	b.must(b.launch("store", 1, 1, b.alloc(1<<33), int64(1<<31-1)))
	b.must(b.launch("storeBytes", 1, 1, b.alloc(64), int64(60)))
	b.must(b.launch("load", 1, 32, zeros[float32](b, 32), b.alloc(128)))
	b.must(b.launch("sharedUnwritten", 1, 32, b.alloc(128), int32(32)))
	b.must(b.launch("sharedOverrun", 1, 16, b.alloc(64), int32(0)))
	b.must(b.launch("localUnwritten", 1, 1, upload(b, []int32{0, 1, 2, 3, 4, 6, 7, 4}), b.alloc(4)))
}

func TestDivergence(t *testing.T) {
	for name, c := range map[string]struct {
		kernel  string
		threads int
		n       int32
		words   []string
	}{
		"a warp has ended": {"barrierAfterEnd", 64, 32,
			[]string{"divergent barrier: not all threads of the block reach it", "has ended"}},
		"lanes have ended": {"barrierAfterEnd", 64, 40, []string{"divergent barrier", "has ended"}},
		"a warp passes by": {"barrierInBranch", 64, 32, []string{"divergent barrier", "has ended"}},
		"lanes pass by":    {"barrierInBranch", 64, 8, []string{"divergent barrier"}},
		"two barriers between warps": {"twoBarriers", 64, 32,
			[]string{"divergent barrier", "waits at another barrier"}},
		"two barriers within a warp": {"twoBarriers", 32, 5,
			[]string{"divergent barrier: lanes of the warp wait at different instructions", "0x0000001f",
				"0xffffffe0"}},
		"two shuffles": {"shuffleInBranch", 32, 16,
			[]string{"divergent shuffle", "lanes 0x0000ffff", "lanes 0xffff0000"}},
		"all threads, one barrier":    {"twoBarriers", 64, 64, nil},
		"no thread ends early":        {"barrierAfterEnd", 64, 64, nil},
		"warps at different shuffles": {"shuffleInBranch", 64, 32, nil},
		"mask does not name the lane": {"shuffleFromNobody", 32, 0, []string{"whose mask 0xffff does not name it"}},
		"source does not take part": {"shuffleFromNobody", 16, 0,
			[]string{"shuffle reads lane 16, which does not take part"}},
		"a short warp at its barriers": {"twoBarriers", 40, 40, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range int64(8) {
				b := faults(t, interpreter.Options{Seed: seed})
				args := []any{b.alloc(256), c.n}
				if c.kernel == "shuffleFromNobody" {
					args = args[:1]
				}
				err := b.launch(c.kernel, 1, c.threads, args...)
				if c.words == nil {
					b.must(err)
				} else {
					wantFault(t, err, cudriver.LaunchFailed, c.words...)
				}
			}
		})
	}
}

func TestSpinningForEverIsReported(t *testing.T) {
	b := faults(t, interpreter.Options{StallLimit: 20000})
	err := b.launch("spin", 3, 32, zeros[uint32](b, 1), int32(7))
	wantFault(t, err, cudriver.LaunchFailed, "kernel spin", "no progress: 20000 warp instructions",
		"ld.volatile.global.u32", "the threads wait for ever")

	// The setter can never become resident: the others fill the device.
	b = faults(t, interpreter.Options{StallLimit: 20000, SMs: 1})
	err = b.launch("spin", 4, 1024, zeros[uint32](b, 1), int32(3))
	wantFault(t, err, cudriver.LaunchFailed, "2 blocks have not begun: at most 2 are resident at a time")

	b = faults(t, interpreter.Options{MaxInstructions: 5000})
	err = b.launch("pingPong", 2, 1, zeros[uint32](b, 1), int32(1e6))
	wantFault(t, err, cudriver.LaunchFailed, "has used its budget of 5000 warp instructions")
}

func TestSpinningThatEndsGetsOn(t *testing.T) {
	for seed := range int64(4) {
		b := faults(t, interpreter.Options{Seed: seed, Delay: int(seed) * 100})
		b.must(b.launch("spin", 20, 64, zeros[uint32](b, 1), int32(19)))
		turn := zeros[uint32](b, 1)
		b.must(b.launch("pingPong", 5, 1, turn, int32(40)))
		equal(t, "turn", download[uint32](b, turn, 1), []uint32{40})
		turn = zeros[uint32](b, 1)
		b.must(b.launch("lanesWait", 1, 32, turn))
		equal(t, "turn", download[uint32](b, turn, 1), []uint32{32})
	}
}

func TestSeedsReproduceAndDiffer(t *testing.T) {
	order := func(seed int64) string {
		b := faults(t, interpreter.Options{Seed: seed})
		out := b.alloc(4 * 8 * 64)
		b.must(b.launch("order", 8, 64, zeros[uint32](b, 1), out))
		var s strings.Builder
		seen := map[uint32]bool{}
		for _, v := range download[uint32](b, out, 8*64) {
			s.WriteRune(rune(v + 32))
			seen[v] = true
		}
		if len(seen) != 8*64 {
			t.Fatalf("%d different tickets of %d", len(seen), 8*64)
		}
		return s.String()
	}
	if first, again := order(5), order(5); first != again {
		t.Error("the same seed gives another order")
	}
	if order(5) == order(6) && order(5) == order(7) {
		t.Error("three seeds give one order")
	}
}
