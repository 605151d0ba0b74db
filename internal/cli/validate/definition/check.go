package definition

import (
	"cmp"
	"context"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celbounds "k8s.io/apiserver/pkg/apis/cel"
)

// Finding is one thing that is wrong with an object.
type Finding struct {
	// Field is its path, such as spec.workloads[0].preset; "" where no single field is to blame.
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Check says what the API server has against creating the object, whose apiVersion and kind are the definition's. The
// findings are in the order of their fields. Check changes the object as the API server does: it fills in defaults, and
// removes unknown fields and the status.
func (d *Definition) Check(ctx context.Context, object map[string]any) []Finding {
	defaulting.Default(object, d.structure)
	about, _, unknown, err := objectmeta.GetObjectMetaWithOptions(object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	var errs field.ErrorList
	if err != nil {
		errs = append(errs, field.Invalid(field.NewPath("metadata"), "", err.Error()))
	} else {
		errs = append(errs, checkMeta(about)...)
		setName(object, about)
	}
	unknown = append(unknown, pruning.PruneWithOptions(object, d.structure, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, d.structure)
	delete(object, "status") // who creates an object can't set it
	errs = append(errs, d.checkContent(ctx, object)...)

	findings := make([]Finding, 0, len(errs)+len(unknown))
	for _, err := range errs {
		f := findingOf(err)
		f.Message = withNearest(f.Message, textAt(object, f.Field))
		findings = append(findings, f)
	}
	for _, path := range unknown {
		findings = append(findings, d.UnknownField(path))
	}
	slices.SortFunc(findings, compare)
	return slices.Compact(findings)
}

// compare puts findings in an order, for the libraries ask the rules of fields in none. What is of no field comes last.
func compare(a, b Finding) int {
	if (a.Field == "") != (b.Field == "") {
		return cmp.Compare(b.Field, a.Field)
	}
	return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message))
}

// checkMeta checks the name and what is beside it. The API server gives a name to an object that has the begin of one, and
// puts one without a namespace into that of the request.
func checkMeta(about *metav1.ObjectMeta) field.ErrorList {
	checked := about.DeepCopy()
	checked.Namespace = cmp.Or(checked.Namespace, metav1.NamespaceDefault)
	checked.Name = cmp.Or(checked.Name, generated(about))
	errs := metavalidation.ValidateObjectMeta(checked, true, metavalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	if about.ResourceVersion != "" {
		errs = append(errs, field.Forbidden(field.NewPath("metadata", "resourceVersion"), "a new object has none: remove it"))
	}
	return errs
}

// setName gives the object the name that the API server would give it before it asks the rules, some of which are of names.
func setName(object map[string]any, about *metav1.ObjectMeta) {
	if name := generated(about); about.Name == "" && name != "" {
		object["metadata"].(map[string]any)["name"] = name
	}
}

// generated is like the name that the API server makes of the begin of one (k8s.io/apiserver/pkg/storage/names), which has 63
// characters at most; "" without a begin.
func generated(about *metav1.ObjectMeta) string {
	const most, random = 63, "abcde"
	if about.GenerateName == "" {
		return ""
	}
	return about.GenerateName[:min(len(about.GenerateName), most-len(random))] + random
}

// checkContent checks types and bounds, and then the rules, which may rely on these.
func (d *Definition) checkContent(ctx context.Context, object map[string]any) field.ErrorList {
	errs := validation.ValidateCustomResource(nil, object, d.types)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, d.structure, object)...)
	if slices.ContainsFunc(errs, hidesRules) {
		return append(errs, field.Invalid(nil, "", "rules were not asked, since they rely on what is wrong here: correct it, and validate again"))
	}
	broken, _ := d.rules.Validate(ctx, nil, d.structure, object, nil, celbounds.RuntimeCELCostBudget)
	return append(errs, broken...)
}

// hidesRules is the API server's list of errors with which it doesn't ask the rules.
func hidesRules(err *field.Error) bool {
	switch err.Type {
	case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
		return true
	}
	return false
}
