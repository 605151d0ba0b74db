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
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/report"
)

const firstRun = `apiVersion: kvbench.io/v1alpha1
kind: BenchmarkRun
metadata:
  name: first
spec:
  store: {name: redis, nodes: 1}
  workloads: [{name: a, preset: A, records: 1000, duration: 10s}]
  load: {workers: 1, rate: 300, warmup: 2s, cooldown: 1s}
`

var _ = Describe("kubectl kvbench, of a user with rights in one namespace alone", Label("cli"), func() {
	It("does a run, finds its results by name, and deletes both", func(ctx SpecContext) {
		anna := newUser(ctx, "e2e-anna")
		file := filepath.Join(GinkgoT().TempDir(), "first.yaml")
		Expect(os.WriteFile(file, []byte(firstRun), 0o600)).To(Succeed())
		kept := filepath.Join(GinkgoT().TempDir(), "kept")
		DeferCleanup(func(ctx SpecContext) { anna.kvbench(ctx, "delete", "run/first", "--yes") }, NodeTimeout(deleteTimeout))

		By("doing a run")
		done := anna.kvbench(ctx, "run", "-f", file, "--keep", kept)
		Expect(done.code).To(Or(Equal(0), Equal(exit.Unknown)), "%s%s", done.out, done.err) // a busy machine makes the numbers not valid
		Expect(done.out).To(And(ContainSubstring("Workload a: open loop, 300 operations/s"), ContainSubstring("The run is complete")))
		Expect(done.err).To(ContainSubstring("Measuring"))
		Expect(filepath.Join(kept, "bundle", "plan.json")).To(BeAnExistingFile())
		again := anna.kvbench(ctx, "run", "-f", file)
		Expect(again.code).To(Equal(exit.Usage))
		Expect(again.err).To(ContainSubstring("--replace"))

		By("finding it by name")
		Expect(anna.list(ctx)).To(ContainElement(And(HaveField("Name", "first"), HaveField("Phase", "Complete"), HaveField("Valid", Not(BeNil())))))
		Expect(anna.kvbench(ctx, "get", "first").out).To(ContainSubstring("kubectl kvbench -n default report run/first"))
		missing := anna.kvbench(ctx, "get", "frist")
		Expect(missing.code).To(Equal(exit.Usage))
		Expect(missing.err).To(ContainSubstring("did you mean first?"))

		By("reading its report when it is deleted")
		Expect(anna.kvbench(ctx, "delete", "first").err).To(ContainSubstring("--yes"))
		Expect(anna.kvbench(ctx, "delete", "first", "--yes", "--keep-results").code).To(Equal(0))
		Expect(anna.list(ctx)).To(ContainElement(And(HaveField("Name", "first"), HaveField("Phase", inventory.Kept), HaveField("Reported", true))))
		var read report.Report
		Expect(json.Unmarshal([]byte(anna.kvbench(ctx, "report", "first", "-o", "json").out), &read)).To(Succeed())
		Expect(read.Run.Name).To(Equal("first"))
		Expect(anna.kvbench(ctx, "report", "first", "-o", "csv").out).To(ContainSubstring(",a,READ,,p99,response,"))

		By("seeing nothing of other namespaces")
		Expect(anna.kvbench(ctx, "list", "-A").code).To(Equal(exit.Usage))
		elsewhere := anna.kvbench(ctx, "list", "-n", systemNamespace)
		Expect(elsewhere.code).To(Equal(exit.Usage))
		Expect(elsewhere.err).To(ContainSubstring("role kvbench-user"))

		By("deleting what is kept")
		Expect(anna.kvbench(ctx, "delete", "first", "--yes").code).To(Equal(0))
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
	cmd := exec.CommandContext(ctx, kubectl, append([]string{"kvbench", "--kubeconfig", u.kubeconfig}, args...)...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		Fail(fmt.Sprintf("kubectl kvbench %q: %v", args, err))
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), problems.String()}
}

func (u user) list(ctx context.Context) (entries []inventory.Entry) {
	GinkgoHelper()
	listed := u.kvbench(ctx, "list", "-o", "json")
	Expect(json.Unmarshal([]byte(listed.out), &entries)).To(Succeed(), "%s%s", listed.out, listed.err)
	return entries
}
