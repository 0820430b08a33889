package gpusolve

import (
	"fmt"
	"slices"
	"strings"

	"thermsim/gpusolve/ops"
)

// tellUnlike says that GPUs of different kinds share a grid: in equal parts, so that the slowest decides, and the
// smallest has to hold one.
func (o *Options) tellUnlike(dev ops.Device, info DeviceInfo) error {
	if info.Kind != "gpu" {
		return nil
	}
	all, err := o.team.group.Gather([]byte(dev.Name()))
	if err != nil {
		return err
	}
	var names []string
	for _, name := range all {
		names = append(names, string(name))
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) > 1 && o.team.lead() && o.Notice != nil {
		o.Notice(fmt.Sprintf("the GPUs differ (%s): each takes an equal part of the grid, so the slowest sets the "+
			"time, and the one with the least free memory the size", strings.Join(names, ", ")))
	}
	return nil
}
