package eda

// edge is how far a cell may extend beyond the die without a warning, in um.
const edge = 1e-6

// die is the area for power.
type die struct {
	boxes []Box
	area  float64
	parts []float64 // scratch
}

func newDie(boxes []Box) *die {
	d := &die{boxes: boxes, parts: make([]float64, len(boxes))}
	for _, b := range boxes {
		d.area += b.Area()
	}
	return d
}

// spread spreads power over the part of a footprint on the die, and returns the fraction of the footprint outside it.
// The power of a footprint outside the die goes to its nearest point.
func (d *die) spread(s *binner, b Box, watts float64) (outside float64) {
	if len(d.boxes) == 1 {
		one := d.boxes[0]
		if b.X0 >= one.X0 && b.X1 <= one.X1 && b.Y0 >= one.Y0 && b.Y1 <= one.Y1 {
			s.add(b, watts)
			return 0
		}
	}
	inside := 0.0
	for i, one := range d.boxes {
		d.parts[i] = 0
		if c := b.intersect(one); c.valid() {
			d.parts[i] = c.Area()
			inside += d.parts[i]
		}
	}
	if inside <= 0 {
		s.add(d.nearest(b), watts)
		return 1
	}
	for i, part := range d.parts {
		if part > 0 {
			s.add(b.intersect(d.boxes[i]), watts*(part/inside))
		}
	}
	out := b.Area() - inside
	if out <= edge*((b.X1-b.X0)+(b.Y1-b.Y0)) {
		return 0
	}
	return out / b.Area()
}

// nearest is the point of the die that is closest to the middle of a footprint.
func (d *die) nearest(b Box) Box {
	x, y := (b.X0+b.X1)/2, (b.Y0+b.Y1)/2
	var best Box
	closest := -1.0
	for _, one := range d.boxes {
		px, py := min(max(x, one.X0), one.X1), min(max(y, one.Y0), one.Y1)
		if far := (px-x)*(px-x) + (py-y)*(py-y); closest < 0 || far < closest {
			closest, best = far, Box{px, py, px, py}
		}
	}
	return best
}

// spreadAll spreads watts evenly over the die.
func (d *die) spreadAll(s *binner, watts float64) {
	for _, b := range d.boxes {
		s.add(b, watts*(b.Area()/d.area))
	}
}
