package gpusolve

import (
	"encoding/binary"
	"math"
)

// tell shows a finished step to rank 0.
func (t *team) tell(onStep func(Step, Field) error, step Step, f sharedField) error {
	return t.look(f, func(shown Field) error {
		if onStep == nil {
			return nil
		}
		return onStep(step, shown)
	})
}

// agree tells all ranks what rank 0 says.
func (t *team) agree(says bool) (bool, error) {
	mine := []byte{0}
	if says {
		mine[0] = 1
	}
	all, err := t.group.Gather(mine)
	return err == nil && all[0][0] == 1, err
}

func bytesOf(values []float64) []byte {
	data := make([]byte, 0, 8*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return data
}

func float64sOf(data []byte) []float64 {
	values := make([]float64, len(data)/8)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return values
}

// least is the smallest number that any rank has.
func (t *team) least(mine int) (int, error) {
	all, err := t.group.Gather(binary.LittleEndian.AppendUint64(nil, uint64(mine)))
	if err != nil {
		return 0, err
	}
	for _, of := range all {
		mine = min(mine, int(binary.LittleEndian.Uint64(of)))
	}
	return mine, nil
}
