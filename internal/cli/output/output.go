// Package output prints values as JSON or YAML for programs, and as tables for people.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/kvbench/kvbench/internal/cli/printable"
)

// Format is the value of --output.
type Format string

// Formats that every verb has.
const (
	Table Format = "table"
	JSON  Format = "json"
	YAML  Format = "yaml"
)

// Flag is --output with its formats. Format is the default at first, then the user's.
type Flag struct {
	Format  Format
	formats []Format
}

// NewFlag takes the formats beside table, JSON and YAML.
func NewFlag(more ...Format) *Flag {
	return &Flag{Format: Table, formats: append([]Format{Table, JSON, YAML}, more...)}
}

// Add adds the flag to a command's.
func (f *Flag) Add(flags *pflag.FlagSet) {
	flags.VarP(f, "output", "o", "how to print: "+f.names())
}

func (f *Flag) names() string {
	names := make([]string, len(f.formats))
	for i, format := range f.formats {
		names[i] = string(format)
	}
	return strings.Join(names, ", ")
}

func (f *Flag) String() string { return string(f.Format) }

// Type implements pflag.Value.
func (f *Flag) Type() string { return "format" }

// Set implements pflag.Value.
func (f *Flag) Set(value string) error {
	for _, format := range f.formats {
		if string(format) == value {
			f.Format = format
			return nil
		}
	}
	return fmt.Errorf("it can be %s", f.names())
}

// Formats are the values that the flag can have, for completion.
func (f *Flag) Formats() []string { return strings.Split(f.names(), ", ") }

// Print writes the value as JSON or YAML, or what table says of it.
func (f *Flag) Print(to io.Writer, value any, table func(io.Writer) error) error {
	switch f.Format {
	case JSON:
		document, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(to, string(printable.JSON(document)))
		return err
	case YAML:
		document, err := json.Marshal(value)
		if err == nil {
			document, err = printable.YAML(document)
		}
		if err != nil {
			return err
		}
		_, err = to.Write(document)
		return err
	}
	return table(to)
}

// Columns prints rows below a header, in columns as wide as they need be. Cells may be somebody else's words.
func Columns(to io.Writer, header []string, rows [][]string) error {
	w := tabwriter.NewWriter(to, 0, 0, 3, ' ', 0)
	for _, row := range append([][]string{header}, rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			if cells[i] = printable.Line(cell); cell == "" {
				cells[i] = "-"
			}
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}
