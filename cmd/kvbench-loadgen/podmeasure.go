package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/loadgen"
)

func newMeasureCommand() *cobra.Command {
	var flags workloadFlags
	var listen string
	command := &cobra.Command{
		Use:   "measure",
		Short: "Measure: claim the index, arm, wait for the start, drive the store, ship",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			job, err := flags.connectedJob()
			if err != nil {
				return err
			}
			if job.Trace, err = flags.trace(job); err != nil {
				return err
			}
			server, err := serve(listen, job)
			if err != nil {
				return err
			}
			defer server.Close()
			return job.Measure(c.Context())
		},
	}
	flags.add(command.Flags())
	command.Flags().StringVar(&listen, "listen", ":8080", "address of /readyz (armed), /healthz and /metrics")
	return command
}

// serve answers probes and Prometheus while the job runs.
func serve(listen string, job *loadgen.Job) (*http.Server, error) {
	var armed atomic.Bool
	job.Armed = func() {
		armed.Store(true)
		say("armed: worker %d of workload %q waits for its start", job.Index, job.Workload.Name)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", job.Metrics.Handler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !armed.Load() {
			http.Error(w, "not armed yet", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "armed")
	})
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("listen for probes: %w", err)
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			say("probes are no longer answered: %v", err)
		}
	}()
	return server, nil
}
