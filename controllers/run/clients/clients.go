// Package clients names everything outside of this process that a run's passes talk to.
package clients

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/servertime"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/chartsource"
	"github.com/kvbench/kvbench/internal/helm"
)

// OwnCharts fetches and renders charts that somebody else wrote.
type OwnCharts interface {
	// Fetch gets a chart from where an administrator allows it.
	Fetch(ctx context.Context, source chartsource.Source) ([]byte, error)
	Render(ctx context.Context, own helm.OwnChart) (helm.Rendered, error)
}

// Results is what the controller needs of the results server.
type Results interface {
	EstimateClock(ctx context.Context, exchanges int) (bundle.Clock, error)
	Check(ctx context.Context, uid string, planJSON []byte) error
	Register(ctx context.Context, uid string, planJSON []byte) error
	Withdraw(ctx context.Context, uid string) error
	StartIn(ctx context.Context, uid, workload string, in time.Duration) (bundle.Start, error)
	PutFaults(ctx context.Context, uid string, lines []byte) error
	PutEnvironment(ctx context.Context, uid string, document []byte) error
	MakeReport(ctx context.Context, uid string) ([]byte, error)
}

// Releaser installs and removes Helm releases in one namespace, with the rights of one
// service account.
type Releaser interface {
	State(ctx context.Context, name string) (helm.State, error)
	Install(ctx context.Context, release helm.Release) error
	Uninstall(ctx context.Context, name string) error
}

// Sampler asks a run's observer for a fresh look at the members.
type Sampler func(ctx context.Context, podIP string) (*bundle.TopologyLine, error)

// Config is fixed for the life of the controller.
type Config struct {
	Namespace    string // of the operator
	LoadgenImage string
	// PullSecrets of that image, by name: they are looked for in the run's namespace.
	PullSecrets []corev1.LocalObjectReference
	ResultsURL  string // as the workers reach it
	ResultsCA   []byte // PEM
}

// Set is everything outside of this process that a run's passes talk to.
type Set struct {
	client.Client
	Direct   client.Reader // past the cache
	Results  Results
	Releases func(namespace, serviceAccount string) (Releaser, client.Client, error)
	Charts   OwnCharts
	Sample   Sampler
	Recorder events.EventRecorder
	Clock    *servertime.Clock
	Config   Config
}

// AccountOf is a client with the rights of the run's service account.
func (s *Set) AccountOf(run *v1alpha1.BenchmarkRun) (client.Client, error) {
	_, asAccount, err := s.Releases(run.Namespace, names.ServiceAccount(run))
	return asAccount, err
}

// OfRun selects what carries the run's label.
func OfRun(run *v1alpha1.BenchmarkRun) []client.ListOption {
	return []client.ListOption{client.InNamespace(run.Namespace), client.MatchingLabels{names.LabelUID: string(run.UID)}}
}

// SlotKey names the Lease whose holder may run.
func (r *Set) SlotKey() client.ObjectKey {
	return client.ObjectKey{Namespace: r.Config.Namespace, Name: names.SlotLease}
}
