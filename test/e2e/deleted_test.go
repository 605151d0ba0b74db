//go:build e2e

package e2e

import (
	"context"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// everyMoment is where a run is deleted.
var everyMoment = []moment{
	atPhase("Queued"), atPhase("Deploying"), atPhase("Loading"), atPhase("Arming"), started, faultInjected,
	atPhase("Collecting"), atPhase("TearingDown"), atPhase("Complete"),
}

var _ = Describe("What is deleted", Label("deleted", "robustness"), func() {
	for _, m := range everyMoment {
		for _, present := range []bool{true, false} {
			It("is gone without a rest: a run, "+at(m, present), func(ctx SpecContext) {
				run := newRun("deleted", openLoop, killLeader)
				reach(ctx, run, m, present)
				Expect(k8s.Delete(ctx, run)).To(Succeed())
				if !present {
					startController(ctx)
				}
				remove(ctx, run)
				expectNothingLeft(ctx, run)
				expectSlotFree(ctx, run)
			}, SpecTimeout(8*time.Minute))

			It("is gone without a rest: a namespace, "+at(m, present), func(ctx SpecContext) {
				run := newRun("nsdeleted", openLoop, killLeader)
				run.Namespace = newNamespace(ctx)
				reach(ctx, run, m, present)
				home := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: run.Namespace}}
				Expect(k8s.Delete(ctx, home)).To(Succeed())
				if !present {
					startController(ctx)
				}
				Eventually(func() bool {
					return apierrors.IsNotFound(k8s.Get(ctx, client.ObjectKeyFromObject(home), home))
				}).WithContext(ctx).WithTimeout(deleteTimeout).Should(BeTrue(), "the namespace hangs: %v", home.Status.Conditions)
				expectSlotFree(ctx, run)
				expectNoVolumes(ctx, run.Namespace)
			}, SpecTimeout(8*time.Minute))
		}
	}
})

func at(m moment, present bool) string {
	if present {
		return m.name
	}
	return m.name + ", while the controller is away"
}

// reach applies the run, waits for the moment, and takes the controller away unless it is to
// be present.
func reach(ctx context.Context, run *v1alpha1.BenchmarkRun, m moment, present bool) {
	GinkgoHelper()
	if m.name == "Queued" {
		occupy(ctx)
	}
	apply(ctx, run)
	await(ctx, run, m)
	if !present {
		stopController(ctx)
	}
}

// newNamespace is one like the default one: with a service account that may deploy stores.
func newNamespace(ctx context.Context) string {
	GinkgoHelper()
	name := "e2e-" + rand.String(5)
	Expect(k8s.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		home := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		Expect(client.IgnoreNotFound(k8s.Delete(ctx, home))).To(Succeed())
	})
	key := client.ObjectKey{Namespace: namespace, Name: "kvbench-deployer"}
	model := &rbacv1.Role{}
	Expect(k8s.Get(ctx, key, model)).To(Succeed())
	meta := metav1.ObjectMeta{Namespace: name, Name: key.Name}
	for _, object := range []client.Object{
		&corev1.ServiceAccount{ObjectMeta: meta},
		&rbacv1.Role{ObjectMeta: meta, Rules: model.Rules},
		&rbacv1.RoleBinding{
			ObjectMeta: meta,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: key.Name},
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: name, Name: key.Name}},
		},
	} {
		Expect(k8s.Create(ctx, object)).To(Succeed())
	}
	return name
}

// expectSlotFree wants the right to run not to be the run's any more.
func expectSlotFree(ctx context.Context, run *v1alpha1.BenchmarkRun) {
	GinkgoHelper()
	Expect(holdsSlot(ctx, run)).To(BeFalse())
}

// holdsSlot says whether a Lease gives the run the right to run.
func holdsSlot(ctx context.Context, run *v1alpha1.BenchmarkRun) bool {
	GinkgoHelper()
	leases := &coordinationv1.LeaseList{}
	Expect(k8s.List(ctx, leases, client.InNamespace(systemNamespace))).To(Succeed())
	return slices.ContainsFunc(leases.Items, func(lease coordinationv1.Lease) bool {
		return lease.Spec.HolderIdentity != nil && strings.Contains(*lease.Spec.HolderIdentity, string(run.UID))
	})
}

// expectNoVolumes waits for the storage provisioner, which follows the claims.
func expectNoVolumes(ctx context.Context, namespace string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		volumes := &corev1.PersistentVolumeList{}
		g.Expect(k8s.List(ctx, volumes)).To(Succeed())
		for i := range volumes.Items {
			if claim := volumes.Items[i].Spec.ClaimRef; claim != nil {
				g.Expect(claim.Namespace).NotTo(Equal(namespace))
			}
		}
	}).WithContext(ctx).WithTimeout(time.Minute).Should(Succeed())
}
