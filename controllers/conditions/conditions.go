// Package conditions writes the conditions of a status, on the clock that deadlines are counted with.
package conditions

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/internal/monotonic"
)

// maxMessage is what a condition's message has at most here, in bytes. The API takes more, and people
// read it in a terminal.
const maxMessage = 1024

// Set sets a condition in the list. Its time stays while its status does.
func Set(list *[]metav1.Condition, generation int64, kind string, status metav1.ConditionStatus, reason, text string) {
	SetLong(list, generation, kind, status, reason, text, maxMessage)
}

// SetLong is Set for a message of at most so many bytes, where it lists what a user must see at once.
func SetLong(list *[]metav1.Condition, generation int64, kind string, status metav1.ConditionStatus, reason, text string, limit int) {
	meta.SetStatusCondition(list, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message.Cut(text, limit),
		ObservedGeneration: generation, LastTransitionTime: Stamp(),
	})
}

// SetAnew is Set, but the condition's time begins anew where its reason is another one. Deadlines count
// from that time.
func SetAnew(list *[]metav1.Condition, generation int64, kind string, status metav1.ConditionStatus, reason, text string) {
	if old := meta.FindStatusCondition(*list, kind); old != nil && old.Reason != reason {
		meta.RemoveStatusCondition(list, kind)
	}
	Set(list, generation, kind, status, reason, text)
}

// Stamp is now, on the clock that deadlines are counted with: one that the machine's steps
// don't move. After a restart it begins with what the wall clock says then.
func Stamp() metav1.Time { return metav1.NewTime(monotonic.Now()) }
