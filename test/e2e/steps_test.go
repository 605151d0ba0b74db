//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/results/forward"
)

// Bounds of what a spec waits for, on two cores.
const (
	endTimeout    = 8 * time.Minute // three members of Java, with a kill, take three
	deleteTimeout = 2 * time.Minute
)

// apply creates the run; when the spec is over, it is dumped if the spec failed, and
// deleted.
func apply(ctx context.Context, run *v1alpha1.BenchmarkRun) {
	GinkgoHelper()
	Expect(k8s.Create(ctx, run)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		if CurrentSpecReport().Failed() {
			dump(ctx, run)
		}
		remove(ctx, run)
	}, NodeTimeout(deleteTimeout+time.Minute))
}

// remove deletes the run and waits until it is gone.
func remove(ctx context.Context, run *v1alpha1.BenchmarkRun) {
	GinkgoHelper()
	Expect(client.IgnoreNotFound(k8s.Delete(ctx, run))).To(Succeed())
	Eventually(func() bool {
		return apierrors.IsNotFound(k8s.Get(ctx, client.ObjectKeyFromObject(run), &v1alpha1.BenchmarkRun{}))
	}).WithContext(ctx).WithTimeout(deleteTimeout).Should(BeTrue(), "the run %s was not deleted", run.Name)
}

// awaitEnd waits until the run is Complete or Failed, and reads its last state.
func awaitEnd(ctx context.Context, run *v1alpha1.BenchmarkRun, timeout time.Duration) {
	GinkgoHelper()
	Eventually(func() (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(run), run)
		return holds(run, v1alpha1.ConditionComplete) || holds(run, v1alpha1.ConditionFailed), err
	}).WithContext(ctx).WithTimeout(timeout).Should(BeTrue(), "the run %s did not end", run.Name)
}

func holds(run *v1alpha1.BenchmarkRun, condition string) bool {
	return meta.IsStatusConditionTrue(run.Status.Conditions, condition)
}

// expectCondition compares the status, and returns the condition for more.
func expectCondition(run *v1alpha1.BenchmarkRun, condition string, status metav1.ConditionStatus) *metav1.Condition {
	GinkgoHelper()
	found := meta.FindStatusCondition(run.Status.Conditions, condition)
	Expect(found).NotTo(BeNil(), "%s has no condition %s: %s", run.Name, condition, conditions(run))
	Expect(found.Status).To(Equal(status), "%s", conditions(run))
	return found
}

func conditions(run *v1alpha1.BenchmarkRun) string {
	var out bytes.Buffer
	for _, c := range run.Status.Conditions {
		fmt.Fprintf(&out, "%s=%s %s: %s\n", c.Type, c.Status, c.Reason, c.Message)
	}
	return out.String()
}

// openResults connects to the results server until the spec is over.
func openResults(ctx context.Context) *forward.Session {
	GinkgoHelper()
	session, err := forward.Open(ctx, config, forward.Place{System: systemNamespace, Namespace: "default"})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(session.Close)
	return session
}

func download(ctx context.Context, session *forward.Session, run *v1alpha1.BenchmarkRun, what string) []byte {
	GinkgoHelper()
	var body bytes.Buffer
	Expect(session.Download(ctx, forward.Location(string(run.UID))+what, &body)).To(Succeed())
	return body.Bytes()
}

func readReport(ctx context.Context, run *v1alpha1.BenchmarkRun) *report.Report {
	GinkgoHelper()
	parsed := &report.Report{}
	Expect(json.Unmarshal(download(ctx, openResults(ctx), run, forward.Report), parsed)).To(Succeed())
	return parsed
}

// command runs a program and returns its standard output.
func command(ctx context.Context, name string, args ...string) []byte {
	GinkgoHelper()
	cmd := exec.CommandContext(ctx, name, args...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	Expect(cmd.Run()).To(Succeed(), "%s\n%s%s", cmd, out.String(), problems.String())
	return out.Bytes()
}

// inBackground starts a program, which ends with the spec at the latest; the function that
// it returns waits for it.
func inBackground(ctx context.Context, name string, args ...string) (wait func() error) {
	GinkgoHelper()
	cmd := exec.CommandContext(ctx, name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	Expect(cmd.Start()).To(Succeed())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	DeferCleanup(func() {
		// It has ended already unless the spec failed.
		_ = cmd.Process.Kill()
	})
	return func() error {
		if err := <-ended; err != nil {
			return fmt.Errorf("%s: %w\n%s", cmd, err, out.String())
		}
		return nil
	}
}
