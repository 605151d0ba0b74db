package controllers

import (
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"
)

const (
	leaderLease = "kvbench-controller"
	// leaderRenewDeadline is controller-runtime's own.
	leaderRenewDeadline = 10 * time.Second
)

// Elect makes the manager wait until it leads, by a Lease in the operator's namespace.
func Elect(options *ctrl.Options, config *rest.Config, namespace string) error {
	lock, err := newLeaderLock(config, namespace)
	if err != nil {
		return err
	}
	options.LeaderElection, options.LeaderElectionResourceLockInterface = true, lock
	// The manager ends with the process: give the lease up, so that a successor needn't wait.
	options.LeaderElectionReleaseOnCancel = true
	return nil
}

// newLeaderLock names the pod as the holder of the lease. A pod's container runs once at a
// time, so one that is restarted after a crash goes on at once, where another identity would
// have to wait until the lease of its own predecessor has run out: nearly as long as a
// fault may be late.
func newLeaderLock(config *rest.Config, namespace string) (resourcelock.Interface, error) {
	identity := os.Getenv("POD_NAME")
	if identity == "" {
		host, err := os.Hostname()
		if err != nil {
			return nil, fmt.Errorf("naming this controller for the leader election: %w", err)
		}
		identity = fmt.Sprintf("%s_%d", host, os.Getpid())
	}
	return resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, namespace, leaderLease,
		resourcelock.ResourceLockConfig{Identity: identity}, config, leaderRenewDeadline)
}
