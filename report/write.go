package report

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"time"

	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/report/quantity"
	"thermsim/report/saved"
	"thermsim/report/summary"
	"thermsim/report/tables"
)

// RunFiles is the name of the files of a steady or transient run in the record of a folder.
const RunFiles = "run"

// FileNames lists the files of a run that do not depend on its layers and steps.
func FileNames() []string {
	return []string{"summary.json", "layers.csv", "blocks.csv", "dies.csv", "regions.csv", "limits.csv", "jedec.csv",
		"measured.csv", "coolant.csv", "streams.csv", "segments.csv", JUnitName, traceName, PageName, PDFName,
		XLSXName, saved.FileName}
}

// NamePatterns lists patterns for path.Match of all files that a run may write. It includes the saved run unless the
// run is restored from it.
func NamePatterns(transient, restored bool) []string {
	patterns := slices.DeleteFunc(FileNames(), func(name string) bool {
		return restored && name == saved.FileName || !transient && name == traceName
	})
	patterns = append(patterns, "field.xdmf")
	stems := []string{"map_*", "drop_*", "lifetime_*"}
	suffixes := []string{".npz", ".csv", "_long.csv", ".bin", ".json", ".vtr"}
	for _, suffix := range suffixes {
		patterns = append(patterns, "field"+suffix)
	}
	if transient {
		stems = append(stems, "maxima_*", "epoch_*")
		patterns = append(patterns, "animation.gif", "animation.apng", "field.pvd")
		for _, suffix := range suffixes {
			patterns = append(patterns, "field_step*"+suffix)
		}
	}
	for _, stem := range stems {
		patterns = append(patterns, stem+".csv")
	}
	for _, name := range FigureNames() {
		stems = append(stems, figureFile(name))
	}
	for _, stem := range stems {
		for _, format := range PictureFormats() {
			patterns = append(patterns, stem+"."+format)
		}
	}
	return patterns
}

// stagePictures stages the maps and figures of a run. It calls read once, after its last read of the field.
func stagePictures(ctx context.Context, st *staging.Transaction, r *Run, s *summary.Summary, o *Options,
	read func()) error {
	return (&Figures{Run: r, Options: *o, Summary: s}).stage(ctx, st, o.Figures, read)
}

// stageTables stages the tables of a run, and its summary with the time since start.
func stageTables(ctx context.Context, st *staging.Transaction, r *Run, s *summary.Summary, o *Options,
	start time.Time) error {
	for _, t := range tables.OfFiles(s) {
		t := t.In(o.Units)
		if err := st.Write(ctx, t.File, func(w io.Writer) error { return t.CSV(w, o.Spreadsheet) }); err != nil {
			return err
		}
	}
	if o.JUnit {
		if err := st.Write(ctx, JUnitName, func(w io.Writer) error { return writeJUnit(w, s) }); err != nil {
			return err
		}
	}
	building{s}.finish(r, time.Since(start)) // the summary is last, so that it includes the time of the other files
	return st.Write(ctx, "summary.json", s.WriteJSON)
}

// JUnitName is the file of the limits as test cases.
const JUnitName = "limits.xml"

type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
}

// writeJUnit writes the limits as JUnit XML for continuous integration: one test case per limit, and one for the solve,
// which is an error if its temperatures are unreliable.
func writeJUnit(w io.Writer, s *summary.Summary) error {
	title := s.Title
	if title == "" {
		title = s.Stack
	}
	suite := junitSuite{Name: title, Time: fmt.Sprintf("%.3f", s.Time.TotalS)}
	solve := junitCase{Class: "thermsim." + s.Command, Name: "solve"}
	if doubt := s.Doubt(); doubt != "" {
		solve.Error = &junitMessage{s.Caveat() + ": " + doubt}
		suite.Errors++
	}
	suite.Cases = append(suite.Cases, solve)
	for i := range s.Limits {
		l := &s.Limits[i]
		c := junitCase{Class: "thermsim.limits",
			Name: fmt.Sprintf("%s below %.2f degC", l.Label(), l.TMaxK-quantity.ZeroCelsius)}
		if !l.OK {
			c.Failure = &junitMessage{l.Text(nil)}
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, c)
	}
	if s.Measured != nil {
		for _, l := range s.Measured.Limits {
			c := junitCase{Class: "thermsim.limits", Name: fmt.Sprintf("%s up to %.3g K", l.Label(), l.LimitK)}
			if !l.OK {
				c.Failure = &junitMessage{l.Text()}
				suite.Failures++
			}
			suite.Cases = append(suite.Cases, c)
		}
	}
	suite.Tests = len(suite.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(printable.Writer(w, false))
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suite: suite}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
