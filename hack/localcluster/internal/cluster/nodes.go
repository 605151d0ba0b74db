package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
)

func nodeNames(nodes []layout.Node) string {
	all := make([]string, len(nodes))
	for i, n := range nodes {
		all[i] = n.Name()
	}
	return strings.Join(all, ", ")
}

func eachNode(nodes []layout.Node, do func(layout.Node) error) error {
	failed := make([]error, len(nodes))
	var group sync.WaitGroup
	for i, n := range nodes {
		group.Go(func() { failed[i] = do(n) })
	}
	group.Wait()
	return errors.Join(failed...)
}

// StopNode ends a node without warning: kubelet, containerd, its shims and all
// containers, at once. Its disks stay.
func StopNode(p layout.Paths, report *progress.Reporter, name string) error {
	record, err := Load(p)
	if err != nil {
		return err
	}
	n, err := p.ParseNode(name, record.Nodes)
	if err != nil {
		return err
	}
	if !slices.Contains(record.Stopped, name) {
		record.Stopped = append(record.Stopped, name)
		// Written first: a node that should be dead and isn't is found by its
		// processes, the other way round it would count as an accident.
		if err := record.save(p); err != nil {
			return err
		}
	}
	return report.Step("killing "+name, func(func(string)) error { return killNode(p, n) })
}

// StartNode boots a node that was stopped, with what is on its disks.
func StartNode(ctx context.Context, p layout.Paths, report *progress.Reporter, name string) error {
	record, err := Load(p)
	if err != nil {
		return err
	}
	n, err := p.ParseNode(name, record.Nodes)
	if err != nil {
		return err
	}
	if !slices.Contains(record.Stopped, name) {
		return fmt.Errorf("%s is not stopped", name)
	}
	client, err := Client(p)
	if err != nil {
		return err
	}
	started := time.Now()
	return report.Step("starting "+name, func(detail func(string)) error {
		// What a start that failed left behind.
		if err := killNode(p, n); err != nil {
			return err
		}
		if err := startContainerd(ctx, p, record, n, detail); err != nil {
			return err
		}
		if err := startKubelet(p, record, n); err != nil {
			return err
		}
		record.Stopped = slices.DeleteFunc(record.Stopped, func(s string) bool { return s == name })
		if err := record.save(p); err != nil {
			return err
		}
		return progress.Wait(ctx, 2*time.Minute, 250*time.Millisecond, detail, func(ctx context.Context) (string, error) {
			node, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err.Error(), nil
			}
			// The last word before the failure may still have been "ready".
			for _, c := range node.Status.Conditions {
				if c.Type == "Ready" && c.Status == "True" && c.LastHeartbeatTime.After(started.Add(-time.Second)) {
					return "", nil
				}
			}
			return name + " to be ready", nil
		})
	})
}

// Running are the nodes that aren't stopped.
func (r *Record) Running(p layout.Paths) []layout.Node {
	return slices.DeleteFunc(p.Nodes(r.Nodes), func(n layout.Node) bool { return slices.Contains(r.Stopped, n.Name()) })
}
