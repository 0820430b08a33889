package ordering

// TreeHeight is the height of the elimination tree of an exact Cholesky factor whose rows are eliminated in this order:
// the longest chain of rows of which each has to wait for the one before, counted in rows. The pattern must be
// symmetric. (J. W. H. Liu, The role of elimination trees in sparse factorization, SIAM Journal on Matrix Analysis and
// Applications 11, 1990: algorithm 4.2, paths to the root shortened.)
func TreeHeight(rowPtr []int64, col []int32, order []int32) int {
	n := len(order)
	place, parent, above := make([]int32, n), make([]int32, n), make([]int32, n)
	for at, row := range order {
		place[row] = int32(at)
	}
	for at, row := range order {
		k := int32(at)
		parent[k], above[k] = -1, -1
		for _, c := range col[rowPtr[row]:rowPtr[row+1]] {
			// From an earlier neighbour up to the root of its tree so far, which k becomes the parent of.
			for i := place[c]; i < k; {
				next := above[i]
				above[i] = k
				if next < 0 {
					parent[i] = k
					break
				}
				i = next
			}
		}
	}
	height, highest := make([]int32, n), int32(0)
	for k, p := range parent { // parents come later
		height[k]++
		highest = max(highest, height[k])
		if p >= 0 {
			height[p] = max(height[p], height[k])
		}
	}
	return int(highest)
}
