// Command failures reads JUnit files and prints in a few lines what failed, and why. CI prints that last.
package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Of one failure's message so many lines are written, each as wide as this at most, in characters;
// and of so many failures. What matters of a message is what it says first and last, and what
// broke.
const (
	firstLines   = 8
	lastLines    = 16
	tellingLines = 8 // of those between them, at most
	maxWidth     = 300
	maxTold      = 20
)

// telling is what servers write into their logs where something broke.
var telling = regexp.MustCompile(`\b(ERROR|FATAL|PANIC|[Pp]anic:|\w*Exception|\w+Error:)`)

func main() {
	flag.Usage = func() {
		_, _ = fmt.Fprintf(flag.CommandLine.Output(), "Usage: failures FOLDER\n\nSays which tests failed, by the JUnit files in the folder, and why: the first %d lines, the last %d, and of those between them up to %d that tell of something broken.\n", firstLines, lastLines, tellingLines)
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

// testcase is as much of one as says whether it failed.
type testcase struct {
	Name    string   `xml:"name,attr"`
	Failure *problem `xml:"failure"`
	Error   *problem `xml:"error"`
}

type problem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// failures writes those of all *.xml. A file that can't be read doesn't hide the others.
func failures(out io.Writer, folder fs.FS) error {
	if _, err := fs.Stat(folder, "."); err != nil {
		return err // which a pattern passes over
	}
	names, err := fs.Glob(folder, "*.xml")
	if err != nil {
		return err
	}
	slices.Sort(names)
	var unread []error
	var all []string
	for _, name := range names {
		content, err := fs.ReadFile(folder, name)
		if err == nil {
			var those []string
			those, err = failuresOf(strings.TrimSuffix(name, filepath.Ext(name)), content)
			all = append(all, those...)
		}
		if err != nil {
			unread = append(unread, fmt.Errorf("%s: %w", name, err))
		}
	}
	for _, one := range all[:min(len(all), maxTold)] {
		_, _ = io.WriteString(out, one)
	}
	if more := len(all) - maxTold; more > 0 {
		_, _ = fmt.Fprintf(out, "… and %d more that failed\n", more)
	}
	return errors.Join(unread...)
}

// failuresOf says what failed in a file, in suites of suites or in one, and why. Of a file that was
// cut off it is what was before, beside the error.
func failuresOf(suite string, content []byte) (all []string, err error) {
	decoder := xml.NewDecoder(bytes.NewReader(content))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) && len(content) > 0 {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "testcase" {
			continue
		}
		var c testcase
		if err := decoder.DecodeElement(&c, &start); err != nil {
			return all, err
		}
		for _, found := range []*problem{c.Failure, c.Error} {
			if found != nil {
				all = append(all, fmt.Sprintf("%s: %s\n%s", suite, cut(c.Name), found.why()))
			}
		}
	}
}

// why is the message, or the text where that says more: gotestsum's messages are "Failed". Ginkgo
// says where it was in the text's last line.
func (p *problem) why() string {
	text := strings.Split(strings.TrimSpace(p.Text), "\n")
	lines := text
	if strings.Contains(p.Message, "\n") || p.Text == "" {
		lines = strings.Split(strings.TrimSpace(p.Message), "\n")
	}
	if more := len(lines) - firstLines - lastLines; more > 0 {
		lines = slices.Concat(lines[:firstLines], shortened(lines[firstLines:firstLines+more]), lines[len(lines)-lastLines:])
	}
	if place := text[len(text)-1]; strings.HasPrefix(place, "In [") && lines[len(lines)-1] != place {
		lines = append(lines, place)
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("    " + cut(line) + "\n")
	}
	return b.String()
}

// shortened says how many lines there are, and the first of them that tell of something broken: what
// a server's log says of it is seldom at the log's end.
func shortened(lines []string) []string {
	told := []string{fmt.Sprintf("… %d lines more", len(lines))}
	for _, line := range lines {
		if telling.MatchString(line) && len(told) <= tellingLines {
			told = append(told, line)
		}
	}
	if len(told) > 1 {
		told[0] += ", among them"
		told = append(told, "…")
	}
	return told
}

func cut(line string) string {
	if characters := []rune(line); len(characters) > maxWidth {
		return string(characters[:maxWidth]) + "…"
	}
	return line
}
