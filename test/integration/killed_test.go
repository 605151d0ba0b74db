package integration

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// mostWrites is far beyond what a run takes: the loops below end with the run's last write.
const mostWrites = 200

var _ = Describe("every write of the controller", Ordered, Label("killed"), func() {
	var s *stage
	BeforeAll(func() {
		s = newStage()
		s.results.measureFor = 100 * time.Millisecond
		s.sim.awaitFault.Store(true)
	})

	// also is what runs have besides, or instead.
	var also func(*v1alpha1.BenchmarkRunSpec)
	// A run whose fault is due at once, so that it passes through every step in a second.
	shortRun := func() *v1alpha1.BenchmarkRun {
		GinkgoHelper()
		return s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Load.Warmup = ptr.To(v1alpha1.Duration("0s"))
			spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "0s"}}
			spec.Store.Security = v1alpha1.SecurityTLS
			if also != nil {
				also(spec)
			}
		})
	}
	// gone also notes the deletion of a run that is still there.
	gone := func(run *v1alpha1.BenchmarkRun) bool {
		err := k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)
		Expect(client.IgnoreNotFound(err)).To(Succeed())
		return apierrors.IsNotFound(err)
	}
	over := func(run *v1alpha1.BenchmarkRun) bool {
		return gone(run) || run.DeletionTimestamp == nil &&
			(meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete) ||
				meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionFailed))
	}
	// One plan, one Job for each role, one start, one report, and nothing left.
	onceEach := func(run *v1alpha1.BenchmarkRun) {
		GinkgoHelper()
		Expect(meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete)).To(BeTrue(), "%+v", run.Status.Conditions)
		Expect(meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionCleanedUp)).To(BeTrue())
		Expect(s.results.planOf(string(run.UID))).NotTo(BeEmpty())
		line := s.results.faultLine(string(run.UID))
		Expect(line.InjectedAfterUnixNanos).To(BeNumerically(">", 0))
		Expect(line.Error).To(BeEmpty())
		for name, uids := range s.sim.madeFor(run) {
			Expect(uids).To(Equal(1), "Job %s was made more than once", name)
		}
		Expect(s.sim.madeFor(run)).To(HaveLen(2), "one Job that loads, one that measures")
		s.nothingLeft(run)
	}

	// broken brings a run to its end, or to its deletion, with one write broken in that way.
	broken := func(at int, how breakage, deletedWhileDead bool) (more bool) {
		GinkgoHelper()
		t := newTap(at, how)
		var run, made *v1alpha1.BenchmarkRun
		created := make(chan struct{})
		t.remove = func() {
			<-created
			Expect(k8sClient.Delete(context.Background(), made.DeepCopy())).To(Succeed())
		}
		// The controller starts first: the run is its first work.
		stop := s.start(&tapped{s.results, t}, t.wrap)
		run = shortRun()
		made = run.DeepCopy()
		close(created)
		Eventually(func() bool {
			select {
			case <-t.death:
				return true
			default:
				return over(run)
			}
		}, time.Minute, 50*time.Millisecond).Should(BeTrue(), "write %d: %s", at, t)
		stop()
		what, more := t.broke()
		if !more {
			what = "nothing"
		}
		if more && deletedWhileDead {
			t.remove()
		}
		stop = s.start(s.results, nil)
		defer stop()
		Eventually(func() bool { return over(run) }, time.Minute, 50*time.Millisecond).
			Should(BeTrue(), "after write %d (%s): %+v", at, what, run.Status.Conditions)
		By(fmt.Sprintf("write %d (%s) %s", at, what, how))
		if !gone(run) {
			onceEach(run)
			Expect(k8sClient.Delete(context.Background(), run)).To(Succeed())
			Eventually(func() bool { return gone(run) }, time.Minute, 50*time.Millisecond).Should(BeTrue())
		}
		s.nothingLeft(made)
		return more
	}

	// writes breaks write number first of one run, write number first+step of the next one, and so
	// on until a run has no such write.
	writes := func(first, step int, how breakage, deletedWhileDead bool) {
		for at := first; at <= mostWrites; at += step {
			if !broken(at, how, deletedWhileDead) {
				Expect(at).To(BeNumerically(">", 20), "a run has more writes than that")
				AddReportEntry(fmt.Sprintf("%d writes broken: number %d, and every number that is larger by a multiple of %d", (at-first)/step, first, step))
				return
			}
		}
		Fail("the run never ended its writes")
	}
	everyWrite := func(how breakage, deletedWhileDead bool) { writes(1, 1, how, deletedWhileDead) }

	It("may fail once", Label("robustness"), func() { everyWrite(failing, false) })
	It("may be the last one before the controller is killed", Label("robustness"), func() { everyWrite(killing, false) })
	// The seed chooses which fifth of them.
	It("may be the last one before the controller is killed, of a fifth of them", func() {
		writes(1+int(GinkgoRandomSeed()%5), 5, killing, false)
	})
	It("may be the last one of a run that brings a chart", Label("robustness"), func(ctx context.Context) {
		held := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, GenerateName: "charts-"}, BinaryData: map[string][]byte{"mine.tgz": catalogChart()},
		}
		Expect(k8sClient.Create(ctx, held)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(k8sClient.Delete(ctx, held)).To(Succeed()) })
		installRights(ctx, s.namespace)
		s.account = asAccount(ctx, systemNamespace, "kvbench-controller")
		s.grant(ctx, "bringer")
		also = func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.ServiceAccountName = "bringer"
			spec.Store = v1alpha1.StoreSpec{Name: "mine", Driver: "etcd", Nodes: 3, Chart: &v1alpha1.ChartSpec{
				ConfigMap: &v1alpha1.ConfigMapKeyRef{Name: held.Name, Key: "mine.tgz"}, NodesValue: "nodes",
			}}
		}
		DeferCleanup(func() { also, s.account = nil, nil })
		everyWrite(killing, false)
	})
	It("may be the last one of a run with a fault that lasts", Label("robustness"), func() {
		also = func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "Partition", At: "0s", Duration: ptr.To(v1alpha1.Duration("100ms"))}}
		}
		DeferCleanup(func() { also = nil })
		everyWrite(killing, false)
	})
	It("may come after the run was deleted", Label("robustness"), func() { everyWrite(deleting, false) })
	It("may be the last one before the controller is killed, and the run is deleted", Label("robustness"), func() { everyWrite(killing, true) })
})
