package doctor

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/cli/kube"
)

const (
	// leastOff is the least difference that is worth a word. The API server tells times in whole seconds.
	leastOff = 3 * time.Second

	synchronise = "synchronise it with NTP, such as by chrony"
	thisMachine = "this machine"
	ownMatters  = "times that are shown, and --since, are of this clock"
)

// checkClocks compares the clocks of this machine and of the nodes with the API server's.
func checkClocks(ctx context.Context, c *kube.Cluster, s server) []Finding {
	findings := []Finding{judgeOwnClock(s)}
	leases, err := c.Clients.CoordinationV1().Leases(corev1.NamespaceNodeLease).List(ctx, metav1.ListOptions{})
	if err != nil {
		return append(findings, unanswered(err, right{verb: "list", group: coordinationv1.GroupName, resource: "leases", namespace: corev1.NamespaceNodeLease}))
	}
	return append(findings, judgeNodeClocks(leases.Items)...)
}

// judgeOwnClock compares this machine's clock with the API server's Date.
func judgeOwnClock(s server) Finding {
	if s.date.IsZero() {
		return unknown(thisMachine, "how far its clock is off is not known, for the API server's answer has no Date").so(ownMatters).mend(synchronise)
	}
	off, by := apart(s.date, s.date.Add(time.Second), s.asked, s.told)
	bound := time.Second + s.told.Sub(s.asked) // the Date is in whole seconds, and was written while the answer was waited for
	if off < leastOff {
		return ok(thisMachine, "its clock differs from the API server's by %s at most", (off + bound).Round(100*time.Millisecond))
	}
	return warning(thisMachine, "its clock is at least %s %s the API server's, and at most %s more than that", off.Round(time.Second), by, bound.Round(100*time.Millisecond)).
		so(ownMatters).mend(synchronise)
}

// judgeNodeClocks compares, for each node, the time that its kubelet wrote into its lease with the time at which the API server noted
// that write. So it also sees clocks that are behind, and isn't misled by kubelets that are slow.
func judgeNodeClocks(leases []coordinationv1.Lease) (findings []Finding) {
	seen, most := 0, time.Duration(0)
	for i := range leases {
		lease := &leases[i]
		written, noted := lease.Spec.RenewTime, notedAt(lease)
		if written == nil || noted.IsZero() {
			continue
		}
		seen++
		off, by := apart(noted, noted.Add(time.Second), written.Time, written.Time)
		most = max(most, off.Round(100*time.Millisecond))
		if off >= leastOff {
			findings = append(findings, warning("node "+lease.Name, "its clock is at least %s %s the API server's (known to 1s, and to the time that its kubelet's request took)",
				off.Round(time.Second), by).so("tokens of its pods may not be valid, and kubectl kvbench logs puts its lines in a wrong order").mend(synchronise))
		}
	}
	switch {
	case findings != nil:
		return findings
	case seen == 0:
		return []Finding{unknown(wholeCluster, "how far the nodes' clocks are off is not known, for no node has a lease that tells its time").
			so("with clocks that are off tokens may not be valid").mend("see that the nodes' clocks are synchronised")}
	}
	return []Finding{ok(wholeCluster, "the clocks of %s differ from the API server's by %s at most", plural(seen, "node", "nodes"), most+time.Second)}
}

// notedAt is when the API server took the last renewal, by its own clock, in whole seconds, rounded down. It is zero where it
// didn't say.
func notedAt(lease *coordinationv1.Lease) (last time.Time) {
	for _, m := range lease.ManagedFields {
		if m.Time != nil && m.Time.After(last) {
			last = m.Time.Time
		}
	}
	return last
}

// apart is the least distance between an instant in [from, to] of one clock and one in [begin, end] of another, and whether the
// other one is ahead of it or behind.
func apart(from, to, begin, end time.Time) (least time.Duration, by string) {
	switch {
	case begin.After(to):
		return begin.Sub(to), "ahead of"
	case end.Before(from):
		return from.Sub(end), "behind"
	}
	return 0, ""
}
