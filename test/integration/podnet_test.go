//go:build root

package integration

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
)

// nodeAddress is the Kubernetes node's in its own network namespace.
const nodeAddress = "10.99.0.1"

// podNet is the network of a Kubernetes node: a namespace for the node, which routes, and one
// behind it for each pod, with a listener for each port of its containers.
type podNet struct {
	node *netns
	mu   sync.Mutex
	pods map[string]*podEnd // by namespace/name
}

// podEnd is a pod as the network sees it, or the node itself.
type podEnd struct {
	*netns
	who, address string
	ports        map[string]int32
	listeners    []net.Listener
}

func newPodNet() *podNet {
	GinkgoHelper()
	node, err := newNetns()
	Expect(err).NotTo(HaveOccurred())
	n := &podNet{node: node, pods: map[string]*podEnd{}}
	DeferCleanup(n.close)
	Expect(node.ip("address add " + nodeAddress + "/32 dev lo")).To(Succeed())
	Expect(node.do(func() error { return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0) })).To(Succeed())
	n.pods["node"] = &podEnd{netns: node, who: "node", address: nodeAddress, ports: map[string]int32{"api": 6443}}
	Expect(n.pods["node"].listen()).To(Succeed())
	return n
}

func (n *podNet) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, pod := range n.pods {
		for _, listener := range pod.listeners {
			Expect(listener.Close()).To(Succeed())
		}
		Expect(pod.file.Close()).To(Succeed())
	}
}

// place gives a pod its network, once, and tells its address and the node's.
func (n *podNet) place(pod *corev1.Pod) (address, node string) {
	defer GinkgoRecover()
	n.mu.Lock()
	defer n.mu.Unlock()
	key := pod.Namespace + "/" + pod.Name
	if n.pods[key] == nil {
		end, err := n.connect(len(n.pods))
		Expect(err).NotTo(HaveOccurred())
		end.who, end.ports = whoIs(pod), portsOf(pod)
		n.pods[key] = end
		Expect(end.listen()).To(Succeed())
	}
	return n.pods[key].address, nodeAddress
}

// connect makes a namespace and routes between it and the node's.
func (n *podNet) connect(number int) (*podEnd, error) {
	space, err := newNetns()
	if err != nil {
		return nil, err
	}
	link, address := fmt.Sprintf("pod%d", number), fmt.Sprintf("10.99.%d.%d", 1+number/200, 1+number%200)
	return &podEnd{netns: space, address: address}, errors.Join(
		space.ip("link add eth0 type veth peer name "+link+" netns "+n.node.path(),
			"address add "+address+"/32 dev eth0", "link set eth0 up",
			"route add "+nodeAddress+" dev eth0", "route add default via "+nodeAddress+" dev eth0"),
		n.node.ip("link set "+link+" up", "route add "+address+" dev "+link))
}

// listen answers on each port with whom one has reached.
func (p *podEnd) listen() error {
	for name, port := range p.ports {
		listener, err := p.serve(p.at(name), func(connection net.Conn) {
			defer connection.Close()
			_, _ = io.WriteString(connection, p.address)
		})
		if err != nil {
			return fmt.Errorf("port %d of %s: %w", port, p.who, err)
		}
		p.listeners = append(p.listeners, listener)
	}
	return nil
}

func (p *podEnd) at(port string) string {
	return net.JoinHostPort(p.address, strconv.Itoa(int(p.ports[port])))
}

// reaches says whether a connection is made, or refused, as kube-router does with those that
// no policy allows. Everything else is an error.
func (p *podEnd) reaches(to *podEnd, port string) (bool, error) {
	connection, err := p.dial(to.at(port))
	if errors.Is(err, syscall.ECONNREFUSED) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer connection.Close()
	answer, err := io.ReadAll(connection)
	if err == nil && string(answer) != to.address {
		err = fmt.Errorf("%s answered for %s", answer, to.address)
	}
	return err == nil, err
}

// whoReaches tries every port from everywhere, and lists for each who reaches it. Pods of one
// role are one.
func (n *podNet) whoReaches() (map[string][]string, error) {
	n.mu.Lock()
	pods := slices.Collect(maps.Values(n.pods))
	n.mu.Unlock()
	verdicts := map[string]map[string][]bool{}
	for _, to := range pods {
		for port := range to.ports {
			target := to.who + " " + port
			if verdicts[target] == nil {
				verdicts[target] = map[string][]bool{}
			}
			for _, from := range pods {
				if from == to {
					continue
				}
				ok, err := from.reaches(to, port)
				if err != nil {
					return nil, fmt.Errorf("from %s to %s: %w", from.who, target, err)
				}
				verdicts[target][from.who] = append(verdicts[target][from.who], ok)
			}
		}
	}
	reached := map[string][]string{}
	for target, byWhom := range verdicts {
		for who, oks := range byWhom {
			switch {
			case !slices.Contains(oks, false):
				reached[target] = append(reached[target], who)
			case slices.Contains(oks, true):
				reached[target] = append(reached[target], "some "+who)
			}
		}
		slices.Sort(reached[target])
	}
	return reached, nil
}

// everyone is who is in the network.
func (n *podNet) everyone() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var names []string
	for _, pod := range n.pods {
		names = append(names, pod.who)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
