package hazelcast

import (
	"context"
	"errors"
	"io"
	"net/http"
	"syscall"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

const (
	// safetyEvery is how often a member is asked whether its partitions have all of their copies, while
	// they haven't.
	safetyEvery   = 500 * time.Millisecond
	safetyTimeout = 5 * time.Second
	// safetyLooks are how many answers in a row, without a change in between, have to say so: a member
	// that has just joined is given its part a moment later.
	safetyLooks = 2
)

// safety knows whether the partitions have all of their copies, as a member sees it, since the last change
// of the members, or of who owns what.
type safety struct {
	*stores.Settling
	url    string
	client *http.Client
}

func newSafety(address string) *safety {
	s := &safety{
		url:    "http://" + address + "/hazelcast/health/cluster-safe",
		client: &http.Client{Timeout: safetyTimeout, Transport: &http.Transport{DisableKeepAlives: true}},
	}
	s.Settling = stores.NewSettling(safetyEvery, safetyLooks, s.ask)
	return s
}

// ask asks for Hazelcast's own word for it
// (https://docs.hazelcast.com/hazelcast/5.4/maintain-cluster/monitoring#health-check). It ends the connection
// where its REST API is off, which the catalog's chart has on.
func (s *safety) ask(ctx context.Context) stores.Standing {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return stores.NotTold
	}
	response, err := s.client.Do(request)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return stores.NotTold
	case err != nil:
		return stores.Unsettled // who answers late, or not at all, isn't well either
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
		return stores.Settled
	case http.StatusServiceUnavailable:
		return stores.Unsettled
	}
	return stores.NotTold
}
