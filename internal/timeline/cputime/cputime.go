// Package cputime measures the processor time of this process. Tests use it to bound the cost of an input: unlike
// wall-clock time, it does not depend on other programs.
package cputime

import "time"

var start = time.Now()
