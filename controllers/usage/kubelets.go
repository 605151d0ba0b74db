package usage

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/kvbench/kvbench/internal/kubelet"
	"github.com/kvbench/kvbench/internal/monotonic"
)

const (
	askTimeout = 10 * time.Second
	// sayAgain is how long nothing more is said of a node whose kubelet doesn't answer.
	sayAgain = 10 * time.Minute
)

// answer is what a kubelet said, and when.
type answer struct {
	pods []kubelet.PodUsage
	at   time.Time // of the results server's clock
}

// ask is what the kubelets of the members' nodes say, by node. Each answer has its own moment: one
// node that is away must not date the others' late.
func (u *Watch) ask(ctx context.Context, members []runningMember) map[string]answer {
	nodes := map[string]bool{}
	for _, m := range members {
		nodes[m.node] = true
	}
	maps.DeleteFunc(u.said, func(node string, _ time.Time) bool { return !nodes[node] })
	var (
		mu      sync.Mutex
		all     sync.WaitGroup
		answers = map[string]answer{}
	)
	for node := range nodes {
		all.Go(func() {
			pods, err := u.askNode(ctx, node)
			at, _, clockErr := u.runs.Clock.Now(u.runs.Results)
			mu.Lock()
			defer mu.Unlock()
			u.say(ctx, node, err)
			if err == nil && clockErr == nil {
				answers[node] = answer{pods, at}
			}
		})
	}
	all.Wait()
	return answers
}

// askNode asks the kubelet where the node says that it is. The pod's own word for that, in its
// status, isn't taken: the token goes there.
func (u *Watch) askNode(ctx context.Context, name string) ([]kubelet.PodUsage, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	node := &corev1.Node{}
	if err := u.runs.Direct.Get(ctx, types.NamespacedName{Name: name}, node); err != nil {
		return nil, err
	}
	port := node.Status.DaemonEndpoints.KubeletEndpoint.Port
	for _, address := range node.Status.Addresses {
		if address.Type == corev1.NodeInternalIP && port > 0 {
			return u.kubelets.PodUsages(ctx, address.Address, port)
		}
	}
	return nil, errors.New("the node has no internal address, or its kubelet no port")
}

// say tells of a kubelet that doesn't answer, now and then.
func (u *Watch) say(ctx context.Context, node string, err error) {
	if err == nil {
		delete(u.said, node)
		return
	}
	u.failures.Inc()
	if now := monotonic.Now(); now.Sub(u.said[node]) > sayAgain {
		u.said[node] = now
		log.FromContext(ctx).Info("a node's kubelet doesn't tell what members use, so reports have less of it: see kubelet in the values of kvbench's chart", "node", node, "cause", err.Error())
	}
}
