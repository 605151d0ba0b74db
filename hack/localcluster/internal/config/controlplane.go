package config

import (
	"fmt"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
)

const (
	etcdClient = "https://" + layout.ControlAddress + ":2379"
	etcdPeer   = "http://" + layout.ControlAddress + ":2380"
)

// Etcd is the command line of the API server's database. Its state is thrown
// away with the cluster, so it need not wait for the disk.
func Etcd(p layout.Paths, program string) []string {
	return []string{program,
		"--name=kvbench",
		"--data-dir=" + p.EtcdData(),
		"--unsafe-no-fsync",
		"--listen-client-urls=" + etcdClient,
		"--advertise-client-urls=" + etcdClient,
		"--listen-peer-urls=" + etcdPeer,
		"--initial-advertise-peer-urls=" + etcdPeer,
		"--initial-cluster=kvbench=" + etcdPeer,
		"--cert-file=" + p.PKI("etcd.crt"),
		"--key-file=" + p.PKI("etcd.key"),
		"--trusted-ca-file=" + p.PKI("ca.crt"),
		"--client-cert-auth",
		"--auto-compaction-retention=10m",
		"--log-level=warn",
	}
}

// APIServer is its command line.
func APIServer(p layout.Paths, program string) []string {
	return []string{program,
		"--bind-address=" + layout.ControlAddress,
		"--advertise-address=" + layout.ControlAddress,
		"--secure-port=" + layout.APIServerPort,
		"--etcd-servers=" + etcdClient,
		"--etcd-cafile=" + p.PKI("ca.crt"),
		"--etcd-certfile=" + p.PKI("apiserver-client.crt"),
		"--etcd-keyfile=" + p.PKI("apiserver-client.key"),
		"--kubelet-client-certificate=" + p.PKI("apiserver-client.crt"),
		"--kubelet-client-key=" + p.PKI("apiserver-client.key"),
		"--kubelet-certificate-authority=" + p.PKI("ca.crt"),
		// Nothing resolves the nodes' names.
		"--kubelet-preferred-address-types=InternalIP",
		"--client-ca-file=" + p.PKI("ca.crt"),
		"--tls-cert-file=" + p.PKI("apiserver.crt"),
		"--tls-private-key-file=" + p.PKI("apiserver.key"),
		"--service-account-issuer=https://kubernetes.default.svc." + layout.ClusterDomain,
		"--service-account-key-file=" + p.PKI("sa.pub"),
		"--service-account-signing-key-file=" + p.PKI("sa.key"),
		"--service-cluster-ip-range=" + layout.ServiceNetwork,
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
		"--profiling=false",
		"--v=1",
	}
}

// ControllerManager is its command line. A dead node is noticed within 20 s
// instead of 40 s, because waiting for it is what a test of it does.
func ControllerManager(p layout.Paths, program string) []string {
	return []string{program,
		"--kubeconfig=" + p.ComponentKubeconfig("controller-manager"),
		"--bind-address=" + layout.ControlAddress,
		"--use-service-account-credentials",
		"--service-account-private-key-file=" + p.PKI("sa.key"),
		"--root-ca-file=" + p.PKI("ca.crt"),
		"--cluster-signing-cert-file=" + p.PKI("ca.crt"),
		"--cluster-signing-key-file=" + p.PKI("ca.key"),
		"--cluster-name=kvbench-local",
		"--node-monitor-period=2s",
		"--node-monitor-grace-period=20s",
		"--leader-elect=false",
		"--profiling=false",
		"--v=1",
	}
}

// Scheduler is its command line.
func Scheduler(p layout.Paths, program string) []string {
	return []string{program,
		"--kubeconfig=" + p.ComponentKubeconfig("scheduler"),
		"--bind-address=" + layout.ControlAddress,
		"--leader-elect=false",
		"--profiling=false",
		"--v=1",
	}
}

// KubeProxy is the command line of the one that serves all nodes, which share
// the machine's network namespace.
func KubeProxy(p layout.Paths, program string) []string {
	return []string{program, "--config=" + p.Config("kube-proxy.yaml"), "--v=1"}
}

// KubeProxyConfig leaves the machine's connection-tracking settings as they are.
func KubeProxyConfig(p layout.Paths) string {
	return fmt.Sprintf(`apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
hostnameOverride: %s
clusterCIDR: %s
healthzBindAddress: %s:10256
metricsBindAddress: %s:10249
clientConnection:
  kubeconfig: %s
nftables:
  minSyncPeriod: 200ms
# The score may not be lowered without CAP_SYS_RESOURCE.
oomScoreAdj: 0
conntrack:
  maxPerCore: 0
  min: 0
  tcpEstablishedTimeout: 0s
  tcpCloseWaitTimeout: 0s
`, p.Node(1).Name(), layout.PodNetwork, layout.ControlAddress, layout.ControlAddress, p.ComponentKubeconfig("kube-proxy"))
}

// Provisioner is the command line of this program's own storage provisioner.
func Provisioner(p layout.Paths) []string {
	return []string{p.Self(), "provisioner"}
}
