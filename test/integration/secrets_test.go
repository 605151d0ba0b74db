package integration

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/compile"
	resultsclient "github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/merging"
	"github.com/kvbench/kvbench/internal/servingcert"
)

// both tells a real results server everything that the ledger is told. The ledger's
// answers count: nothing was measured.
type both struct {
	*ledger
	real *resultsclient.Client
}

var _ clients.Results = (*both)(nil)

func (b *both) Check(ctx context.Context, uid string, planJSON []byte) error {
	if err := b.real.Check(ctx, uid, planJSON); err != nil {
		return err
	}
	return b.ledger.Check(ctx, uid, planJSON)
}

func (b *both) Register(ctx context.Context, uid string, planJSON []byte) error {
	if err := b.real.Register(ctx, uid, planJSON); err != nil {
		return err
	}
	return b.ledger.Register(ctx, uid, planJSON)
}

func (b *both) Withdraw(ctx context.Context, uid string) error {
	if err := b.real.Withdraw(ctx, uid); err != nil {
		return err
	}
	return b.ledger.Withdraw(ctx, uid)
}

func (b *both) StartIn(ctx context.Context, uid, workload string, in time.Duration) (bundle.Start, error) {
	if start, err := b.real.StartIn(ctx, uid, workload, in); err != nil {
		return start, err
	}
	return b.ledger.StartIn(ctx, uid, workload, in)
}

func (b *both) PutEnvironment(ctx context.Context, uid string, document []byte) error {
	if err := b.real.PutEnvironment(ctx, uid, document); err != nil {
		return err
	}
	return b.ledger.PutEnvironment(ctx, uid, document)
}

func (b *both) PutFaults(ctx context.Context, uid string, lines []byte) error {
	if err := b.real.PutFaults(ctx, uid, lines); err != nil {
		return err
	}
	return b.ledger.PutFaults(ctx, uid, lines)
}

func (b *both) MakeReport(ctx context.Context, uid string) ([]byte, error) {
	if document, err := b.real.MakeReport(ctx, uid); err != nil {
		return document, err
	}
	return b.ledger.MakeReport(ctx, uid)
}

// written is a log that several programs write.
type written struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (w *written) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.Write(line)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}

// secretWords are what no text that people read may hold.
var secretWords = regexp.MustCompile(`eyJ[A-Za-z0-9_-]{8,}\.eyJ|PRIVATE KEY|(?i:bearer)\s+[A-Za-z0-9_.~+/-]{16}|(?i:password|authorization)["']?\s*[:=]`)

// secretsOf are the contents of all Secrets, as they are and as base64. What Helm keeps of
// releases is no secret, and certificates are public.
func secretsOf(ctx context.Context) map[string]string {
	GinkgoHelper()
	list := &corev1.SecretList{}
	Expect(k8sClient.List(ctx, list)).To(Succeed())
	contents := map[string]string{}
	for i := range list.Items {
		secret := &list.Items[i]
		for key, content := range secret.Data {
			if secret.Type == "helm.sh/release.v1" || key == servingcert.CAKey || key == corev1.TLSCertKey || len(content) < 8 {
				continue
			}
			where := secret.Namespace + "/" + secret.Name + "." + key
			contents[where] = telling(string(content))
			contents[where+" in base64"] = base64.StdEncoding.EncodeToString(content)
		}
	}
	return contents
}

// telling is what tells of a content: of PEM one line, since JSON has no real ends of lines.
func telling(content string) string {
	if lines := strings.Split(strings.TrimSpace(content), "\n"); strings.HasPrefix(lines[0], "-----BEGIN") && len(lines) > 2 {
		return lines[len(lines)/2]
	}
	return content
}

// leaks names what of secrets is in a text.
func leaks(text string, secrets map[string]string) []string {
	found := secretWords.FindAllString(text, 5)
	for where, secret := range secrets {
		if bytes.Contains([]byte(text), []byte(secret)) {
			found = append(found, where)
		}
	}
	return found
}

