package ranks_test

import (
	"context"
	"slices"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
)

// Ranks reduce their own rows; what rank 0 makes of that is what one processor finds.
func TestStatisticsOnRanks(t *testing.T) {
	for number := range uint64(8) {
		m := solves.TeamStack(t, number, 5)
		r := solves.SomeRegions(t, m)
		alone, err := gpusolve.Steady(context.Background(), m, solves.Exact)
		if err != nil {
			t.Fatal(err)
		}
		want, err := solution.Reduce(alone.Field, r)
		if err != nil {
			t.Fatal(err)
		}
		q := reduction.Quanta{Factor: 1 + int(number%4), Base: 300, Quantum: 1e-3}
		counts := make([]int32, m.NZ()*q.Side(m.NX())*q.Side(m.NY()))
		if _, err := solution.ReducerOf(alone.Field).Quantise(q, counts); err != nil {
			t.Fatal(err)
		}
		err = solves.Together(t, 2+int(number%4), func(rank int, g ranks.Group) error {
			o := solves.Exact
			o.Ranks = g
			s, err := gpusolve.Steady(context.Background(), m, o)
			if err != nil || rank > 0 {
				return err
			}
			defer s.Close()
			for range 2 {
				got, err := solution.Reduce(s.Field, r)
				if err != nil {
					return err
				}
				solves.CompareStatistics(t, got, want)
			}
			of := make([]int32, len(counts))
			if done, err := solution.ReducerOf(s.Field).Quantise(q, of); !done || err != nil ||
				!slices.Equal(of, counts) {
				t.Errorf("stack %d: other quanta, %v", number, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		alone.Close()
	}
}
