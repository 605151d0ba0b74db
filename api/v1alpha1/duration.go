package v1alpha1

import "time"

// Duration is a length of time as Go writes it, such as 90s, 1m30s or 500ms; at most 24h.
//
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
// +kubebuilder:validation:XValidation:rule="duration(self) <= duration('24h')",message="must be at most 24h"
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
