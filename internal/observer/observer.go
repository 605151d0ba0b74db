// Package observer watches the members of a run's store: who answers, who leads, and in which term. It
// writes changes as topology lines into the run's bundle. When it is asked, it looks at once and answers
// with what it sees.
//
// It judges only the topology itself (Judge). The report judges what the topology means for a fault.
package observer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/ship"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// Server is the part of the results server's client that an observer needs.
type Server interface {
	ship.Server
	Claim(ctx context.Context, uid string, w bundle.Writer) error
	EstimateClock(ctx context.Context, n int) (bundle.Clock, error)
}

// Options say what to observe, and where to tell it.
type Options struct {
	Plan    *plan.Plan
	Client  Server
	Writer  bundle.Writer // role observer
	DataDir string
	Listen  string // address of the HTTP server
	// Every is the time from one sample to the next, Timeout how long a member may take
	// to answer one. 0 means 100 ms and 250 ms.
	Every, Timeout time.Duration
	// Credentials are what the members ask for; nil where they ask for nothing.
	Credentials *stores.Credentials
	// Now is the clock that Client.EstimateClock estimates; nil means time.Now.
	Now func() time.Time
	// Say takes a line about trouble; nil drops it.
	Say func(format string, args ...any)
}

const (
	clockExchanges = 8
	// clockEvery is how long a clock that was set, or a machine that stood still, may go
	// unseen, and so what is left of it at the report.
	clockEvery = 10 * time.Second
	retryPause = 500 * time.Millisecond
	// patience bounds the attempts to begin. Ended with an error, the container is started
	// again, and the pod tells everybody what it waits for.
	patience = 4 * time.Minute
)

// Run observes until ctx ends, then ships what is left, marks its file as complete and
// returns nil. Once the run has its report it only waits for that end. It is an error when the members can't be observed at all, when the lines
// can't be written, or when the results server refuses for good.
//
// Its container may be restarted in its pod: it goes on with the same file.
func Run(ctx context.Context, options Options) error {
	options = withDefaults(options)
	listener, err := net.Listen("tcp", options.Listen)
	if err != nil {
		return fmt.Errorf("observe the members: %w", err)
	}
	defer listener.Close()
	members, err := open(options.Plan, options.Credentials)
	if err != nil {
		return err
	}
	defer members.Close()
	return run(ctx, options, members, listener)
}

func withDefaults(o Options) Options {
	if o.Every == 0 {
		o.Every = 100 * time.Millisecond
	}
	if o.Timeout == 0 {
		o.Timeout = 250 * time.Millisecond
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	return o
}

// open connects to the members of the plan, with the observer of its driver.
func open(p *plan.Plan, credentials *stores.Credentials) (stores.Observer, error) {
	entry, ok := catalog.Find(p.Store.Driver)
	if !ok {
		return nil, fmt.Errorf("no store called %q can be observed: this program knows %v", p.Store.Driver, catalog.Names())
	}
	members, err := entry.Observe(configOf(p, credentials))
	if err != nil {
		return nil, fmt.Errorf("observe the members: %w", err)
	}
	return members, nil
}

func configOf(p *plan.Plan, credentials *stores.Credentials) stores.Config {
	config := stores.Config{Mode: p.Store.Mode, Properties: p.Store.Properties, Shared: byOthers(p), Credentials: credentials}
	for _, member := range p.Store.Members {
		config.Names = append(config.Names, member.Name)
		config.Addresses = append(config.Addresses, member.Address)
	}
	return config
}

func run(ctx context.Context, options Options, members stores.Observer, listener net.Listener) error {
	file, err := ship.Continue(options.DataDir, options.Writer.File(bundle.Jsonl))
	if err != nil {
		return err
	}
	defer file.Close()
	watch := newWatch(options, members)
	shipper := ship.New(options.Client, options.Plan.Run.UID, options.Say, file)

	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { return serve(running, listener, watch.handler()) })
	group.Go(func() error {
		if err := register(running, options, watch); err != nil {
			return err
		}
		group.Go(func() error { return keepClock(running, options, watch) })
		group.Go(func() error { return shipper.Run(running) })
		group.Go(func() error { return watch.meter(running) })
		if mayRepair(options.Plan) {
			group.Go(func() error { return watch.repair(running, byOthers(options.Plan), options.Say) })
		}
		return watch.record(running, file)
	})
	err = group.Wait()
	if errors.Is(err, client.ErrReported) {
		// A run that is retained keeps its pods. To end would have this one restarted again and again.
		options.Say("the run has its report, so there is nothing more to observe")
		<-ctx.Done()
		return nil
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	finishing, cancel := context.WithTimeout(context.WithoutCancel(ctx), plan.LastShipping)
	defer cancel()
	return shipper.Finish(finishing)
}

// register claims the role and estimates the clock, without which no line can be stamped.
// It waits for a results server that is away, for a time.
func register(ctx context.Context, options Options, watch *watch) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := options.Client.Claim(ctx, options.Plan.Run.UID, options.Writer)
		if err == nil {
			err = watch.setClock(ctx, options.Client)
		}
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		if !client.Transient(err) {
			return fmt.Errorf("begin to observe: %w", err)
		}
		options.Say("the results server is tried again: %v", err)
		if wait(limited, retryPause) != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("begin to observe: tried for %s: %w", patience, err)
		}
	}
}

// keepClock estimates the clock again and again; one that fails leaves the last.
func keepClock(ctx context.Context, options Options, watch *watch) error {
	for wait(ctx, clockEvery) == nil {
		if err := watch.setClock(ctx, options.Client); err != nil {
			options.Say("the clock's last estimate stays: %v", err)
		}
	}
	return ctx.Err()
}

func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the observer's HTTP: %w", err)
	}
	return ctx.Err()
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
