package v1alpha1_test

import (
	"os"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

type schema = apiextensionsv1.JSONSchemaProps

// crdSchema is the schema of what a BenchmarkRun says beside its metadata.
func crdSchema(t *testing.T) *schema {
	t.Helper()
	content, err := os.ReadFile("../../config/crd/kvbench.io_benchmarkruns.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(content, crd); err != nil {
		t.Fatal(err)
	}
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema
}

// walk calls visit for a schema and all below it.
func walk(path string, s *schema, visit func(path string, s *schema)) {
	visit(path, s)
	for name := range s.Properties {
		property := s.Properties[name]
		walk(path+"."+name, &property, visit)
	}
	if s.Items != nil && s.Items.Schema != nil {
		walk(path+"[]", s.Items.Schema, visit)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		walk(path+"{}", s.AdditionalProperties.Schema, visit)
	}
}

// TestEverythingHasAMaximum matters beyond size: the API server refuses rules over what
// has none, since it can't bound their cost.
func TestEverythingHasAMaximum(t *testing.T) {
	for _, part := range []string{"spec", "status"} {
		s := crdSchema(t).Properties[part]
		seen := 0
		walk(part, &s, func(path string, s *schema) {
			seen++
			switch {
			case s.Type == "array" && s.MaxItems == nil:
				t.Errorf("%s is a list without maxItems", path)
			case s.AdditionalProperties != nil && s.MaxProperties == nil:
				t.Errorf("%s is a map without maxProperties", path)
			case s.Type == "string" && s.MaxLength == nil && len(s.Enum) == 0 && s.Format == "":
				t.Errorf("%s is a string without maxLength", path)
			case s.XIntOrString && !quantityIsBounded(path, crdSchema(t)):
				t.Errorf("%s is a quantity that no rule bounds", path)
			case s.XPreserveUnknownFields != nil && path != "spec.store.values":
				// Those are bounded when the run is compiled.
				t.Errorf("%s takes anything", path)
			}
		})
		if seen < 20 {
			t.Errorf("%s has %d fields: this test looks at the wrong place", part, seen)
		}
	}
}

// quantityIsBounded: a quantity's schema takes no maxLength, so a rule on it, or on the
// map that it is in, must look at its length.
func quantityIsBounded(path string, root *schema) bool {
	bounded := false
	walk("", root, func(p string, s *schema) {
		if p != "."+strings.TrimSuffix(path, "{}") {
			return
		}
		for _, rule := range s.XValidations {
			bounded = bounded || strings.Contains(rule.Rule, "size(string(self")
		}
	})
	return bounded
}

func TestEveryFieldIsDocumented(t *testing.T) {
	for _, part := range []string{"spec", "status"} {
		s := crdSchema(t).Properties[part]
		walk(part, &s, func(path string, s *schema) {
			if s.Description == "" && !strings.HasSuffix(path, "[]") && !strings.HasSuffix(path, "{}") {
				t.Errorf("%s has no description", path)
			}
		})
	}
}

func TestEveryRuleHasAMessage(t *testing.T) {
	walk("", crdSchema(t), func(path string, s *schema) {
		for _, rule := range s.XValidations {
			if rule.Message == "" {
				t.Errorf("%s has a rule without a message: %s", path, rule.Rule)
			}
		}
	})
}

// A run can't go on whose status has no room for what its spec asks for.
func TestTheStatusHasRoomForAllThatTheSpecMayHave(t *testing.T) {
	all := crdSchema(t).Properties
	for _, list := range []string{"workloads", "faults"} {
		spec, status := all["spec"].Properties[list].MaxItems, all["status"].Properties[list].MaxItems
		if spec == nil || status == nil || *status < *spec {
			t.Errorf("%s: the status has room for %v, and the spec for %v", list, status, spec)
		}
	}
}
