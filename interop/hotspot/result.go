package hotspot

import "thermsim/interop/importer"

func (c *converter) result() *importer.Result {
	c.comments.Head = []string{
		"Imported from HotSpot: " + c.config.file + " and the files it names.",
		"Both programs count layers from the one furthest from the sink, which is the bottom here.",
	}
	if c.Request.Compat {
		c.comments.Head = append(c.comments.Head, "With --compat: what HotSpot calculates in its own way is put into "+
			"the figures below.")
	}
	return &importer.Result{
		Stack: c.stack, Comments: c.comments, Format: c.format, Compat: c.Request.Compat,
		Transient: len(c.trace.Rows) > 1, Notes: c.Notes, Deviations: c.Deviations, Outputs: c.outputs,
		Network: c.network, Initial: c.start,
	}
}
