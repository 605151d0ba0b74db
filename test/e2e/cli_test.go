//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/test/browser"
)

const firstRun = `apiVersion: kvbench.io/v1alpha1
kind: BenchmarkRun
metadata:
  name: e2e-first
spec:
  store: {name: etcd, nodes: 1}
  workloads: [{name: a, preset: A, records: 1000, duration: 10s}]
  load: {workers: 1, rate: 300, warmup: 2s, cooldown: 1s}
`

var _ = Describe("kubectl kvbench, of a user with rights in one namespace alone", Label("cli"), func() {
	It("does a run, finds its results by name, and deletes both", func(ctx SpecContext) {
		anna := newUser(ctx, "e2e-anna")
		file := filepath.Join(GinkgoT().TempDir(), "first.yaml")
		Expect(os.WriteFile(file, []byte(firstRun), 0o600)).To(Succeed())
		kept := filepath.Join(GinkgoT().TempDir(), "kept")
		DeferCleanup(func(ctx SpecContext) { anna.kvbench(ctx, "delete", "run/e2e-first", "--yes") }, NodeTimeout(deleteTimeout))

		By("writing a run, and checking it without a cluster")
		written := filepath.Join(GinkgoT().TempDir(), "written.yaml")
		Expect(anna.kvbench(ctx, "init", "--answers", "store=redis,nodes=1,fault=None", "--filename", written).code).To(Equal(0))
		well := anna.kvbench(ctx, "validate", "-f", written, "-f", file)
		Expect(well.code).To(Equal(0), "%s%s", well.out, well.err)
		wrong := filepath.Join(GinkgoT().TempDir(), "wrong.yaml")
		Expect(os.WriteFile(wrong, []byte(strings.Replace(firstRun, "name: etcd", "name: ectd", 1)), 0o600)).To(Succeed())
		refused := anna.kvbench(ctx, "validate", "-f", wrong)
		Expect(refused.code).To(Equal(exit.Failed))
		Expect(refused.out).To(ContainSubstring("ectd"))

		By("asking what the cluster lacks")
		ill := anna.kvbench(ctx, "doctor", "-o", "json")
		Expect(ill.code).To(Equal(exit.Unknown), "what she may not see is not known: %s%s", ill.out, ill.err)
		Expect(ill.out).To(ContainSubstring("Chaos Mesh"))

		By("doing a run, and watching it")
		ran, watched, logged := make(chan outcome, 1), make(chan outcome, 1), make(chan outcome, 1)
		begin := func(to chan<- outcome, args ...string) {
			go func() {
				defer GinkgoRecover()
				to <- anna.kvbench(ctx, args...)
			}()
		}
		begin(ran, "run", "-f", file, "--replace", "--keep", kept)
		Eventually(func() error {
			return k8s.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "e2e-first"}, &v1alpha1.BenchmarkRun{})
		}).WithContext(ctx).WithTimeout(time.Minute).Should(Succeed())
		begin(watched, "watch", "e2e-first")
		begin(logged, "logs", "e2e-first", "--follow")
		page := browser.Browse(GinkgoT(), anna.opens(ctx, "e2e-first"))
		page.Until(`document.querySelector('[aria-label^="Throughput"]')?.plot?.data[0].length >= 3`)
		Expect(page.Text(".badges")).To(ContainSubstring("live"))
		var done, seen, lines outcome
		Eventually(ran).WithContext(ctx).WithTimeout(measureTimeout).Should(Receive(&done))
		Expect(done.code).To(Or(Equal(0), Equal(exit.Unknown)), "%s%s", done.out, done.err) // a busy machine makes the numbers not valid
		Expect(done.out).To(And(ContainSubstring("Workload a: open loop, 300 operations/s"), ContainSubstring("The run is complete")))
		Expect(done.err).To(ContainSubstring("Measuring"))
		Expect(filepath.Join(kept, "bundle", "plan.json")).To(BeAnExistingFile())
		Eventually(watched).WithContext(ctx).WithTimeout(time.Minute).Should(Receive(&seen))
		Expect(seen.code).To(Equal(done.code), seen.err)
		Expect(seen.out).To(And(ContainSubstring("served"), ContainSubstring("The run is complete")), seen.err)
		Eventually(logged).WithContext(ctx).WithTimeout(time.Minute).Should(Receive(&lines))
		Expect(lines.code).To(Equal(0), lines.err)
		Expect(lines.out).To(And(MatchRegexp(`member etcd-0 `), MatchRegexp(`worker `)))
		Expect(lines.err).To(ContainSubstring("The controller's log is left out"))
		again := anna.kvbench(ctx, "run", "-f", file)
		Expect(again.code).To(Equal(exit.Usage))
		Expect(again.err).To(ContainSubstring("--replace"))

		page.Until(`/^(not )?valid$/.test(document.querySelector(".badges").textContent)`)
		Expect(page.Charts()).To(ContainElements("Throughput", "Percentiles of response time"))
		Expect(page.Complaints()).To(BeEmpty())

		By("giving its numbers to other tools, and taking them back")
		exported := anna.kvbench(ctx, "export", "e2e-first", "--format", "ycsb")
		Expect(exported.code).To(Equal(done.code), exported.err)
		Expect(exported.out).To(ContainSubstring("[READ], AverageLatency(us), "))
		ycsb, imported := filepath.Join(GinkgoT().TempDir(), "ycsb.txt"), filepath.Join(GinkgoT().TempDir(), "imported.json")
		Expect(os.WriteFile(ycsb, []byte(exported.out), 0o600)).To(Succeed())
		taken := anna.kvbench(ctx, "import", ycsb, "--workload", "a")
		Expect(taken.code).To(Equal(0), taken.err)
		Expect(os.WriteFile(imported, []byte(taken.out), 0o600)).To(Succeed())
		compared := anna.kvbench(ctx, "compare", imported, "run/e2e-first", "--fail-if-worse", "5%")
		Expect(compared.code).To(Equal(exit.Unknown), "nobody knows whether imported numbers are valid: %s%s", compared.out, compared.err)
		Expect(compared.out + compared.err).To(Or(ContainSubstring("imported: validity not known"), ContainSubstring("not valid")))

		By("finding it by name")
		Expect(anna.list(ctx)).To(ContainElement(And(HaveField("Name", "e2e-first"), HaveField("Phase", "Complete"), HaveField("Valid", Not(BeNil())))))
		Expect(anna.kvbench(ctx, "get", "e2e-first").out).To(ContainSubstring("kubectl kvbench -n default report run/e2e-first"))
		missing := anna.kvbench(ctx, "get", "e2e-frist")
		Expect(missing.code).To(Equal(exit.Usage))
		Expect(missing.err).To(ContainSubstring("did you mean e2e-first?"))

		By("opening its report, which nobody shows here")
		html := filepath.Join(GinkgoT().TempDir(), "report.html")
		Expect(anna.kvbench(ctx, "open", "e2e-first", "--file", html).err).To(ContainSubstring("is in " + html))
		drawn := browser.Open(GinkgoT(), html)
		Expect(drawn.Text("h1")).To(Equal("default/e2e-first"))
		Expect(drawn.Charts()).To(ContainElements("Throughput", "Response time of READ", "Heat map of response time", "Members", "Percentiles of response time"))
		Expect(drawn.Complaints()).To(BeEmpty())

		By("cancelling another one")
		other := filepath.Join(GinkgoT().TempDir(), "other.yaml")
		Expect(os.WriteFile(other, []byte(strings.Replace(firstRun, "e2e-first", "e2e-other", 1)), 0o600)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { anna.kvbench(ctx, "delete", "run/e2e-other", "--yes") }, NodeTimeout(deleteTimeout))
		Expect(anna.kvbench(ctx, "run", "-f", other, "--wait=false").code).To(Equal(0))
		cancelled := anna.kvbench(ctx, "cancel", "e2e-other")
		Expect(cancelled.code).To(Equal(0), cancelled.err)
		Expect(apierrors.IsNotFound(k8s.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "e2e-other"}, &v1alpha1.BenchmarkRun{}))).To(BeTrue())

		By("reading its report when it is deleted")
		Expect(anna.kvbench(ctx, "delete", "e2e-first").err).To(ContainSubstring("--yes"))
		Expect(anna.kvbench(ctx, "delete", "e2e-first", "--yes", "--keep-results").code).To(Equal(0))
		Expect(anna.list(ctx)).To(ContainElement(And(HaveField("Name", "e2e-first"), HaveField("Phase", inventory.Kept), HaveField("Reported", true))))
		var read report.Report
		Expect(json.Unmarshal([]byte(anna.kvbench(ctx, "report", "e2e-first", "-o", "json").out), &read)).To(Succeed())
		Expect(read.Run.Name).To(Equal("e2e-first"))
		Expect(anna.kvbench(ctx, "report", "e2e-first", "-o", "csv").out).To(ContainSubstring(",a,READ,,p99,response,"))

		By("seeing nothing of other namespaces")
		Expect(anna.kvbench(ctx, "list", "-A").code).To(Equal(exit.Usage))
		elsewhere := anna.kvbench(ctx, "list", "-n", systemNamespace)
		Expect(elsewhere.code).To(Equal(exit.Usage))
		Expect(elsewhere.err).To(ContainSubstring("role kvbench-user"))

		By("deleting what is kept")
		Expect(anna.kvbench(ctx, "delete", "e2e-first", "--yes").code).To(Equal(0))
		Expect(anna.list(ctx)).NotTo(ContainElement(HaveField("UID", read.Run.UID)))
		Expect(anna.kvbench(ctx, "version").out).To(MatchRegexp(`Client: v.*\nServer: v`))
	}, SpecTimeout(measureTimeout))
})

