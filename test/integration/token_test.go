package integration

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/pem"
	"log/slog"
	"net/http/httptest"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authentication "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorization "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results"
	"github.com/kvbench/kvbench/internal/results/apiserver"
	"github.com/kvbench/kvbench/internal/results/callers"
	resultsclient "github.com/kvbench/kvbench/internal/results/client"
)

const audience = "kvbench"

// resultsServer is the real one, which asks the API server whose a token is, with the
// rights that the chart gives it.
type resultsServer struct {
	web  *httptest.Server
	data string
}

func newResultsServer(ctx context.Context, log *slog.Logger, report results.MergeFunc) *resultsServer {
	GinkgoHelper()
	account := asAccount(ctx, systemNamespace, "kvbench-results")
	tokens, err := authentication.NewForConfig(account)
	Expect(err).NotTo(HaveOccurred())
	access, err := authorization.NewForConfig(account)
	Expect(err).NotTo(HaveOccurred())
	s := &resultsServer{data: GinkgoT().TempDir()}
	server, err := results.New(results.Config{
		Data: s.data, Limits: results.DefaultLimits(), Log: log, Report: report, Now: time.Now,
		Policy: callers.Policy{
			Controllers: []string{"system:serviceaccount:" + systemNamespace + ":kvbench-controller"},
			Readers:     []string{"system:serviceaccount:" + systemNamespace + ":kvbench-reader"},
		},
		Reviewer:   &apiserver.Reviewer{Reviews: tokens.TokenReviews(), Audience: audience},
		Authorizer: &apiserver.Authorizer{Reviews: access.SubjectAccessReviews()},
		Free:       func() (uint64, error) { return 1 << 40, nil },
	})
	Expect(err).NotTo(HaveOccurred())
	s.web = httptest.NewUnstartedServer(nil)
	s.web.Config = results.HTTPServer(server, results.DefaultLimits(), nil, log)
	s.web.StartTLS()
	DeferCleanup(func() {
		server.Release()
		s.web.Close()
		Expect(server.Close()).To(Succeed())
	})
	return s
}

func (s *resultsServer) as(token string) *resultsclient.Client {
	GinkgoHelper()
	c, err := resultsclient.New(resultsclient.Config{
		URL: s.web.URL, CA: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.web.Certificate().Raw}),
		Token: func() (string, error) { return token, nil },
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(c.Close)
	return c
}

// newPod has a name, labels and a service account; nothing runs it.
func newPod(ctx context.Context, namespace, name, account string, labels map[string]string) *corev1.Pod {
	GinkgoHelper()
	newAccount(ctx, namespace, account)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}}
	pod.Spec.ServiceAccountName = account
	pod.Spec.Containers = []corev1.Container{{Name: "c", Image: "none"}}
	Expect(k8sClient.Create(ctx, pod)).To(Succeed())
	DeferCleanup(func(ctx context.Context) {
		Expect(client.IgnoreNotFound(k8sClient.Delete(ctx, pod, client.GracePeriodSeconds(0)))).To(Succeed())
	})
	return pod
}

const (
	mineUID, minesName = "11111111-1111-4111-8111-111111111111", "mine-1a2b3c4d"
	hersUID, hersName  = "22222222-2222-4222-8222-222222222222", "hers-5e6f7a8b"
)

func planFor(uid, id, namespace string) []byte {
	return []byte(`{"format":1,"run":{"uid":"` + uid + `","id":"` + id + `","name":"r","namespace":"` + namespace +
		`"},"workloads":[{"name":"a","load":{"workers":2}}]}`)
}

