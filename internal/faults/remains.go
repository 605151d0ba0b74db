package faults

// Remains is what is known of a fault's rules in a pod.
type Remains struct {
	Rules Rules
	// Trouble is why nothing is known; "" where something is.
	Trouble string
}

// Rules says whether a fault's rules are in a pod.
type Rules string

// The zero value is the one that promises nothing.
const (
	RulesUnknown Rules = ""
	RulesThere   Rules = "There"
	RulesGone    Rules = "Gone"   // they were taken back, or the pod had none
	RulesUntold  Rules = "Untold" // the pod has no record of rules: it never had any, or somebody deleted the record
)
