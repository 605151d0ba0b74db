package helm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/release/common"
	"helm.sh/helm/v4/pkg/storage/driver"
)

// Status is what a reconciler must tell apart about a release.
type Status string

// The statuses.
const (
	Absent       Status = "Absent"       // nothing is known of it: install
	Deployed     Status = "Deployed"     // installed
	Pending      Status = "Pending"      // an install was begun and not ended: uninstall, unless it is under way
	Failed       Status = "Failed"       // an install or an uninstall failed: uninstall
	Uninstalling Status = "Uninstalling" // an uninstall was begun and not ended: uninstall
)

const uninstalled = common.StatusUninstalled

// State is the newest record of a release. Revision is 0 when it is Absent.
type State struct {
	Status      Status
	Revision    int
	Description string // Helm's, for people
}

// State reads the newest record; it asks for nothing but the records of that name.
func (r *Releaser) State(ctx context.Context, name string) (State, error) {
	if err := ctx.Err(); err != nil {
		return State{}, err
	}
	cfg, err := r.configure(slog.New(slog.DiscardHandler))
	if err != nil {
		return State{}, err
	}
	last, err := lastRelease(cfg, name)
	if errors.Is(err, driver.ErrReleaseNotFound) {
		return State{Status: Absent}, nil
	}
	if err != nil {
		return State{}, fmt.Errorf("read release %s/%s: %w", r.namespace, name, err)
	}
	return State{
		Status:      statusOf(last.Info.Status),
		Revision:    last.Version,
		Description: last.Info.Description,
	}, nil
}

// statusOf maps Helm's word. One that isn't known is Failed, which leads to an uninstall
// and a clean start; a benchmark's release holds nothing that would be lost.
func statusOf(status common.Status) Status {
	switch status {
	case common.StatusDeployed:
		return Deployed
	case common.StatusPendingInstall, common.StatusPendingUpgrade, common.StatusPendingRollback:
		return Pending
	case common.StatusUninstalling, common.StatusUninstalled:
		return Uninstalling
	default:
		return Failed
	}
}

// markFailed makes sure that a release whose uninstall was incomplete isn't taken for
// uninstalled the next time.
func markFailed(cfg *action.Configuration, name string, cause error) error {
	rel, err := lastRelease(cfg, name)
	if err == nil {
		rel.SetStatus(common.StatusFailed, "uninstall failed: "+cause.Error())
		err = cfg.Releases.Update(rel)
	}
	if err != nil {
		return fmt.Errorf("mark release %s as failed: %w", name, err)
	}
	return nil
}