var _ = Describe("Secrets", Ordered, Label("tenant"), func() {
	var (
		s       *stage
		log     = &written{}
		server  *resultsServer
		results *both
		token   string
	)

	BeforeAll(func(ctx context.Context) {
		s = newStage()
		s.results.measureFor = 100 * time.Millisecond
		s.sim.awaitFault.Store(true)
		s.log = io.MultiWriter(GinkgoWriter, log)
		installRights(ctx, s.namespace)
		s.account = asAccount(ctx, systemNamespace, "kvbench-controller")

		// The one that the controller makes, with its real code.
		own, err := client.New(s.account, client.Options{Scheme: scheme})
		Expect(err).NotTo(HaveOccurred())
		s.ca, err = servingcert.Ensure(ctx, own, own, client.ObjectKey{Namespace: systemNamespace, Name: "kvbench-results-tls"}, []string{"localhost"}, time.Now())
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(k8sClient.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: systemNamespace, Name: "kvbench-results-tls"}})).To(Succeed())
		})

		token = tokenOf(ctx, systemNamespace, "kvbench-controller", nil, audience)
		s.pullSecrets = []corev1.LocalObjectReference{{Name: "registry"}}
		for name, data := range map[string]map[string]string{
			"registry": {corev1.DockerConfigJsonKey: `{"auths":{"registry.example":{"auth":"cGxhbnRlZDpwdWxsLXNlY3JldA=="}}}`},
			"database": {"word": "planted-correct-horse-battery-staple"},
			"tokens":   {"api": s.account.BearerToken, "results": token},
		} {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name}, StringData: data}
			if name == "registry" {
				secret.Type = corev1.SecretTypeDockerConfigJson
			}
			Expect(k8sClient.Create(ctx, secret)).To(Succeed())
			DeferCleanup(func(ctx context.Context) { Expect(k8sClient.Delete(ctx, secret)).To(Succeed()) })
		}

		server = newResultsServer(ctx, slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			merging.InProcess)
		results = &both{ledger: s.results, real: server.as(token)}
	})

	// told is everything that a run leaves for people to read, by where it is.
	told := func(ctx context.Context, run *v1alpha1.BenchmarkRun, planText string) map[string]string {
		GinkgoHelper()
		texts := map[string]string{"the logs": log.String(), "the plan's ConfigMap": planText}
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(run), run)).To(Succeed())
		status, err := json.Marshal(run)
		Expect(err).NotTo(HaveOccurred())
		texts["the run"] = string(status)
		happened := &eventsv1.EventList{}
		Expect(k8sClient.List(ctx, happened)).To(Succeed())
		events, err := json.Marshal(happened)
		Expect(err).NotTo(HaveOccurred())
		texts["the events"] = string(events)
		Expect(fs.WalkDir(os.DirFS(server.data), ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := fs.ReadFile(os.DirFS(server.data), path)
			texts["the results server's "+path] = string(content)
			return err
		})).To(Succeed())
		return texts
	}
	// planOf waits for the run's ConfigMap, which goes with its end.
	planOf := func(ctx context.Context, run *v1alpha1.BenchmarkRun) string {
		GinkgoHelper()
		kept := &corev1.ConfigMap{}
		key := client.ObjectKey{Namespace: run.Namespace, Name: compile.RunID(run.Name, string(run.UID)) + "-plan"}
		Eventually(func() error { return k8sClient.Get(ctx, key, kept) }, time.Minute, 10*time.Millisecond).Should(Succeed())
		text, err := json.Marshal(kept)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(ContainSubstring("BEGIN CERTIFICATE"), "the authority's certificate is for the workers, and public")
		return string(text)
	}
	nothingTold := func(ctx context.Context, run *v1alpha1.BenchmarkRun, planText string, besides ...string) {
		GinkgoHelper()
		secrets := secretsOf(ctx)
		Expect(len(secrets)).To(BeNumerically(">=", 10), "the planted ones, and the certificate's key")
		texts := told(ctx, run, planText)
		for _, where := range append(besides, "the logs", "the run", "the events") {
			Expect(texts).To(HaveKeyWithValue(where, Not(BeEmpty())))
		}
		for where, text := range texts {
			Expect(leaks(text, secrets)).To(BeEmpty(), where)
		}
	}
	atServer := func(run *v1alpha1.BenchmarkRun, name string) string {
		return fmt.Sprintf("the results server's runs/%s/%s", run.UID, name)
	}
	withFault := func(spec *v1alpha1.BenchmarkRunSpec) {
		spec.Load.Warmup = ptr.To(v1alpha1.Duration("0s"))
		spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "0s"}}
	}

	It("would be found", func(ctx context.Context) {
		secrets := secretsOf(ctx)
		for _, text := range []string{
			"token " + token, "Bearer 0123456789abcdefghij", "Authorization: x", `"password": "x"`, "-----BEGIN EC PRIVATE KEY-----",
			"it says planted-correct-horse-battery-staple.", "cGxhbnRlZC1jb3JyZWN0LWhvcnNlLWJhdHRlcnktc3RhcGxl",
			`pull with {"auths":{"registry.example":{"auth":"cGxhbnRlZDpwdWxsLXNlY3JldA=="}}}`,
		} {
			Expect(leaks(text, secrets)).NotTo(BeEmpty(), text)
		}
		Expect(leaks("the token could not be reviewed", secrets)).To(BeEmpty())
	})

	It("are in nothing that a run leaves", func(ctx context.Context) {
		DeferCleanup(s.start(results, nil))
		run := s.newRun(withFault)
		text := planOf(ctx, run)
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		nothingTold(ctx, run, text, atServer(run, "plan.json"), atServer(run, "report.md"))
		Expect(log.String()).To(ContainSubstring("decided"), "each decision is logged")
	})

	It("are in nothing that a failed run leaves", func(ctx context.Context) {
		s.sim.failJobs.add("worker")
		DeferCleanup(func() { s.sim.failJobs.remove("worker") })
		DeferCleanup(s.start(results, nil))
		run := s.newRun(withFault)
		text := planOf(ctx, run)
		s.reach(run, v1alpha1.ConditionFailed, "MeasurementLost")
		nothingTold(ctx, run, text, atServer(run, "plan.json"))
	})

	It("are in nothing that is said of a refusal", func(ctx context.Context) {
		newAccount(ctx, s.namespace, "powerless")
		DeferCleanup(s.start(results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.ServiceAccountName = "powerless" })
		text := planOf(ctx, run)
		s.reach(run, v1alpha1.ConditionFailed, "DeployRefused")
		nothingTold(ctx, run, text)
	})

	It("are in nothing that is said when the results server refuses the controller", func(ctx context.Context) {
		forged := &both{ledger: s.results, real: server.as(token + "x")}
		DeferCleanup(s.start(forged, nil))
		run := s.newRun(nil)
		s.reach(run, v1alpha1.ConditionAccepted, "Admitting")
		Eventually(log.String, time.Minute).Should(ContainSubstring("token"), "the log has it after the status")
		texts := map[string]string{"the logs": log.String(), "the run": meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted).Message}
		for where, text := range texts {
			Expect(text).To(ContainSubstring("token"), where)
			Expect(leaks(text, secretsOf(ctx))).To(BeEmpty(), where)
		}
		Expect(k8sClient.Delete(ctx, run)).To(Succeed())
		Eventually(func() error {
			return k8sClient.Get(ctx, client.ObjectKeyFromObject(run), run)
		}, time.Minute).Should(MatchError(ContainSubstring("not found")))
	})
})
