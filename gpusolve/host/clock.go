package host

import "time"

// Time is how long the operations of body take, by the clock.
func (s *Space) Time(body func()) (seconds float64, err error) {
	start := time.Now()
	body()
	return time.Since(start).Seconds(), nil
}
