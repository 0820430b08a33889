package solution

import "fmt"

// Spectrum is the interval of eigenvalues that a polynomial was made for, and how it was found.
type Spectrum struct {
	Low, High float64 // of the interval that the polynomial is made for
	Least     float64 // Lanczos value; Low is larger where the polynomial's degree cannot make use of it
	Largest   float64 // Lanczos value, before the margin
	Steps     int     // done
	Start     string  // the first vector
	Seed      int
	Margin    float64
}

// String tells all of it.
func (b Spectrum) String() string {
	from := "from ones"
	if b.Start == "noise" {
		from = fmt.Sprintf("from noise of seed %d", b.Seed)
	}
	raised := ""
	if b.Low > b.Least {
		raised = fmt.Sprintf(", the least from %.3g to what the degree resolves", b.Least)
	}
	return fmt.Sprintf("spectrum %.3g to %.3g by %d Lanczos steps %s, the largest value raised by %g %%%s", b.Low,
		b.High, b.Steps, from, 100*b.Margin, raised)
}
