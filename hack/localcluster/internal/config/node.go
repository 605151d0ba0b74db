package config

import (
	"encoding/json"
	"fmt"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
)

// Programs are the paths that a node's configuration names.
type Programs struct {
	Runc   string
	CNIDir string
	// PauseImage holds each pod's namespaces.
	PauseImage string
}

// Containerd renders the node's containerd configuration. root is the node's
// own; state and socket are at the common path, over which the node's mount
// namespace binds its own folder.
func Containerd(n layout.Node, programs Programs) string {
	return fmt.Sprintf(`version = 3
root = %q
state = %q
oom_score = 0
disabled_plugins = [
  'io.containerd.nri.v1.nri',
  'io.containerd.snapshotter.v1.blockfile',
  'io.containerd.snapshotter.v1.btrfs',
  'io.containerd.snapshotter.v1.devmapper',
  'io.containerd.snapshotter.v1.erofs',
  'io.containerd.snapshotter.v1.zfs',
]

[grpc]
  address = %q

[debug]
  level = 'warn'

[plugins.'io.containerd.cri.v1.images']
  snapshotter = 'overlayfs'
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = %q

[plugins.'io.containerd.cri.v1.runtime']
  # Without CAP_SYS_RESOURCE runc can't lower a score, and no pod would start.
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  # A profile that is loaded into the kernel would outlive the cluster.
  disable_apparmor = true
  [plugins.'io.containerd.cri.v1.runtime'.containerd]
    default_runtime_name = 'runc'
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
      runtime_type = 'io.containerd.runc.v2'
      [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
        BinaryName = %q
        SystemdCgroup = false
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = [%q]
    conf_dir = %q
`, n.Dir("containerd"), layout.ContainerdRun, layout.ContainerdRun+"/containerd.sock", programs.PauseImage,
		programs.Runc, programs.CNIDir, n.Dir("cni", "conf"))
}

// CNI renders the node's pod network: a bridge that is there before, with the
// subnet's first address. Masquerading to the outside is one rule of our own,
// so the plugin adds no firewall rules that had to be found again.
func CNI(n layout.Node) (string, error) {
	list := map[string]any{
		"cniVersion": "1.0.0",
		"name":       n.Network(),
		"plugins": []any{map[string]any{
			"type":        "bridge",
			"bridge":      n.Bridge(),
			"isGateway":   true,
			"ipMasq":      false,
			"hairpinMode": true,
			"ipam": map[string]any{
				"type":    "host-local",
				"dataDir": n.Dir("cni", "addresses"),
				"ranges":  []any{[]any{map[string]any{"subnet": n.Subnet(), "gateway": n.Address()}}},
				"routes":  []any{map[string]any{"dst": "0.0.0.0/0"}},
			},
		}},
	}
	content, err := json.MarshalIndent(list, "", "  ")
	return string(content) + "\n", err
}

// ResolvConf is what pods inherit beside the cluster's DNS: no search domains of
// the machine, so that names mean the same everywhere.
func ResolvConf() string { return "nameserver " + layout.DNSServiceAddress + "\n" }

// Kubelet renders the node's kubelet configuration. Every kubelet has its own
// address, so ports are the usual ones.
func Kubelet(p layout.Paths, n layout.Node) string {
	return fmt.Sprintf(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: %[1]s
healthzBindAddress: %[1]s
containerRuntimeEndpoint: unix://%[2]s/containerd.sock
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: %[3]s}
authorization: {mode: Webhook}
tlsCertFile: %[4]s
tlsPrivateKeyFile: %[5]s
clusterDomain: %[6]s
clusterDNS: [%[7]s]
resolvConf: %[8]s
cgroupDriver: cgroupfs
cgroupRoot: %[9]s
failCgroupV1: false
failSwapOn: false
# kube-proxy and our own table do all there is to do in the firewall.
makeIPTablesUtilChains: false
oomScoreAdj: 0
maxPods: 110
nodeStatusUpdateFrequency: 4s
nodeLeaseDurationSeconds: 20
# Images come from no registry, so none may be thrown away.
imageGCHighThresholdPercent: 100
evictionHard:
  memory.available: 100Mi
  nodefs.available: 1%%
  nodefs.inodesFree: 1%%
  imagefs.available: 1%%
  imagefs.inodesFree: 1%%
containerLogMaxSize: 20Mi
shutdownGracePeriod: 0s
registerNode: true
`, n.Address(), layout.ContainerdRun, p.PKI("ca.crt"), p.PKI(n.Name()+".crt"), p.PKI(n.Name()+".key"),
		layout.ClusterDomain, layout.DNSServiceAddress, n.Dir("resolv.conf"), n.Cgroup())
}

// KubeletArgs is the kubelet's command line; its root folder is the usual one,
// over which the node's mount namespace binds its own.
func KubeletArgs(p layout.Paths, n layout.Node, program string) []string {
	return []string{program,
		"--config=" + n.Dir("kubelet.yaml"),
		"--kubeconfig=" + p.ComponentKubeconfig(n.Name()),
		"--hostname-override=" + n.Name(),
		"--node-ip=" + n.Address(),
		"--node-labels=topology.kubernetes.io/zone=" + n.Zone() + ",topology.kubernetes.io/region=local",
		"--v=1",
	}
}

// ContainerdArgs is containerd's command line.
func ContainerdArgs(n layout.Node, program string) []string {
	return []string{program, "--config=" + n.Dir("containerd.toml")}
}
