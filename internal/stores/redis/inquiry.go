package redis

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/kvbench/kvbench/internal/stores/redis/resp"
)

// The time between two questions to a Sentinel, or to a member of a cluster. While operations fail for want of a
// primary it is short: what is asked late is found late, and would be taken for the store's outage.
const (
	askEvery       = 100 * time.Millisecond
	askEveryUrgent = 20 * time.Millisecond
	// urgentFor is how long the questions are urgent after an operation failed.
	urgentFor = time.Second
	// askTimeout is when an answer is given up: the one that was asked may be cut off.
	askTimeout = time.Second
)

// inquiry is how often a driver asks who has the data. The zero value is ready.
type inquiry struct {
	urgent atomic.Pointer[time.Time] // until then
}

// consider looks at how an operation ended that found somebody to ask.
func (i *inquiry) consider(answers *resp.Answer, err error) {
	if err != nil {
		i.hurry()
		return
	}
	for command := range answers.Len() {
		if refused := answers.Of(command).Err(); refused != nil && slices.Contains(displacements, codeOf(refused)) {
			i.hurry()
			return
		}
	}
}

// displacements are the refusals of a member that doesn't have the data, or not any more.
var displacements = []string{"READONLY", "MASTERDOWN", "LOADING", "NOREPLICAS", "CLUSTERDOWN", "MOVED", "TRYAGAIN"}

// hurry says that an operation found no primary, or lost it.
func (i *inquiry) hurry() {
	until := time.Now().Add(urgentFor)
	i.urgent.Store(&until)
}

// pause is the time until the next question.
func (i *inquiry) pause(now time.Time) time.Duration {
	if until := i.urgent.Load(); until != nil && now.Before(*until) {
		return askEveryUrgent
	}
	return askEvery
}

// repeat asks again and again until ctx ends.
func (i *inquiry) repeat(ctx context.Context, p *peer, ask func(context.Context, *peer)) {
	defer p.drop()
	for {
		begun := time.Now()
		once, cancel := context.WithTimeout(ctx, askTimeout)
		ask(once, p)
		cancel()
		next := time.NewTimer(time.Until(begun.Add(i.pause(time.Now()))))
		select {
		case <-next.C:
		case <-ctx.Done():
			next.Stop()
			return
		}
	}
}
