package precond

import "fmt"

// On returns the operations that a method needs of a device, for what lives there: those of the first place that knows
// it. A place is false for what lives elsewhere.
func On[V, O any](v V, method string, places ...func(v V) (o O, ok bool, err error)) (O, error) {
	for _, place := range places {
		if o, ok, err := place(v); ok {
			return o, err
		}
	}
	var none O
	return none, Lacks(method)
}

// Lacks refuses a method that a device has no operations for.
func Lacks(method string) error {
	return fmt.Errorf("%w: this device has no operations for %s", ErrRefused, method)
}
