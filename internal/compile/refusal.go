package compile

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/editdistance"
)

// Reasons of a Refusal, which become reasons of the condition Accepted.
const (
	ReasonUnknownStore        = "UnknownStore"
	ReasonUnknownMode         = "UnknownMode"
	ReasonUnknownAction       = "UnknownAction"
	ReasonUnsupportedNodes    = "UnsupportedNodes"
	ReasonUnsupportedSecurity = "UnsupportedSecurity"
	ReasonUnsupportedTarget   = "UnsupportedTarget"
	ReasonNeedsPersistence    = "NeedsPersistence"
	ReasonInvalidValues       = "InvalidValues"
	ReasonInvalidLoad         = "InvalidLoad"
	ReasonInvalidWorkload     = "InvalidWorkload"
	ReasonInvalidProperty     = "InvalidProperty"
	ReasonInvalidFault        = "InvalidFault"
	ReasonInvalidObjective    = "InvalidObjective"
	ReasonInvalidFile         = "InvalidFile"
	ReasonFileMissing         = "FileMissing"
	ReasonInvalidChart        = "InvalidChart"
)

// Refusal is why a run can't be run. Message is a sentence that names the field, what is
// wrong with it, and what to do.
type Refusal struct {
	Reason  string
	Message string
}

func (r *Refusal) Error() string { return r.Reason + ": " + r.Message }

func refuse(reason, format string, args ...any) error {
	return &Refusal{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// suggest names the known name that is nearest to a wrong one, and lists all.
func suggest(wrong string, known []string) string {
	list := "known are " + strings.Join(known, ", ")
	if near := editdistance.Nearest(wrong, known); near != "" {
		return fmt.Sprintf("did you mean %q? (%s)", near, list)
	}
	return "use another; " + list
}