var _ = Describe("The results server", Label("tenant"), func() {
	var (
		server      *resultsServer
		mine, other string // namespaces
	)

	BeforeEach(func(ctx context.Context) {
		mine, other = newNamespace(ctx, "mine"), newNamespace(ctx, "other")
		installRights(ctx, mine)
		server = newResultsServer(ctx, slog.New(slog.DiscardHandler), nil)
		controller := server.as(tokenOf(ctx, systemNamespace, "kvbench-controller", nil, audience))
		Expect(controller.Register(ctx, mineUID, planFor(mineUID, minesName, mine))).To(Succeed())
		Expect(controller.Register(ctx, hersUID, planFor(hersUID, hersName, other))).To(Succeed())
	})

	worker := func(pod *corev1.Pod) bundle.Writer {
		return bundle.Writer{Role: bundle.RoleWorker, Workload: "a", Index: 0, PodUID: string(pod.UID)}
	}
	labels := map[string]string{"kvbench.io/run-uid": mineUID, "kvbench.io/run": minesName, "kvbench.io/role": "worker", "batch.kubernetes.io/job-name": minesName + "-measure-a"}
	const workersName = minesName + "-measure-a-0-x7k2p"

	It("takes what the run's own pod sends", func(ctx context.Context) {
		pod := newPod(ctx, mine, workersName, "default", labels)
		c := server.as(tokenOf(ctx, mine, "default", pod, audience))
		Expect(c.Claim(ctx, mineUID, worker(pod))).To(Succeed())
		Expect(c.Append(ctx, mineUID, worker(pod).File(bundle.Bins), 0, []byte("x"))).To(BeEquivalentTo(1))
	})

	// The whole of what a token lets its bearer do: nothing, for every run and every file.
	refused := func(ctx context.Context, token string, pod *corev1.Pod, want error) {
		GinkgoHelper()
		c := server.as(token)
		for _, uid := range []string{mineUID, hersUID} {
			w := worker(pod)
			Expect(c.Claim(ctx, uid, w)).To(MatchError(want), "claim in %s", uid)
			for _, kind := range []string{bundle.Hlog, bundle.Bins, bundle.Jsonl} {
				_, err := c.Append(ctx, uid, w.File(kind), 0, []byte("x"))
				Expect(err).To(MatchError(want), "append in %s", uid)
			}
			_, err := c.State(ctx, uid)
			Expect(err).To(MatchError(want), "read the state of %s", uid)
			_, err = c.StartIn(ctx, uid, "a", time.Second)
			Expect(err).To(MatchError(want), "start %s", uid)
			Expect(c.PutFaults(ctx, uid, nil)).To(MatchError(want), "faults of %s", uid)
			Expect(c.Withdraw(ctx, uid)).To(MatchError(want), "withdraw %s", uid)
			Expect(c.Check(ctx, uid, planFor(uid, minesName, mine))).To(MatchError(want), "check %s", uid)
			Expect(c.Register(ctx, uid, planFor(uid, minesName, mine))).To(MatchError(want), "register %s", uid)
		}
	}

	It("refuses a pod of the same name and labels in another namespace", func(ctx context.Context) {
		pod := newPod(ctx, other, workersName, "default", labels)
		refused(ctx, tokenOf(ctx, other, "default", pod, audience), pod, resultsclient.ErrForbidden)
	})

	It("refuses a pod that has only the labels of the run's worker", func(ctx context.Context) {
		pod := newPod(ctx, mine, "forged", "default", labels)
		refused(ctx, tokenOf(ctx, mine, "default", pod, audience), pod, resultsclient.ErrForbidden)
	})

	It("refuses a token of another run's worker for this run", func(ctx context.Context) {
		pod := newPod(ctx, other, hersName+"-measure-a-0-x7k2p", "default", nil)
		c := server.as(tokenOf(ctx, other, "default", pod, audience))
		Expect(c.Claim(ctx, hersUID, worker(pod))).To(Succeed())
		Expect(c.Claim(ctx, mineUID, worker(pod))).To(MatchError(resultsclient.ErrForbidden))
		_, err := c.Append(ctx, mineUID, worker(pod).File(bundle.Bins), 0, []byte("x"))
		Expect(err).To(MatchError(resultsclient.ErrForbidden))
	})

	It("refuses one pod in another's name", func(ctx context.Context) {
		pod := newPod(ctx, mine, workersName, "default", labels)
		second := newPod(ctx, mine, minesName+"-measure-a-0-q9w8e", "default", labels)
		refused(ctx, tokenOf(ctx, mine, "default", pod, audience), second, resultsclient.ErrForbidden)
	})

	It("refuses a service account without a pod", func(ctx context.Context) {
		pod := newPod(ctx, mine, workersName, "default", labels)
		refused(ctx, tokenOf(ctx, mine, "default", nil, audience), pod, resultsclient.ErrForbidden)
	})

	It("refuses accounts that are called as the controller, elsewhere", func(ctx context.Context) {
		for _, account := range []string{"kvbench-controller", "kvbench-reader"} {
			pod := newPod(ctx, mine, "called-"+account, account, labels)
			refused(ctx, tokenOf(ctx, mine, account, pod, audience), pod, resultsclient.ErrForbidden)
		}
	})

	It("lets the users of a namespace read its results, and no others", func(ctx context.Context) {
		c := server.as(tokenOf(ctx, mine, "kvbench-user", nil, audience))
		state, err := c.State(ctx, mineUID)
		Expect(err).NotTo(HaveOccurred())
		Expect(state.ID).To(Equal(minesName))
		_, err = c.State(ctx, hersUID)
		Expect(err).To(MatchError(resultsclient.ErrForbidden))
		Expect(c.Register(ctx, mineUID, planFor(mineUID, minesName, mine))).To(MatchError(resultsclient.ErrForbidden))
		everyone := server.as(tokenOf(ctx, systemNamespace, "kvbench-reader", nil, audience))
		for _, uid := range []string{mineUID, hersUID} {
			_, err := everyone.State(ctx, uid)
			Expect(err).NotTo(HaveOccurred())
		}
	})

	It("refuses a token of another audience", func(ctx context.Context) {
		pod := newPod(ctx, mine, workersName, "default", labels)
		refused(ctx, tokenOf(ctx, mine, "default", pod, "vault"), pod, resultsclient.ErrUnauthenticated)
		refused(ctx, tokenOf(ctx, mine, "default", pod), pod, resultsclient.ErrUnauthenticated)
	})

	It("refuses the token of a pod that is gone", func(ctx context.Context) {
		pod := newPod(ctx, mine, workersName, "default", labels)
		token := tokenOf(ctx, mine, "default", pod, audience)
		Expect(k8sClient.Delete(ctx, pod, client.GracePeriodSeconds(0))).To(Succeed())
		// The same name again is another pod.
		newPod(ctx, mine, workersName, "default", labels)
		// The API server's own view of pods may be a moment old, and the results server
		// remembers what it was told: it is asked when the API server knows.
		Eventually(func() bool { return reviewed(ctx, token) }).Should(BeFalse())
		refused(ctx, token, pod, resultsclient.ErrUnauthenticated)
	})

	It("refuses forged tokens", func(ctx context.Context) {
		pod := newPod(ctx, mine, workersName, "default", labels)
		parts := strings.Split(tokenOf(ctx, mine, "default", pod, audience), ".")
		encode := base64.RawURLEncoding.EncodeToString
		signature, err := base64.RawURLEncoding.DecodeString(parts[2])
		Expect(err).NotTo(HaveOccurred())
		signature[10] ^= 1
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		Expect(err).NotTo(HaveOccurred())
		digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
		own, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
		Expect(err).NotTo(HaveOccurred())
		controllers := strings.Split(tokenOf(ctx, systemNamespace, "kvbench-controller", nil, audience), ".")
		for what, token := range map[string]string{
			"a changed signature":        parts[0] + "." + parts[1] + "." + encode(signature),
			"the signature of a key":     parts[0] + "." + parts[1] + "." + encode(own),
			"no signature":               parts[0] + "." + parts[1] + ".",
			"no algorithm":               encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + parts[1] + ".",
			"the claims of another":      parts[0] + "." + controllers[1] + "." + parts[2],
			"the signature of another":   parts[0] + "." + parts[1] + "." + controllers[2],
			"no token":                   "x",
			"more than a token may have": strings.Repeat("x", 100<<10),
		} {
			By(what)
			if len(token) > 16<<10 {
				// The header is refused as a whole, before anything is looked at.
				Expect(server.as(token).Claim(ctx, mineUID, worker(pod))).NotTo(Succeed())
				continue
			}
			refused(ctx, token, pod, resultsclient.ErrUnauthenticated)
		}
	})
})

// reviewed asks the API server as the results server does.
func reviewed(ctx context.Context, token string) bool {
	GinkgoHelper()
	reviews, err := authentication.NewForConfig(restConfig)
	Expect(err).NotTo(HaveOccurred())
	_, valid, err := (&apiserver.Reviewer{Reviews: reviews.TokenReviews(), Audience: audience}).Review(ctx, token)
	Expect(err).NotTo(HaveOccurred())
	return valid
}
