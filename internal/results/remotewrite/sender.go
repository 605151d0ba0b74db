package remotewrite

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Run is one that has its report.
type Run struct {
	UID    string
	Folder string
	// Mark keeps the content of MarkFile. Its error is fs.ErrNotExist if the run is gone.
	Mark func(content []byte) error
}

const (
	firstBackOff = time.Second
	maxBackOff   = time.Minute
)

// Sender sends one run after the other, one request at a time. Nobody waits for it.
type Sender struct {
	target   Target
	reported func() []Run // the oldest first
	log      *slog.Logger
	metrics  metrics
	woken    chan struct{}
	pause    func(ctx context.Context, length time.Duration)
	away     bool // the last attempt failed, which was logged

	mu   sync.Mutex
	over map[string]bool // by UID: nothing is to be sent any more
}

// New needs a target that was checked, and a function that lists the runs that have their reports, the oldest first.
func New(target Target, reported func() []Run, log *slog.Logger, registerer prometheus.Registerer) *Sender {
	s := &Sender{target: target, reported: reported, log: log, woken: make(chan struct{}, 1), pause: pause, over: map[string]bool{}}
	s.metrics = newMetrics(registerer, func() float64 { return float64(len(s.pending())) })
	return s
}

// Wake says that there may be another report. It never waits. A nil sender sends nothing.
func (s *Sender) Wake() {
	if s == nil {
		return
	}
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// Send goes on until ctx ends. A run that fails lets the others pass.
func (s *Sender) Send(ctx context.Context) {
	backOff := firstBackOff
	for ctx.Err() == nil {
		pending := s.pending()
		for _, r := range pending {
			err := s.sendRun(ctx, r)
			if ctx.Err() != nil {
				return
			}
			if err == nil {
				backOff = firstBackOff
				continue
			}
			length := backOff
			var asked *notNow
			if errors.As(err, &asked) {
				length = max(length, asked.after)
			}
			s.pause(ctx, length)
			backOff = min(2*backOff, maxBackOff)
		}
		if len(pending) > 0 {
			continue
		}
		select {
		case <-ctx.Done():
		case <-s.woken:
		}
	}
}

func pause(ctx context.Context, length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// pending are the runs that are still to be sent.
func (s *Sender) pending() (left []Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	over := map[string]bool{}
	for _, r := range s.reported() {
		if s.over[r.UID] || readMark(r.Folder).Over {
			over[r.UID] = true
		} else {
			left = append(left, r)
		}
	}
	s.over = over
	return left
}

// sendRun sends what is missing of a run. An error is one that another try may not have.
func (s *Sender) sendRun(ctx context.Context, r Run) error {
	m := readMark(r.Folder)
	err := s.sendRest(ctx, r, &m)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var refused *refusal
	var bad *unusable
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist): // all was sent, or the run is gone
		m.Over = true
	case errors.As(err, &refused):
		s.giveUp(r, &m, reasonRefused, err)
	case errors.As(err, &bad):
		s.giveUp(r, &m, reasonUnusable, err)
	default:
		s.metrics.failures.WithLabelValues(reasonAway).Inc()
		if !s.away {
			s.log.Warn("figures can't be sent by remote write; they are kept, and sent later", "run", r.UID, "host", s.target.host(), "error", err)
		}
		s.away = true
		return err
	}
	s.end(r, m)
	return nil
}

func (s *Sender) giveUp(r Run, m *mark, reason string, cause error) {
	s.metrics.failures.WithLabelValues(reason).Inc()
	s.log.Error("the rest of a run's figures is not sent by remote write", "run", r.UID, "sent", m.Samples, "reason", reason, "error", cause)
	m.Over, m.Trouble = true, cause.Error()
}

// sendRest sends the samples that m doesn't count yet.
func (s *Sender) sendRest(ctx context.Context, r Run, m *mark) error {
	all, err := read(r.Folder)
	if err != nil || len(all) == 0 {
		return err
	}
	c, err := s.target.connect()
	if err != nil {
		return err
	}
	defer c.close()
	for {
		next, samples := batch(all, m.Samples)
		if samples == 0 {
			return nil
		}
		if err := c.send(ctx, encode(next)); err != nil {
			return err
		}
		if s.away {
			s.log.Info("figures are sent by remote write again", "run", r.UID)
			s.away = false
		}
		s.metrics.samples.Add(float64(samples))
		m.Samples += samples
		if err := s.keep(r, *m); err != nil {
			return err
		}
	}
}

func (s *Sender) end(r Run, m mark) {
	_ = s.keep(r, m) // a run that is gone is over
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over[r.UID] = true
}

// keep tells the next attempt, of this process or the one after it.
// keep writes the mark. Its error is fs.ErrNotExist if the run is gone.
func (s *Sender) keep(r Run, m mark) error {
	content, err := json.Marshal(m)
	if err == nil {
		err = r.Mark(content)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil {
		s.log.Error("how much of a run was sent by remote write can't be kept, so it may be sent again", "run", r.UID, "error", err)
	}
	return nil
}
