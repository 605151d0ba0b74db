// Package junit writes verdicts as JUnit XML, which CI systems show as tests.
package junit

import (
	"encoding/xml"
	"fmt"

	"github.com/kvbench/kvbench/internal/report"
)

// Case is one verdict: a test with a name, in a class.
type Case struct {
	Class, Name string
	Verdict     string // of internal/report
	Message     string // why it isn't Passed
}

type testSuite struct {
	XMLName  xml.Name   `xml:"testsuite"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Cases    []testCase `xml:"testcase"`
}

type testCase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Failure *outcome `xml:"failure,omitempty"`
	Error   *outcome `xml:"error,omitempty"`
}

type outcome struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
}

// Document is a test suite. A verdict that is Failed is a failure. One that is Unknown is an error, since it opens no gate. The
// format is that of Jenkins' schema, https://github.com/jenkinsci/xunit-plugin, junit-10.xsd.
func Document(name string, cases []Case) ([]byte, error) {
	suite := testSuite{Name: name, Tests: len(cases)}
	for _, c := range cases {
		test := testCase{Class: c.Class, Name: c.Name}
		switch c.Verdict {
		case report.VerdictPassed:
		case report.VerdictFailed:
			suite.Failures++
			test.Failure = &outcome{c.Verdict, c.Message}
		default:
			suite.Errors++
			test.Error = &outcome{report.VerdictUnknown, c.Message}
		}
		suite.Cases = append(suite.Cases, test)
	}
	document, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing JUnit XML: %w", err)
	}
	return append([]byte(xml.Header), append(document, '\n')...), nil
}
