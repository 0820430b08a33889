package webpage

// mostSteps of a transient are points of the chart of its hottest cell; a screen tells fewer apart.
const mostSteps = 20_000

// outline is the steps with a temperature; of very many, the first, the last, and of each of equal parts the coldest
// and the hottest, in order.
func outline(steps []Step) []Step {
	var finite []Step
	for _, s := range steps {
		if s.MaxK-s.MaxK == 0 {
			finite = append(finite, s)
		}
	}
	n := len(finite)
	if n <= mostSteps {
		return finite
	}
	const parts = mostSteps/2 - 1
	out := make([]Step, 0, mostSteps)
	out = append(out, finite[0])
	for p := range parts {
		cold, hot := p*n/parts, p*n/parts
		for i := p * n / parts; i < (p+1)*n/parts; i++ {
			if finite[i].MaxK < finite[cold].MaxK {
				cold = i
			}
			if finite[i].MaxK > finite[hot].MaxK {
				hot = i
			}
		}
		for _, i := range [2]int{min(cold, hot), max(cold, hot)} {
			if finite[i] != out[len(out)-1] {
				out = append(out, finite[i])
			}
		}
	}
	if finite[n-1] != out[len(out)-1] {
		out = append(out, finite[n-1])
	}
	return out
}
