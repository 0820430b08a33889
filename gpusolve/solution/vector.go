package solution

// Vector is the outcome of solving A x = b for a matrix that is given as it is.
type Vector struct {
	X      []float64 // the best found, also when the solve did not converge
	Status Status    // residuals in the units of b
	Device DeviceInfo
	Timing Timing
	Memory Memory
}
