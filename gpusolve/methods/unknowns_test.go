package methods_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/solution"
)

// Methods whose numbers have 32 bits refuse a grid of 2^31 cells and more, whatever it would need of memory; the others
// number cells by 64 bits. Which is which is told by the types in their kernels and host twins: columns of rows, places
// in tiles, members of clusters are int32.
func TestUnknownsBeyond31Bits(t *testing.T) {
	for spec, limited := range map[string]bool{
		"": false, "multigrid": false, "fourier": false, "jacobi": false, "none": false, "chebyshev": false,
		"jacobi:precision=adaptive": false,
		"cmg":                       true, "ic": true, "ilu": true, "ddilu": true, "parac": true,
		"chebyshev:format=csr":                 true,
		"jacobi:precision=adaptive,format=csr": true,
	} {
		if err := methods.CheckUnknowns(spec, math.MaxInt32); err != nil {
			t.Errorf("%q: %v", spec, err)
		}
		err := methods.CheckUnknowns(spec, math.MaxInt32+1)
		if (err != nil) != limited || limited &&
			(!errors.Is(err, solution.ErrOption) || !strings.Contains(err.Error(), "2147483648 cells") ||
				!strings.Contains(err.Error(), "such as multigrid")) {
			t.Errorf("%q: %v", spec, err)
		}
	}
}
