package compile

import (
	"strings"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// security is what a deployed store asks of its clients; its zero value is nothing.
type security struct {
	level  string
	secret string // the Secret's name
}

func asksForSecurity(spec *v1alpha1.StoreSpec) bool {
	return spec.Security != "" && spec.Security != v1alpha1.SecurityNone
}

// compileSecurity refuses a level that the store hasn't.
func compileSecurity(spec *v1alpha1.StoreSpec, entry *stores.Entry, run plan.Run) (security, error) {
	return securityOf(spec, entry, "be deployed", SecretName(run.ID))
}

// endpointsSecurity is that of members that run already. It takes a level that kvbench's driver
// of the store has.
func endpointsSecurity(spec *v1alpha1.StoreSpec, entry *stores.Entry) (security, error) {
	return securityOf(spec, entry, "be asked", spec.SecuritySecret)
}

func securityOf(spec *v1alpha1.StoreSpec, entry *stores.Entry, what, secret string) (security, error) {
	if !asksForSecurity(spec) {
		return security{}, nil
	}
	level := string(spec.Security)
	if !entry.Security.Has(level) {
		levels := append([]string{stores.SecurityNone}, entry.Security.Levels...)
		return security{}, refuse(ReasonUnsupportedSecurity, "spec.store.security: %s can't %s with %s: %s: use %s",
			entry.Name, what, level, entry.Security.Lacks, strings.Join(levels, " or "))
	}
	return security{level: level, secret: secret}, nil
}

// SecretName is the Secret of a run with what its store and its clients prove who they are with.
func SecretName(runID string) string { return runID + "-credentials" }

// values are those of the store's chart. What is secret is in none of them.
func (s security) values() object {
	if s.level == "" {
		return nil
	}
	return object{"security": object{"level": s.level, "secret": s.secret}}
}
