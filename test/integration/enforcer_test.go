//go:build root

package integration

import (
	"context"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// enforce starts kube-router's network policy controller on the node: a process in the node's
// network namespace, with iptables and ipset. It ends with the spec's container.
func (n *podNet) enforce(ctx context.Context) {
	GinkgoHelper()
	program := os.Getenv("KUBE_ROUTER")
	Expect(program).NotTo(BeEmpty(), "KUBE_ROUTER names the program; `make test-robustness` sets it: `localcluster kube-router` prints it")
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "netpol-node"}}
	Expect(k8sClient.Create(ctx, node)).To(Succeed())
	DeferCleanup(func(ctx context.Context) { Expect(k8sClient.Delete(ctx, node)).To(Succeed()) })
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: nodeAddress}}
	Expect(k8sClient.Status().Update(ctx, node)).To(Succeed())
	n.bringAPIServer()

	enforcer := exec.Command(program, "--kubeconfig="+kubeconfig, "--node="+node.Name)
	enforcer.Stdout, enforcer.Stderr = GinkgoWriter, GinkgoWriter
	// It ends with the thread that started it, which waits for it.
	enforcer.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started, ended := make(chan error, 1), make(chan error, 1)
	go func() {
		_ = n.node.do(func() error {
			started <- enforcer.Start()
			ended <- enforcer.Wait()
			return nil
		})
	}()
	Expect(<-started).To(Succeed())
	DeferCleanup(func() {
		Expect(enforcer.Process.Signal(syscall.SIGTERM)).To(Succeed(), "it ended by itself")
		Expect(<-ended).To(Succeed())
	})
}

// bringAPIServer makes the API server, which listens on the machine's loopback, answer on the
// node's.
func (n *podNet) bringAPIServer() {
	GinkgoHelper()
	server, err := url.Parse(restConfig.Host)
	Expect(err).NotTo(HaveOccurred())
	address := server.Host
	if address == "" {
		address = restConfig.Host
	}
	listener, err := n.node.serve(address, func(from net.Conn) {
		defer from.Close()
		to, err := net.Dial("tcp", address)
		if err != nil {
			return // the caller tries again
		}
		defer to.Close()
		go func() {
			_, _ = io.Copy(to, from)
			_ = to.Close()
		}()
		_, _ = io.Copy(from, to)
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(listener.Close()).To(Succeed()) })
}
