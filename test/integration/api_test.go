package integration

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// shortForm is the least that a BenchmarkRun can say.
const shortForm = `{store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A}]}`

// withSpec is the short form with a fragment of YAML merged over it (null removes).
func withSpec(fragment string) *unstructured.Unstructured {
	GinkgoHelper()
	base, err := yaml.YAMLToJSON([]byte(shortForm))
	Expect(err).NotTo(HaveOccurred())
	patch, err := yaml.YAMLToJSON([]byte(fragment))
	Expect(err).NotTo(HaveOccurred())
	merged, err := jsonpatch.MergePatch(base, patch)
	Expect(err).NotTo(HaveOccurred())
	spec := map[string]any{}
	Expect(json.Unmarshal(merged, &spec)).To(Succeed())
	run := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	run.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	run.SetNamespace("default")
	run.SetGenerateName("api-")
	return run
}

// create asks the API server to judge the object, and to store nothing.
func create(ctx context.Context, run *unstructured.Unstructured) error {
	return k8sClient.Create(ctx, run, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
}

// stopsRules are what the API server finds before it looks at rules. It then adds that it didn't, of a
// field that it calls <nil>.
var stopsRules = regexp.MustCompile(`Required value|Too long|Too many|must be of type`)

func manyOf(n int, item string) string {
	var items []string
	for i := range n {
		items = append(items, strings.ReplaceAll(item, "%d", string(rune('a'+i/26))+string(rune('a'+i%26))))
	}
	return strings.Join(items, ", ")
}

var _ = Describe("The API", Label("api"), func() {
	DescribeTable("accepts",
		func(ctx context.Context, fragment string) {
			Expect(create(ctx, withSpec(fragment))).To(Succeed())
		},
		Entry("the short form", `{}`),
		Entry("objectives", `objectives: [{metric: p99, operation: READ, atMost: 20ms}, {metric: outage, statistic: median, atMost: 3s}, {metric: throughput, workload: a, atLeast: 2000}, {metric: errors, atMost: "0.1%"}, {metric: recordsLost, atMost: 0}]`),
		Entry("one node", `store: {nodes: 1}`),
		Entry("a placement", `{placement: {members: {nodeSelector: {pool: stores, topology.kubernetes.io/zone: ""}, tolerations: [{key: a.b/c, operator: Exists}, {operator: Exists, effect: NoExecute}], spread: Zone}, workers: {spread: Spread, toMembers: Apart}}, imagePullSecrets: [{name: registry}]}`),
		Entry("a placement of workers beside endpoints", `{store: {nodes: 1, endpoints: [{address: "h:1"}]}, placement: {workers: {nodeSelector: {pool: clients}, spread: OneNode}}}`),
		Entry("parts of the records", `workloads: [{name: a, preset: C, records: 10}, {name: b, preset: C, insertStart: 10, insertCount: 10}]`),
		Entry("nine nodes", `store: {nodes: 9}`),
		Entry("a rate in steps", `load: {rateShape: {steps: [{rate: 100, for: 30s}, {rate: 0, for: 1s}]}, arrivals: Constant, maxInFlight: 3000}`),
		Entry("a ramp", `load: {rateShape: {ramp: {from: 0, to: 2000, over: 1m}}}`),
		Entry("a sine", `load: {rateShape: {sine: {mean: 500, amplitude: 500, period: 10s}}}`),
		Entry("a rate from a file", `load: {rateShape: {schedule: {configMapKeyRef: {name: rates, key: day.csv}}}}`),
		Entry("a trace", `{workloads: [{name: a, trace: {configMapKeyRef: {name: traces, key: day.csv.gz}, stretch: "0.5"}}], load: {maxInFlight: 50}}`),
		Entry("a trace with what its records are made of",
			`workloads: [{name: a, records: 50, properties: {fieldlength: "10"}, trace: {configMapKeyRef: {name: traces, key: day.csv}, stretch: "1000000"}}]`),
		Entry("a trace beside a preset in a closed loop", `workloads: [{name: a, preset: A}, {name: b, trace: {configMapKeyRef: {name: t, key: k}}}]`),
		Entry("a fault in a trace that lasts so long",
			`{workloads: [{name: a, duration: 60s, trace: {configMapKeyRef: {name: t, key: k}}}], faults: [{name: f, action: PodKill, at: 50s}]}`),
		Entry("field lengths from a file", `workloads: [{name: a, preset: A, fieldLengthHistogram: {configMapKeyRef: {name: lengths, key: hist.txt}}}]`),
		Entry("as long a name and key as there can be", `workloads: [{name: a, preset: A, fieldLengthHistogram: {configMapKeyRef: {name: `+strings.Repeat("n", 126)+`, key: `+strings.Repeat("k", 126)+`}}}]`),
		Entry("an open loop", `load: {rate: 1, arrivals: Constant, maxInFlight: 3000, connections: 64}`),
		Entry("a load of a workload's own", `{workloads: [{name: a, preset: A}, {name: b, preset: A, load: {workers: 2, threads: 4, rate: 100}}], load: {threads: 2, arrivals: Constant, connections: 9, maxInFlight: 9}}`),
		Entry("a closed loop's load of a workload's own beside a trace", `workloads: [{name: a, preset: A, load: {threads: 2}}, {name: b, trace: {configMapKeyRef: {name: t, key: k}}}]`),
		Entry("operations instead of a duration", `workloads: [{name: a, preset: A, operations: 1000}]`),
		Entry("properties instead of a preset", `workloads: [{name: a, properties: {readproportion: "1"}}]`),
		Entry("a fault 10 s before the end of the default duration", `faults: [{name: f, action: ContainerKill, at: 50s}]`),
		Entry("a fault 10 s before the end of a duration given",
			`{workloads: [{name: a, preset: A, duration: 1m30s}], faults: [{name: f, action: PodKill, at: 80s, target: {role: Leader}}]}`),
		Entry("a fault in the workload that it names",
			`{workloads: [{name: a, preset: A, operations: 10}, {name: b, preset: B, duration: 5m}], faults: [{name: f, action: PodKill, at: 4m, workload: b}]}`),
		Entry("a partition", `faults: [{name: f, action: Partition, at: 1s, duration: 10s}]`),
		Entry("a partition with a direction", `faults: [{name: f, action: Partition, at: 1s, duration: 10s, partition: {direction: To}}]`),
		Entry("a fault on the last member", `faults: [{name: f, action: ContainerKill, at: 1s, target: {member: 2}}]`),
		Entry("Helm values of any form", `store: {values: {extra: {deep: [1, {x: true}]}}}`),
		Entry("resources", `store: {resources: {requests: {cpu: 500m, memory: 256Mi}, limits: {cpu: 2}}}`),
		Entry("endpoints", `store: {endpoints: [{address: "etcd-0.etcd:2379"}, {address: "10.0.0.2:2379", pod: etcd-1}, {address: "[fd00::1]:65535"}]}`),
		Entry("endpoints whose addresses are their pods' names", `store: {nodes: 2, endpoints: [{address: "x.h:1", pod: x}, {address: "x-1.h:1", pod: x-1}]}`),
		Entry("endpoints of a store with a name of its own", `store: {name: ours, driver: etcd, nodes: 1, endpoints: [{address: "h:1"}]}`),
		Entry("endpoints beside what says nothing", `{store: {nodes: 1, storage: {ephemeral: false}, allowFaults: false, endpoints: [{address: "h:1"}]}, faults: []}`),
		Entry("a store that is deployed beside what says nothing", `store: {driver: "", allowFaults: false}`),
		Entry("a chart in a ConfigMap", `store: {name: mine, driver: etcd, chart: {configMap: {name: charts, key: mine.tgz}, nodesValue: a.b}, values: {x: 1}, container: c}`),
		Entry("a chart in a registry", `store: {chart: {oci: {url: "oci://registry.example.com:5000/charts/etcd", version: 1.2.3-rc.1+a}, members: {pod: "{release}-x-{index}", service: "x-{release}", port: 1}}}`),
		Entry("a chart of a repository", `store: {storage: {ephemeral: false}, chart: {repository: {url: "https://charts.example.com/stable/", name: etcd, version: v1.2.3}, ready: [{apiVersion: v1, kind: Pod, condition: Ready, status: "False"}, {apiVersion: a.io/v1beta1, kind: A, name: "{release}-a", field: a.b, equals: X}]}}`),
		Entry("faults of a chart", `{store: {chart: {configMap: {name: charts, key: mine.tgz}}}, faults: [{name: f, action: PodKill, at: 1s}], retain: Always}`),
		Entry("TLS", `store: {security: TLS}`),
		Entry("endpoints that ask for a password", `store: {nodes: 1, security: Auth, securitySecret: ours.client, endpoints: [{address: "h:1"}]}`),
		Entry("endpoints that ask for nothing", `store: {nodes: 1, security: None, endpoints: [{address: "h:1"}]}`),
		Entry("faults of endpoints", `{store: {nodes: 1, endpoints: [{address: "h:1", pod: x}], allowFaults: true, container: c}, faults: [{name: f, action: PodKill, at: 1s}]}`),
		Entry("storage", `store: {storage: {size: 1Gi, className: local}}`),
		Entry("every duration as Go writes it", `load: {warmup: 1m30.5s, cooldown: 1h0m0s, operationTimeout: 500ms}`),
		Entry("as much as its maximums allow", `{
			workloads: [`+manyOf(64, `{name: w-%d, preset: A, duration: 1h, load: {rate: 9, connections: 9, maxInFlight: 9, arrivals: Poisson, warmup: 1h0m0.000s}}`)+`],
			faults: [`+manyOf(16, `{name: f-%d, action: PodKill, at: 30m, workload: w-ap, target: {member: 0}}`)+`]}`),
	)

	DescribeTable("refuses, and names the field and the fix:",
		func(ctx context.Context, fragment, field, fix string) {
			err := create(ctx, withSpec(fragment))
			Expect(apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)).To(BeTrue(), "got: %v", err)
			GinkgoWriter.Println(err)
			Expect(err.Error()).To(ContainSubstring(field))
			Expect(err.Error()).To(ContainSubstring(fix))
			Expect(err.Error()).NotTo(ContainSubstring("evaluation"), "a rule failed instead of judging")
			if !stopsRules.MatchString(err.Error()) {
				Expect(err.Error()).NotTo(ContainSubstring("<nil>"))
			}
		},
		Entry("no store", `store: null`, "spec.store", "Required value"),
		Entry("no node count", `store: {nodes: null}`, "spec.store.nodes", "Required value"),
		Entry("0 nodes", `store: {nodes: 0}`, "spec.store.nodes", "greater than or equal to 1"),
		Entry("10 nodes", `store: {nodes: 10}`, "spec.store.nodes", "less than or equal to 9"),
		Entry("a volume of no size", `store: {storage: {size: 0}}`, "spec.store.storage.size", "must be above 0"),
		Entry("a volume whose size is no quantity", `store: {storage: {size: big}}`, "spec.store.storage.size", "should match"),
		Entry("a version that is no tag", `store: {version: "v3 7"}`, "spec.store.version", "must be an image tag, such as v3.7.3"),
		Entry("a name that is no label", `store: {name: Etcd_3}`, "spec.store.name", "lower-case letters"),
		Entry("a placement that no scheduler can keep", `placement: {workers: {spread: OneNode, toMembers: Beside}}`, "spec.placement.workers", "no scheduler can keep both"),
		Entry("a spread that is none", `placement: {members: {spread: Even}}`, "spec.placement.members.spread", "must be Spread, OneNode or Zone"),
		Entry("a label of too many letters", `placement: {members: {nodeSelector: {`+strings.Repeat("a", 64)+`: b}}}`, "spec.placement.members.nodeSelector", "must be names of labels"),
		Entry("a label that begins with nothing", `placement: {members: {nodeSelector: {a..b/x: b}}}`, "spec.placement.members.nodeSelector", "must be names of labels"),
		Entry("a toleration of nothing", `placement: {workers: {tolerations: [{value: x}]}}`, "spec.placement.workers.tolerations[0]", "set operator: Exists, or a key"),
		Entry("a placement of endpoints", `{store: {nodes: 1, endpoints: [{address: "h:1"}]}, placement: {members: {spread: Spread}}}`, "spec", "leave placement.members out"),
		Entry("workers beside endpoints", `{store: {nodes: 1, endpoints: [{address: "h:1"}]}, placement: {workers: {toMembers: Beside}}}`, "spec", "kvbench doesn't know which pods are the members'"),
		Entry("fewer nodes than endpoints", `store: {nodes: 1, endpoints: [{address: "h:1"}, {address: "h:2"}]}`, "spec.store", "nodes must be the number of endpoints"),
		Entry("an endpoint with a scheme", `store: {nodes: 1, endpoints: [{address: "http://h:1"}]}`, "spec.store.endpoints[0].address", "no scheme before it"),
		Entry("an endpoint without a port", `store: {nodes: 1, endpoints: [{address: "host"}]}`, "spec.store.endpoints[0].address", "must be host:port"),
		Entry("an endpoint with a port beyond all", `store: {nodes: 1, endpoints: [{address: "h:65536"}]}`, "spec.store.endpoints[0].address", "port up to 65535"),
		Entry("an endpoint twice", `store: {nodes: 2, endpoints: [{address: "h:1"}, {address: "h:1"}]}`, "spec.store.endpoints[1]", "Duplicate value"),
		Entry("two endpoints with each other's pods", `store: {nodes: 2, endpoints: [{address: "m-0.h:1", pod: m-1}, {address: "m-1.h:1", pod: m-0}]}`, "spec.store", "name the pod that the address leads to"),
		Entry("two endpoints in one pod", `store: {nodes: 2, endpoints: [{address: "h:1", pod: x}, {address: "h:2", pod: x}]}`, "spec.store", "another one for each endpoint"),
		Entry("no endpoint", `store: {endpoints: []}`, "spec.store.endpoints", "at least 1"),
		Entry("a version of endpoints", `store: {nodes: 1, version: v1, endpoints: [{address: "h:1"}]}`, "spec.store", "leave version, storage, resources and values out"),
		Entry("values of endpoints", `store: {nodes: 1, values: {x: 1}, endpoints: [{address: "h:1"}]}`, "spec.store", "leave version, storage, resources and values out"),
		Entry("storage of endpoints", `store: {nodes: 1, storage: {ephemeral: true}, endpoints: [{address: "h:1"}]}`, "spec.store", "leave version, storage, resources and values out"),
		Entry("a driver of what is deployed", `store: {driver: redis}`, "spec.store", "driver, container and allowFaults are for endpoints"),
		Entry("a container of what is deployed", `store: {container: c}`, "spec.store", "driver, container and allowFaults are for endpoints"),
		Entry("faults of endpoints that aren't allowed", `{store: {nodes: 1, endpoints: [{address: "h:1", pod: x}]}, faults: [{name: f, action: PodKill, at: 1s}]}`, "spec", "set store.allowFaults to true"),
		Entry("faults of endpoints that are forbidden", `{store: {nodes: 1, allowFaults: false, endpoints: [{address: "h:1", pod: x}]}, faults: [{name: f, action: PodKill, at: 1s}]}`, "spec", "set store.allowFaults to true"),
		Entry("faults of endpoints without pods", `{store: {nodes: 2, allowFaults: true, endpoints: [{address: "h:1", pod: x}, {address: "h:2"}]}, faults: [{name: f, action: PodKill, at: 1s}]}`, "spec", "name store.endpoints[].pod"),
		Entry("a chart of nowhere", `store: {chart: {nodesValue: nodes}}`, "spec.store.chart", "exactly one of configMap, oci and repository"),
		Entry("a chart of two places", `store: {chart: {configMap: {name: a, key: b}, oci: {url: "oci://a.example/b", version: 1.2.3}}}`, "spec.store.chart", "exactly one of configMap, oci and repository"),
		Entry("a chart and endpoints", `store: {nodes: 1, chart: {configMap: {name: a, key: b}}, endpoints: [{address: "h:1"}]}`, "spec.store", "name one of them"),
		Entry("a version of a chart's store", `store: {version: v1, chart: {configMap: {name: a, key: b}}}`, "spec.store", "leave these fields out, and set store.values"),
		Entry("storage of a chart's store", `store: {storage: {size: 1Gi}, chart: {configMap: {name: a, key: b}}}`, "spec.store", "leave these fields out, and set store.values"),
		Entry("a registry's chart without a version", `store: {chart: {oci: {url: "oci://a.example/b"}}}`, "spec.store.chart.oci.version", "Required value"),
		Entry("a range of versions", `store: {chart: {oci: {url: "oci://a.example/b", version: "^1.2"}}}`, "spec.store.chart.oci.version", "must be one version"),
		Entry("a registry's chart with a tag", `store: {chart: {oci: {url: "oci://a.example/b:1.2.3", version: 1.2.3}}}`, "spec.store.chart.oci.url", "without a tag"),
		Entry("a registry's chart elsewhere", `store: {chart: {oci: {url: "https://a.example/b", version: 1.2.3}}}`, "spec.store.chart.oci.url", "must be oci://host/path"),
		Entry("a repository with a password", `store: {chart: {repository: {url: "https://u:p@a.example/b", name: x, version: 1.2.3}}}`, "spec.store.chart.repository.url", "must be https://host/path"),
		Entry("a value's path that is none", `store: {chart: {configMap: {name: a, key: b}, nodesValue: "a..b"}}`, "spec.store.chart.nodesValue", "joined by dots"),
		Entry("members of any release", `store: {chart: {configMap: {name: a, key: b}, members: {pod: "mine-{index}"}}}`, "spec.store.chart.members.pod", "must have {release} and {index}"),
		Entry("members of one name", `store: {chart: {configMap: {name: a, key: b}, members: {pod: "{release}-0"}}}`, "spec.store.chart.members.pod", "must have {release} and {index}"),
		Entry("a service of any release", `store: {chart: {configMap: {name: a, key: b}, members: {service: mine}}}`, "spec.store.chart.members.service", "must have {release}"),
		Entry("a resource that says nothing", `store: {chart: {configMap: {name: a, key: b}, ready: [{apiVersion: a.io/v1, kind: A}]}}`, "spec.store.chart.ready[0]", "name one of them"),
		Entry("a resource that says two things", `store: {chart: {configMap: {name: a, key: b}, ready: [{apiVersion: a.io/v1, kind: A, condition: B, field: c, equals: d}]}}`, "spec.store.chart.ready[0]", "name one of them"),
		Entry("a field that equals nothing", `store: {chart: {configMap: {name: a, key: b}, ready: [{apiVersion: a.io/v1, kind: A, field: c}]}}`, "spec.store.chart.ready[0]", "set both, or none"),
		Entry("a resource of somebody's", `store: {chart: {configMap: {name: a, key: b}, ready: [{apiVersion: a.io/v1, kind: A, name: mine, condition: B}]}}`, "spec.store.chart.ready[0].name", "must have {release}"),
		Entry("security of a chart", `store: {security: TLS, chart: {configMap: {name: a, key: b}}}`, "spec.store", "no credentials for a chart yet"),
		Entry("a Secret for what is deployed", `store: {security: TLS, securitySecret: s}`, "spec.store", "securitySecret is for endpoints"),
		Entry("security of endpoints without a Secret", `store: {nodes: 1, security: TLS, endpoints: [{address: "h:1"}]}`, "spec.store", "set both, or leave both out"),
		Entry("a Secret of endpoints without security", `store: {nodes: 1, security: None, securitySecret: s, endpoints: [{address: "h:1"}]}`, "spec.store", "set both, or leave both out"),
		Entry("a Secret in capitals", `store: {nodes: 1, security: TLS, securitySecret: S, endpoints: [{address: "h:1"}]}`, "spec.store.securitySecret", "lower-case letters"),
		Entry("security in small letters", `store: {security: tls}`, "spec.store.security", "must be None, Auth or TLS"),
		Entry("endpoints that are to be kept", `{store: {nodes: 1, endpoints: [{address: "h:1"}]}, retain: Always}`, "spec", "leave retain out"),
		Entry("values that are no object", `store: {values: [1]}`, "spec.store.values", "must be of type object"),
		Entry("a class for storage without a volume", `store: {storage: {ephemeral: true, className: fast}}`, "spec.store.storage", "drop one of them"),
		Entry("a field that doesn't exist", `store: {node: 3}`, `unknown field "spec.store.node"`, ""),
		Entry("no workload", `workloads: []`, "spec.workloads", "at least 1"),
		Entry("two workloads of one name", `workloads: [{name: a, preset: A}, {name: a, preset: B}]`, "spec.workloads[1]", "Duplicate value"),
		Entry("too many workloads", `workloads: [`+manyOf(65, `{name: w-%d, preset: A}`)+`]`, "spec.workloads", "at most 64"),
		Entry("a workload name that can't name a Job", `workloads: [{name: Read_Heavy, preset: A}]`, "spec.workloads[0].name", "lower-case letters"),
		Entry("a workload's own rate of nothing", `workloads: [{name: a, preset: A, load: {rate: 0}}]`, "spec.workloads[0].load.rate", "leave rate out for a closed loop"),
		Entry("a workload's own rate and rateShape", `workloads: [{name: a, preset: A, load: {rate: 9, rateShape: {sine: {mean: 5, amplitude: 5, period: 10s}}}}]`, "spec.workloads[0].load", "exclude each other"),
		Entry("a batch of no records", `load: {batch: 0}`, "spec.load.batch", "greater than or equal to 1"),
		Entry("resources of a workload's own", `workloads: [{name: a, preset: A, load: {resources: {}}}]`, "spec.workloads[0].load", "resources"),
		Entry("an unknown preset", `workloads: [{name: a, preset: Z}]`, "spec.workloads[0].preset", "must be A, B, C, D, E, F or mixgraph"),
		Entry("neither preset nor properties", `workloads: [{name: a}]`, "spec.workloads[0]", "set preset (A to F), properties that say the mix, clients, or a trace"),
		Entry("a trace and a preset", `workloads: [{name: a, preset: A, trace: {configMapKeyRef: {name: t, key: k}}}]`, "spec.workloads[0]", "leave preset out"),
		Entry("a trace and a mix", `workloads: [{name: a, properties: {readproportion: "1"}, trace: {configMapKeyRef: {name: t, key: k}}}]`, "spec.workloads[0]", "leave the proportions and requestdistribution out"),
		Entry("a trace and a distribution of keys", `workloads: [{name: a, properties: {requestdistribution: zipfian}, trace: {configMapKeyRef: {name: t, key: k}}}]`, "spec.workloads[0]", "leave the proportions and requestdistribution out"),
		Entry("a trace without a file", `workloads: [{name: a, trace: {stretch: "1"}}]`, "spec.workloads[0].trace.configMapKeyRef", "Required value"),
		Entry("a trace stretched by nothing", `workloads: [{name: a, trace: {configMapKeyRef: {name: t, key: k}, stretch: "0.0"}}]`, "spec.workloads[0].trace.stretch", "above 0"),
		Entry("a trace stretched too far", `workloads: [{name: a, trace: {configMapKeyRef: {name: t, key: k}, stretch: "1000000.1"}}]`, "spec.workloads[0].trace.stretch", "up to 1000000"),
		Entry("a trace stretched by a word", `workloads: [{name: a, trace: {configMapKeyRef: {name: t, key: k}, stretch: fast}}]`, "spec.workloads[0].trace.stretch", "must be a number"),
		Entry("a trace stretched by a number without quotes", `workloads: [{name: a, trace: {configMapKeyRef: {name: t, key: k}, stretch: 0.5}}]`, "spec.workloads[0].trace.stretch", "must be of type string"),
		Entry("a trace and a rate", `{workloads: [{name: a, trace: {configMapKeyRef: {name: t, key: k}}}], load: {rate: 5}}`, "spec", "leave load.rate and load.rateShape out"),
		Entry("a trace and a shape", `{workloads: [{name: a, trace: {configMapKeyRef: {name: t, key: k}}}], load: {rateShape: {ramp: {from: 1, to: 2, over: 1s}}}}`, "spec", "leave load.rate and load.rateShape out"),
		Entry("a trace and arrivals", `{workloads: [{name: a, trace: {configMapKeyRef: {name: t, key: k}}}], load: {arrivals: Poisson}}`, "spec.load", "arrivals needs a rate"),
		Entry("a fault in a trace whose end isn't known",
			`{workloads: [{name: a, trace: {configMapKeyRef: {name: t, key: k}}}], faults: [{name: f, action: PodKill, at: 1s}]}`, "spec", "set workloads[].duration"),
		Entry("field lengths from a file and by a law", `workloads: [{name: a, preset: A, properties: {fieldlengthdistribution: zipfian}, fieldLengthHistogram: {configMapKeyRef: {name: t, key: k}}}]`, "spec.workloads[0]", "leave fieldlengthdistribution"),
		Entry("field lengths from two files", `workloads: [{name: a, preset: A, properties: {fieldlengthhistogram: x}, fieldLengthHistogram: {configMapKeyRef: {name: t, key: k}}}]`, "spec.workloads[0]", "leave fieldlengthdistribution"),
		Entry("a file in another namespace", `workloads: [{name: a, preset: A, fieldLengthHistogram: {configMapKeyRef: {name: t, key: k, namespace: kube-system}}}]`, `unknown field "spec.workloads[0].fieldLengthHistogram.configMapKeyRef.namespace"`, ""),
		Entry("a file of a ConfigMap that can't exist", `workloads: [{name: a, preset: A, fieldLengthHistogram: {configMapKeyRef: {name: a/b, key: k}}}]`, "configMapKeyRef.name", "lower-case letters"),
		Entry("a file of a key that can't exist", `workloads: [{name: a, preset: A, fieldLengthHistogram: {configMapKeyRef: {name: a, key: ../k}}}]`, "configMapKeyRef.key", "letters, digits"),
		Entry("too long a name and key", `workloads: [{name: a, preset: A, fieldLengthHistogram: {configMapKeyRef: {name: `+strings.Repeat("n", 126)+`, key: `+strings.Repeat("k", 127)+`}}}]`, "configMapKeyRef", "252 characters together"),
		Entry("duration and operations", `workloads: [{name: a, preset: A, duration: 60s, operations: 5}]`, "spec.workloads[0]", "set duration or operations"),
		Entry("no records", `workloads: [{name: a, preset: A, records: 0}]`, "spec.workloads[0].records", "greater than or equal to 1"),
		Entry("no duration", `workloads: [{name: a, preset: A, duration: 0s}]`, "spec.workloads[0].duration", "at least 1s"),
		Entry("a duration in words", `workloads: [{name: a, preset: A, duration: a minute}]`, "spec.workloads[0].duration", "such as 90s"),
		Entry("a duration without a unit", `workloads: [{name: a, preset: A, duration: "90"}]`, "spec.workloads[0].duration", "such as 90s"),
		Entry("a duration beyond a day", `workloads: [{name: a, preset: A, duration: 25h}]`, "spec.workloads[0].duration", "at most 24h"),
		Entry("a duration beyond all bounds", `workloads: [{name: a, preset: A, duration: 99999h99999h99999h}]`, "spec.workloads[0].duration", "at most 24h"),
		Entry("a property without quotes", `workloads: [{name: a, preset: A, properties: {fieldlength: 100}}]`, "spec.workloads[0].properties.fieldlength", "must be of type string"),
		Entry("too long a property", `workloads: [{name: a, preset: A, properties: {table: `+strings.Repeat("x", 257)+`}}]`, "spec.workloads[0].properties.table", "than 256"),
		Entry("a rate of 0", `load: {rate: 0}`, "spec.load.rate", "must be above 0"),
		Entry("a rate below 0", `load: {rate: -5}`, "spec.load.rate", "must be above 0"),
		Entry("a rate and a shape", `load: {rate: 5, rateShape: {ramp: {from: 1, to: 2, over: 1s}}}`, "spec.load", "exclude each other"),
		Entry("a shape of nothing", `load: {rateShape: {}}`, "spec.load.rateShape", "one of steps, ramp, sine and schedule"),
		Entry("a shape of two kinds", `load: {rateShape: {ramp: {from: 1, to: 2, over: 1s}, sine: {mean: 5, amplitude: 1, period: 1s}}}`, "spec.load.rateShape", "one of steps, ramp, sine and schedule"),
		Entry("a shape and a file of one", `load: {rateShape: {ramp: {from: 1, to: 2, over: 1s}, schedule: {configMapKeyRef: {name: t, key: k}}}}`, "spec.load.rateShape", "one of steps, ramp, sine and schedule"),
		Entry("a sine below 0", `load: {rateShape: {sine: {mean: 5, amplitude: 6, period: 1s}}}`, "spec.load.rateShape.sine", "at most mean"),
		Entry("a step of a bad length", `load: {rateShape: {steps: [{rate: 5, for: soon}]}}`, "spec.load.rateShape.steps[0].for", "length of time"),
		Entry("arrivals without a rate", `load: {arrivals: Poisson}`, "spec.load", "arrivals needs a rate"),
		Entry("maxInFlight without a rate", `load: {maxInFlight: 5}`, "spec", "load.maxInFlight needs a rate or a trace"),
		Entry("connections without a rate", `load: {connections: 5}`, "spec", "load.connections needs a rate or a trace"),
		Entry("no connections", `load: {rate: 1, connections: 0}`, "spec.load.connections", "greater than or equal to 1"),
		Entry("no worker", `load: {workers: 0}`, "spec.load.workers", "greater than or equal to 1"),
		Entry("an operation timeout of nothing", `load: {operationTimeout: 1ms}`, "spec.load.operationTimeout", "from 10ms to 60s"),
		Entry("a fault at the end of the default duration", `faults: [{name: f, action: ContainerKill, at: 51s}]`, "faults[].at", "lower faults[].at or raise workloads[].duration"),
		Entry("a fault at the end of a duration given",
			`{workloads: [{name: a, preset: A, duration: 90s}], faults: [{name: f, action: PodKill, at: 80500ms}]}`, "faults[].at", "at least 10s before"),
		Entry("a fault at the end of the workload that it names",
			`{workloads: [{name: a, preset: A, duration: 5m}, {name: b, preset: B}], faults: [{name: f, action: PodKill, at: 55s, workload: b}]}`, "faults[].at", "at least 10s before"),
		Entry("a fault whose time is no time", `faults: [{name: f, action: ContainerKill, at: soon}]`, "spec.faults[0].at", "such as 90s"),
		Entry("a fault without a time", `faults: [{name: f, action: ContainerKill}]`, "spec.faults[0].at", "Required value"),
		Entry("a fault in a workload that ends after operations",
			`{workloads: [{name: a, preset: A, operations: 10}], faults: [{name: f, action: PodKill, at: 1s}]}`, "spec", "set workloads[].duration"),
		Entry("a fault in an unknown workload", `faults: [{name: f, action: PodKill, at: 1s, workload: b}]`, "faults[].workload", "name of an entry of workloads"),
		Entry("a fault on a member that isn't", `faults: [{name: f, action: PodKill, at: 1s, target: {member: 3}}]`, "faults[].target.member", "below store.nodes"),
		Entry("a target by role and by member", `faults: [{name: f, action: PodKill, at: 1s, target: {role: Leader, member: 1}}]`, "spec.faults[0].target", "set role or member"),
		Entry("an empty target", `faults: [{name: f, action: PodKill, at: 1s, target: {}}]`, "spec.faults[0].target", "set role or member"),
		Entry("an objective of no metric", `objectives: [{metric: speed, atLeast: 1}]`, "spec.objectives[0].metric", "must be throughput, errors, p50"),
		Entry("an objective of no operation", `objectives: [{metric: p99, operation: GET, atMost: 1s}]`, "spec.objectives[0].operation", "must be READ, UPDATE"),
		Entry("an objective of no statistic", `objectives: [{metric: outage, statistic: mean, atMost: 1s}]`, "spec.objectives[0].statistic", "must be max or median"),
		Entry("an objective without a bound", `objectives: [{metric: p99}]`, "spec.objectives[0]", "atMost or atLeast"),
		Entry("an objective with two bounds", `objectives: [{metric: p99, atMost: 1s, atLeast: 1s}]`, "spec.objectives[0]", "atMost or atLeast"),
		Entry("a throughput that may not be higher", `objectives: [{metric: throughput, atMost: 5}]`, "spec.objectives[0]", "throughput has a lower bound, atLeast"),
		Entry("a latency that may not be lower", `objectives: [{metric: p50, atLeast: 5ms}]`, "spec.objectives[0]", "all other metrics have an upper one, atMost"),
		Entry("a throughput of an operation", `objectives: [{metric: throughput, operation: READ, atLeast: 5}]`, "spec.objectives[0]", "operation is of a percentile"),
		Entry("a bound that is too large for a number", `objectives: [{metric: recordsLost, atMost: 5000000000}]`, "spec.objectives[0].atMost", "write a larger number as a string"),
		Entry("a bound that is too long", `objectives: [{metric: throughput, atLeast: "123456789012345678901234567890123"}]`, "spec.objectives[0].atLeast", "at most 32 characters"),
		Entry("a statistic of a latency", `objectives: [{metric: p99, statistic: max, atMost: 5s}]`, "spec.objectives[0]", "statistic is of outage"),
		Entry("a partition of no direction", `faults: [{name: f, action: Partition, at: 1s, duration: 10s, partition: {direction: up}}]`, "spec.faults[0].partition.direction", "must be Both, To or From"),
		Entry("an unknown action", `faults: [{name: f, action: Explode, at: 1s}]`, "spec.faults[0].action", "must be ContainerKill, PodKill or Partition"),
		Entry("too many faults", `faults: [`+manyOf(17, `{name: f-%d, action: PodKill, at: 1s}`)+`]`, "spec.faults", "at most 16"),
		Entry("an unknown retain policy", `retain: Sometimes`, "spec.retain", "must be Never, OnFailure or Always"),
		Entry("an unknown law of arrivals", `load: {rate: 1, arrivals: Uniform}`, "spec.load.arrivals", "must be Poisson or Constant"),
		Entry("an unknown role", `faults: [{name: f, action: PodKill, at: 1s, target: {role: Primary}}]`, "spec.faults[0].target.role", "must be Leader, Follower or Any"),
		Entry("a service account that can't exist", `serviceAccountName: Bench_1`, "spec.serviceAccountName", "lower-case letters"),
		Entry("a seed below 0", `seed: -1`, "spec.seed", "greater than or equal to 0"),
		Entry("too long a quantity", `store: {resources: {requests: {cpu: "`+strings.Repeat("1", 100)+`"}}}`, "spec.store.resources.requests", "at most 64 characters"),
		Entry("a timeout in words", `timeouts: {deploy: long}`, "spec.timeouts.deploy", "such as 90s"),
	)
})
