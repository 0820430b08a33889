package ranks_test

import (
	"testing"

	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/rankstest"
)

func TestLocal(t *testing.T) {
	rankstest.Run(t, func(_ *testing.T, n int) []ranks.Group { return ranks.Local(n) })
}
