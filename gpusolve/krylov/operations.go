package krylov

//go:generate go run thermsim/tools/ptxgen/gen -I ../cuda/kernels

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Operations are those of BiCGSTAB with right preconditioning, on a workspace. Vectors are FP64; those whose
// names end in 32, on the preconditioner's two sides, are FP32. Scalars stay on the device under fixed names.
type Operations interface {
	// Begin sets r, shadow, p and p32 to from, which may be of any precision, and Rho = r.r.
	Begin(r, shadow, p, p32, from ops.Vector)
	// Widen sets y = y32.
	Widen(y, y32 ops.Vector)
	// FirstStep sets RV = shadow.v and Step = Rho/RV, 0 where that means nothing, and moves along y = M^-1 p, of which
	// v = A y: x += Step y, r -= Step v, r32 = r, SS = r.r.
	FirstStep(x, r, r32, shadow, v, y32 ops.Vector)
	// SecondStep sets TS = t.r, TT = t.t and Omega = TS/TT, 0 where that means nothing, and moves along z = M^-1 r, of
	// which t = A z: x += Omega z, r -= Omega t, RR = r.r. Then Turn = (shadow.r / Rho) (Step / Omega) and Rho =
	// shadow.r.
	SecondStep(x, r, shadow, t, z32 ops.Vector)
	// NextDirection sets p = r + Turn (p - Omega v) and p32 = p.
	NextDirection(p, p32, r, v ops.Vector)
	// StabilisedScalars waits for the device and reads them.
	StabilisedScalars() StabilisedScalars
}

// StabilisedScalars of an iteration.
type StabilisedScalars struct{ Rho, RV, SS, TS, TT, RR, Step, Omega, Turn float64 }

// On gives the operations on a workspace.
func On(w ops.Workspace) (Operations, error) { return precond.On(w, "BiCGSTAB", onHost, onGPU) }
