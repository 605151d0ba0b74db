package integration

import (
	"context"
	"encoding/json"
	"io"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/credentials"
	"github.com/kvbench/kvbench/internal/stores"
)

var _ = Describe("spec.store.security", Ordered, Label("tenant"), func() {
	var (
		s   *stage
		log = &written{}
	)
	BeforeAll(func(ctx context.Context) {
		s = newStage()
		s.results.measureFor = 100 * time.Millisecond
		s.log = io.MultiWriter(GinkgoWriter, log)
		// With the rights of an installation: the controller reads no Secret of the namespace.
		installRights(ctx, s.namespace)
		s.account = asAccount(ctx, systemNamespace, "kvbench-controller")
	})
	withTLS := func(spec *v1alpha1.BenchmarkRunSpec) { spec.Store.Security = v1alpha1.SecurityTLS }
	secretOf := func(run *v1alpha1.BenchmarkRun) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Namespace: run.Namespace, Name: compile.SecretName(compile.RunID(run.Name, string(run.UID)))}}
	}
	find := func(ctx context.Context, secret *corev1.Secret) func() error {
		return func() error { return k8sClient.Get(ctx, client.ObjectKeyFromObject(secret), secret) }
	}

	It("gives each run credentials, which go with its store and are in nothing that is left", func(ctx context.Context) {
		Expect(may(ctx, systemNamespace, "kvbench-controller", s.namespace, "get", "secrets")).To(BeFalse())
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(withTLS)
		secret := secretOf(run)
		Eventually(find(ctx, secret), time.Minute, 10*time.Millisecond).Should(Succeed())
		Expect(metav1.IsControlledBy(secret, run)).To(BeTrue())
		Expect(*secret.Immutable).To(BeTrue())
		for _, file := range append(stores.CredentialFiles(stores.SecurityTLS), credentials.FileServerKey, credentials.FilePeerKey) {
			Expect(secret.Data).To(HaveKeyWithValue(file, Not(BeEmpty())))
		}
		secrets := secretsOf(ctx)
		Expect(secrets).To(HaveKey(secret.Namespace + "/" + secret.Name + ".password"))
		key, err := json.Marshal(string(secret.Data[credentials.FileServerKey]))
		Expect(err).NotTo(HaveOccurred())
		Expect(leaks(string(key), secrets)).To(ContainElement(secret.Namespace+"/"+secret.Name+"."+credentials.FileServerKey), "a key in JSON would be found")

		// What runs, and what is written about it, names the Secret and says nothing of it.
		worker := &batchv1.JobList{}
		mine := []client.ListOption{client.InNamespace(run.Namespace), client.MatchingLabels{"kvbench.io/run-uid": string(run.UID), "kvbench.io/role": "worker"}}
		Eventually(func() []batchv1.Job {
			Expect(k8sClient.List(ctx, worker, mine...)).To(Succeed())
			return worker.Items
		}, time.Minute).Should(HaveLen(1))
		texts := map[string]any{"Jobs": worker, "StatefulSets": &appsv1.StatefulSetList{}, "Deployments": &appsv1.DeploymentList{}, "ConfigMaps": &corev1.ConfigMapList{}}
		for what, list := range texts {
			if what != "Jobs" {
				Expect(k8sClient.List(ctx, list.(client.ObjectList), client.InNamespace(run.Namespace))).To(Succeed())
			}
			text, err := json.Marshal(list)
			Expect(err).NotTo(HaveOccurred())
			Expect(string(text)).To(ContainSubstring(secret.Name), what)
			for where, content := range secrets {
				Expect(string(text)).NotTo(ContainSubstring(content), "%s: %s", what, where)
			}
		}
		s.sim.holdJobs.remove("worker")
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		Expect(apierrors.IsNotFound(find(ctx, secretOf(run))())).To(BeTrue())
		s.nothingLeft(run)
		status, err := json.Marshal(run)
		Expect(err).NotTo(HaveOccurred())
		for what, text := range map[string]string{"the run": string(status), "the log": log.String(), "the plan": string(s.results.planOf(string(run.UID)))} {
			Expect(text).NotTo(BeEmpty(), what)
			Expect(leaks(text, secrets)).To(BeEmpty(), what)
		}
	})

	It("keeps them with a store that is retained", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			withTLS(spec)
			spec.Retain = v1alpha1.RetainAlways
		})
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		secret := secretOf(run)
		Expect(find(ctx, secret)()).To(Succeed())
		s.remove(ctx, run)
		Expect(apierrors.IsNotFound(find(ctx, secret)())).To(BeTrue())
	})

	It("takes nobody else's Secret for its own", func(ctx context.Context) {
		run := s.newRun(withTLS) // its UID is in the name
		theirs := secretOf(run)
		theirs.StringData = map[string]string{stores.FilePassword: "known-to-them"}
		Expect(k8sClient.Create(ctx, theirs)).To(Succeed())
		DeferCleanup(func(ctx context.Context) { Expect(k8sClient.Delete(ctx, theirs)).To(Succeed()) })
		DeferCleanup(s.start(s.results, nil))
		s.reach(run, v1alpha1.ConditionFailed, "NameTaken")
		Expect(find(ctx, theirs)()).To(Succeed(), "it is left alone")
		Expect(theirs.Data).To(HaveKeyWithValue(stores.FilePassword, []byte("known-to-them")))
	})

	// onTheirs is a run on endpoints of PostgreSQL that name a Secret.
	onTheirs := func(account, secret string) *v1alpha1.BenchmarkRun {
		return s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.ServiceAccountName = account
			spec.Store = v1alpha1.StoreSpec{
				Name: "ours", Driver: "postgresql", Nodes: 1, Endpoints: []v1alpha1.EndpointSpec{{Address: "ours.elsewhere:5432"}},
				Security: v1alpha1.SecurityAuth, SecuritySecret: secret,
			}
		})
	}
	theirs := func(ctx context.Context, name, label, key string) {
		GinkgoHelper()
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name, Labels: map[string]string{"kvbench.io/store-credentials": label}}}
		secret.StringData = map[string]string{key: "planted-in-" + name}
		Expect(k8sClient.Create(ctx, secret)).To(Succeed())
		DeferCleanup(func(ctx context.Context) { Expect(k8sClient.Delete(ctx, secret)).To(Succeed(), "the run removed it") })
	}

	It("uses a Secret for endpoints that is meant for it, and leaves it there", func(ctx context.Context) {
		theirs(ctx, "good", "true", stores.FilePassword)
		DeferCleanup(s.start(s.results, nil))
		run := onTheirs("", "good")
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		good := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "good"}}
		Expect(find(ctx, good)()).To(Succeed())
		s.remove(ctx, run)
		Expect(find(ctx, good)()).To(Succeed())
		Expect(leaks(log.String()+string(s.results.planOf(string(run.UID))), secretsOf(ctx))).To(BeEmpty())
	})

	It("uses no Secret for endpoints whose label was withdrawn while the run waited", func(ctx context.Context) {
		theirs(ctx, "withdrawn", "true", stores.FilePassword)
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		DeferCleanup(s.start(s.results, nil))
		ahead := s.newRun(nil)
		s.reach(ahead, v1alpha1.ConditionStoreReady, "Steady")
		run := onTheirs("", "withdrawn")
		s.reach(run, v1alpha1.ConditionAccepted, "Queued")
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "withdrawn"}}
		Expect(find(ctx, secret)()).To(Succeed())
		secret.Labels = nil
		Expect(k8sClient.Update(ctx, secret)).To(Succeed())
		s.sim.holdJobs.remove("worker")
		s.reach(run, v1alpha1.ConditionFailed, "SecretForbidden")
		Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed).Message).To(ContainSubstring("kvbench.io/store-credentials"))
		s.nothingLeft(run)
	})

	It("refuses a Secret for endpoints that can't be, or isn't to be used", func(ctx context.Context) {
		theirs(ctx, "unlabelled", "false", stores.FilePassword)
		theirs(ctx, "wordless", "true", "word")
		newAccount(ctx, s.namespace, "reads-nothing")
		DeferCleanup(s.start(s.results, nil))
		for _, c := range []struct{ account, secret, reason, says string }{
			{"", "absent", "SecretMissing", "create it"},
			{"", "wordless", "SecretMissing", "has no password"},
			{"", "unlabelled", "SecretForbidden", "kvbench.io/store-credentials"},
			{"reads-nothing", "wordless", "SecretForbidden", "may not read"},
		} {
			run := onTheirs(c.account, c.secret)
			s.reach(run, v1alpha1.ConditionFailed, c.reason)
			said := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed).Message
			Expect(said).To(And(HavePrefix("spec.store.securitySecret: "), ContainSubstring(c.secret), ContainSubstring(c.says)))
			Expect(leaks(said, secretsOf(ctx))).To(BeEmpty())
		}
	})
})
