package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/kvbench/kvbench/internal/loadgen"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// runFlags say which run a pod belongs to, and where its results go.
type runFlags struct {
	plan    string
	results string
	ca      string
	token   string
	podUID  string
	// credentials is the folder with those of the store.
	credentials string
	data        string
}

func (f *runFlags) add(flags *pflag.FlagSet) {
	f.addPlan(flags)
	flags.StringVar(&f.results, "results", "", "address of the results server, https://host:port")
	flags.StringVar(&f.ca, "results-ca", "/etc/kvbench/ca.crt", "file with the CA of the results server")
	flags.StringVar(&f.token, "token", "/var/run/secrets/kvbench/token", "file with the token for the results server")
	flags.StringVar(&f.podUID, "pod-uid", os.Getenv("POD_UID"), "this pod's UID (default: $POD_UID)")
	flags.StringVar(&f.data, "data", "/data", "folder for the files until they are shipped")
}

func (f *runFlags) addPlan(flags *pflag.FlagSet) {
	flags.StringVar(&f.plan, "plan", "/etc/kvbench/"+plan.FileName, "file with the run's plan")
	flags.StringVar(&f.credentials, "credentials", "/etc/kvbench-credentials", "folder with what the store asks for, if the plan says that it does")
}

func (f *runFlags) readPlan() (*plan.Plan, error) {
	text, err := os.ReadFile(f.plan)
	if err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	var p plan.Plan
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("read the plan %s: %w", f.plan, err)
	}
	if p.Format != plan.Format {
		return nil, fmt.Errorf("the plan %s has format %d, and this program reads %d: use images of one version", f.plan, p.Format, plan.Format)
	}
	return &p, nil
}

// connect makes the results server's client, whose clock is the caller's.
func (f *runFlags) connect(clock *loadgen.Clock) (*client.Client, error) {
	if f.podUID == "" {
		return nil, fmt.Errorf("--pod-uid is empty: set it, or POD_UID")
	}
	ca, err := os.ReadFile(f.ca)
	if err != nil {
		return nil, fmt.Errorf("read the CA of the results server: %w", err)
	}
	return client.New(client.Config{URL: f.results, CA: ca, Token: client.TokenFile(f.token), Now: clock.Now})
}

// workloadFlags add which part of which workload is the pod's.
type workloadFlags struct {
	runFlags
	workload   string
	files      string
	index      int
	shipWithin time.Duration
}

func (f *workloadFlags) add(flags *pflag.FlagSet) {
	f.runFlags.add(flags)
	f.addWorkload(flags)
	index, _ := strconv.Atoi(os.Getenv("JOB_COMPLETION_INDEX"))
	flags.DurationVar(&f.shipWithin, "ship-within", 5*time.Minute, "how long the results server may take, at the end, for what it lacks")
	flags.IntVar(&f.index, "index", index, "number of this worker, from 0 (default: $JOB_COMPLETION_INDEX)")
}

func (f *workloadFlags) addWorkload(flags *pflag.FlagSet) {
	flags.StringVar(&f.workload, "workload", "", "name of the workload in the plan")
	flags.StringVar(&f.files, "files", "/etc/kvbench-files", "folder with the plan's files")
}

// job is what the plan says of the workload, without the results server.
func (f *workloadFlags) job() (*loadgen.Job, error) {
	p, err := f.readPlan()
	if err != nil {
		return nil, err
	}
	workload, ok := p.FindWorkload(f.workload)
	if !ok {
		return nil, fmt.Errorf("the plan has no workload %q: name one of them with --workload", f.workload)
	}
	if f.index < 0 || f.index >= workload.Load.Workers {
		return nil, fmt.Errorf("--index=%d: workload %q has workers 0 to %d", f.index, f.workload, workload.Load.Workers-1)
	}
	store, ok := catalog.Find(p.Store.Driver)
	if !ok {
		return nil, fmt.Errorf("the plan's store is driven by %q, and this program drives %v", p.Store.Driver, catalog.Names())
	}
	credentials, err := stores.ReadCredentials(f.credentials, p.Store.Security)
	if err != nil {
		return nil, err
	}
	source, err := f.source(p, workload)
	if err != nil {
		return nil, err
	}
	return &loadgen.Job{
		Plan: p, Workload: workload, Index: f.index, PodUID: f.podUID, DataDir: f.data, Store: store, Source: source,
		Credentials: credentials,
		Clock:       loadgen.NewClock(time.Now), Metrics: loadgen.NewMetrics(p.Store.Name, workload.Name), Say: say, Armed: func() {},
		ShipWithin: f.shipWithin, Processors: runtime.GOMAXPROCS,
	}, nil
}

// connectedJob is a job with the results server.
func (f *workloadFlags) connectedJob() (*loadgen.Job, error) {
	job, err := f.job()
	if err != nil {
		return nil, err
	}
	server, err := f.connect(job.Clock)
	if err != nil {
		return nil, err
	}
	job.Results = server
	return job, nil
}
