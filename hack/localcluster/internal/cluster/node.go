package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/kvbench/kvbench/hack/localcluster/internal/cgroup"
	"github.com/kvbench/kvbench/hack/localcluster/internal/config"
	"github.com/kvbench/kvbench/hack/localcluster/internal/host"
	"github.com/kvbench/kvbench/hack/localcluster/internal/images"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/process"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
)

// prepareNode makes a new node's certificate, folders and configuration.
func prepareNode(p layout.Paths, r *Record, n layout.Node) error {
	if err := makeNodePKI(p, n); err != nil {
		return err
	}
	for _, dir := range []string{n.Dir("containerd"), n.Dir("cni", "conf"), n.Dir("cni", "addresses"), n.Volumes()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	cni, err := config.CNI(n)
	if err != nil {
		return err
	}
	programs := config.Programs{
		Runc: r.Programs["runc"], CNIDir: dirOf(r.Programs["bridge"]), PauseImage: images.PauseImage,
	}
	return errors.Join(
		writeFile(n.Dir("containerd.toml"), config.Containerd(n, programs), 0o644),
		writeFile(n.Dir("kubelet.yaml"), config.Kubelet(p, n), 0o644),
		writeFile(n.Dir("resolv.conf"), config.ResolvConf(), 0o644),
		writeFile(n.Dir("cni", "conf", "10-kvbench.conflist"), cni, 0o644),
	)
}

// startContainerd boots a node as far as its container runtime. As on a machine
// that was switched on, what lived in memory is gone: the runtime's state, and
// the addresses of pods that ended with the node.
func startContainerd(ctx context.Context, p layout.Paths, r *Record, n layout.Node, detail func(string)) error {
	for _, dir := range []string{n.Dir("run"), n.Dir("cni", "addresses"), n.Dir("cni", "cache")} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	for _, b := range n.Binds() {
		if err := os.MkdirAll(b.Source, 0o755); err != nil {
			return err
		}
	}
	if err := host.MakeBridge(n.Bridge(), n.Address()+"/24", n.Index); err != nil {
		return err
	}
	hierarchies, err := cgroup.Mounted()
	if err != nil {
		return err
	}
	for _, path := range []string{n.Cgroup(), n.SystemCgroup()} {
		if err := cgroup.Make(hierarchies, path); err != nil {
			return err
		}
	}
	if err := process.Start(p, process.Daemon{
		Name:   n.Containerd(),
		Args:   config.ContainerdArgs(n, r.Programs["containerd"]),
		Env:    nodeEnv(r),
		Cgroup: n.SystemCgroup(),
		Binds:  n.Binds(),
	}); err != nil {
		return err
	}
	return progress.Wait(ctx, time.Minute, 100*time.Millisecond, detail, func(ctx context.Context) (string, error) {
		if reason := process.Dead(p, n.Containerd()); reason != "" {
			return "", errors.New(reason)
		}
		conn, err := net.Dial("unix", n.ContainerdSocket())
		if err != nil {
			return n.Containerd() + " to listen", nil
		}
		return "", conn.Close()
	})
}

// startKubelet completes the node: from here on it takes pods.
func startKubelet(p layout.Paths, r *Record, n layout.Node) error {
	runtime, err := process.Load(p.Pids(), n.Containerd())
	if err != nil {
		return fmt.Errorf("finding the namespace of %s: %w", n.Name(), err)
	}
	return process.Start(p, process.Daemon{
		Name:        n.Kubelet(),
		Args:        config.KubeletArgs(p, n, r.Programs["kubelet"]),
		Env:         nodeEnv(r),
		Cgroup:      n.SystemCgroup(),
		NamespaceOf: runtime.Pid,
	})
}

// nodeEnv lets containerd find its shim, and both the machine's tools.
func nodeEnv(r *Record) []string {
	return []string{"PATH=" + dirOf(r.Programs["containerd-shim-runc-v2"]) + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
}

// killNode ends everything that runs on a node at once, as a power failure does.
func killNode(p layout.Paths, n layout.Node) error {
	hierarchies, err := cgroup.Mounted()
	if err != nil {
		return err
	}
	return errors.Join(
		process.Stop(p.Pids(), n.Kubelet(), 10*time.Second),
		process.Stop(p.Pids(), n.Containerd(), 10*time.Second),
		// The shims first: a power failure leaves nobody to see the containers end.
		cgroup.Kill(hierarchies, n.SystemCgroup(), 20*time.Second),
		cgroup.Kill(hierarchies, n.Cgroup(), 20*time.Second),
		cgroup.Remove(hierarchies, n.SystemCgroup()),
		cgroup.Remove(hierarchies, n.Cgroup()),
	)
}
