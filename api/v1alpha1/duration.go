package v1alpha1

import "time"

// The rule below is one, not a pattern and a maximum: CEL's && needs no value for
// duration() where the expression before it is false, so that a user reads one message.
// Rules of fields that compare durations repeat the expression for the same reason.

// Duration is a length of time as Go writes it, such as 90s, 1m30s or 500ms; at most 24h.
//
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,5}([.][0-9]{1,3})?(h|m|s)|[0-9]{1,8}ms)+$') && duration(self) <= duration('24h')",message="must be a length of time of at most 24h, such as 90s, 1m30s or 500ms"
type Duration string

// Or returns the duration, or byDefault when it is empty. The API server has refused
// what cannot be parsed, so such a value counts as empty.
func (d Duration) Or(byDefault time.Duration) time.Duration {
	parsed, err := time.ParseDuration(string(d))
	if err != nil {
		return byDefault
	}
	return parsed
}
