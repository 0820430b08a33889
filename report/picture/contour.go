package picture

import "math"

// field is a grid of samples for contouring, x fastest, at the coordinates X and Y.
type field struct {
	x, y   []float64
	values []float64
}

type point struct{ x, y float64 }

// contour finds the line where the field has the level, by marching squares with linear interpolation along the edges
// and the mean of the four corners deciding the saddles. Lines come joined; a closed one ends where it starts.
func (f *field) contour(level float64) [][]point {
	nx, ny := len(f.x), len(f.y)
	// Crossings are named by their edge: 2n for the edge from sample n to the east, 2n+1 to the north.
	next := map[int][2]int{} // the crossings that each is joined to, -1 for none
	var order []int          // for a result that does not depend on the map's order
	join := func(a, b int) {
		for _, e := range [2][2]int{{a, b}, {b, a}} {
			n, seen := next[e[0]]
			switch {
			case !seen:
				next[e[0]] = [2]int{e[1], -1}
				order = append(order, e[0])
			default:
				n[1] = e[1]
				next[e[0]] = n
			}
		}
	}
	for j := 0; j+1 < ny; j++ {
		for i := 0; i+1 < nx; i++ {
			n := j*nx + i
			sw, se, nw, ne := f.values[n], f.values[n+1], f.values[n+nx], f.values[n+nx+1]
			south, west, north, east := 2*n, 2*n+1, 2*(n+nx), 2*(n+1)+1
			kind := 0
			for b, v := range [4]float64{sw, se, ne, nw} {
				if math.IsNaN(v) {
					kind = 0
					break
				}
				if v >= level {
					kind |= 1 << b
				}
			}
			switch kind {
			case 1, 14:
				join(west, south)
			case 2, 13:
				join(south, east)
			case 3, 12:
				join(west, east)
			case 4, 11:
				join(east, north)
			case 6, 9:
				join(south, north)
			case 7, 8:
				join(west, north)
			case 5, 10: // a saddle: high corners are joined where the middle is high
				if (sw+se+nw+ne)/4 >= level == (kind == 5) {
					join(west, north)
					join(south, east)
				} else {
					join(west, south)
					join(east, north)
				}
			}
		}
	}
	return f.lines(level, next, order)
}

// lines follows the joined crossings, open lines from their ends first, then the closed ones.
func (f *field) lines(level float64, next map[int][2]int, order []int) [][]point {
	var out [][]point
	done := make(map[int]bool, len(next))
	follow := func(from int) {
		line := []point{f.crossing(from, level)}
		done[from] = true
		previous, at := -1, from
		for {
			to := next[at][0]
			if to == previous || to < 0 {
				to = next[at][1]
			}
			if to < 0 || to == from {
				if to == from && previous >= 0 {
					line = append(line, line[0])
				}
				break
			}
			if done[to] {
				break
			}
			done[to] = true
			line = append(line, f.crossing(to, level))
			previous, at = at, to
		}
		out = append(out, line)
	}
	for _, e := range order {
		if !done[e] && next[e][1] < 0 {
			follow(e)
		}
	}
	for _, e := range order {
		if !done[e] {
			follow(e)
		}
	}
	return out
}

// crossing is where the level lies on an edge.
func (f *field) crossing(edge int, level float64) point {
	nx := len(f.x)
	n := edge / 2
	i, j := n%nx, n/nx
	if edge%2 == 0 {
		w := (level - f.values[n]) / (f.values[n+1] - f.values[n])
		return point{f.x[i] + w*(f.x[i+1]-f.x[i]), f.y[j]}
	}
	w := (level - f.values[n]) / (f.values[n+nx] - f.values[n])
	return point{f.x[i], f.y[j] + w*(f.y[j+1]-f.y[j])}
}
