package gpusolve

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"thermsim/gpusolve/cuda/nccl"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/slabs"
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
)

// ErrStopped is how a run ends on other ranks when rank 0 ends it: its OnStep has failed, and it has the reason.
var ErrStopped = errors.New("rank 0 has ended the run")

// errTeamCheckpoints refuses them.
var errTeamCheckpoints = refusal{errors.New("several ranks keep no checkpoints")}

// team is the group of a run on several ranks. All of them solve. Then, or between steps, rank 0 looks at the field,
// and the others send it what it asks for until it goes on.
type team struct {
	group ranks.Group
	known map[*reduction.Regions]int // regions that rank 0 has told of, by their number
	all   []*reduction.Regions       // by number
	slabs []*reduction.Slab          // what this rank has of them
}

// What rank 0 asks the others.
const (
	askOn    = 'n' // to go on
	askStop  = 's' // to end the run
	askPlane = 'p' // for their rows of a plane, whose number follows
	askKnow  = 'k' // to know regions, which follow
	askStats = 'r' // for the statistics of regions that they know, whose number follows
	askCount = 'q' // for quanta of their rows: factor, base and quantum follow
)

// lead says whether this is rank 0.
func (t *team) lead() bool { return t.group.Rank() == 0 }

// others tells all other ranks the same.
func (t *team) others(message []byte) error {
	for r := 1; r < t.group.Size(); r++ {
		if err := t.group.Send(r, message); err != nil {
			return err
		}
	}
	return nil
}

// look has rank 0 look at a field while the others serve it. The error is that of look, or ErrStopped.
func (t *team) look(f sharedField, look func(f Field) error) error {
	if !t.lead() {
		return t.serve(f)
	}
	failed := look(teamField{f, t})
	message := byte(askOn)
	if failed != nil {
		message = askStop
	}
	if err := t.others([]byte{message}); err != nil {
		return errors.Join(failed, err)
	}
	return failed
}

// serve answers rank 0 until it goes on.
func (t *team) serve(f sharedField) error {
	for {
		message, err := t.group.Receive(0)
		if err != nil {
			return err
		}
		if len(message) == 0 {
			return errors.New("rank 0 asks nothing")
		}
		if message[0] == askOn {
			return nil
		}
		if err := t.answer(f, message[0], message[1:]); err != nil {
			return err
		}
	}
}

// answer does what rank 0 asks.
func (t *team) answer(f sharedField, what byte, rest []byte) error {
	switch what {
	case askStop:
		return ErrStopped
	case askPlane:
		return t.sendPlane(f, numberOf(rest))
	case askKnow:
		return t.learn(f, rest)
	case askStats:
		v, err := t.statistics(f, numberOf(rest))
		if err != nil {
			return err
		}
		return t.group.Send(0, v.Bytes())
	case askCount:
		return t.sendCounts(f, rest)
	}
	return fmt.Errorf("rank 0 asks %q, which this version does not know", what)
}

// numberOf is the number in a message, -1 where there is none.
func numberOf(message []byte) int {
	if len(message) != 4 {
		return -1
	}
	return int(binary.LittleEndian.Uint32(message))
}

// sendPlane sends the own rows of a plane of the temperature.
func (t *team) sendPlane(f sharedField, k int) error {
	m := f.grid()
	plane := make([]float64, m.NX()*m.NY())
	if err := f.Plane(k, plane); err != nil {
		return err
	}
	from, to := t.cells(f, t.group.Rank())
	return t.group.Send(0, bytesOf(plane[from:to]))
}

// cells are those of a plane that a rank owns.
func (t *team) cells(f sharedField, rank int) (from, to int) {
	from, to = t.rows(f, rank)
	nx := f.grid().NX()
	return from * nx, to * nx
}

// rows are those that a rank owns.
func (t *team) rows(f sharedField, rank int) (from, to int) {
	b := f.borders()
	return b[rank], b[rank+1]
}

// teamField is the field as rank 0 sees it.
type teamField struct {
	own  sharedField
	team *team
}

// Plane copies the temperatures of plane k into dst.
func (f teamField) Plane(k int, dst []float64) error {
	if err := checkPlane(f.own.grid(), k, dst); err != nil {
		return err
	}
	if err := f.team.others(binary.LittleEndian.AppendUint32([]byte{askPlane}, uint32(k))); err != nil {
		return err
	}
	if err := f.own.Plane(k, dst); err != nil {
		return err
	}
	for r := 1; r < f.team.group.Size(); r++ {
		data, err := f.team.group.Receive(r)
		if err != nil {
			return err
		}
		from, to := f.team.cells(f.own, r)
		if len(data) != 8*(to-from) {
			return fmt.Errorf("rank %d sent %d bytes of plane %d in place of %d", r, len(data), k, 8*(to-from))
		}
		copy(dst[from:to], float64sOf(data))
	}
	return nil
}

// onRanks runs a solve, on all ranks where there are several. Rank 0 has the solution, whose field asks the others for
// what it is asked; they are back when it is closed.
func (o Options) onRanks(ctx context.Context, run func(ctx context.Context, o Options) (*Solution, error)) (*Solution,
	error) {
	all := o.Ranks
	if all == nil {
		return run(ctx, o)
	}
	ctx, group := ranks.Agreeing(ctx, all)
	o.team = &team{group: group, known: map[*reduction.Regions]int{}}
	s, err := run(ctx, o)
	if s == nil {
		all.Fail(err)
		return nil, err
	}
	if own, ok := s.Field.(sharedField); ok && !o.team.lead() {
		err = errors.Join(err, o.team.serve(own))
		s.Close()
	}
	return s, err
}

