package compile

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// A plan names the Secret, and so do the chart's values. What is in it nobody knows yet.
func TestSecurityIsTheNameOfASecret(t *testing.T) {
	for _, level := range []v1alpha1.Security{"", v1alpha1.SecurityNone, v1alpha1.SecurityTLS} {
		store := mustCompile(t, func(r *run) { r.Spec.Store.Security = level }).Store
		var values struct {
			Security struct{ Level, Secret string }
		}
		if err := json.Unmarshal(store.Values, &values); err != nil {
			t.Fatal(err)
		}
		if values.Security.Level != store.Security || values.Security.Secret != store.Secret {
			t.Errorf("%s: the chart has %+v, the plan %s and %s", level, values.Security, store.Security, store.Secret)
		}
		if level != v1alpha1.SecurityTLS {
			if store.Security+store.Secret != "" || strings.Contains(string(store.Values), "security") {
				t.Errorf("%s: %+v", level, store)
			}
			continue
		}
		if store.Security != "TLS" || !strings.HasSuffix(store.Secret, "-credentials") {
			t.Errorf("%s: %s, %s", level, store.Security, store.Secret)
		}
	}
}

// The Secret of endpoints is the author's.
func TestEndpointsHaveASecretOfTheirOwn(t *testing.T) {
	store := mustCompile(t, at(func(r *run) { r.Spec.Store.Security, r.Spec.Store.SecuritySecret = v1alpha1.SecurityTLS, "theirs" })).Store
	if store.Security != "TLS" || store.Secret != "theirs" {
		t.Errorf("%s, %s", store.Security, store.Secret)
	}
}
