package webpage

import (
	"math"
	"strconv"
)

// Instants are the temperatures of parts of the stack at times from which a reader chooses.
type Instants struct {
	Times []float64             `json:"times"` // s
	Parts map[string][2][]Milli `json:"parts"` // K, maxima and means; no means of probes
}

// Milli is a number that is written with three decimals.
type Milli float64

// MarshalJSON implements json.Marshaler.
func (h Milli) MarshalJSON() ([]byte, error) {
	if v := float64(h); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return strconv.AppendFloat(nil, v, 'f', 3, 64), nil
	}
	return []byte("null"), nil
}
