package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"thermsim/report"
	"thermsim/report/saved"
)

const renderHelp = `Make tables, maps, pictures, report.html and field files again from a saved run,
without solving. RUN is the folder of a run, or its run.zip.

The same flags give the same files, to the last bit, as when the run was solved;
other flags give other maps, formats, parts and steps. Files go into the folder
of the run unless --out names another. Of a transient, maps and tables are those
of the last step saved; --files with --file-steps writes fields of any step.

EXIT STATUS
===========

  0    done
  1    internal failure, or a file could not be written
  2    wrong usage, or no saved run; nothing was written
  130  interrupted; nothing was written
` + crashHelp

const renderExample = `  thermsim render thermsim-out --maps all --formats svg
  thermsim render thermsim-out --files vtr --file-steps all --out paraview
  thermsim render thermsim-out --files csv --file-box "0:4 mm,:,101 um" --no-page
  thermsim render thermsim-out --page-error "1 mK" --page-budget 100`

type renderOptions struct {
	run      string
	out      string
	maps     []string
	pictures pictureOptions
	outputs  outputOptions
}

func newRenderCommand(g *globals) *cobra.Command {
	o := renderOptions{outputs: newOutputOptions()}
	cmd := &cobra.Command{
		Use:     "render RUN",
		Short:   "Make pictures and files again from a saved run",
		Long:    renderHelp,
		Example: renderExample,
		Args:    exactly(1, "the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			return runRender(cmd.Context(), g, o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.out, "out", "o", "", "write the files into `DIR`, made if missing (default the folder of the run)")
	f.StringSliceVar(&o.maps, "maps", nil, "map the layers in `LIST` too: names with commas between, or all")
	o.pictures.addFlags(cmd)
	o.outputs.addPageFlags(cmd)
	o.outputs.fields.addFlags(cmd)
	return cmd
}

// exactly n arguments.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("expected %s, got %d arguments; run '%s --help' for the usage", what, len(args), c.CommandPath())
		}
		return nil
	}
}

func runRender(ctx context.Context, g *globals, o renderOptions) error {
	p := startProgress(g.console, "reading")
	defer p.stop()
	r, err := report.Restore(o.run)
	if err != nil {
		return withStatus(exitInput, err)
	}
	defer r.Close()
	kept, err := o.settle(g, r)
	if err != nil {
		return err
	}
	p.enter("drawing")
	if err := o.write(ctx, r, kept); err != nil {
		return steadyInterrupted(err)
	}
	p.stop()
	g.note("rendered into %s", o.out)
	return nil
}

// settle checks the flags against the run before anything is written.
func (o *renderOptions) settle(g *globals, r *report.Restored) (report.OutputOptions, error) {
	s := r.Mesh.Stack
	transient := r.Command == "transient"
	if len(o.maps) > 0 {
		s.Output.Maps = o.maps
	}
	if err := report.CheckMaps(s, s.Output.Maps); err != nil {
		return report.OutputOptions{}, withStatus(exitInput, err)
	}
	if err := o.pictures.check(s, transient); err != nil {
		return report.OutputOptions{}, err
	}
	if err := o.outputs.check(s, transient); err != nil {
		return report.OutputOptions{}, err
	}
	home := filepath.Dir(r.Saved.Path)
	if o.out == "" {
		o.out = home
	}
	o.outputs.save = saveNone
	kept, err := o.outputs.settle(g, r.Mesh, o.out, len(r.Solution.Steps))
	if err != nil {
		return kept, err
	}
	if !o.outputs.fields.fileSteps.all { // all stands for those that are saved
		for _, list := range kept.FileSteps {
			for step := list.From; ; step += list.Every {
				if _, err := r.Saved.Field(step); err != nil {
					return kept, usagef("--file-steps: %w; 'thermsim transient --save all' keeps every step", err)
				}
				if list.To-step < list.Every {
					break
				}
			}
		}
	}
	if kept.Page && !r.Complete() {
		here, of := len(r.Saved.Manifest.Saved), len(r.Solution.Steps)
		if _, err := os.Stat(filepath.Join(home, report.PageName)); err == nil && filepath.Clean(o.out) == filepath.Clean(home) {
			kept.Page = false
			g.note("report.html is left as it is: the saved run holds %d of %d steps, and the page may show more; --out DIR makes one elsewhere", here, of)
		} else {
			g.note("report.html shows the steps that the saved run holds, %d of %d", here, of)
		}
	}
	return kept, checkFolder(o.out)
}

// write makes everything.
func (o *renderOptions) write(ctx context.Context, r *report.Restored, kept report.OutputOptions) error {
	extra := report.Options{Dir: o.out, Maps: r.Mesh.Stack.Output.Maps, LargeCSV: len(r.Mesh.Stack.Output.Maps) > 0, Trace: r.Saved.Trace, History: r.History()}
	o.pictures.apply(&extra)
	if o.pictures.wants("animation") {
		frames, err := report.NewFrameRecorder(r.Mesh, o.pictures.frames)
		if err != nil {
			return err
		}
		extra.Frames = frames
		if err := r.Each(ctx, func(_ int, end float64, f *saved.Field) error { return frames.Add(end, f) }); err != nil {
			return err
		}
	}
	outputs, err := report.NewOutputs(r.Mesh, len(r.Saved.Manifest.Saved), kept)
	if err != nil {
		return err
	}
	defer outputs.Abort()
	if r.Command == "transient" {
		if err := r.Each(ctx, func(step int, end float64, f *saved.Field) error { return outputs.Add(step, end, f) }); err != nil {
			return err
		}
	}
	last := r.Saved.Last()
	if err := outputs.Last(last, r.Saved.TimeOf(last), r.Solution.Field); err != nil {
		return err
	}
	s, err := report.Summarise(r.Run)
	if err != nil {
		return err
	}
	if _, err := report.Write(ctx, r.Run, s, extra); err != nil {
		return fmt.Errorf("rendering: %w", err)
	}
	if filepath.Clean(o.out) != filepath.Clean(filepath.Dir(r.Saved.Path)) {
		if err := r.WriteTrace(ctx, o.out); err != nil {
			return err
		}
	}
	_, err = outputs.Finish(ctx, r.Run, s, nil, nil)
	return err
}
