package hazelcast

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
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

// safety knows whether the partitions have all of their copies, as a member sees it. The member is asked
// after each change of the members, or of who owns what, until it is so. It is safe for concurrent use.
type safety struct {
	url     string
	client  *http.Client
	changes atomic.Int64 // so many of them, and how many were over when it was so
	over    atomic.Int64
	wake    chan struct{}
	start   sync.Once
	stop    context.CancelFunc
	ctx     context.Context
	ended   sync.WaitGroup
}

func newSafety(address string) *safety {
	ctx, cancel := context.WithCancel(context.Background())
	return &safety{
		url: "http://" + address + "/hazelcast/health/cluster-safe", client: &http.Client{Timeout: safetyTimeout, Transport: &http.Transport{DisableKeepAlives: true}},
		wake: make(chan struct{}, 1), stop: cancel, ctx: ctx,
	}
}

// upset notes a change.
func (s *safety) upset() {
	s.changes.Add(1)
	s.start.Do(func() { s.ended.Go(s.watch) })
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
}

// settled says that all copies are there since the last change.
func (s *safety) settled() bool { return s.over.Load() == s.changes.Load() }

func (s *safety) close() {
	s.stop()
	s.start.Do(func() {}) // or it would begin now
	s.ended.Wait()
	s.client.CloseIdleConnections()
}

func (s *safety) watch() {
	again := time.NewTicker(safetyEvery)
	defer again.Stop()
	safe, since := 0, int64(0)
	for {
		if s.settled() {
			select {
			case <-s.wake:
			case <-s.ctx.Done():
				return
			}
		}
		changes := s.changes.Load()
		if changes != since {
			safe, since = 0, changes
		}
		switch s.ask() {
		case copiesAreThere:
			if safe++; safe >= safetyLooks {
				s.over.Store(changes)
				continue
			}
		case notTold:
			s.over.Store(changes)
			continue
		case copiesAreMissing:
			safe = 0
		}
		select {
		case <-again.C:
		case <-s.ctx.Done():
			return
		}
	}
}

// answer is what a member says of the copies.
type answer uint8

const (
	copiesAreMissing answer = iota
	copiesAreThere
	notTold // its REST API is off, which the catalog's chart has on: what it can't say keeps nothing up
)

// ask asks for Hazelcast's own word for it
// (https://docs.hazelcast.com/hazelcast/5.4/maintain-cluster/monitoring#health-check). It ends the connection
// where that is off.
func (s *safety) ask() answer {
	request, err := http.NewRequestWithContext(s.ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return notTold
	}
	response, err := s.client.Do(request)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return notTold
	case err != nil:
		return copiesAreMissing // who answers late, or not at all, isn't well either
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
		return copiesAreThere
	case http.StatusServiceUnavailable:
		return copiesAreMissing
	}
	return notTold
}
