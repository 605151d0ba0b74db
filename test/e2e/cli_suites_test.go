//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/suite"
	"github.com/kvbench/kvbench/internal/suite/findings"
)

// earlier is a baseline of a suite on another machine.
const earlier = `{"format": 1, "suite": {"namespace": "default", "name": "earlier", "uid": "7f"}, "combinations": [{
  "labels": [{"axis": "mode", "value": "serializable"}], "unusable": 0, "fingerprints": [{"store.name": "etcd"}],
  "workloads": ["a"], "operations": [], "faults": [],
  "metrics": [{"workload": "a", "metric": "throughput", "unit": "ops/s", "values": [{"block": 0, "value": 50}, {"block": 1, "value": 49}]}]
}]}`

// showsToItsUser asks for a suite that has ended as its user would, and keeps a baseline.
func showsToItsUser(ctx context.Context, ended *v1alpha1.BenchmarkSuite) {
	GinkgoHelper()
	By("showing it to a user with rights in its namespace alone")
	ben := newUser(ctx, "e2e-ben")
	valid := Or(Equal(0), Equal(exit.Failed), Equal(exit.Unknown)) // a busy machine makes the numbers not valid

	told := ben.kvbench(ctx, "suite", "status", ended.Name, "-o", "json")
	Expect(told.code).To(valid, told.err)
	var status suite.Status
	Expect(json.Unmarshal([]byte(told.out), &status)).To(Succeed(), told.out)
	Expect(status).To(And(HaveField("Total", int32(3)), HaveField("Done", int32(3)), HaveField("Ended", true), HaveField("ExitCode", told.code)))
	watched := ben.kvbench(ctx, "watch", "suite/"+ended.Name)
	Expect(watched.code).To(Equal(told.code))
	Expect(watched.out).To(ContainSubstring("The suite is complete"))
	Expect(ben.kvbench(ctx, "report", "suite/"+ended.Name, "-o", "markdown").out).To(ContainSubstring("| mode=linearizable, rate=100 |"))

	By("keeping a baseline")
	file := filepath.Join(GinkgoT().TempDir(), "earlier.json")
	Expect(os.WriteFile(file, []byte(earlier), 0o600)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { ben.kvbench(ctx, "baseline", "delete", "e2e-earlier") })
	set := ben.kvbench(ctx, "baseline", "set", "e2e-earlier", "--filename", file)
	Expect(set.code).To(Equal(0), set.err)
	Expect(ben.kvbench(ctx, "baseline", "list").out).To(ContainSubstring("e2e-earlier"))
	kept, err := findings.ReadBaseline([]byte(ben.kvbench(ctx, "baseline", "get", "e2e-earlier").out))
	Expect(err).NotTo(HaveOccurred())
	Expect(kept.Suite.Name).To(Equal("earlier"))

	By("comparing with it")
	compared := ben.kvbench(ctx, "compare", "baseline/e2e-earlier", "suite/"+ended.Name, "--where", "mode=serializable", "--fail-if-worse", "5%")
	Expect(compared.code).To(Equal(exit.Unknown), "%s%s", compared.out, compared.err)
	Expect(compared.out + compared.err).To(Or(ContainSubstring("NotComparable"), ContainSubstring("are not valid")))
	Expect(ben.kvbench(ctx, "baseline", "delete", "e2e-earlier").code).To(Equal(0))
	gone := ben.kvbench(ctx, "baseline", "get", "e2e-earlier")
	Expect(gone.code).To(Equal(exit.Usage))
	Expect(gone.err).To(ContainSubstring("has no baseline e2e-earlier"))
}