// shown is the field for those who look at the solution.
func (e *engine) shown() Field {
	f := e.field()
	if own, ok := f.(sharedField); ok && e.team != nil && e.team.lead() {
		return teamField{own, e.team}
	}
	return f
}

// leave closes the engine; other ranks need not wait for questions any more.
func (e *engine) leave() {
	if e.team != nil && e.team.lead() {
		_ = e.team.others([]byte{askOn}) // where it fails, they have failed
	}
	e.close()
}

// neighbours are the ranks that share this process and its processors, this one among them.
func (o *Options) neighbours() int {
	if o.team != nil {
		if p, ok := o.Ranks.(interface{ InProcess() int }); ok {
			return p.InProcess()
		}
	}
	return 1
}

// lentSlabs is a shared device, which stays open. What joins it to those of other ranks stays too.
type lentSlabs struct{ ops.SlabDevice }

// Unwrap is the device itself.
func (l lentSlabs) Unwrap() ops.Device { return l.SlabDevice }

// Close leaves the device to its owner.
func (lentSlabs) Close() error { return nil }

// openTeam puts the device of this rank at the service of all. Their kinds must be the same: what they tell each other
// is.
func (o *Options) openTeam(dev ops.Device, info DeviceInfo) (ops.Device, error) {
	on, ok := dev.(ops.SlabDevice)
	if shared, is := dev.(*SharedDevice); is {
		if on, ok = shared.Device.(ops.SlabDevice); ok {
			on = lentSlabs{on}
		}
	}
	if !ok {
		return nil, refusal{fmt.Errorf("%s cannot share a grid with other ranks", dev.Name())}
	}
	kinds, err := o.team.group.Gather([]byte(info.Kind))
	if err != nil {
		return nil, err
	}
	for r, kind := range kinds {
		if string(kind) != string(kinds[0]) {
			return nil,
				refusal{fmt.Errorf("rank 0 solves on a %s and rank %d on a %s; name the same kind with --device",
					kinds[0], r, kind)}
		}
	}
	if err := o.tellUnlike(dev, info); err != nil {
		return nil, err
	}
	return slabs.On(on, o.team.group), nil
}

// tellTransport notes what carries data between the ranks' devices, and warns where it is slow.
func (o *Options) tellTransport(d *driver) {
	on, ok := d.dev.(*slabs.Device)
	if !ok {
		return
	}
	dev := on.SlabDevice
	if lent, is := dev.(lentSlabs); is {
		dev = lent.SlabDevice
	}
	between, ok := dev.(interface{ Transport() (text, warning string) })
	if !ok {
		return
	}
	text, warning := between.Transport()
	wires := o.team.wires(dev)
	if warning == "" && slices.Contains(wires, nccl.Sockets) {
		warning = "NCCL joins GPUs by TCP sockets, which is slow: it found no faster network between them; " +
			"NCCL_DEBUG=INFO tells why"
	}
	if len(wires) > 0 {
		text += " over " + strings.Join(wires, " and ")
	}
	if text != "" {
		d.info.Transport = text
	}
	if warning != "" && o.team.lead() && o.Notice != nil {
		o.Notice(warning)
	}
}

// wires are what joins the devices of all ranks.
func (t *team) wires(dev ops.Device) []string {
	mine := ""
	if on, ok := dev.(interface{ Wires() []string }); ok {
		mine = strings.Join(on.Wires(), "\n")
	}
	all, err := t.group.Gather([]byte(mine))
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

// checkRanks refuses what Options.Ranks do not solve. It leaves out what assembly finds: whether the grid has rows for
// all.
func (o *Options) checkRanks(m *mesh.Mesh) error {
	refuse := func(what string) error {
		return refusal{fmt.Errorf("several ranks do not solve %s; leave --ranks away", what)}
	}
	switch {
	case m.Cooled():
		return refuse("stacks with coolant")
	case o.Power != nil:
		return refuse("with powers that are set from step to step")
	case o.Preconditioner == "fourier" && !solvesDirectly(m, o.Preconditioner, false):
		_, why := Choice(m, o.Preconditioner)
		return refusal{fmt.Errorf("several ranks solve with --precond fourier only what it solves directly, and %s; "+
			"choose %s, or run alone with --ranks 1", why, methods()[0].Name)}
	case o.Preconditioner == "fourier":
		if err := fourier.CheckRanks(m.NX(), m.NY(), o.Ranks.Size()); err != nil {
			return refusal{err}
		}
	case o.Preconditioner != "" && o.Preconditioner != methods()[0].Name:
		return refuse("with --precond " + o.Preconditioner + ", but with " + methods()[0].Name +
			", or stacks of uniform layers with fourier")
	}
	return nil
}

// rankedDirectly says whether ranks solve a mesh directly: where they may, and each has rows and columns.
func (o *Options) rankedDirectly(m *mesh.Mesh) bool {
	return solvesDirectly(m, o.Preconditioner, false) && fourier.CheckRanks(m.NX(), m.NY(), o.Ranks.Size()) == nil
}
