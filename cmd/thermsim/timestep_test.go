package main

import (
	"fmt"
	"strconv"
	"testing"
)

// An end that is a whole number of steps in decimals takes that number, though neither may be a binary fraction.
func TestStepsUntil(t *testing.T) {
	for _, digits := range []int{1, 2, 3, 5, 7, 25} {
		for exponent := -9; exponent <= 1; exponent++ {
			for n := 1; n <= 3000; n += 7 {
				dt, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", digits, exponent), 64)
				until, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", n*digits, exponent), 64)
				if got := stepsUntil(until, dt); got != n {
					t.Fatalf("%g s in steps of %g s: %d, want %d", until, dt, got, n)
				}
				if got := stepsUntil(until+dt/2, dt); got != n+1 {
					t.Fatalf("%g s and half a step of %g s: %d, want %d", until, dt, got, n+1)
				}
			}
		}
	}
}
