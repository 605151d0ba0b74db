package pods

import (
	"slices"
	"strings"

	"github.com/kvbench/kvbench/controllers/run/state"
)

// pullAnswers are parts of what runtimes say of a pull that failed, in lower case. The kubelet passes on
// their text, and nothing that is typed. It repeats the registry's answer: the code and message of
// https://github.com/opencontainers/distribution-spec/blob/main/spec.md#error-codes, or HTTP's status.
// What isn't here may succeed later.
var pullAnswers = []struct {
	kind state.TroubleKind
	has  []string
}{
	// First, since it comes with a registry's "denied" as well.
	{state.ImageNotPulled, []string{"too many requests", "toomanyrequests"}},
	{state.ImageDenied, []string{
		"access denied", "resource is denied", "insufficient_scope", "authorization failed", "authentication required",
		"401 unauthorized", "403 forbidden", "unauthorized: ", "denied: ", "no basic auth credentials",
	}},
	{state.ImageNotFound, []string{
		"code = notfound", ": not found", "manifest unknown", "manifest_unknown", "name unknown", "name_unknown", "404 not found",
	}},
}

// kindOfPull is what a pull that failed says of its image. The image's name may look like an answer.
func kindOfPull(image, message string) state.TroubleKind {
	text := strings.ToLower(message)
	if image != "" {
		text = strings.ReplaceAll(text, strings.ToLower(image), "the image")
	}
	for _, answer := range pullAnswers {
		if slices.ContainsFunc(answer.has, func(part string) bool { return strings.Contains(text, part) }) {
			return answer.kind
		}
	}
	return state.ImageNotPulled
}
