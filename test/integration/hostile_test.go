package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
)

// hostileWords would do harm where a path, a template, a shell, an address or a parser
// took them for its own.
var hostileWords = []string{
	"../../etc/passwd", "/etc/passwd", "{{ .Release.Name }}", `{{ include "etcd.labels" . }}`, "$(rm -rf /)", "$(POD_UID)",
	"`id`", "; sh", "a\nb: c", "a\n---\nkind: Pod", "a\x00b", "http://169.254.169.254/", "x: {y: z}", "!!python/object:os.system",
	"&a", "*a", "--results=https://evil", "'", `"`, "\x1b[2J", "\u202eabc", "É", strings.Repeat("long", 2000), strings.Repeat("\U000e0001", 250),
}

// refusedPlaces are the fields that take a string of their own choice nowhere.
var refusedPlaces = []string{
	`{store: {name: %s}}`, `{store: {mode: %s}}`, `{store: {version: %s}}`,
	`{store: {storage: {className: %s}}}`, `{store: {storage: {size: %s}}}`,
	`{store: {values: {image: {repository: %s}}}}`, `{store: {values: {image: {tag: %s}}}}`, `{store: {values: {settings: {auto-compaction-retention: %s}}}}`,
	`{store: {values: {settings: {%s: 1}}}}`, `{store: {values: {%s: 1}}}`, `{store: {values: %s}}`,
	`{store: {nodes: 1, endpoints: [{address: %s}]}}`, `{store: {nodes: 1, endpoints: [{address: "h:1", pod: %s}]}}`,
	`{store: {nodes: 1, container: %s, endpoints: [{address: "h:1"}]}}`, `{store: {nodes: 1, driver: %s, endpoints: [{address: "h:1"}]}}`,
	`{store: {resources: {requests: {%s: 1}}}}`, `{store: {resources: {requests: {cpu: %s}}}}`,
	`{workloads: [{name: %s, preset: A}]}`, `{workloads: [{name: a, preset: %s}]}`, `{workloads: [{name: a, preset: A, duration: %s}]}`,
	`{workloads: [{name: a, preset: A, properties: {%s: "1"}}]}`, `{workloads: [{name: a, preset: A, properties: {table: %s}}]}`,
	`{workloads: [{name: a, preset: A, properties: {fieldnameprefix: %s}}]}`, `{workloads: [{name: a, preset: A, properties: {fieldlength: %s}}]}`,
	`{workloads: [{name: a, preset: A, properties: {requestdistribution: %s}}]}`, `{workloads: [{name: a, preset: A, properties: {readallfields: %s}}]}`,
	`{workloads: [{name: a, preset: A, properties: {workload: %s}}]}`, `{workloads: [{name: a, preset: A, properties: {exportfile: %s}}]}`,
	`{faults: [{name: %s, action: PodKill, at: 1s}]}`, `{faults: [{name: f, action: %s, at: 1s}]}`, `{faults: [{name: f, action: PodKill, at: %s}]}`,
	`{faults: [{name: f, action: PodKill, at: 1s, workload: %s}]}`, `{faults: [{name: f, action: PodKill, at: 1s, target: {role: %s}}]}`,
	`{load: {rate: 1, arrivals: %s}}`, `{load: {warmup: %s}}`, `{load: {operationTimeout: %s}}`,
	`{load: {resources: {requests: {%s: 1}}}}`, `{load: {resources: {limits: {memory: %s}}}}`,
	`{workloads: [{name: a, preset: A, fieldLengthHistogram: {configMapKeyRef: {name: %s, key: k}}}]}`,
	`{workloads: [{name: a, trace: {configMapKeyRef: {name: m, key: %s}}}]}`, `{workloads: [{name: a, trace: {configMapKeyRef: {name: m, key: k}, stretch: %s}}]}`,
	`{serviceAccountName: %s}`, `{retain: %s}`, `{timeouts: {deploy: %s}}`, `{seed: %s}`,
}

