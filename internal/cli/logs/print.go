package logs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/cli/printable"
)

// widest bounds the column of the sources.
const widest = 48

// printer writes lines in a format.
type printer struct {
	to     io.Writer
	format output.Format
	runs   bool // names the run of each line, too
	// colours are of the sources; nil is none.
	colours *colours
	width   int // of the sources so far
	lines   int
}

// expect makes room for a source before its first line.
func (p *printer) expect(line Line) {
	p.width = min(max(p.width, utf8.RuneCountInString(p.source(line))), widest)
}

func (p *printer) source(line Line) string {
	if p.runs {
		return printable.Line(line.Run + " " + line.Source)
	}
	return printable.Line(line.Source)
}

// print writes one line.
func (p *printer) print(line Line) error {
	p.lines++
	switch p.format {
	case output.JSON:
		return p.json(line)
	case output.YAML:
		return p.yaml(line)
	}
	p.expect(line)
	source := p.source(line)
	column := source + strings.Repeat(" ", max(p.width-utf8.RuneCountInString(source), 0))
	if p.colours != nil {
		column = p.colours.paint(source, column)
	}
	_, err := fmt.Fprintf(p.to, "%s  %s  %s\n", line.Time.Local().Format("15:04:05.000"), column, printable.Line(line.Text))
	return err
}

func (p *printer) json(line Line) error {
	document, err := encode(line)
	if err != nil {
		return err
	}
	_, err = p.to.Write(document)
	return err
}

// encode is the line as JSON that no terminal obeys, on one line.
func encode(line Line) ([]byte, error) {
	var document bytes.Buffer
	encoder := json.NewEncoder(&document)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(line)
	return printable.JSON(document.Bytes()), err
}

// yaml prints an item of a list.
func (p *printer) yaml(line Line) error {
	document, err := json.Marshal(line)
	if err == nil {
		document, err = printable.YAML(document)
	}
	if err != nil {
		return err
	}
	item := strings.ReplaceAll(strings.TrimRight(string(document), "\n"), "\n", "\n  ")
	_, err = fmt.Fprintf(p.to, "- %s\n", item)
	return err
}

// end closes a document that had no line.
func (p *printer) end() error {
	if p.format == output.YAML && p.lines == 0 {
		_, err := fmt.Fprintln(p.to, "[]")
		return err
	}
	return nil
}
