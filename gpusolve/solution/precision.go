package solution

// PrecisionLog tells what a solver in mixed precision did in all of its solves.
type PrecisionLog struct {
	Mode        string
	Solves      int
	Early, Late int // iterations in each stage; fixed modes have late ones only
	Switches    int // solves that changed from the early stage to the late one
	Last        Switch
}

// Switch is the change from the early to the late stage of a solve.
type Switch struct {
	Iteration int // how many were done
	Reason    SwitchReason
	// Norms of the recursive and the true residual and of their difference, W. At iteration 0 there is no recursive one
	// yet.
	Recursive, True, Gap float64
}

// SwitchReason is which of the conditions of equation 14 held first.
type SwitchReason string

// The conditions.
const (
	NearEnd  SwitchReason = "the residual is below the root of the tolerance"
	Slow     SwitchReason = "the true residual falls too slowly"
	Drifting SwitchReason = "the true residual drifts from the recursive one"
)
