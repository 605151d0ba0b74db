package binaries

import (
	"context"
	"os"
	"path/filepath"
)

// Envtest returns a folder with kube-apiserver, etcd and kubectl, which
// controller-runtime's envtest takes as KUBEBUILDER_ASSETS. Only those three are built.
func (c Cache) Envtest(ctx context.Context) (string, error) {
	etcd, err := c.Ensure(ctx, Etcd, "etcd")
	if err != nil {
		return "", err
	}
	kube, err := c.Ensure(ctx, Kubernetes, "kube-apiserver", "kubectl")
	if err != nil {
		return "", err
	}
	dir := filepath.Join(c.Dir, "envtest-"+filepath.Base(kube.Dir))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for name, target := range map[string]string{
		"kube-apiserver": kube.Path("kube-apiserver"),
		"kubectl":        kube.Path("kubectl"),
		"etcd":           etcd.Path("etcd"),
	} {
		link := filepath.Join(dir, name)
		if current, err := os.Readlink(link); err == nil && current == target {
			continue
		}
		os.Remove(link)
		if err := os.Symlink(target, link); err != nil && !os.IsExist(err) {
			return "", err
		}
	}
	return dir, nil
}
