package cluster

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/kvbench/kvbench/hack/localcluster/internal/config"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/pki"
)

// makeControlPKI issues what the control plane and the administrator need.
func makeControlPKI(p layout.Paths) error {
	authority, err := pki.New(p.PKI(""))
	if err != nil {
		return err
	}
	if err := authority.SigningKey(); err != nil {
		return err
	}
	kubernetes := "kubernetes"
	service := []string{kubernetes, kubernetes + ".default", kubernetes + ".default.svc", kubernetes + ".default.svc." + layout.ClusterDomain}
	local := []string{layout.ControlAddress, "127.0.0.1", "localhost"}
	certificates := []pki.Certificate{
		{Name: "etcd", User: "etcd", Hosts: local},
		{Name: "apiserver", User: "kube-apiserver", Hosts: append(append(service, layout.APIServiceAddress), local...)},
		{Name: "apiserver-client", User: "kube-apiserver", Groups: []string{"system:masters"}},
		{Name: "admin", User: "kvbench-admin", Groups: []string{"system:masters"}},
		{Name: "controller-manager", User: "system:kube-controller-manager"},
		{Name: "scheduler", User: "system:kube-scheduler"},
		{Name: "kube-proxy", User: "system:kube-proxy"},
	}
	for _, c := range certificates {
		if err := authority.Issue(c); err != nil {
			return err
		}
	}
	for _, name := range []string{"controller-manager", "scheduler", "kube-proxy"} {
		if err := writeKubeconfig(p, name, p.ComponentKubeconfig(name)); err != nil {
			return err
		}
	}
	return writeKubeconfig(p, "admin", p.Kubeconfig())
}

// makeNodePKI issues one node's certificate, which it serves with and is known by.
func makeNodePKI(p layout.Paths, n layout.Node) error {
	authority, err := pki.Open(p.PKI(""))
	if err != nil {
		return err
	}
	if err := authority.Issue(pki.Certificate{
		Name: n.Name(), User: "system:node:" + n.Name(), Groups: []string{"system:nodes"},
		Hosts: []string{n.Name(), n.Address()},
	}); err != nil {
		return err
	}
	return writeKubeconfig(p, n.Name(), p.ComponentKubeconfig(n.Name()))
}

func writeKubeconfig(p layout.Paths, name, file string) error {
	var parts [3][]byte
	for i, part := range []string{"ca.crt", name + ".crt", name + ".key"} {
		content, err := os.ReadFile(p.PKI(part))
		if err != nil {
			return fmt.Errorf("writing the kubeconfig of %s: %w", name, err)
		}
		parts[i] = content
	}
	return writeFile(file, config.Kubeconfig(name, parts[0], parts[1], parts[2]), 0o600)
}

func writeFile(file, content string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(content), mode)
}
