package redis

import (
	"testing"
	"time"
)

func TestQuestionsAreUrgentForAWhileAfterAFailure(t *testing.T) {
	var i inquiry
	if got := i.pause(time.Now()); got != askEvery {
		t.Errorf("without a failure it asks after %s", got)
	}
	i.hurry()
	now := time.Now()
	if got := i.pause(now); got != askEveryUrgent {
		t.Errorf("after a failure it asks after %s", got)
	}
	if got := i.pause(now.Add(urgentFor)); got != askEvery {
		t.Errorf("%s after a failure it asks after %s", urgentFor, got)
	}
}
