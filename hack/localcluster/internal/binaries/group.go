// Package binaries builds the cluster's programs from Go modules and keeps them in a cache folder outside of
// the tree. It builds a program only when it is missing. A build that is killed leaves nothing that looks
// finished.
package binaries

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Group is a set of programs that share one go.mod, because their dependencies
// agree with each other and with no other group's.
type Group struct {
	Name string
	// Module is the one whose version names the group.
	Module string
	// Programs are the package paths by the name of the program.
	Programs map[string]string
	// LDFlags are the linker's; {version} is the module's version.
	LDFlags string
	Tags    string
	CGO     bool
	// Minutes is what a build takes on two cores, after those before it, for the person who waits.
	Minutes string
}

const kubernetes = "k8s.io/kubernetes"

// The groups. CGO is on only where a program has C code; those of Chaos Mesh are
// linked statically, so that they run in any base image.
var (
	Kubernetes = Group{
		Name: "kubernetes", Module: kubernetes, Minutes: "9 minutes",
		// Without a version the cluster calls itself v0.0.0-master, and charts refuse it.
		LDFlags: "-s -w -X k8s.io/component-base/version.gitVersion={version}",
		Programs: map[string]string{
			"kube-apiserver":          kubernetes + "/cmd/kube-apiserver",
			"kube-controller-manager": kubernetes + "/cmd/kube-controller-manager",
			"kube-scheduler":          kubernetes + "/cmd/kube-scheduler",
			"kube-proxy":              kubernetes + "/cmd/kube-proxy",
			"kubelet":                 kubernetes + "/cmd/kubelet",
			"kubectl":                 kubernetes + "/cmd/kubectl",
		},
	}
	Etcd = Group{
		Name: "etcd", Module: "go.etcd.io/etcd/server/v3", LDFlags: "-s -w", Minutes: "half a minute",
		Programs: map[string]string{
			"etcd":    "go.etcd.io/etcd/server/v3",
			"etcdctl": "go.etcd.io/etcd/etcdctl/v3",
		},
	}
	Containerd = Group{
		Name: "containerd", Module: "github.com/containerd/containerd/v2", LDFlags: "-s -w", Minutes: "a minute",
		Programs: map[string]string{
			"containerd":              "github.com/containerd/containerd/v2/cmd/containerd",
			"containerd-shim-runc-v2": "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
			"ctr":                     "github.com/containerd/containerd/v2/cmd/ctr",
		},
	}
	Runc = Group{
		Name: "runc", Module: "github.com/opencontainers/runc", LDFlags: "-s -w", Tags: "seccomp", CGO: true, Minutes: "10 seconds",
		Programs: map[string]string{"runc": "github.com/opencontainers/runc"},
	}
	CNI = Group{
		Name: "cni", Module: "github.com/containernetworking/plugins", LDFlags: "-s -w", Minutes: "5 seconds",
		Programs: map[string]string{
			"bridge":     "github.com/containernetworking/plugins/plugins/main/bridge",
			"loopback":   "github.com/containernetworking/plugins/plugins/main/loopback",
			"host-local": "github.com/containernetworking/plugins/plugins/ipam/host-local",
		},
	}
	CoreDNS = Group{
		Name: "coredns", Module: "github.com/coredns/coredns", LDFlags: "-s -w", Minutes: "half a minute",
		// Its own main.go: see there.
		Programs: map[string]string{"coredns": "."},
	}
	ChaosMesh = Group{
		Name: "chaosmesh", Module: "github.com/chaos-mesh/chaos-mesh", Minutes: "3 minutes",
		LDFlags: "-s -w -linkmode external -extldflags -static", Tags: "netgo,osusergo,nomsgpack", CGO: true,
		Programs: map[string]string{
			"chaos-controller-manager": ".", // its own main.go: see there
			"chaos-daemon":             "github.com/chaos-mesh/chaos-mesh/cmd/chaos-daemon",
			"cdh":                      "github.com/chaos-mesh/chaos-mesh/cmd/chaos-daemon-helper",
		},
	}
	Prometheus = Group{
		Name: "prometheus", Module: "github.com/prometheus/prometheus", LDFlags: "-s -w", Minutes: "3 minutes",
		// The discovery of a dozen clouds would bring their libraries, as in CoreDNS.
		Tags:     "remove_all_sd,enable_kubernetes_sd",
		Programs: map[string]string{"prometheus": "github.com/prometheus/prometheus/cmd/prometheus"},
	}
	KubeRouter = Group{
		Name: "kube-router", Module: "github.com/cloudnativelabs/kube-router/v2", LDFlags: "-s -w", Minutes: "2 minutes",
		// Its own main.go: see there.
		Programs: map[string]string{"kube-router": "."},
	}
)

// ForCluster are the groups a cluster runs on.
func ForCluster() []Group { return []Group{Kubernetes, Etcd, Containerd, Runc, CNI, CoreDNS} }

// ForTests are those of a cluster and of what the end-to-end tests add to it.
func ForTests() []Group { return append(ForCluster(), ChaosMesh, Prometheus) }

// All are those, and what the long tests add.
func All() []Group { return append(ForTests(), KubeRouter) }

// required are the versions that a go.mod requires, by module.
func required(gomod string) map[string]string {
	versions := map[string]string{}
	for line := range strings.Lines(gomod) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) >= 2 && strings.HasPrefix(fields[1], "v") {
			versions[fields[0]] = fields[1]
		}
	}
	return versions
}

// version reads the module's version from the group's go.mod.
func (g Group) version(gomod string) (string, error) {
	if version := required(gomod)[g.Module]; version != "" {
		return version, nil
	}
	return "", fmt.Errorf("the go.mod of %s names no version of %s", g.Name, g.Module)
}

// key names the folder of the group's programs: whatever changes a program changes the key.
// main is the source of a program that is the group's own.
func (g Group) key(gomod, gosum, main string) (folder, version string, err error) {
	version, err = g.version(gomod)
	if err != nil {
		return "", "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n%s\n%s\n%v\n", gomod, gosum, g.LDFlags, g.Tags, g.CGO)
	sum.Write([]byte(main))
	return fmt.Sprintf("%s-%s-%s", g.Name, version, hex.EncodeToString(sum.Sum(nil))[:8]), version, nil
}

func (g Group) read(source string) (folder, version string, err error) {
	gomod, err := os.ReadFile(filepath.Join(source, g.Name, "go.mod"))
	if err != nil {
		return "", "", fmt.Errorf("reading the modules of %s: %w", g.Name, err)
	}
	gosum, err := os.ReadFile(filepath.Join(source, g.Name, "go.sum"))
	if err != nil {
		return "", "", fmt.Errorf("reading the modules of %s: %w", g.Name, err)
	}
	main, err := os.ReadFile(filepath.Join(source, g.Name, "main.go"))
	if err != nil && !os.IsNotExist(err) {
		return "", "", fmt.Errorf("reading the program of %s: %w", g.Name, err)
	}
	return g.key(string(gomod), string(gosum), string(main))
}
