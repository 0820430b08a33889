package cmg

import "thermsim/gpusolve/cuda"

// Segments are shorter than a block's four entries a thread.
const longestSegment = 512

// setLength takes the length that moves the fewest bytes among the smallest power of two that is no shorter than the
// mean row, which is segSpMV's rule, and its half and quarter, but at least 4: rows of a quotient differ much in
// length, and shorter segments are padded less. segments tells how many there would be.
func (l *gpuLevel) setLength(asked int, segments func(length int32) int64) {
	l.length = int32(asked)
	if asked == 0 {
		mean := int32(4)
		for int64(mean)*l.n < l.entries && mean < longestSegment {
			mean *= 2
		}
		least := int64(-1)
		for length := max(4, mean/4); length <= mean; length *= 2 {
			count := segments(length)
			bytes := count * int64(length) * 8
			if count > l.n {
				bytes += 4 * (count + l.n)
			}
			if least < 0 || bytes <= least {
				l.length, least = length, bytes
			}
		}
	}
	l.segments = segments(l.length)
	for 4<<l.shift < l.length {
		l.shift++
	}
}

// segmentsOf counts the segments of a length; an empty row has one.
func segmentsOf(g *Graph, length int32) int64 {
	count := int64(0)
	for v := range g.N() {
		count += max(1, (g.Ptr[v+1]-g.Ptr[v]+int64(length)-1)/int64(length))
	}
	return count
}

// upperHalf keeps the edges to later vertices.
func upperHalf(g *Graph) *Graph {
	u := &Graph{Ptr: make([]int64, 1, len(g.Ptr)), Ground: g.Ground, Diagonal: g.Diagonal}
	for v := range g.N() {
		cols, weights := g.Row(v)
		for i, to := range cols {
			if int(to) > v {
				u.Col, u.Weight = append(u.Col, to), append(u.Weight, weights[i])
			}
		}
		u.Ptr = append(u.Ptr, int64(len(u.Col)))
	}
	return u
}

// cut numbers the segments of rows and, where a row has more than one, gives whole rows to blocks. A row that fills a
// block by itself has as many blocks as it needs.
func (l *gpuLevel) cut(g *Graph) {
	n, room := g.N(), int32(SegmentsWide)>>l.shift
	if l.segments == int64(n) && l.upper.IsNil() {
		return
	}
	rowSegment := make([]int32, n+1)
	var list, longRow []int32
	longPart := []int32{0}
	parts := int32(0)
	first, firstRow := int32(0), 0 // of the block that is being filled
	flush := func(end int) {
		if end > firstRow {
			list = append(list, first, rowSegment[end]-first, int32(firstRow), int32(end-firstRow))
		}
	}
	for v := range n {
		length := g.Ptr[v+1] - g.Ptr[v]
		count := int32(max(1, (length+int64(l.length)-1)/int64(l.length)))
		rowSegment[v+1] = rowSegment[v] + count
		switch {
		case count > room:
			flush(v)
			longRow = append(longRow, int32(v))
			for at := rowSegment[v]; at < rowSegment[v+1]; at += room {
				list = append(list, at, min(room, rowSegment[v+1]-at), parts, 0)
				parts++
			}
			longPart = append(longPart, parts)
			first, firstRow = rowSegment[v+1], v+1
		case rowSegment[v+1]-first > room:
			flush(v)
			first, firstRow = rowSegment[v], v
		}
	}
	flush(n)
	l.segments = int64(rowSegment[n])
	segmentRow := make([]int32, l.segments)
	for v := range n {
		for at := rowSegment[v]; at < rowSegment[v+1]; at++ {
			segmentRow[at] = int32(v)
		}
	}
	s := l.s
	l.ragged = &raggedRows{
		blocks: cuda.Upload(s.Space, list), segmentRow: cuda.Upload(s.Space, segmentRow),
		rowSegment: cuda.Upload(s.Space, rowSegment), blockCount: uint32(len(list) / 4),
		longRow: cuda.Upload(s.Space, longRow), longPart: cuda.Upload(s.Space, longPart),
		longSums: cuda.Alloc[float64](s.Space, int64(parts)), longCount: uint32(len(longRow)),
	}
}
