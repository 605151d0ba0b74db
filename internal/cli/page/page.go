// Package page makes the HTML page of a run from what the results server keeps.
package page

import (
	"context"
	"errors"

	"github.com/kvbench/kvbench/internal/report/page"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// getter downloads a document from the results server.
type getter interface {
	Get(ctx context.Context, path string) ([]byte, error)
}

// Of makes the page of the run at the location, whose report it is given. Without charts the page has the report's figures
// alone, and says so.
func Of(ctx context.Context, results getter, location string, report []byte) ([]byte, error) {
	charts, err := Charts(ctx, results, location)
	if err != nil {
		return nil, err
	}
	return page.Run(report, charts)
}

// Charts are those of the run at the location; nil if there are none. Servers of earlier versions kept none, and some runs have none.
func Charts(ctx context.Context, results getter, location string) ([]byte, error) {
	charts, err := results.Get(ctx, location+forward.Charts)
	var refused *forward.Refusal
	if errors.As(err, &refused) && refused.Reason == wire.ReasonNotFound {
		return nil, nil
	}
	return charts, err
}
