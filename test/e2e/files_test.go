//go:build e2e

package e2e

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// recorded is a trace of 10 s: a request each 20 ms, of which every fifth writes, and 20 more
// at once in the ninth second. The keys are those of the first records.
func recorded() (trace []byte, bySecond map[int64]int64) {
	var text bytes.Buffer
	bySecond = map[int64]int64{}
	add := func(millis int, request string) {
		fmt.Fprintf(&text, "%d.%03d,%s\n", 1700000000+millis/1000, millis%1000, request)
		bySecond[int64(millis/1000)]++
	}
	for i := range 500 {
		request := fmt.Sprintf("READ,user%d,", i%150)
		if i%5 == 0 {
			request = fmt.Sprintf("UPDATE,user%d,%d", i%150, 10+i%150)
		}
		add(i*20, request)
		if i == 400 {
			for range 20 {
				add(i*20, "READ,user1,")
			}
		}
	}
	return text.Bytes(), bySecond
}

var _ = Describe("A recorded trace", Label("files"), func() {
	It("is replayed by two workers, each request once and at its time, though its ConfigMap is deleted", func(ctx SpecContext) {
		trace, bySecond := recorded()
		var packed bytes.Buffer
		writer := gzip.NewWriter(&packed)
		_, err := writer.Write(trace)
		Expect(err).NotTo(HaveOccurred())
		Expect(writer.Close()).To(Succeed())
		held := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "e2e-files-" + rand.String(5)},
			Data:       map[string]string{"lengths.txt": "BlockSize\t16\n0\t5\n1\t3\n2\t2\n"},
			BinaryData: map[string][]byte{"day.csv.gz": packed.Bytes()},
		}
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(k8s.Delete(ctx, held))).To(Succeed()) })
		in := func(key string) v1alpha1.FileSource {
			return v1alpha1.FileSource{ConfigMapKeyRef: v1alpha1.ConfigMapKeyRef{Name: held.Name, Key: key}}
		}

		run := newRun("files", nodes(1), func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Workloads = []v1alpha1.WorkloadSpec{{
				Name: "replay", Records: ptr.To[int64](200),
				// The keys hold the records' numbers.
				Properties:           map[string]v1alpha1.PropertyValue{"insertorder": "ordered"},
				FieldLengthHistogram: ptr.To(in("lengths.txt")),
				Trace:                &v1alpha1.TraceSpec{FileSource: in("day.csv.gz")},
			}, {
				Name: "side", Duration: ptr.To(v1alpha1.Duration("3s")),
				Properties: map[string]v1alpha1.PropertyValue{"insertorder": "ordered"},
				Clients: []v1alpha1.ClientGroup{
					{Name: "readers", Threads: 2, Mix: v1alpha1.OperationMix{Read: 1}},
					{Name: "writers", Threads: 1, Mix: v1alpha1.OperationMix{Update: 1}},
				},
			}}
			r.Spec.Load.Workers = ptr.To[int32](2)
			r.Spec.Load.Warmup = ptr.To(v1alpha1.Duration("2s"))
		})
		Expect(k8s.Create(ctx, held)).To(Succeed())
		apply(ctx, run)
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionAccepted)).To(BeTrue(), "%s", conditions(run))
		}).WithContext(ctx).WithTimeout(time.Minute).Should(Succeed())
		Expect(k8s.Delete(ctx, held)).To(Succeed())
		found := readEnd(ctx, run)
		sum := sha256.Sum256(packed.Bytes())
		Expect(found.Files).To(HaveLen(2))
		Expect(found.Files).To(ContainElement(And(
			HaveField("ConfigMap", held.Name), HaveField("Key", "day.csv.gz"), HaveField("SHA256", hex.EncodeToString(sum[:])))))
		w := found.Workloads[0]
		Expect(w.Load.Trace.Rows).To(BeEquivalentTo(520))
		Expect(w.Load.Workers).To(Equal(2))
		Expect(w.Intended).To(BeEquivalentTo(420), "without the 100 that are due in the warm-up")
		Expect(w.Succeeded).To(Equal(w.Intended))
		counts := map[string]int64{}
		for _, operation := range w.Operations {
			counts[operation.Operation] += operation.Count
		}
		Expect(counts).To(Equal(map[string]int64{"READ": 340, "UPDATE": 80}))
		intended := map[int64]int64{}
		for _, second := range w.Series {
			intended[second.Second+2] = second.Intended
		}
		Expect(intended).To(Equal(bySecond), "requests due in each second of the trace")

		By("seeing what clients with operations of their own did beside each other")
		side := found.Workloads[1]
		Expect(side.Load.Threads).To(Equal(3))
		Expect(side.Load.Clients).To(HaveExactElements(
			And(HaveField("Name", "readers"), HaveField("Operations", []string{"READ"}), HaveField("Throughput", BeNumerically(">", 0))),
			And(HaveField("Name", "writers"), HaveField("Operations", []string{"UPDATE"}), HaveField("Throughput", BeNumerically(">", 0)))))
		Expect(side.Throughput).To(BeNumerically("~", side.Load.Clients[0].Throughput+side.Load.Clients[1].Throughput, 0.1*side.Throughput))
	}, SpecTimeout(measureTimeout))
})
