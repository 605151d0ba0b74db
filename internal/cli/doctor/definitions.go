package doctor

import (
	"context"
	"reflect"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/kube"
)

const applyDefinitions = "kubectl apply --server-side --force-conflicts -f charts/kvbench/crds/ (helm upgrade doesn't update them), with the chart of this version"

// kind is one of kvbench's, with the resource that this command knows.
type kind struct {
	name     string
	resource any
}

var kinds = []kind{{"BenchmarkRun", v1alpha1.BenchmarkRun{}}, {"BenchmarkSuite", v1alpha1.BenchmarkSuite{}}}

// checkDefinitions compares kvbench's kinds in the cluster with those that this command knows.
func checkDefinitions(ctx context.Context, c *kube.Cluster) []Finding {
	published, err := schemasOf(ctx, c, v1alpha1.GroupVersion)
	if err != nil && !apierrors.IsNotFound(err) {
		return []Finding{unanswered(err, readingOf(v1alpha1.GroupVersion))}
	}
	return judgeDefinitions(published)
}

func judgeDefinitions(published schemas) (findings []Finding) {
	group := v1alpha1.GroupVersion
	for _, k := range kinds {
		served := published[k.name]
		if served == nil {
			findings = append(findings, problem(wholeCluster, "there is no kind %s of %s", k.name, group).so("it can't be created, and kvbench's controller can't start").
				mend("install kvbench (docs/guide/install.md), or %s", applyDefinitions))
			continue
		}
		if lacks := lacking(reflect.TypeOf(k.resource), served, ""); len(lacks) > 0 {
			findings = append(findings, warning(wholeCluster, "the kind %s lacks fields that this command knows: %s", k.name, few(lacks)).
				so("what they say is refused or lost").mend("%s", applyDefinitions))
			continue
		}
		findings = append(findings, ok(wholeCluster, "the kind %s has all fields that this command knows", k.name))
	}
	return findings
}

// lacking are the paths of fields that the type has and the schema hasn't. It looks into the types of kvbench's own API alone.
func lacking(t reflect.Type, schema *apiextensionsv1.JSONSchemaProps, path string) (paths []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		inner := schema
		switch {
		case t.Kind() == reflect.Slice && schema.Items != nil:
			inner = schema.Items.Schema
		case t.Kind() == reflect.Map && schema.AdditionalProperties != nil:
			inner = schema.AdditionalProperties.Schema
		}
		if inner == nil {
			return nil
		}
		t, schema = t.Elem(), inner
	}
	if t.Kind() != reflect.Struct || t.PkgPath() != reflect.TypeFor[v1alpha1.BenchmarkRun]().PkgPath() || len(schema.Properties) == 0 {
		return nil
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || field.Name == "ObjectMeta" || field.Name == "TypeMeta" {
			continue
		}
		if name == "" {
			if field.Anonymous {
				paths = append(paths, lacking(field.Type, schema, path)...)
			}
			continue
		}
		below, has := schema.Properties[name]
		if !has {
			paths = append(paths, path+name)
			continue
		}
		paths = append(paths, lacking(field.Type, &below, path+name+".")...)
	}
	return paths
}
