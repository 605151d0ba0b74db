package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/resource"
	authentication "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorization "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"

	"github.com/kvbench/kvbench/internal/cgroupfs"
	"github.com/kvbench/kvbench/internal/monotonic"
	"github.com/kvbench/kvbench/internal/results"
	"github.com/kvbench/kvbench/internal/results/apiserver"
	"github.com/kvbench/kvbench/internal/results/callers"
	"github.com/kvbench/kvbench/internal/results/certificates"
	"github.com/kvbench/kvbench/internal/results/listenlimit"
	"github.com/kvbench/kvbench/internal/results/merging"
	"github.com/kvbench/kvbench/internal/results/remotewrite"
	"github.com/kvbench/kvbench/internal/version"
)

const (
	sweepEvery    = time.Minute
	shutdownLimit = 10 * time.Second
)

type resultsOptions struct {
	listen, metrics  string
	health           string
	data             string
	tlsCert, tlsKey  string
	audience         string
	policy           callers.Policy
	keepAge          time.Duration
	keepBytes        string
	runBytes         string
	reserveBytes     string
	maxRuns          int
	reviewsPerSecond float32
	remoteWrite      remotewrite.Target
}

func newResultsCommand() *cobra.Command {
	var o resultsOptions
	command := &cobra.Command{
		Use:   "results",
		Short: "Keep the bundles of runs, give out starts, merge and serve reports",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	limits := results.DefaultLimits()
	flags := command.Flags()
	flags.StringVar(&o.listen, "listen", ":8443", "address of the API (HTTPS)")
	flags.StringVar(&o.metrics, "metrics", ":8080", "address of /metrics (HTTP)")
	flags.StringVar(&o.health, "health", ":8081", "address of /healthz and /readyz (HTTP), apart from the API, so that its callers can't keep probes out")
	flags.StringVar(&o.data, "data", "/data", "folder of the bundles")
	flags.StringVar(&o.tlsCert, "tls-cert", "", "file of the server's certificate (PEM); read again when it changes")
	flags.StringVar(&o.tlsKey, "tls-key", "", "file of the certificate's key (PEM)")
	flags.StringVar(&o.audience, "audience", "kvbench", "audience that callers' tokens must have")
	flags.StringSliceVar(&o.policy.Controllers, "controller", []string{"system:serviceaccount:kvbench-system:kvbench-controller"}, "users that may do everything")
	flags.StringSliceVar(&o.policy.Readers, "reader", []string{"system:serviceaccount:kvbench-system:kvbench-reader"}, "users that may read everything; others read what RBAC lets them get")
	flags.DurationVar(&o.keepAge, "keep-age", 720*time.Hour, "how long a run is kept after its last change, not counting the time in which no server runs; 0 is for ever")
	flags.StringVar(&o.keepBytes, "keep-bytes", "5Gi", "how much all runs may take before the oldest are removed; 0 is no bound")
	flags.StringVar(&o.runBytes, "run-bytes", "4Gi", "how much one run may take")
	flags.StringVar(&o.reserveBytes, "reserve-bytes", "256Mi", "free space of the volume below which new runs are refused")
	flags.IntVar(&o.maxRuns, "max-runs", limits.Runs, "how many runs may be kept")
	flags.Float32Var(&o.reviewsPerSecond, "reviews-per-second", 50, "how many tokens may be reviewed in a second; answers are kept for a minute")
	flags.StringVar(&o.remoteWrite.URL, "remote-write-url", "", "address that takes the figures of reports by Prometheus' remote write; empty is none")
	flags.StringVar(&o.remoteWrite.Secret, "remote-write-secret", "", "folder with the files token, username, password, headers and ca.crt for it, as far as it needs them")
	return command
}

// config resolves the flags to what the server needs.
func (o *resultsOptions) config(log *slog.Logger) (results.Config, error) {
	config := results.Config{Data: o.data, Limits: results.DefaultLimits(), Policy: o.policy, KeepAge: o.keepAge,
		Now: monotonic.Now, Log: log}
	program, err := os.Executable()
	if err != nil {
		return config, fmt.Errorf("looking for this program's own file: %w", err)
	}
	config.Report = merging.New(results.MergeMemory(cgroupfs.MemoryLimit(), config.Limits.Merges), program, mergeCommand).Merge
	config.Limits.Runs = o.maxRuns
	var reserve int64
	for _, size := range []struct {
		flag, value string
		into        *int64
	}{
		{"keep-bytes", o.keepBytes, &config.KeepBytes},
		{"run-bytes", o.runBytes, &config.Limits.BytesPerRun},
		{"reserve-bytes", o.reserveBytes, &reserve},
	} {
		quantity, err := resource.ParseQuantity(size.value)
		if err != nil || quantity.Sign() < 0 {
			return config, fmt.Errorf("--%s=%s is not a size such as 512Mi or 5Gi", size.flag, size.value)
		}
		*size.into = quantity.Value()
	}
	config.Limits.ReserveBytes = uint64(reserve)
	if o.remoteWrite.URL != "" {
		if err := o.remoteWrite.Check(); err != nil {
			return config, fmt.Errorf("--remote-write-url: %w", err)
		}
		config.RemoteWrite = &o.remoteWrite
	}
	return config, nil
}

func (o *resultsOptions) run(ctx context.Context) error {
	results.LimitMemory(cgroupfs.MemoryLimit())
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	config, err := o.config(log)
	if err != nil {
		return err
	}
	certificates, err := certificates.Load(o.tlsCert, o.tlsKey, log)
	if err != nil {
		return err
	}
	if err := o.askAPIServer(&config); err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), version.Metric())
	config.Registerer = registry
	server, err := results.New(config)
	if err != nil {
		return err
	}
	api := results.HTTPServer(server, config.Limits, certificates.Certificate, log)
	api.RegisterOnShutdown(server.Release)
	metrics := &http.Server{Handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}),
		ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 8 << 10}
	err = o.serve(ctx, server, api, metrics, config.Limits, log)
	return errors.Join(err, server.Close())
}

