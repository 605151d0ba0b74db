package run

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/printable"
	"github.com/kvbench/kvbench/internal/cli/validate"
)

// Parse reads the one BenchmarkRun or BenchmarkSuite of a file. The API server checks its fields, except for unknown ones, which
// are refused here.
func Parse(ctx context.Context, file string, content []byte) (client.Object, error) {
	document, err := onlyDocument(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	head := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(document, &head.Object); err != nil {
		return nil, fmt.Errorf("%s is not YAML of an object: %w", file, err)
	}
	var object client.Object
	switch head.GetKind() {
	case "BenchmarkRun":
		object = &v1alpha1.BenchmarkRun{}
	case "BenchmarkSuite":
		object = &v1alpha1.BenchmarkSuite{}
	default:
		return nil, fmt.Errorf("%s has an object of the kind %q: want a BenchmarkRun or a BenchmarkSuite", file, head.GetKind())
	}
	if head.GetAPIVersion() != v1alpha1.GroupVersion.String() {
		return nil, fmt.Errorf("%s has the apiVersion %q: want %s", file, head.GetAPIVersion(), v1alpha1.GroupVersion)
	}
	if err := yaml.UnmarshalStrict(document, object); err != nil {
		return nil, refused(ctx, file, document, err)
	}
	if object.GetName() == "" && object.GetGenerateName() == "" {
		return nil, fmt.Errorf("%s has neither metadata.name nor metadata.generateName", file)
	}
	return object, nil
}

// refused says in the words of validate, and with its exit code, what is wrong with a file that can't be read into its type.
func refused(ctx context.Context, file string, document []byte, cause error) error {
	results, err := validate.Check(ctx, []validate.Content{{File: file, Text: document}})
	if err != nil {
		return err
	}
	text := ""
	for _, r := range results {
		if r.Error != "" {
			return fmt.Errorf("%s: %s", file, printable.Line(r.Error))
		}
		for _, f := range r.Findings {
			text += "\n  " + printable.Line(strings.TrimPrefix(f.Field+": "+f.Message, ": "))
		}
	}
	if text == "" {
		text = " " + cause.Error()
	}
	return exit.With(exit.Failed, fmt.Errorf("%s is refused:%s", file, text))
}

// comment is a document with nothing in it.
var comment = regexp.MustCompile(`^(\s*(#[^\n]*)?(\n|$))*$`)

func onlyDocument(content []byte) (only []byte, err error) {
	split := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := split.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if comment.Match(document) {
			continue
		}
		if only != nil {
			return nil, errors.New("it has several objects: give run one at a time, or apply them with kubectl")
		}
		only = document
	}
	if only == nil {
		return nil, errors.New("it is empty")
	}
	return only, nil
}
