//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// cutLasts is how long cutLeader lasts.
const cutLasts = 10 * time.Second

// cutLeader cuts the leader off from the others at 5 s: 10 s are to be left after it.
func cutLeader(r *v1alpha1.BenchmarkRun) {
	r.Spec.Faults = []v1alpha1.FaultSpec{{
		Name: "cut-leader", Action: "Partition", At: "5s", Duration: ptr.To(v1alpha1.Duration(cutLasts.String())),
		Target: &v1alpha1.FaultTarget{Role: "Leader"},
	}}
}

var faultHealed = moment{"fault healed", func(run *v1alpha1.BenchmarkRun) bool {
	return len(run.Status.Faults) > 0 && run.Status.Faults[0].State == v1alpha1.FaultHealed
}}

var _ = Describe("A leader that is cut off from the other members", Label("faults"), func() {
	It("loses the lead, and no rule of the partition stays in any member", func(ctx SpecContext) {
		run := newRun("partition", openLoop, cutLeader, seconds(30))
		apply(ctx, run)
		await(ctx, run, faultInjected)
		members := membersOf(ctx, run, 3)
		for i := range members {
			Expect(partitionRules(ctx, &members[i])).NotTo(BeEmpty(), "nothing is dropped in %s", members[i].Name)
		}

		await(ctx, run, faultHealed)
		for i := range members {
			Expect(partitionRules(ctx, &members[i])).To(BeEmpty(), "the partition goes on in %s", members[i].Name)
		}
		noted := run.Status.Faults[0]
		Expect(noted.Message).To(BeEmpty())
		Expect(noted.Targets).To(Equal([]string{noted.LeaderBefore}))
		Expect(noted.Peers).To(HaveLen(2))
		Expect(noted.EndedAfterUnixNanos).To(BeNumerically(">=", noted.InjectedBeforeUnixNanos+cutLasts.Nanoseconds()))
		Expect(noted.EndedBeforeUnixNanos).To(BeNumerically(">", noted.EndedAfterUnixNanos))
		AddReportEntry("brackets", fmt.Sprintf("of the injection %s, of the end %s",
			time.Duration(noted.InjectedBeforeUnixNanos-noted.InjectedAfterUnixNanos), time.Duration(noted.EndedBeforeUnixNanos-noted.EndedAfterUnixNanos)))

		found := readEnd(ctx, run)
		Expect(found.Faults).To(HaveLen(1))
		Expect(found.Faults[0].Effective).To(BeTrue())
		Expect(found.Faults[0].LeaderAfter).NotTo(Or(BeEmpty(), Equal(found.Faults[0].LeaderBefore)))
		Expect(found.Faults[0].TermAfter).To(BeNumerically(">", found.Faults[0].TermBefore))
	}, SpecTimeout(measureTimeout))
})

// membersOf are the pods of the run's store.
func membersOf(ctx context.Context, run *v1alpha1.BenchmarkRun, count int) []corev1.Pod {
	GinkgoHelper()
	pods := &corev1.PodList{}
	Expect(k8s.List(ctx, pods, client.InNamespace(run.Namespace), podsOf(run, "store"))).To(Succeed())
	Expect(pods.Items).To(HaveLen(count))
	return pods.Items
}

// partitionRules are the rules of Chaos Mesh that packets of the pod meet. Chaos Mesh takes these away when it heals a
// partition. It leaves its two chains, empty, and its sets of addresses, which nothing uses then.
func partitionRules(ctx context.Context, pod *corev1.Pod) []string {
	GinkgoHelper()
	// This machine may have no iptables. Chaos Mesh's daemon has the one that made the rules.
	daemons := &corev1.PodList{}
	Expect(k8s.List(ctx, daemons, client.InNamespace("chaos-mesh"), client.MatchingLabels{"app.kubernetes.io/component": "chaos-daemon"})).To(Succeed())
	Expect(daemons.Items).NotTo(BeEmpty())
	files := fmt.Sprintf("--mount=/proc/%d/ns/mnt", processOf(&daemons.Items[0]))
	network := fmt.Sprintf("--net=/proc/%d/ns/net", processOf(pod))
	var rules []string
	for _, chain := range []string{"CHAOS-INPUT", "CHAOS-OUTPUT"} {
		listed := command(ctx, "nsenter", files, network, "iptables-legacy", "-w", "-S", chain)
		for line := range strings.Lines(string(listed)) {
			if strings.HasPrefix(line, "-A ") {
				rules = append(rules, strings.TrimSpace(line))
			}
		}
	}
	return rules
}
