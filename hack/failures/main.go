// Command failures says what failed in JUnit files, and why, in a few lines: what CI prints last.
package main

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLines is how many lines of one failure's message are written.
const maxLines = 16

func main() {
	flag.Usage = func() {
		_, _ = fmt.Fprintf(flag.CommandLine.Output(), "Usage: failures FOLDER\n\nSays which tests failed, by the JUnit files in the folder, with the first %d lines of why.\n", maxLines)
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := failures(os.Stdout, os.DirFS(flag.Arg(0))); err != nil {
		fmt.Fprintln(os.Stderr, "failures:", err)
		os.Exit(1)
	}
}

// junit is as much of a file as says what failed. A suite may hold others, or be the root.
type junit struct {
	Cases []struct {
		Name    string   `xml:"name,attr"`
		Failure *problem `xml:"failure"`
		Error   *problem `xml:"error"`
	} `xml:"testcase"`
	Suites []junit `xml:"testsuite"`
}

type problem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// failures writes those of all *.xml. A file that can't be read doesn't hide the others.
func failures(out io.Writer, folder fs.FS) error {
	names, err := fs.Glob(folder, "*.xml")
	if err != nil {
		return err
	}
	slices.Sort(names)
	var unread []error
	for _, name := range names {
		content, err := fs.ReadFile(folder, name)
		var told junit
		if err == nil {
			err = xml.Unmarshal(content, &told)
		}
		if err != nil {
			unread = append(unread, fmt.Errorf("%s: %w", name, err))
			continue
		}
		told.write(out, strings.TrimSuffix(name, filepath.Ext(name)))
	}
	return errors.Join(unread...)
}

func (j *junit) write(out io.Writer, suite string) {
	for _, c := range j.Cases {
		for _, found := range []*problem{c.Failure, c.Error} {
			if found != nil {
				_, _ = fmt.Fprintf(out, "%s: %s\n%s", suite, c.Name, found.why())
			}
		}
	}
	for i := range j.Suites {
		j.Suites[i].write(out, suite)
	}
}

// why is the message, or the text where that says more: gotestsum's messages are "Failed".
func (p *problem) why() string {
	text := p.Message
	if !strings.Contains(text, "\n") && p.Text != "" {
		text = p.Text
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("… %d more lines", more))
	}
	return "    " + strings.Join(lines, "\n    ") + "\n"
}
