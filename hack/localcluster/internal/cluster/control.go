package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/kvbench/kvbench/hack/localcluster/internal/cgroup"
	"github.com/kvbench/kvbench/hack/localcluster/internal/config"
	"github.com/kvbench/kvbench/hack/localcluster/internal/images"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/process"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
)

// startControlPlane runs everything that belongs to no node. kube-proxy and the
// provisioner wait for the API server by themselves.
func (u *Up) startControlPlane(ctx context.Context, r *Record) error {
	p := u.Paths
	if err := makeControlPKI(p); err != nil {
		return err
	}
	if err := writeFile(p.Config("kube-proxy.yaml"), config.KubeProxyConfig(p), 0o644); err != nil {
		return err
	}
	hierarchies, err := cgroup.Mounted()
	if err != nil {
		return err
	}
	if err := cgroup.Make(hierarchies, layout.ControlCgroup); err != nil {
		return err
	}
	if err := shareCores(hierarchies, r.Nodes); err != nil {
		return err
	}
	start := func(name string, args []string) error {
		return process.Start(p, process.Daemon{Name: name, Args: args, Cgroup: layout.ControlCgroup})
	}
	if err := start(etcd, config.Etcd(p, r.Programs[etcd])); err != nil {
		return err
	}
	if err := start(apiserver, config.APIServer(p, r.Programs[apiserver])); err != nil {
		return err
	}
	client, err := Client(p)
	if err != nil {
		return err
	}
	err = u.Report.Step("waiting for the API server", func(detail func(string)) error {
		return progress.Wait(ctx, 2*time.Minute, 200*time.Millisecond, detail, func(ctx context.Context) (string, error) {
			for _, name := range []string{etcd, apiserver} {
				if reason := process.Dead(p, name); reason != "" {
					return "", errors.New(reason)
				}
			}
			return apiReady(ctx, client)
		})
	})
	if err != nil {
		return err
	}
	return errors.Join(
		start(controllerManager, config.ControllerManager(p, r.Programs[controllerManager])),
		start(scheduler, config.Scheduler(p, r.Programs[scheduler])),
		start(provisionerName, config.Provisioner(p)),
	)
}

// startNodes boots nodes side by side, gives them the basic images, and lets
// their kubelets register.
func (u *Up) startNodes(ctx context.Context, r *Record, nodes []layout.Node, basic []string) error {
	p := u.Paths
	err := u.Report.Step("starting "+nodeNames(nodes), func(detail func(string)) error {
		return eachNode(nodes, func(n layout.Node) error {
			if err := prepareNode(p, r, n); err != nil {
				return err
			}
			return startContainerd(ctx, p, r, n, detail)
		})
	})
	if err != nil {
		return err
	}
	loader := images.Loader{Ctr: r.Programs["ctr"], Report: u.Report}
	if err := loader.Load(ctx, nodes, basic...); err != nil {
		return err
	}
	for _, n := range nodes {
		if err := startKubelet(p, r, n); err != nil {
			return err
		}
	}
	if id, err := process.Load(p.Pids(), kubeProxy); err == nil && id.Alive() {
		return nil
	}
	return process.Start(p, process.Daemon{
		Name: kubeProxy, Args: config.KubeProxy(p, r.Programs[kubeProxy]), Cgroup: layout.ControlCgroup,
	})
}
