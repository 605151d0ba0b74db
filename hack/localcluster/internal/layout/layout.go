// Package layout owns the names of everything that a local cluster makes on a machine: folders, addresses,
// cgroups, interfaces, tables. `down` finds what it removes by these names. So nothing may be made under a
// name that isn't in this package.
package layout

import (
	"os"
	"path/filepath"
)

// The addresses are fixed, so that a kubeconfig and the certificates stay true
// over restarts. They lie in corners of 10/8 that routers seldom use.
const (
	PodNetwork     = "10.218.0.0/16"
	ServiceNetwork = "10.219.0.0/16"
	// ControlAddress carries the control plane. It sits on a bridge of its own,
	// so that every default port is free whatever else the machine runs, and
	// nothing listens on the machine's outside addresses.
	ControlAddress = "10.218.0.1"
	// APIServiceAddress is the first address of ServiceNetwork, which the API
	// server gives to the service "kubernetes".
	APIServiceAddress = "10.219.0.1"
	DNSServiceAddress = "10.219.0.10"
	APIServerPort     = "6443"
	ClusterDomain     = "cluster.local"
)

const (
	// CgroupRoot is the parent of every cgroup of the cluster, in every hierarchy.
	CgroupRoot = "/kvbench"
	// SystemCgroup is the parent of those that hold what makes a cluster of the machine: the control
	// plane, and each node's kubelet, containerd and shims. Nodes have their pods alone.
	SystemCgroup = CgroupRoot + "/system"
	// ControlCgroup holds the processes that belong to no node.
	ControlCgroup = SystemCgroup + "/control"

	BridgePrefix  = "kvb"
	ControlBridge = BridgePrefix + "0"
	// NftTable holds our own rules, beside kube-proxy's tables.
	NftTable = "kvbench_localcluster"
	// RuleComment marks a rule that had to be put into somebody else's chain.
	RuleComment = "kvbench-localcluster"
)

// Paths of one cluster. State is short because unix sockets below it must stay
// under 108 bytes.
type Paths struct {
	State string
	Cache string
	Lock  string
}

// DefaultPaths reads KVBENCH_CACHE and XDG_CACHE_HOME.
func DefaultPaths() Paths {
	p := Paths{State: "/var/lib/kvbench-localcluster", Lock: "/run/kvbench-localcluster.lock"}
	switch {
	case os.Getenv("KVBENCH_CACHE") != "":
		p.Cache = os.Getenv("KVBENCH_CACHE")
	case os.Getenv("XDG_CACHE_HOME") != "":
		p.Cache = filepath.Join(os.Getenv("XDG_CACHE_HOME"), "kvbench")
	default:
		home, err := os.UserHomeDir()
		if err != nil {
			home = "/root"
		}
		p.Cache = filepath.Join(home, ".cache", "kvbench")
	}
	// Daemons don't run in the caller's folder.
	if absolute, err := filepath.Abs(p.Cache); err == nil {
		p.Cache = absolute
	}
	return p
}

func (p Paths) join(elements ...string) string {
	return filepath.Join(append([]string{p.State}, elements...)...)
}

// Record is the file that says what this cluster consists of.
func (p Paths) Record() string { return p.join("cluster.json") }

// Kubeconfig is the administrator's.
func (p Paths) Kubeconfig() string { return p.join("admin.kubeconfig") }

// ComponentKubeconfig is the one of a control-plane component.
func (p Paths) ComponentKubeconfig(name string) string {
	return p.join("config", name+".kubeconfig")
}

// Config is a configuration file of the control plane.
func (p Paths) Config(name string) string { return p.join("config", name) }

// PKI is a file of the cluster's certificate authority.
func (p Paths) PKI(name string) string { return p.join("pki", name) }

// Pids is the folder of pid files.
func (p Paths) Pids() string { return p.join("pids") }

// Log is the file with the output of a process.
func (p Paths) Log(name string) string { return p.join("logs", name+".log") }

// EtcdData is the API server's database.
func (p Paths) EtcdData() string { return p.join("etcd") }

// Self is the copy of this program that long-running parts of it run from, so
// that `go run`'s temporary binary may vanish.
func (p Paths) Self() string { return p.join("localcluster") }

// Bin is the cache of built programs, Images that of built images, Debian that of what was
// unpacked from packages, Maven that of jars.
func (p Paths) Bin() string    { return filepath.Join(p.Cache, "bin") }
func (p Paths) Images() string { return filepath.Join(p.Cache, "images") }
func (p Paths) Debian() string { return filepath.Join(p.Cache, "debian") }
func (p Paths) Maven() string  { return filepath.Join(p.Cache, "maven") }
