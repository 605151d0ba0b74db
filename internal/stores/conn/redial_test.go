package conn

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A session whose operations have less time than the longest pause must get to an attempt.
func TestAnAttemptIsMadeHoweverShortOperationsAre(t *testing.T) {
	const timeout = 20 * time.Millisecond
	var r Redial
	for range 6 {
		r.Failed()
	}
	begun, operations := time.Now(), 0
	for ; ; operations++ {
		deadline := time.Now().Add(timeout)
		err := r.Await(deadline)
		if err == nil {
			break
		}
		if !errors.Is(err, context.DeadlineExceeded) || time.Now().Before(deadline) {
			t.Fatalf("%v, %s before the deadline", err, time.Until(deadline))
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("no attempt was made")
		}
	}
	if took := time.Since(begun); operations == 0 || took < RedialMax-timeout {
		t.Errorf("an attempt after %s and %d operations", took, operations)
	}
}

func TestAFirstAttemptIsMadeAtOnce(t *testing.T) {
	var r Redial
	r.Failed()
	r.Hurry()
	for _, due := range []*Redial{{}, &r} {
		if err := due.Await(time.Now().Add(time.Hour)); err != nil {
			t.Error(err)
		}
	}
	if err := new(Redial).Await(time.Now().Add(-time.Second)); err != nil {
		t.Error("an attempt that was never put off is too late by itself")
	}
}

func TestAMemberIsAvoidedForAWhile(t *testing.T) {
	var r Redial
	if r.Avoid() {
		t.Error("one that was never tried")
	}
	r.Failed()
	if !r.Avoid() {
		t.Error("one that failed a moment ago is asked first")
	}
	r.failed = r.failed.Add(-avoided)
	if r.Avoid() {
		t.Error("one that failed long ago is not asked again")
	}
	r.Failed()
	r.Succeeded()
	if r.Avoid() {
		t.Error("one that is back")
	}
}

func TestAnAttemptLeavesTimeForOthers(t *testing.T) {
	deadline := time.Now().Add(10 * time.Second)
	var r Redial
	if until := r.Until(deadline, false); time.Until(until) > 5*time.Second {
		t.Errorf("until %s before the deadline", deadline.Sub(until))
	}
	if until := r.Until(deadline, true); !until.Equal(deadline) {
		t.Errorf("the last one until %s before the deadline", deadline.Sub(until))
	}
	r.Failed()
	if until := r.Until(deadline, false); time.Until(until) > retried {
		t.Errorf("one that failed, until %s before the deadline", deadline.Sub(until))
	}
}
