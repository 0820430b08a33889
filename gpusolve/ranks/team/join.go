package team

import (
	"fmt"
	"slices"
	"strings"

	"thermsim/gpusolve/cuda/nccl"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/slabs"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
)

// lentSlabs is a shared device, which stays open. What joins it to those of other ranks stays too.
type lentSlabs struct{ ops.SlabDevice }

// Unwrap is the device itself.
func (l lentSlabs) Unwrap() ops.Device { return l.SlabDevice }

// Close leaves the device to its owner.
func (lentSlabs) Close() error { return nil }

// New is that of a group.
func New(group ranks.Group) *Team {
	return &Team{Group: group, known: map[*reduction.Regions]int{}}
}

// Join puts the device of this rank at the service of all. Their kinds must be the same, because the data that they
// exchange depend on the kind. Rank 0 notes what the user should know.
func (t *Team) Join(dev ops.Device, info solution.DeviceInfo, notice func(text string)) (ops.Device, error) {
	on, ok := dev.(ops.SlabDevice)
	if shared, is := dev.(*device.Shared); is {
		if on, ok = shared.Device.(ops.SlabDevice); ok {
			on = lentSlabs{on}
		}
	}
	if !ok {
		return nil, methods.Refused(fmt.Errorf("%s cannot share a grid with other ranks", dev.Name()))
	}
	kinds, err := t.Group.Gather([]byte(info.Kind))
	if err != nil {
		return nil, err
	}
	for r, kind := range kinds {
		if string(kind) != string(kinds[0]) {
			return nil,
				methods.Refused(fmt.Errorf("rank 0 solves on a %s and rank %d on a %s; name the same kind "+
					"with --device",
					kinds[0], r, kind))
		}
	}
	if err := t.tellUnlike(dev, info, notice); err != nil {
		return nil, err
	}
	return slabs.On(on, t.Group), nil
}

// Transport names what carries data between the ranks' devices, "" where that is unknown, and warns where it is slow.
func (t *Team) Transport(joined ops.Device, notice func(text string)) string {
	on, ok := joined.(*slabs.Device)
	if !ok {
		return ""
	}
	dev := on.SlabDevice
	if lent, is := dev.(lentSlabs); is {
		dev = lent.SlabDevice
	}
	between, ok := dev.(interface{ Transport() (text, warning string) })
	if !ok {
		return ""
	}
	text, warning := between.Transport()
	wires := t.Wires(dev)
	if warning == "" && slices.Contains(wires, nccl.Sockets) {
		warning = "NCCL joins GPUs by TCP sockets, which is slow: it found no faster network between them; " +
			"set NCCL_DEBUG=INFO for the reason"
	}
	if len(wires) > 0 {
		text += " over " + strings.Join(wires, " and ")
	}
	if warning != "" && t.IsRoot() && notice != nil {
		notice(warning)
	}
	return text
}

// Wires are what joins the devices of all ranks.
func (t *Team) Wires(dev ops.Device) []string {
	mine := ""
	if on, ok := dev.(interface{ Wires() []string }); ok {
		mine = strings.Join(on.Wires(), "\n")
	}
	all, err := t.Group.Gather([]byte(mine))
	if err != nil {
		return nil // the next sum finds it
	}
	var wires []string
	for _, of := range all {
		wires = append(wires, strings.FieldsFunc(string(of), func(c rune) bool { return c == '\n' })...)
	}
	slices.Sort(wires)
	return slices.Compact(wires)
}

// tellUnlike says that GPUs of different kinds share a grid: in equal parts, so that the slowest decides, and the
// smallest has to hold one.
func (t *Team) tellUnlike(dev ops.Device, info solution.DeviceInfo, notice func(text string)) error {
	if info.Kind != "gpu" {
		return nil
	}
	all, err := t.Group.Gather([]byte(dev.Name()))
	if err != nil {
		return err
	}
	var names []string
	for _, name := range all {
		names = append(names, string(name))
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) > 1 && t.IsRoot() && notice != nil {
		notice(fmt.Sprintf("the GPUs differ (%s): each takes an equal part of the grid, so the slowest sets the "+
			"time, and the one with the least free memory the size", strings.Join(names, ", ")))
	}
	return nil
}
