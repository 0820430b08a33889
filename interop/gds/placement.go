package gds

import "math"

// placement is a reference; element i, j of an array is moved by i times column and j times line.
type placement struct {
	child          int32
	columns, lines int32
	transform
	column, line point
}

// bounds of all elements.
func (p *placement) bounds(child box) box {
	b := p.transform.bounds(child)
	if b.isEmpty() {
		return b
	}
	for _, v := range [2]point{{p.column.x * float64(p.columns-1), p.column.y * float64(p.columns-1)},
		{p.line.x * float64(p.lines-1), p.line.y * float64(p.lines-1)}} {
		b = box{b.x0 + min(v.x, 0), b.y0 + min(v.y, 0), b.x1 + max(v.x, 0), b.y1 + max(v.y, 0)}
	}
	return b
}

// moved is a placement in the coordinates of the parent's parent.
func (p placement) moved(t *transform) placement {
	p.transform = t.after(&p.transform)
	p.column, p.line = t.turn(p.column), t.turn(p.line)
	return p
}

// placing is the placement of a reference: mirrored about the x axis, magnified, turned, and moved to the point.
func placing(e *element, child int32) placement {
	sin, cos := math.Sincos(e.angle * math.Pi / 180)
	if quarter := e.angle / 90; quarter == math.Trunc(quarter) { // exact
		k := int(math.Mod(quarter, 4)+4) % 4
		sin, cos = [4]float64{0, 1, 0, -1}[k], [4]float64{1, 0, -1, 0}[k]
	}
	sin, cos = sin*e.mag, cos*e.mag
	o := e.xy[0]
	p := placement{child: child, columns: 1, lines: 1, transform: transform{cos, -sin, sin, cos, o.x, o.y}}
	if e.mirror {
		p.b, p.d = -p.b, -p.d
	}
	if e.kind != recAref {
		return p
	}
	nx, ny := float64(e.columns), float64(e.lines)
	p.column = point{(e.xy[1].x - o.x) / nx, (e.xy[1].y - o.y) / nx}
	p.line = point{(e.xy[2].x - o.x) / ny, (e.xy[2].y - o.y) / ny}
	if p.column != (point{}) { // otherwise they are all in one location
		p.columns = int32(e.columns)
	}
	if p.line != (point{}) {
		p.lines = int32(e.lines)
	}
	return p
}

// halves of an array, along its longer side.
func (p placement) halves() (a, b placement) {
	a, b = p, p
	n, m, by := &a.columns, &b.columns, p.column
	if p.lines > p.columns {
		n, m, by = &a.lines, &b.lines, p.line
	}
	*n /= 2
	*m -= *n
	b.u += float64(*n) * by.x
	b.v += float64(*n) * by.y
	return a, b
}