var _ = Describe("A run of a hostile author", Ordered, Label("tenant"), func() {
	var s *stage
	BeforeAll(func(ctx context.Context) {
		s = newStage()
		installRights(ctx, s.namespace)
		s.account = asAccount(ctx, systemNamespace, "kvbench-controller")
		s.results.measureFor = 100 * time.Millisecond
	})

	It("is refused with a sentence, whatever the field and the word", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		tried := map[string]*v1alpha1.BenchmarkRun{}
		byServer := 0
		for _, place := range refusedPlaces {
			for i, word := range hostileWords {
				what := fmt.Sprintf("%q in %q", word[:min(len(word), 40)], place)
				run := withSpec(strings.ReplaceAll(place, "%s", "HERE"))
				run.Object["spec"] = put(run.Object["spec"], word)
				run.SetNamespace(s.namespace)
				run.SetGenerateName(fmt.Sprintf("hostile-%d-", i))
				if err := k8sClient.Create(ctx, run); err != nil {
					byServer++
					Expect(apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)).To(BeTrue(), "%s: %v", what, err)
					continue
				}
				tried[what] = &v1alpha1.BenchmarkRun{}
				tried[what].Namespace, tried[what].Name = run.GetNamespace(), run.GetName()
			}
		}
		for what, run := range tried {
			Eventually(func(g Gomega) {
				g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(run), run)).To(Succeed())
				accepted := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted)
				g.Expect(accepted).NotTo(BeNil())
				g.Expect(accepted.Status).To(BeEquivalentTo("False"), "%s: %s", accepted.Reason, accepted.Message)
			}, 2*time.Minute, 50*time.Millisecond).Should(Succeed(), what)
			message := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted).Message
			Expect(len(message)).To(BeNumerically("<=", 1024), what)
			Expect(strings.ContainsFunc(message, func(c rune) bool { return !unicode.IsPrint(c) })).To(BeFalse(), "%s: %q", what, message)
			Expect(s.results.planOf(string(run.UID))).To(BeEmpty(), what)
			Expect(k8sClient.Delete(ctx, run)).To(Succeed())
		}
		AddReportEntry(fmt.Sprintf("%d refused by the API server, %d by the controller", byServer, len(tried)))
		Expect(len(tried)).To(BeNumerically(">", 100), "some are for the controller to refuse")
	})

	It("cannot have a name that isn't one", func(ctx context.Context) {
		for _, word := range hostileWords {
			run := withSpec(`{}`)
			run.SetGenerateName("")
			run.SetName(word)
			Expect(k8sClient.Create(ctx, run)).NotTo(Succeed(), "%q", word)
			run.SetName("r")
			run.SetNamespace(word)
			Expect(k8sClient.Create(ctx, run)).NotTo(Succeed(), "in %q", word)
		}
	})

	It("changes no argument by what a property holds", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		// YCSB takes any value of insertorder; "hashed" alone means something.
		var short []string
		for _, word := range hostileWords {
			if len(word) <= 40 {
				short = append(short, word)
			}
		}
		spec := func(order func(i int) v1alpha1.PropertyValue) func(*v1alpha1.BenchmarkRunSpec) {
			return func(spec *v1alpha1.BenchmarkRunSpec) {
				spec.Load.Warmup = ptr.To(v1alpha1.Duration("0s"))
				spec.Workloads = nil
				for i := range 4 {
					spec.Workloads = append(spec.Workloads, v1alpha1.WorkloadSpec{
						Name: fmt.Sprintf("w-%d", i), Preset: "A", Duration: ptr.To(v1alpha1.Duration("11s")), Reset: ptr.To(true),
						Properties: map[string]v1alpha1.PropertyValue{"insertorder": order(i)},
					})
				}
			}
		}
		join := func(i int) string { return strings.Join(short[i*5:i*5+5], " ") }
		plain, plainPlan := s.templatesOf(ctx, s.newRun(spec(func(int) v1alpha1.PropertyValue { return "ordered" })))
		hostile, hostilePlan := s.templatesOf(ctx, s.newRun(spec(func(i int) v1alpha1.PropertyValue { return v1alpha1.PropertyValue(join(i)) })))
		Expect(hostile).To(Equal(plain))
		Expect(len(hostile)).To(BeNumerically(">=", 10), "a set, an observer, and two Jobs for each workload")
		for i := range 4 {
			Expect(hostilePlan.Workloads[i].Properties).To(HaveKeyWithValue("insertorder", join(i)))
			hostilePlan.Workloads[i].Properties["insertorder"] = "ordered"
		}
		Expect(hostilePlan.Workloads).To(Equal(plainPlan.Workloads))
	})

	It("gets, with an account of higher rights, what the store's chart has, and nothing else", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		newAccount(ctx, s.namespace, "powerful")
		binding := documents(strings.NewReplacer("{{ .Release.Namespace }}", s.namespace, "kvbench-deployer", "powerful", "tried", "powerful-"+s.namespace).Replace(clusterAdmin))[0]
		Expect(k8sClient.Create(ctx, binding)).To(Succeed())
		DeferCleanup(func(ctx context.Context) { Expect(k8sClient.Delete(ctx, binding)).To(Succeed()) })
		plain, _ := s.templatesOf(ctx, s.newRun(nil))
		powerful, _ := s.templatesOf(ctx, s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.ServiceAccountName = "powerful" }))
		Expect(powerful).To(Equal(plain))
		for name, template := range powerful {
			Expect(template.Spec.ServiceAccountName).To(BeEmpty(), name)
			Expect(*template.Spec.AutomountServiceAccountToken).To(BeFalse(), name)
		}
	})
})

