package compile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/rate"
	"github.com/kvbench/kvbench/internal/workload"
)

// maxFileBytes is how much a ConfigMap holds, and so that of the run with its files.
const maxFileBytes = 1 << 20

// Files are the contents of what a run names, by File.Name.
type Files map[string][]byte

// File is one that a run names, and the first field that does.
type File struct {
	Field string
	v1alpha1.ConfigMapKeyRef
}

// FileName is what a file is called in the plan, in its ConfigMap and in a pod. No ConfigMap
// has an underscore in its name.
func FileName(ref v1alpha1.ConfigMapKeyRef) string { return ref.Name + "_" + ref.Key }

// FilesOf lists the files that a run names, each once, in the order of the spec's fields.
func FilesOf(spec *v1alpha1.BenchmarkRunSpec) []File {
	var files []File
	seen := map[string]bool{}
	add := func(field string, source *v1alpha1.FileSource) {
		if name := FileName(source.ConfigMapKeyRef); !seen[name] {
			seen[name] = true
			files = append(files, File{field, source.ConfigMapKeyRef})
		}
	}
	for i := range spec.Workloads {
		if w := &spec.Workloads[i]; w.FieldLengthHistogram != nil {
			add(histogramField(i), w.FieldLengthHistogram)
		}
		if w := &spec.Workloads[i]; w.Trace != nil {
			add(traceField(i), &w.Trace.FileSource)
		}
		if load := spec.Workloads[i].Load; load != nil && load.RateShape != nil && load.RateShape.Schedule != nil {
			add(mergeLoad(i, spec).shapeField()+".schedule", load.RateShape.Schedule)
		}
	}
	used := func(shape *v1alpha1.RateShape) bool {
		for i := range spec.Workloads {
			if mergeLoad(i, spec).RateShape == shape {
				return true
			}
		}
		return false
	}
	if shape := spec.Load.RateShape; shape != nil && shape.Schedule != nil && used(shape) {
		add("spec.load.rateShape.schedule", shape.Schedule)
	}
	return files
}

func histogramField(i int) string { return fmt.Sprintf("spec.workloads[%d].fieldLengthHistogram", i) }
func traceField(i int) string     { return fmt.Sprintf("spec.workloads[%d].trace", i) }

// Add takes a file's content. It refuses what a ConfigMap can't hold together.
func (f Files) Add(file File, content []byte) error {
	f[FileName(file.ConfigMapKeyRef)] = content
	total := 0
	for _, content := range f {
		total += len(content)
	}
	if total > maxFileBytes {
		return refuse(ReasonInvalidFile, "%s: with it the run's files have %d bytes, and together they can have %d: shorten them, or compress a trace with gzip",
			file.Field, total, maxFileBytes)
	}
	return nil
}

// read returns a file's content, and what errors call it.
func (f Files) read(field string, source *v1alpha1.FileSource) (content []byte, called string, err error) {
	ref := source.ConfigMapKeyRef
	content, ok := f[FileName(ref)]
	if !ok {
		return nil, "", refuse(ReasonFileMissing, "%s: there is no key %q in a ConfigMap %q of the run's namespace: create it, and then the run again", field, ref.Key, ref.Name)
	}
	return content, fmt.Sprintf("ConfigMap %s, %s", ref.Name, ref.Key), nil
}

func (f Files) readText(field string, source *v1alpha1.FileSource) (content []byte, called string, err error) {
	if content, called, err = f.read(field, source); err == nil && !utf8.Valid(content) {
		err = refuse(ReasonInvalidFile, "%s: %s is no UTF-8 text: write it as such", field, called)
	}
	return content, called, err
}

// broken refuses a file. Its errors quote what is in a line, and the run's author may not be
// allowed to read the ConfigMap.
func broken(field string, err error) error {
	return refuse(ReasonInvalidFile, "%s: %s", field, quoted.ReplaceAllString(err.Error(), "…"))
}

var quoted = regexp.MustCompile(`"([^"\\]|\\.)*"`)

// plan lists the files for the plan.
func (f Files) plan(spec *v1alpha1.BenchmarkRunSpec) []plan.File {
	var listed []plan.File
	for _, file := range FilesOf(spec) {
		name := FileName(file.ConfigMapKeyRef)
		listed = append(listed, plan.File{
			Name: name, ConfigMap: file.Name, Key: file.Key, SHA256: digest(f[name]), Bytes: len(f[name]),
		})
	}
	return listed
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// schedule reads a rate that changes.
func (f Files) schedule(field string, source *v1alpha1.FileSource) (*plan.Shape, error) {
	content, called, err := f.readText(field, source)
	if err != nil {
		return nil, err
	}
	shape, err := rate.ParseSchedule(called, bytes.NewReader(content))
	if err != nil {
		return nil, broken(field, err)
	}
	shape.File = FileName(source.ConfigMapKeyRef)
	return shape, nil
}

// lengths adds what a histogram of field lengths makes of a workload's properties, and says
// where they come from.
func (f Files) lengths(i int, source *v1alpha1.FileSource, properties map[string]string) (workload.Source, error) {
	if source == nil {
		return workload.FromRun(nil), nil
	}
	content, called, err := f.readText(histogramField(i), source)
	if err != nil {
		return workload.Source{}, err
	}
	if err := workload.CheckLengthHistogram(called, content); err != nil {
		return workload.Source{}, broken(histogramField(i), err)
	}
	name := FileName(source.ConfigMapKeyRef)
	properties[workload.LengthDistributionProperty] = workload.Histogram
	properties[workload.LengthHistogramProperty] = name
	return workload.FromRun(map[string][]byte{name: content}), nil
}
