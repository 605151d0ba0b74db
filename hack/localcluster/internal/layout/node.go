package layout

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// MaxNodes is bounded by the third byte of a pod subnet; what a machine bears is far less.
const MaxNodes = 50

// Node is one Kubernetes node: a kubelet and a containerd. Index counts from 1.
type Node struct {
	Index int
	paths Paths
}

// Node returns the i-th node, counted from 1.
func (p Paths) Node(i int) Node { return Node{Index: i, paths: p} }

// Nodes returns the nodes 1 to n.
func (p Paths) Nodes(n int) []Node {
	nodes := make([]Node, 0, n)
	for i := 1; i <= n; i++ {
		nodes = append(nodes, p.Node(i))
	}
	return nodes
}

// ParseNode finds the node called name ("node2") in a cluster of count nodes.
func (p Paths) ParseNode(name string, count int) (Node, error) {
	i, err := strconv.Atoi(strings.TrimPrefix(name, "node"))
	if err != nil || !strings.HasPrefix(name, "node") || i < 1 || i > count || fmt.Sprintf("node%d", i) != name {
		return Node{}, fmt.Errorf("no node is called %q: this cluster has node1 to node%d", name, count)
	}
	return p.Node(i), nil
}

func (n Node) Name() string    { return fmt.Sprintf("node%d", n.Index) }
func (n Node) Bridge() string  { return fmt.Sprintf("%s%d", BridgePrefix, n.Index) }
func (n Node) Address() string { return fmt.Sprintf("10.218.%d.1", n.Index) }
func (n Node) Subnet() string  { return fmt.Sprintf("10.218.%d.0/24", n.Index) }

// Network is the name of the node's CNI network.
func (n Node) Network() string { return "kvb-" + n.Name() }

// Zone spreads the nodes over three zones in turn.
func (n Node) Zone() string { return "zone-" + string(rune('a'+(n.Index-1)%3)) }

// Cgroup is the root that kubelet puts the pods' cgroups below, and of them alone.
func (n Node) Cgroup() string { return CgroupRoot + "/" + n.Name() }

// SystemCgroup holds kubelet, containerd and the shims. It is a leaf, because
// cgroup v2 allows processes in leaves only.
func (n Node) SystemCgroup() string { return SystemCgroup + "/" + n.Name() }

// Dir is the node's folder, or something in it.
func (n Node) Dir(elements ...string) string {
	return filepath.Join(append([]string{n.paths.State, "nodes", n.Name()}, elements...)...)
}

// ContainerdSocket reaches the node's containerd from outside of the node's mount namespace.
func (n Node) ContainerdSocket() string { return n.Dir("run", "containerd.sock") }

// Volumes is where the provisioner keeps the node's persistent volumes.
func (n Node) Volumes() string { return n.Dir("volumes") }

// Process names of the node's daemons.
func (n Node) Containerd() string { return n.Name() + "-containerd" }
func (n Node) Kubelet() string    { return n.Name() + "-kubelet" }

// ContainerdRun is the path of containerd's state and socket that every node
// shows: a DaemonSet finds the same one everywhere.
const ContainerdRun = "/run/containerd"

// Bind puts a folder of a node over a path in the node's mount namespace.
type Bind struct{ Source, Target string }

// Binds gives each node its own view of the paths that kubelet, containerd and
// its shims have compiled in, and that agents on a node expect.
func (n Node) Binds() []Bind {
	return []Bind{
		{n.Dir("run"), ContainerdRun},
		{n.Dir("kubelet"), "/var/lib/kubelet"},
		{n.Dir("cni", "cache"), "/var/lib/cni"},
		{n.Dir("logs", "pods"), "/var/log/pods"},
		{n.Dir("logs", "containers"), "/var/log/containers"},
	}
}

// MountPoints are the folders of the machine that the binds need, and those that
// others would make and leave behind: containerd /lib/modules, for a pod that
// mounts it, and mount(8) its /run/mount.
func MountPoints() []string {
	targets := []string{"/lib/modules", "/run/mount"}
	for _, b := range (Node{Index: 1}).Binds() {
		targets = append(targets, b.Target)
	}
	return targets
}
