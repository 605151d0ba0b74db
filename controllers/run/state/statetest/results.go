package statetest

import (
	"context"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	results "github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
)

var (
	ErrNoRoom  = &results.Error{Status: 507, Problem: wire.Problem{Error: "the results server's volume is full: enlarge it", Reason: wire.ReasonFull}}
	ErrAway    = &results.Error{Status: 503, Problem: wire.Problem{Error: "busy", Reason: wire.ReasonUnavailable}}
	ErrMerging = &results.Error{Status: 503, Problem: wire.Problem{Error: "the report is being made", Reason: wire.ReasonMerging}}
	ErrToken   = &results.Error{Status: 401, Problem: wire.Problem{Error: "the token is expired", Reason: wire.ReasonUnauthenticated}}
)

// FailingResults is a results server that answers everything with an error.
type FailingResults struct{ Err error }

func (r FailingResults) EstimateClock(context.Context, int) (bundle.Clock, error) {
	return bundle.Clock{}, r.Err
}

func (r FailingResults) Check(context.Context, string, []byte) error { return r.Err }

func (r FailingResults) Register(context.Context, string, []byte) error { return r.Err }

func (r FailingResults) Withdraw(context.Context, string) error { return r.Err }

func (r FailingResults) StartIn(context.Context, string, string, time.Duration) (bundle.Start, error) {
	return bundle.Start{}, r.Err
}

func (r FailingResults) PutEnvironment(context.Context, string, []byte) error { return r.Err }

func (r FailingResults) PutFaults(context.Context, string, []byte) error { return r.Err }

func (r FailingResults) MakeReport(context.Context, string) ([]byte, error) { return nil, r.Err }