// user has a kubeconfig of his own.
type user struct{ kubeconfig string }

// newUser is bound to the roles that the chart makes for users of the namespace of runs.
func newUser(ctx context.Context, name string) user {
	GinkgoHelper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	objects := []client.Object{account, bindingOf(name, namespace, "kvbench-user"), bindingOf(name, systemNamespace, "kvbench-results-connection")}
	for _, object := range objects {
		Expect(client.IgnoreNotFound(k8s.Delete(ctx, object))).To(Succeed()) // a killed run of this spec left it
		Expect(k8s.Create(ctx, object)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(k8s.Delete(ctx, object))).To(Succeed()) }, NodeTimeout(time.Minute))
	}
	token := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](3600)}}
	Expect(k8s.SubResource("token").Create(ctx, account, token)).To(Succeed())

	raw, err := clientcmd.LoadFromFile(kubeconfig)
	Expect(err).NotTo(HaveOccurred())
	context := raw.Contexts[raw.CurrentContext]
	raw.AuthInfos = map[string]*clientcmdapi.AuthInfo{name: {Token: token.Status.Token}}
	context.AuthInfo, context.Namespace = name, namespace
	u := user{filepath.Join(GinkgoT().TempDir(), "kubeconfig")}
	Expect(clientcmd.WriteToFile(*raw, u.kubeconfig)).To(Succeed())
	return u
}

