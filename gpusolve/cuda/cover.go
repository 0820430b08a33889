package cuda

import (
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
)

// PrepareCover loads the kernels of Cover and Fold, for methods that use them in iterations: what is recorded must load
// none.
func (s *Space) PrepareCover() error {
	_, err := Module(s.Device, "cover", kernels.LoadCover)
	return err
}

// Cover sets dst = (r, -r): the right side of a double cover, for methods that solve one.
func (s *Space) Cover(dst, r ops.Vector) {
	k, err := Module(s.Device, "cover", kernels.LoadCover)
	s.Note(err)
	if s.Ready() {
		n := int64(r.Len())
		s.Note(k.Cover(s.Stream, [3]uint32{Blocks(int(n), kernels.CoverWide), 1, 1},
			kernels.CoverCoverArgs{N: n, R: F32(r), Dst: F32(dst)}))
	}
}

// Fold sets z to half the difference of src's halves.
func (s *Space) Fold(z, src ops.Vector) {
	k, err := Module(s.Device, "cover", kernels.LoadCover)
	s.Note(err)
	if s.Ready() {
		n := int64(z.Len())
		s.Note(k.Fold(s.Stream, [3]uint32{Blocks(int(n), kernels.CoverWide), 1, 1},
			kernels.CoverFoldArgs{N: n, Src: F32(src), Z: F32(z)}))
	}
}
