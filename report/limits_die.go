package report

// dieLimit is a tmax that regions of a die share.
type dieLimit struct {
	die  string
	tmax float64
}

// sharers are the regions that share a limit.
type sharers struct{ count, hottest int }

// dieLimits are the limits that are of a die as a whole: those that several of its regions share, and that of a die of
// one region.
func (s building) dieLimits(sc *scan) map[dieLimit]sharers {
	all := map[dieLimit]sharers{}
	for _, d := range sc.dies {
		for _, n := range d.parts {
			key := dieLimit{d.name, sc.parts[n].tmax}
			if key.tmax <= 0 {
				continue
			}
			of, known := all[key]
			reached := func(n int) float64 { return s.Regions[n].Peak.reached(s.Regions[n].MaxK) }
			if !known || !(reached(n) <= reached(of.hottest)) {
				of.hottest = n
			}
			of.count++
			all[key] = of
		}
		if len(d.parts) > 1 {
			for key, of := range all {
				if key.die == d.name && of.count == 1 {
					delete(all, key)
				}
			}
		}
	}
	return all
}
