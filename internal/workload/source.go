package workload

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/workload/propertyfile"
)

// Source is where properties come from, which decides what they may do.
type Source struct {
	commandLine bool
	files       map[string][]byte
}

// The properties of the one file that a workload reads.
const (
	LengthDistributionProperty = "fieldlengthdistribution"
	LengthHistogramProperty    = "fieldlengthhistogram"
)

// FromRun are the properties of a BenchmarkRun. They name no file but these, which are
// the keys of a ConfigMap: a run's author must not choose what a pod of the cluster opens.
// What a run says in fields of its own is refused.
func FromRun(files map[string][]byte) Source { return Source{files: files} }

// FromCommandLine are the properties of the program's own user, who may name any file.
// ParseClient takes the client's away first.
func FromCommandLine() Source { return Source{commandLine: true} }

// allows says why a property must not name a file.
func (s Source) allows(name string) error {
	switch _, ok := s.files[name]; {
	case s.commandLine || ok:
		return nil
	case len(s.files) == 0:
		return errors.New("names a file, and a run's files are keys of ConfigMaps; set fieldLengthHistogram of the workload instead")
	}
	return fmt.Errorf("there is no such file; use one of %s", strings.Join(slices.Sorted(maps.Keys(s.files)), ", "))
}

// CheckLengthHistogram says what is wrong with a file of field lengths. An error begins with
// name and line, and quotes what is in the line.
func CheckLengthHistogram(name string, content []byte) error {
	_, err := parseLengthHistogram(content, name)
	return err
}

// read returns the content of a file that a property names.
func (s Source) read(name string) ([]byte, error) {
	if err := s.allows(name); err != nil {
		return nil, err
	}
	if !s.commandLine {
		return propertyfile.ReadText(bytes.NewReader(s.files[name]))
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return propertyfile.ReadText(file)
}
