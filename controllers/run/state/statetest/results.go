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

// Refusing is a results server that answers everything with an error.
type Refusing struct{ Err error }

func (r Refusing) EstimateClock(context.Context, int) (bundle.Clock, error) {
	return bundle.Clock{}, r.Err
}

func (r Refusing) Check(context.Context, string, []byte) error { return r.Err }

func (r Refusing) Register(context.Context, string, []byte) error { return r.Err }

func (r Refusing) Withdraw(context.Context, string) error { return r.Err }

func (r Refusing) StartIn(context.Context, string, string, time.Duration) (bundle.Start, error) {
	return bundle.Start{}, r.Err
}

func (r Refusing) PutFaults(context.Context, string, []byte) error { return r.Err }

func (r Refusing) MakeReport(context.Context, string) ([]byte, error) { return nil, r.Err }