func bindingOf(name, in, role string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
	}
}

// outcome of a command.
type outcome struct {
	code     int
	out, err string
}

// kvbench runs the plugin through kubectl.
func (u user) kvbench(ctx context.Context, args ...string) outcome {
	GinkgoHelper()
	cmd := u.command(ctx, args...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		Fail(fmt.Sprintf("kubectl kvbench %q: %v", args, err))
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), problems.String()}
}

func (u user) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, kubectl, append([]string{"kvbench", "--kubeconfig", u.kubeconfig}, args...)...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return cmd
}

// opens serves the live page until the spec ends, and returns its address.
func (u user) opens(ctx SpecContext, args ...string) (address string) {
	GinkgoHelper()
	cmd, said := u.command(ctx, append([]string{"open"}, args...)...), gbytes.NewBuffer()
	cmd.Stderr = said
	Expect(cmd.Start()).To(Succeed())
	DeferCleanup(func() {
		Expect(cmd.Process.Signal(os.Interrupt)).To(Succeed())
		_ = cmd.Wait() // an interrupt is no success
	})
	Eventually(said).WithContext(ctx).WithTimeout(time.Minute).Should(gbytes.Say(`http://127\.0\.0\.1:\d+/\S+`))
	return regexp.MustCompile(`http://\S+`).FindString(string(said.Contents()))
}

func (u user) list(ctx context.Context) (entries []inventory.Entry) {
	GinkgoHelper()
	listed := u.kvbench(ctx, "list", "-o", "json")
	Expect(json.Unmarshal([]byte(listed.out), &entries)).To(Succeed(), "%s%s", listed.out, listed.err)
	return entries
}
