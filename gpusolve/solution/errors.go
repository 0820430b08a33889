package solution

import "errors"

// ErrDevice marks failures of the device: none where one was demanded, out of memory, lost.
var ErrDevice = errors.New("device failure")

// ErrOption marks options that make no sense.
var ErrOption = errors.New("invalid option")

// ErrSingular is returned for a steady problem that no face ties to a temperature.
var ErrSingular = errors.New("no face of the stack leads heat to a temperature, so a steady state does not exist; " +
	"give a face a heat transfer coefficient, a fixed temperature or a resistance, or run a transient")
