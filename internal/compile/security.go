package compile

import (
	"slices"
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

// compileSecurity refuses a level that the store hasn't, or hasn't in that mode.
func compileSecurity(spec *v1alpha1.StoreSpec, entry *stores.Entry, mode *stores.Mode, run plan.Run) (security, error) {
	if spec.Security == v1alpha1.SecurityAuth && mode.NoAuth != "" {
		return security{}, refuse(ReasonUnsupportedSecurity, "spec.store.security: %s in its mode %s can't be deployed with %s: %s: use %s",
			entry.Name, mode.Name, spec.Security, mode.NoAuth, insteadOfAuth(entry))
	}
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
		return security{}, refuse(ReasonUnsupportedSecurity, "spec.store.security: %s can't %s with %s: %s: use %s",
			entry.Name, what, level, entry.Security.Lacks, strings.Join(levelsOf(entry), " or "))
	}
	return security{level: level, secret: secret}, nil
}

// insteadOfAuth is what to do in a mode that hasn't SecurityAuth.
func insteadOfAuth(entry *stores.Entry) string {
	var modes []string
	for i := range entry.Modes {
		if entry.Modes[i].NoAuth == "" {
			modes = append(modes, entry.Modes[i].Name)
		}
	}
	levels := slices.DeleteFunc(levelsOf(entry), func(level string) bool { return level == stores.SecurityAuth })
	return strings.Join(levels, " or ") + ", or the mode " + strings.Join(modes, " or ")
}

func levelsOf(entry *stores.Entry) []string {
	return append([]string{stores.SecurityNone}, entry.Security.Levels...)
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
