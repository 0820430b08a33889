package plausibility

// crowds counts the cells whose materials are known by samples alone.
func (j *judge) crowds() {
	for l, cells := range j.m.Rough {
		if cells == 0 {
			continue
		}
		y := &j.s.Layers[l]
		j.warn(CrowdedCells, y.Regions[0].Pos, "give more cells, or one region with fill in place of many",
			"layer %q: in %d of %d cells of a plane more regions cross than are told apart; shares of materials "+
				"there are right within some hundredths", y.Name, cells, j.m.NX()*j.m.NY())
	}
}
