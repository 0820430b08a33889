package team

import (
	"encoding/binary"
	"math"

	"thermsim/gpusolve/solution"
)

// Tell shows a finished step to rank 0.
func (t *Team) Tell(onStep func(solution.Step, solution.Field) error, step solution.Step, f Shared) error {
	return t.look(f, func(shown solution.Field) error {
		if onStep == nil {
			return nil
		}
		return onStep(step, shown)
	})
}

// Agree tells all ranks what rank 0 says.
func (t *Team) Agree(says bool) (bool, error) {
	mine := []byte{0}
	if says {
		mine[0] = 1
	}
	all, err := t.Group.Gather(mine)
	return err == nil && all[0][0] == 1, err
}

func Bytes(values []float64) []byte {
	data := make([]byte, 0, 8*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return data
}

func Values(data []byte) []float64 {
	values := make([]float64, len(data)/8)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return values
}

// Least is the smallest number that any rank has.
func (t *Team) Least(mine int) (int, error) {
	all, err := t.Group.Gather(binary.LittleEndian.AppendUint64(nil, uint64(mine)))
	if err != nil {
		return 0, err
	}
	for _, of := range all {
		mine = min(mine, int(binary.LittleEndian.Uint64(of)))
	}
	return mine, nil
}
