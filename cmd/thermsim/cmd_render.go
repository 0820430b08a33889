package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/machine"
	"thermsim/internal/staging"
	"thermsim/report"
	"thermsim/report/saved"
)

const renderHelp = `Regenerate tables, maps, images, report.html and field files from a saved run,
without solving.

RUN is the folder of a run, or its run.zip.

The same flags give the same files, to the last bit, as when the run was solved;
other flags give different maps, formats, parts and steps. Files go into the folder
of the run unless --out names another. Of a transient, maps and tables are those
of the last step saved; --files with --file-steps writes fields of any step.
`

const renderExample = `  thermsim render thermsim-out --maps all --formats svg
  thermsim render thermsim-out --files vtr --file-steps all --out paraview
  thermsim render thermsim-out --files csv --file-box "0:4 mm,:,101 um" --no-page
  thermsim render thermsim-out --page-error "1 mK" --page-budget 100`

type renderOptions struct {
	run      string
	out      string
	maps     []string
	junit    bool
	pictures flags.Pictures
	outputs  flags.Outputs
}

func newRenderCommand(g *session.Session) *cobra.Command {
	var o renderOptions
	cmd := &cobra.Command{
		Use:         "render RUN",
		Short:       "Regenerate images and files from a saved run",
		Long:        renderHelp,
		Example:     renderExample,
		Annotations: exit.Statuses("0", "1", "2 usage error, or no saved run; nothing was written", "130"),
		Args:        flags.Arguments(1, 1, "the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			return runRender(cmd.Context(), g, o)
		},
	}
	f := cmd.Flags()
	flags.Group(f, flags.GroupResults, func() {
		f.StringVarP(&o.out, "out", "o", "", "write the files into `DIR` (default the folder of the run)")
		flags.AddForce(cmd)
		o.outputs.AddPage(cmd)
		flags.AddJUnit(cmd, &o.junit)
	})
	flags.Group(f, flags.GroupPictures, func() {
		flags.AddMaps(cmd, &o.maps)
		o.pictures.Add(cmd)
	})
	flags.Group(f, flags.GroupFields, func() { o.outputs.Fields.Add(cmd) })
	return cmd
}

func runRender(ctx context.Context, g *session.Session, o renderOptions) error {
	p := terminal.StartProgress(g.Console, "reading")
	defer p.Stop()
	r, err := report.Restore(o.run, capacity.ToRender(machine.FreeMemory()))
	if err != nil {
		return exit.UnlessStated(exit.Input, err)
	}
	defer r.Close()
	kept, err := o.settle(g, r)
	if err != nil {
		return err
	}
	files, err := g.Begin(o.out, staging.Options{Set: report.RunFiles, Command: "render", ID: r.Saved.Manifest.ID})
	if err != nil {
		return err
	}
	defer files.Abort()
	if other := files.Before().Set(report.RunFiles); other.Holds(saved.FileName) && other.ID != files.ID() {
		return exit.Usagef("%s holds another run, whose %s would be removed. Fix: choose another folder with --out",
			o.out, saved.FileName)
	}
	p.Enter("drawing")
	err = o.write(ctx, r, files, kept)
	if err == nil {
		_, err = g.Commit(ctx, files)
	}
	p.Stop()
	if err != nil {
		return exit.NothingWritten(err)
	}
	g.Note("rendered into %s", o.out)
	return nil
}

// settle checks the flags against the run, and gives the options of the output.
func (o *renderOptions) settle(g *session.Session, r *report.Restored) (report.OutputOptions, error) {
	s := r.Mesh.Stack
	transient := r.Command == "transient"
	if len(o.maps) > 0 {
		s.Output.Maps = o.maps
	}
	if err := report.CheckMaps(s, s.Output.Maps); err != nil {
		return report.OutputOptions{}, exit.With(exit.Input, err)
	}
	if err := o.pictures.Check(s, transient); err != nil {
		return report.OutputOptions{}, err
	}
	o.outputs.Apply(s)
	if err := o.outputs.Check(s, transient); err != nil {
		return report.OutputOptions{}, err
	}
	home := filepath.Dir(r.Saved.Path)
	if o.out == "" {
		o.out = home
	}
	o.outputs.Save = flags.SaveNone
	kept, err := o.outputs.Settle(g, r.Mesh, len(r.Solution.Steps))
	if err != nil {
		return kept, err
	}
	if !o.outputs.Fields.FileSteps.All { // all means those that are saved
		for _, list := range kept.FileSteps {
			for step := list.From; ; step += list.Every {
				if _, err := r.Saved.Field(step); err != nil {
					return kept, exit.Usagef("--file-steps: %w; 'thermsim transient --save all' keeps every step", err)
				}
				if list.To-step < list.Every {
					break
				}
			}
		}
	}
	if transient && o.pictures.Wants("maxima") && !r.Complete() && !session.SameFile(o.out, home) {
		g.Note("maps of maxima over time are skipped: the saved run holds %d of %d steps", len(r.Saved.Manifest.Saved),
			len(r.Solution.Steps))
	}
	if kept.Page && !r.Complete() {
		here, of := len(r.Saved.Manifest.Saved), len(r.Solution.Steps)
		if _, err := os.Stat(filepath.Join(home, report.PageName)); err == nil && session.SameFile(o.out, home) {
			kept.Page = false
			g.Note("report.html is unchanged: the saved run holds %d of %d steps, and the page may show more; "+
				"--out DIR writes a new one elsewhere", here, of)
		} else {
			g.Note("report.html shows the steps that the saved run holds, %d of %d", here, of)
		}
	}
	return kept, nil
}

// write stages everything.
func (o *renderOptions) write(ctx context.Context, r *report.Restored, files *staging.Transaction,
	kept report.OutputOptions) error {
	drawn := report.Options{JUnit: o.junit, Units: o.outputs.Units, Spreadsheet: o.outputs.Spreadsheet}
	if r.Saved.HasTrace() {
		drawn.Trace = r.Saved.Trace
	}
	steps := 0
	if r.Command == "transient" {
		steps = len(r.Saved.Manifest.Saved)
	}
	o.pictures.Apply(&drawn, r.Mesh.Stack.Output.Maps)
	recording, err := report.NewRecording(files, r.Run, steps, drawn, kept)
	if err != nil {
		return err
	}
	if err := r.Each(ctx, recording.Step); err != nil {
		return err
	}
	_, err = recording.Finish(ctx, r.History())
	return err
}
