package report

import (
	"encoding/xml"
	"fmt"
	"io"

	"thermsim/internal/printable"
	"thermsim/report/quantity"
	"thermsim/report/summary"
)

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

// writeJUnit writes the limits as JUnit XML, which continuous integration shows: a test case of each limit, and one of
// the solve, which is an error where its temperatures cannot be relied on.
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
			c.Failure = &junitMessage{l.Text()}
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, c)
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
