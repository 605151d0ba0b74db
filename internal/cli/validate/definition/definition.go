// Package definition checks objects against kvbench's resource definitions, which are in the binary. It asks the API
// server's own libraries, in the API server's order, and needs no cluster.
package definition

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celbounds "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/charts"
)

// Kinds that have a definition.
const (
	Run   = "BenchmarkRun"
	Suite = "BenchmarkSuite"
)

// Definition says what an object of a kind may be.
type Definition struct {
	structure *schema.Structural
	types     validation.SchemaValidator
	rules     *cel.Validator
}

// OfRun is the definition of BenchmarkRuns. Its rules are compiled once, which takes a part of a second.
var OfRun = sync.OnceValues(func() (*Definition, error) { return read(charts.Definitions(), Run) })

// OfSuite is that of BenchmarkSuites.
var OfSuite = sync.OnceValues(func() (*Definition, error) { return read(charts.Definitions(), Suite) })

// read finds the definition of a kind among the files.
func read(files fs.FS, kind string) (*Definition, error) {
	var found *Definition
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(content, definition); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		if definition.Spec.Names.Kind != kind {
			return nil
		}
		if found, err = compile(definition); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		return fs.SkipAll
	})
	if err == nil && found == nil {
		err = fmt.Errorf("there is no definition of %s in the binary", kind)
	}
	return found, err
}

func compile(definition *apiextensionsv1.CustomResourceDefinition) (*Definition, error) {
	for i := range definition.Spec.Versions {
		if definition.Spec.Versions[i].Name == v1alpha1.GroupVersion.Version {
			return compileVersion(definition.Spec.Versions[i].Schema)
		}
	}
	return nil, errors.New("it has no version " + v1alpha1.GroupVersion.Version)
}

func compileVersion(declared *apiextensionsv1.CustomResourceValidation) (*Definition, error) {
	internal := &apiextensions.CustomResourceValidation{}
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(declared, internal, nil); err != nil {
		return nil, err
	}
	structure, err := schema.NewStructural(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	types, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	return &Definition{structure: structure, types: types, rules: cel.NewValidator(structure, true, celbounds.PerCallLimit)}, nil
}