// healthServer answers probes alone.
func healthServer(server http.Handler) *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /healthz", server)
	mux.Handle("GET /readyz", server)
	return &http.Server{Handler: mux, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, IdleTimeout: 30 * time.Second, MaxHeaderBytes: 8 << 10}
}

// serve answers until ctx ends, then lets what is under way end.
func (o *resultsOptions) serve(ctx context.Context, server *results.Server, api, metrics *http.Server, limits results.Limits, log *slog.Logger) error {
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("listen for the API: %w", err)
	}
	metricsListener, err := net.Listen("tcp", o.metrics)
	if err != nil {
		return errors.Join(fmt.Errorf("listen for metrics: %w", err), listener.Close())
	}
	healthListener, err := net.Listen("tcp", o.health)
	if err != nil {
		return errors.Join(fmt.Errorf("listen for probes: %w", err), listener.Close(), metricsListener.Close())
	}
	health := healthServer(server)
	log.Info("the results server is ready", "api", listener.Addr().String(), "metrics", metricsListener.Addr().String(), "data", o.data)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return unlessClosed(api.ServeTLS(listenlimit.New(listener, limits.Connections, limits.ConnectionsPerSource), "", ""))
	})
	group.Go(func() error { return unlessClosed(metrics.Serve(listenlimit.New(metricsListener, 16, 8))) })
	group.Go(func() error { return unlessClosed(health.Serve(healthListener)) })
	group.Go(func() error {
		ticker := time.NewTicker(sweepEvery)
		defer ticker.Stop()
		server.Retain(ctx, ticker.C)
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownLimit)
		defer cancel()
		return errors.Join(api.Shutdown(limited), metrics.Shutdown(limited), health.Shutdown(limited))
	})
	return group.Wait()
}

func unlessClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// askAPIServer has the cluster that this process runs in say who calls, and what callers may do.
func (o *resultsOptions) askAPIServer(config *results.Config) error {
	cluster, err := rest.InClusterConfig()
	if err != nil {
		return fmt.Errorf("the results server reviews tokens at the API server of its cluster, so it runs in a pod: %w", err)
	}
	cluster.QPS, cluster.Burst = o.reviewsPerSecond, int(2*o.reviewsPerSecond)
	tokens, err := authentication.NewForConfig(cluster)
	if err != nil {
		return fmt.Errorf("make a client for token reviews: %w", err)
	}
	access, err := authorization.NewForConfig(cluster)
	if err != nil {
		return fmt.Errorf("make a client for access reviews: %w", err)
	}
	config.Reviewer = &apiserver.Reviewer{Reviews: tokens.TokenReviews(), Audience: o.audience}
	config.Authorizer = &apiserver.Authorizer{Reviews: access.SubjectAccessReviews()}
	return nil
}

const mergeCommand = "merge-report"

// newMergeCommand is what the results server starts for each report that it makes.
func newMergeCommand() *cobra.Command {
	return &cobra.Command{
		Use:    mergeCommand,
		Short:  "Make a report within bounds, for the results server",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(*cobra.Command, []string) error { return merging.Serve(os.Stdin, os.Stdout) },
	}
}
