package watch

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/results/wire"
)

func TestWhatARefusalOfTheResultsServerMeans(t *testing.T) {
	forbidden := fmt.Errorf("asking: %w", &forward.Refusal{Reason: wire.ReasonForbidden})
	waiting := target{}.aimedAt(runWith("u"), after(0))
	accepted := waiting.aimedAt(runWith("u", v1alpha1.ConditionAccepted), after(100)).aimedAt(runWith("u", v1alpha1.ConditionAccepted), after(101))
	for _, c := range []struct {
		what             string
		of               target
		err              error
		at               time.Time
		unknown, refused bool
	}{
		{"an answer", accepted, nil, after(200), false, false},
		{"no connection", accepted, errors.New("connection refused"), after(200), false, false},
		{"a server that restarts", accepted, &forward.Refusal{Reason: wire.ReasonUnavailable}, after(200), false, false},
		{"not found", accepted, &forward.Refusal{Reason: wire.ReasonNotFound}, after(200), true, false},
		{"no right to connect", waiting, &forward.AccessError{}, after(1), false, true},
		{"forbidden while it waits for its turn", waiting, forbidden, after(3600), true, false},
		{"forbidden a moment after its turn came", accepted, forbidden, after(104), true, false},
		{"forbidden since its turn came", accepted, forbidden, after(105), false, true},
	} {
		if unknown, refused := c.of.judge(c.err, c.at); unknown != c.unknown || refused != c.refused {
			t.Errorf("%s: unknown %t, refused %t", c.what, unknown, refused)
		}
	}
}

func TestARefusalIsBelievedForAWhileAndOfOneRunAlone(t *testing.T) {
	of := target{}.aimedAt(runWith("u", v1alpha1.ConditionAccepted), after(0))
	of.refused = after(10)
	for _, c := range []struct {
		what string
		of   target
		at   time.Time
		want bool
	}{
		{"nothing to ask for", of.aimedAt(nil, after(11)), after(11), false},
		{"a moment later", of.aimedAt(runWith("u"), after(11)), after(11), false},
		{"much later", of.aimedAt(runWith("u"), after(40)), after(40), true},
		{"another run", of.aimedAt(runWith("v"), after(11)), after(11), true},
	} {
		if got := c.of.due(c.at); got != c.want {
			t.Errorf("%s: due %t", c.what, got)
		}
	}
	if next := of.aimedAt(runWith("v"), after(11)); !next.accepted.IsZero() {
		t.Errorf("%+v knows the other run's turn", next)
	}
}

// results answers each request with an error.
type results struct {
	err   error
	asked int
	first func() // before the answer
}

func (r *results) Ask(context.Context, string, any) error {
	if r.asked++; r.first != nil {
		r.first()
	}
	return r.err
}

func TestARunThatWaitsForItsTurnIsAskedForAgain(t *testing.T) {
	server := &results{err: &forward.Refusal{Reason: wire.ReasonForbidden}}
	var told []liveAnswer
	p := &poller{results: server, send: func(message any) { told = append(told, message.(liveAnswer)) }}
	p.aim(runWith("u"))
	for range 2 {
		if err := p.askLive(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if server.asked != 2 || len(told) != 2 || told[1].err != nil || told[1].refused || told[1].live != nil {
		t.Errorf("asked %d times, told %+v", server.asked, told)
	}
}

func TestWhoeverIsRefusedIsNotRefusedEachSecond(t *testing.T) {
	server := &results{err: &forward.AccessError{}}
	var told []liveAnswer
	p := &poller{results: server, send: func(message any) { told = append(told, message.(liveAnswer)) }}
	p.aim(runWith("u"))
	for range 2 {
		_ = p.askLive(t.Context())
	}
	if server.asked != 1 || len(told) != 1 || !told[0].refused {
		t.Errorf("asked %d times, told %+v", server.asked, told)
	}
	server.first = func() { p.aim(runWith("w")) } // it is the next one's turn while the answer is on its way
	p.aim(runWith("v"))
	_ = p.askLive(t.Context())
	if server.asked != 2 || !p.aimed().refused.IsZero() {
		t.Errorf("asked %d times, %+v", server.asked, p.aimed())
	}
}