// put replaces the key or the value HERE, past a parser that would take the word apart.
func put(value any, word string) any {
	switch typed := value.(type) {
	case map[string]any:
		replaced := map[string]any{}
		for key, inner := range typed {
			if key == "HERE" {
				key = word
			}
			replaced[key] = put(inner, word)
		}
		return replaced
	case []any:
		for i := range typed {
			typed[i] = put(typed[i], word)
		}
	case string:
		if typed == "HERE" {
			return word
		}
	}
	return value
}

// templatesOf follows a run to its end. It returns the pods that were made for it, by the
// names of their owners, with the run's ID, UID and name replaced, and its plan.
func (s *stage) templatesOf(ctx context.Context, run *v1alpha1.BenchmarkRun) (map[string]corev1.PodTemplateSpec, *plan.Plan) {
	GinkgoHelper()
	id := compile.RunID(run.Name, string(run.UID))
	templates, kept := map[string]corev1.PodTemplateSpec{}, &plan.Plan{}
	general := func(object client.Object, template *corev1.PodTemplateSpec) {
		text, err := json.Marshal(template)
		Expect(err).NotTo(HaveOccurred())
		var same corev1.PodTemplateSpec
		Expect(json.Unmarshal([]byte(strings.NewReplacer(id, "ID", string(run.UID), "UID").Replace(string(text))), &same)).To(Succeed())
		// The API server's, and different each time.
		for _, label := range []string{"controller-uid", "batch.kubernetes.io/controller-uid"} {
			delete(same.Labels, label)
		}
		templates[kindOf(object)+"/"+strings.TrimPrefix(object.GetName(), id)] = same
	}
	mine := []client.ListOption{client.MatchingLabels{"kvbench.io/run-uid": string(run.UID)}} // in all namespaces
	Eventually(func(g Gomega) {
		for _, list := range []client.ObjectList{&batchv1.JobList{}, &appsv1.StatefulSetList{}, &appsv1.DeploymentList{}} {
			g.Expect(k8sClient.List(ctx, list, mine...)).To(Succeed())
			for _, object := range objectsOf(list) {
				g.Expect(object.GetNamespace()).To(Equal(run.Namespace))
				switch typed := object.(type) {
				case *batchv1.Job:
					general(object, &typed.Spec.Template)
				case *appsv1.StatefulSet:
					general(object, &typed.Spec.Template)
				case *appsv1.Deployment:
					general(object, &typed.Spec.Template)
				}
			}
		}
		maps := &corev1.ConfigMapList{}
		g.Expect(k8sClient.List(ctx, maps, mine...)).To(Succeed())
		for i := range maps.Items {
			g.Expect(json.Unmarshal([]byte(maps.Items[i].Data[plan.FileName]), kept)).To(Succeed())
		}
		g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(run), run)).To(Succeed())
		g.Expect(meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete)).To(BeTrue(), "%+v", run.Status.Conditions)
	}, 2*time.Minute, 10*time.Millisecond).Should(Succeed())
	return templates, kept
}
