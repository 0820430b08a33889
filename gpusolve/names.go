package gpusolve

import (
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/stepping"
)

// The types of the packages below, under the names that callers of this package know.
type (
	Options          = driver.Options
	Progress         = driver.Progress
	Opening          = device.Opening
	TransientOptions = stepping.TransientOptions
	AdaptiveOptions  = stepping.AdaptiveOptions
	PeriodicOptions  = stepping.PeriodicOptions
	Checkpoints      = stepping.Checkpoints
	Solution         = solution.Solution
	Status           = solution.Status
	Field            = solution.Field
	Energy           = solution.Energy
	DeviceInfo       = solution.DeviceInfo
	Timing           = solution.Timing
	Memory           = solution.Memory
	Step             = solution.Step
)

// Defaults of options.
const (
	DefaultTol         = driver.DefaultTol
	DefaultStepTol     = stepping.DefaultStepTol
	DefaultPeriodicTol = stepping.DefaultPeriodicTol
)

// Errors of the packages below.
var (
	ErrDevice       = solution.ErrDevice
	ErrOption       = solution.ErrOption
	ErrSingular     = solution.ErrSingular
	ErrRunaway      = stepping.ErrRunaway
	ErrUnsettled    = stepping.ErrUnsettled
	ErrPeriod       = stepping.ErrPeriod
	ErrNoCheckpoint = stepping.ErrNoCheckpoint
	ErrOtherRun     = stepping.ErrOtherRun
	ErrNotKept      = fields.ErrNotKept
	ErrStopped      = team.ErrStopped
)
