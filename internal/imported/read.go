package imported

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of a document, which may come from anywhere.
const (
	MaxDocumentBytes = 16 << 20
	MaxOperations    = 1000
	MaxName          = 200
	maxNotKnown      = 100
	maxRemark        = 1000
	// MaxMicros is the longest time that a figure can be: 31 years.
	MaxMicros = 1e15
)

// Is says whether a document of JSON says of itself that it is of this package. It may be broken all the same.
func Is(document []byte) bool {
	var mark struct {
		Kind string `json:"kind"`
	}
	return json.Unmarshal(document, &mark) == nil && mark.Kind == Kind
}

// Read reads a document that kubectl kvbench import wrote. A document that it can't have written is an error.
func Read(document []byte) (*Imported, error) {
	if len(document) > MaxDocumentBytes {
		return nil, fmt.Errorf("an imported document of more than %d bytes", MaxDocumentBytes)
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	in := &Imported{}
	if err := decoder.Decode(in); err != nil {
		return nil, fmt.Errorf("it is no imported document: %w", err)
	}
	if decoder.More() {
		return nil, errors.New("it is no imported document: more follows after the first value")
	}
	switch {
	case in.Kind != Kind:
		return nil, fmt.Errorf("it is no imported document: its kind is %.40q, and not %q; kubectl kvbench import makes one", in.Kind, Kind)
	case in.Format != Format:
		return nil, fmt.Errorf("the imported document has format %d, and this program knows %d: import the file again", in.Format, Format)
	}
	if err := in.Check(); err != nil {
		return nil, fmt.Errorf("the imported document is broken: %w", err)
	}
	return in, nil
}

// Check says what no document of this package can have.
func (in *Imported) Check() error {
	texts := []struct{ what, text string }{
		{"the tool's name", in.Tool}, {"the file's name", in.Source.File}, {"the workload's name", in.Workload}, {"the SHA-256", in.Source.SHA256},
	}
	for _, t := range texts {
		if err := CheckName(t.text); err != nil {
			return fmt.Errorf("%s %w", t.what, err)
		}
	}
	if in.Valid != nil && *in.Valid {
		return errors.New("it says that its numbers are valid, which nobody knows of another tool's")
	}
	if in.ToolVersion != "" {
		if err := CheckName(in.ToolVersion); err != nil {
			return fmt.Errorf("the tool's version %w", err)
		}
	}
	for _, at := range []*string{&in.ImportedAt, in.MeasuredAt} {
		if at == nil {
			continue
		}
		if _, err := time.Parse(time.RFC3339Nano, *at); err != nil {
			return fmt.Errorf("%.60q is no time of RFC 3339", *at)
		}
	}
	if len(in.NotKnown) > maxNotKnown || len(in.Remarks) > maxNotKnown {
		return fmt.Errorf("more than %d remarks", maxNotKnown)
	}
	for _, n := range in.NotKnown {
		if err := CheckName(string(n)); err != nil {
			return fmt.Errorf("what is not known %w", err)
		}
	}
	for _, remark := range in.Remarks {
		if len(remark) > maxRemark || !plain(remark) {
			return errors.New("a remark is too long, or has characters that can't be shown")
		}
	}
	return in.checkFigures()
}

// checkFigures looks at the numbers. Names of operations are unique.
func (in *Imported) checkFigures() error {
	if err := errors.Join(checkNumber(in.DurationMicros, MaxMicros), checkNumber(in.Throughput, MaxMicros)); err != nil {
		return err
	}
	if len(in.Operations) > MaxOperations {
		return fmt.Errorf("more than %d operations", MaxOperations)
	}
	seen := map[string]bool{}
	for i := range in.Operations {
		o := &in.Operations[i]
		if err := CheckName(o.Operation); err != nil {
			return fmt.Errorf("the name of an operation %w", err)
		}
		if seen[o.Operation] {
			return fmt.Errorf("the operation %q is there twice", o.Operation)
		}
		seen[o.Operation] = true
		if err := o.check(); err != nil {
			return fmt.Errorf("operation %s: %w", o.Operation, err)
		}
	}
	return nil
}

func (o *Operation) check() error {
	if o.Role != "" && o.Role != Whole && o.Role != Frame {
		return fmt.Errorf("the role %.20q is none of %s and %s", o.Role, Whole, Frame)
	}
	if o.Count != nil && *o.Count < 0 || o.Errors != nil && *o.Errors < 0 {
		return errors.New("a count is negative")
	}
	if o.Count != nil && o.Errors != nil && *o.Errors > *o.Count {
		return fmt.Errorf("%d of %d operations failed", *o.Errors, *o.Count)
	}
	if err := checkNumber(o.Throughput, MaxMicros); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range o.Latencies {
		l := &o.Latencies[i]
		if seen[l.Time] || l.Time != Service && l.Time != Response && l.Time != Unsaid {
			return fmt.Errorf("the time %.20q is there twice, or it is none of %s, %s and %s", l.Time, Service, Response, Unsaid)
		}
		seen[l.Time] = true
		for _, micros := range []*float64{l.MeanMicros, l.P50Micros, l.P90Micros, l.P95Micros, l.P99Micros, l.P999Micros, l.MaxMicros} {
			if err := checkNumber(micros, MaxMicros); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkNumber(value *float64, most float64) error {
	if value != nil && !(*value >= 0 && *value <= most) || value != nil && math.IsNaN(*value) {
		return fmt.Errorf("%g is no figure: it must be between 0 and %g", *value, most)
	}
	return nil
}

// CheckName refuses a name that is empty or long, or that a terminal might not just show. Its error is the end of a
// sentence.
func CheckName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("is empty")
	case len(name) > MaxName:
		return fmt.Errorf("is longer than %d bytes", MaxName)
	case !plain(name):
		return fmt.Errorf("has characters that can't be shown: %q", name)
	}
	return nil
}

// plain says that all of the text can be printed, on one line.
func plain(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}
