package callers

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"
)

// asked counts what it is asked, and answers as it is told.
type asked struct {
	times  int
	answer bool
	err    error
}

func (a *asked) Allowed(context.Context, Identity, Permission) (bool, error) {
	a.times++
	return a.answer, a.err
}

func TestAnswersAreRememberedDenialsShortly(t *testing.T) {
	now := time.Unix(0, 0)
	authorizer := &asked{}
	grants := NewGrants(authorizer, func() time.Time { return now }, 10, time.Minute, 1, time.Second)
	who, what := Identity{Username: "anna", Groups: []string{"team"}}, Permission{Namespace: "team", Verb: "get", Resource: "benchmarkruns"}
	for _, c := range []struct {
		why    string
		later  time.Duration
		who    Identity
		answer bool
		want   bool
		times  int
	}{
		{"nobody has asked", 0, who, false, false, 1},
		{"a denial holds for a moment", 4 * time.Second, who, true, false, 1},
		{"and no longer", time.Second, who, true, true, 2},
		{"a grant holds for a minute", 59 * time.Second, who, false, true, 2},
		{"and no longer", time.Second, who, false, false, 3},
		{"another's groups make another question", 0, Identity{Username: "anna"}, true, true, 4},
		{"nobody may do nothing", 0, Identity{}, true, false, 4},
	} {
		now = now.Add(c.later)
		authorizer.answer = c.answer
		if got, err := grants.Allowed(t.Context(), c.who, what); got != c.want || err != nil || authorizer.times != c.times {
			t.Errorf("%s: %v, %v, asked %d times", c.why, got, err, authorizer.times)
		}
	}
}

func TestAFailureIsNotRemembered(t *testing.T) {
	authorizer := &asked{err: errors.New("connection refused")}
	grants := NewGrants(authorizer, time.Now, 10, time.Minute, 1, time.Second)
	for want := 1; want < 3; want++ {
		if _, err := grants.Allowed(t.Context(), Identity{Username: "anna"}, Permission{}); err == nil || authorizer.times != want {
			t.Errorf("%v, asked %d times", err, authorizer.times)
		}
	}
}

// stuck answers when it is let go.
type stuck struct{ letGo chan struct{} }

func (s *stuck) Allowed(context.Context, Identity, Permission) (bool, error) {
	<-s.letGo
	return true, nil
}

func TestQuestionsThatWaitAreBounded(t *testing.T) {
	authorizer := &stuck{make(chan struct{})}
	grants := NewGrants(authorizer, time.Now, 10, time.Minute, 1, time.Minute)
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan error, MaxWaiting)
	for n := range MaxWaiting {
		go func() {
			_, err := grants.Allowed(ctx, Identity{Username: "anna"}, Permission{Namespace: fmt.Sprint("n", n)})
			done <- err
		}()
	}
	for len(grants.waiting) < MaxWaiting {
		runtime.Gosched()
	}
	leave() // their callers go, and the questions stay
	for range MaxWaiting {
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if _, err := grants.Allowed(t.Context(), Identity{Username: "anna"}, Permission{Namespace: "one-more"}); !errors.Is(err, ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	close(authorizer.letGo)
	for len(grants.waiting) > 0 {
		runtime.Gosched()
	}
	if allowed, err := grants.Allowed(t.Context(), Identity{Username: "anna"}, Permission{Namespace: "later"}); !allowed || err != nil {
		t.Errorf("later: %t, %v", allowed, err)
	}
}
