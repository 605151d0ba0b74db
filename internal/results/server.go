package results

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kvbench/kvbench/internal/results/callers"
	"github.com/kvbench/kvbench/internal/results/remotewrite"
	"github.com/kvbench/kvbench/internal/results/stream"
	"github.com/kvbench/kvbench/internal/results/suites"
)

// Config is what a server needs. All of it is required but Registerer and RemoteWrite.
type Config struct {
	Data       string // the folder, on a volume of its own
	Limits     Limits
	Policy     callers.Policy
	KeepAge    time.Duration // 0: for ever
	KeepBytes  int64         // of all runs together; 0: no bound
	Reviewer   callers.Reviewer
	Authorizer callers.Authorizer
	Report     MergeFunc
	Now        func() time.Time // should not jump while the process lives
	Log        *slog.Logger
	Registerer prometheus.Registerer
	// RemoteWrite is where the figures of reports are sent; nil is nowhere.
	RemoteWrite *remotewrite.Target
	// Free is the space left on the volume, and Size all of it, in bytes; nil asks the file system.
	Free, Size func() (uint64, error)
	disk       *disk // nil: as the operating system has it
}

// Server answers the requests. It may be killed at any time: Close gives back the data
// folder and nothing else.
type Server struct {
	config   Config
	registry *registry
	auth     *authenticator
	grants   *callers.Grants
	metrics  *metrics
	mux      *http.ServeMux
	uploads  chan struct{} // slots, as are the next six
	digests  chan struct{}
	merges   chan struct{}
	archives chan struct{}
	views    chan struct{}
	answers  chan struct{} // computed for suites
	pins     chan struct{} // baselines that somebody sends
	suites   *suites.Store
	feeds    *stream.Feeds // of runs that are watched
	figures  *remotewrite.Sender

	// life ends when requests that wait must end, and merges with them.
	life       context.Context
	endLife    context.CancelFunc
	background sync.WaitGroup // merges, and the sending of figures
}

// New opens the data folder, which no other process may have open.
func New(config Config) (*Server, error) {
	if config.Free == nil {
		config.Free = func() (uint64, error) { return freeBytes(config.Data) }
	}
	if config.Size == nil {
		config.Size = func() (uint64, error) { return sizeBytes(config.Data) }
	}
	if config.disk == nil {
		config.disk = realDisk()
	}
	registry, err := openRegistry(&config)
	if err != nil {
		return nil, err
	}
	kept, err := suites.Open(filepath.Join(config.Data, suitesFolder), config.disk.replace, registry.ages.now, config.Log)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the suites below %s: %w", config.Data, err), registry.lock.Close())
	}
	registry.wanted = kept.Wanted
	life, endLife := context.WithCancel(context.Background())
	s := &Server{
		config:   config,
		registry: registry,
		metrics:  newMetrics(config.Registerer, registry),
		mux:      http.NewServeMux(),
		uploads:  make(chan struct{}, config.Limits.Uploads),
		digests:  make(chan struct{}, config.Limits.Digests),
		merges:   make(chan struct{}, config.Limits.Merges),
		archives: make(chan struct{}, config.Limits.Downloads),
		views:    make(chan struct{}, config.Limits.Views),
		answers:  make(chan struct{}, 1),
		pins:     make(chan struct{}, 1),
		suites:   kept,
		feeds:    stream.NewFeeds(config.Limits.Followed, feedLinger),
		life:     life,
		endLife:  endLife,
	}
	s.auth = &authenticator{
		reviewer: config.Reviewer,
		now:      config.Now,
		slots:    make(chan struct{}, config.Limits.Reviews),
		waiting:  make(chan struct{}, callers.MaxWaiting),
		counted:  func(answer string) { s.metrics.reviews.WithLabelValues(answer).Inc() },
		valid:    callers.NewCache[[sha256.Size]byte, callers.Identity](config.Limits.CachedTokens, reviewTTL),
		invalid:  callers.NewCache[[sha256.Size]byte, callers.Identity](config.Limits.CachedTokens, reviewTTL),
	}
	s.grants = callers.NewGrants(config.Authorizer, config.Now, config.Limits.CachedTokens, reviewTTL, config.Limits.Reviews, reviewLimit)
	s.routes()
	if config.RemoteWrite != nil {
		s.figures = remotewrite.New(*config.RemoteWrite, registry.reported, config.Log, config.Registerer)
		s.background.Go(func() { s.figures.Send(life) })
	}
	return s, nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Release ends the requests that only wait, and the merges, so that a shutdown needn't wait for them.
func (s *Server) Release() { s.endLife() }

// Close gives the data folder back.
func (s *Server) Close() error {
	s.Release()
	s.feeds.Close()
	s.background.Wait()
	return s.registry.lock.Close()
}

// Retain keeps to the limits of age and size until ctx ends.
func (s *Server) Retain(ctx context.Context, every <-chan time.Time) {
	for {
		s.sweep()
		select {
		case <-ctx.Done():
			return
		case <-every:
		}
	}
}

func (s *Server) sweep() {
	if err := s.registry.noteAges(); err != nil {
		s.config.Log.Error("how old the runs are can't be kept, so they may stay longer than they should", "error", err)
	}
	removed, err := s.registry.sweep(s.config.KeepAge, s.config.KeepBytes)
	s.metrics.forgotten.Add(float64(removed))
	if err != nil {
		s.config.Log.Error("old runs can't be removed", "error", err)
	}
	if err := s.suites.Sweep(s.config.KeepAge); err != nil {
		s.config.Log.Error("old suites can't be removed", "error", err)
	}
}

// take waits for a slot; release gives it back.
func take(ctx context.Context, slots chan struct{}) (release func(), err error) {
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, errors.Join(errBusy, ctx.Err())
	}
}
