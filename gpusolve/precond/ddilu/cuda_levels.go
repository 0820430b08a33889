package ddilu

import "thermsim/gpusolve/cuda"

// levels finds the levels of a cut matrix's rows on the GPU. Parts too long for its shared memory are left to the
// processor.
func (s gpuOperations) levels(m *PartMatrix) (lower, upper []int32, err error) {
	k, err := cuda.Module(s.Device, "parts", LoadParts)
	if err != nil {
		return nil, nil, err
	}
	shared := 8 * m.longest()
	if shared > s.sharedMemory() {
		lower, upper = levelsOf(m)
		return lower, upper, nil
	}
	args := PartsAssignLevelsArgs{First: cuda.Upload(s.Space, m.First), RowPtr: cuda.Upload(s.Space, m.RowPtr),
		Diagonal: cuda.Upload(s.Space, m.Diagonal),
		Col:      cuda.Upload(s.Space, m.Col), Level: cuda.AllocRaw[int32](s.Space, s.Cells())}
	defer s.Discard(args.First, args.RowPtr, args.Diagonal, args.Col, args.Level)
	lower, upper = make([]int32, len(m.Row)), make([]int32, len(m.Row))
	for n, to := range [][]int32{lower, upper} {
		if args.Upper = int32(n); s.Ready() {
			s.Note(k.AssignLevels(s.Stream, [3]uint32{uint32(m.parts()), 1, 1}, uint32(shared), args))
		}
		cuda.Receive(s.Space, to, args.Level)
	}
	return lower, upper, s.Err()
}
