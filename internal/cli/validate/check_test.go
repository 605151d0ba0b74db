package validate

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const head = "apiVersion: kvbench.io/v1alpha1\nkind: "

func runOf(spec string) string {
	return head + "BenchmarkRun\nmetadata: {name: a, namespace: default}\nspec: " + spec + "\n"
}

func suiteOf(spec string) string {
	return head + "BenchmarkSuite\nmetadata: {name: s, namespace: default}\nspec: " + spec + "\n"
}

// checked is what was found of one file.
func checked(t *testing.T, text string) []Result {
	t.Helper()
	results, err := Check(context.Background(), []Content{{File: "f.yaml", Text: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// expect compares the only result with its findings: a field, and a part of the message.
func expect(t *testing.T, results []Result, want ...[2]string) {
	t.Helper()
	ok := len(results) == 1 && results[0].Error == "" && len(results[0].Findings) == len(want) && results[0].OK == (len(want) == 0)
	for i := 0; ok && i < len(want); i++ {
		f := results[0].Findings[i]
		ok = f.Field == want[i][0] && strings.Contains(f.Message, want[i][1])
	}
	if !ok {
		text, _ := json.MarshalIndent(results, "", " ")
		t.Errorf("got %s\nwant %q", text, want)
	}
}

// samples are the files of config/samples with runs and suites: no charts, and nothing that kustomize has to make whole.
func samples(t *testing.T) (contents []Content) {
	t.Helper()
	root := filepath.Join("..", "..", "..", "config", "samples")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "charts":
			return fs.SkipDir
		case filepath.Ext(path) != ".yaml" || entry.Name() == "kustomization.yaml":
			return nil
		}
		text, err := os.ReadFile(path)
		contents = append(contents, Content{path, text})
		return err
	})
	if err != nil || len(contents) < 25 {
		t.Fatalf("found %d samples, %v", len(contents), err)
	}
	return contents
}

func TestAllSamplesAreWell(t *testing.T) {
	contents := samples(t)
	results, err := Check(context.Background(), contents)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(contents) {
		t.Errorf("%d results of %d samples", len(results), len(contents))
	}
	for _, r := range results {
		if !r.OK || r.Error != "" {
			t.Errorf("%s: %s %v", r.File, r.Error, r.Findings)
		}
	}
}

func TestTheFirstRunOfTheReadmeIsWell(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, begins := strings.Cut(string(page), "```yaml\n")
	block, _, ends := strings.Cut(block, "```\n")
	if !begins || !ends {
		t.Fatal("README has no YAML")
	}
	expect(t, checked(t, block))
}

func TestWhatTheCatalogLacksIsRefusedInTheControllersWords(t *testing.T) {
	const work = "workloads: [{name: a, preset: A}]"
	for spec, want := range map[string][2]string{
		"{store: {name: etdc, nodes: 3}, " + work + "}":                                                                            {"spec.store.name", `did you mean "etcd"?`},
		"{store: {name: basic, nodes: 1}, " + work + "}":                                                                           {"spec.store.name", "on a command line alone"},
		"{store: {name: etcd, mode: linear, nodes: 3}, " + work + "}":                                                              {"spec.store.mode", `etcd has no mode "linear"`},
		"{store: {name: hazelcast, mode: cp, nodes: 1}, " + work + "}":                                                             {"spec.store.nodes", "runs with 3 to 9 nodes, not with 1"},
		"{store: {name: memcached, nodes: 3, storage: {size: 1Gi}}, " + work + "}":                                                 {"spec.store.storage", "keeps its data in memory"},
		"{store: {name: memcached, nodes: 3}, workloads: [{name: e, preset: E}]}":                                                  {"spec.workloads[0].properties", "has no scan"},
		"{store: {name: hazelcast, nodes: 3, security: TLS}, " + work + "}":                                                        {"spec.store.security", "can't be deployed with TLS"},
		"{store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A, properties: {fieldlenght: \"5\"}}]}":                     {"spec.workloads[0].properties", "fieldlength"},
		"{store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A, duration: 1500ms}]}":                                     {"spec.workloads[0].duration", "no whole number of seconds"},
		"{store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A, reset: false}]}":                                         {"spec.workloads[0].reset", "its first workload has to load"},
		"{store: {name: cassandra, nodes: 3}, " + work + ", faults: [{name: k, action: PodKill, at: 5s, target: {role: Leader}}]}": {"spec.faults[0].target.role", "none leads all others"},
		"{store: {name: etcd, nodes: 1}, " + work + ", faults: [{name: k, action: Partition, at: 5s, duration: 5s}]}":              {"spec.faults[0].action", "the only node has none"},
		"{store: {name: etcd, nodes: 3}, " + work + ", faults: [{name: k, action: Partition, at: 5s}]}":                            {"spec.faults[0].duration", ""},
		"{store: {name: etcd, nodes: 1, storage: {ephemeral: true}}, " + work + ", faults: [{name: k, action: PodKill, at: 5s}]}":  {"spec.faults[0].action", "loses the data of ephemeral storage"},
		"{store: {name: etcd, nodes: 3}, " + work + ", objectives: [{metric: p99, operation: SCAN, atMost: 20ms}]}":                {"spec.objectives[0].operation", "there is no SCAN"},
		"{store: {name: etcd, nodes: 3}, " + work + ", objectives: [{metric: outage, atMost: 5s}]}":                                {"spec.objectives[0].metric", "is what faults do"},
		"{store: {name: etcd, nodes: 3, values: {settings: {snapshot-count: many}}}, " + work + "}":                                {"spec.store.values", "spec.store.values.settings.snapshot-count: got string, want integer"},
		"{store: {name: redis, nodes: 3, values: {setings: {}}}, " + work + "}":                                                    {"spec.store.values", "additional properties 'setings' not allowed"},
		"{store: {name: etcd, nodes: 3, storage: {size: 1Mi}}, workloads: [{name: a, preset: A, records: 1000000}]}":               {"spec.workloads[0].records", ""},
	} {
		t.Run(want[0]+" "+want[1], func(t *testing.T) { expect(t, checked(t, runOf(spec)), want) })
	}
}

func TestAChartThatARunBringsIsNamed(t *testing.T) {
	for chart, want := range map[string]string{
		"{repository: {url: \"https://charts.example.com/stable\", name: etcd, version: 1.2.3}}": "the chart https://charts.example.com/stable, etcd 1.2.3 (spec.store.chart)",
		"{oci: {url: \"oci://registry.example.com/charts/etcd\", version: 1.2.3}}":               "the chart oci://registry.example.com/charts/etcd:1.2.3 (spec.store.chart)",
	} {
		results := checked(t, runOf("{store: {name: mine, driver: etcd, nodes: 3, chart: "+chart+"}, workloads: [{name: a, preset: A}]}"))
		expect(t, results)
		if got := strings.Join(results[0].Unchecked, "; "); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTheCatalogIsNotAskedOfWhatTheAPIServerRefuses(t *testing.T) {
	expect(t, checked(t, runOf("{store: {name: etdc, nodes: 3}, workloads: [{name: a, preset: G}]}")),
		[2]string{"spec.workloads[0].preset", "must be A"})
}

func TestFilesOfAClusterAreNamedAndNotRefused(t *testing.T) {
	results := checked(t, runOf("{store: {name: etcd, nodes: 3}, workloads: [{name: a, trace: {configMapKeyRef: {name: m, key: k}}}]}"))
	expect(t, results)
	if got := strings.Join(results[0].Unchecked, "\n"); !strings.Contains(got, "the key k of the ConfigMap m (spec.workloads[0].trace)") {
		t.Errorf("got %q", got)
	}
}

func TestWhatIsKnownWithoutAFileIsChecked(t *testing.T) {
	for spec, want := range map[string][2]string{
		"{store: {name: etcd, nodes: 3, values: {setings: {}}}, workloads: [{name: a, trace: {configMapKeyRef: {name: m, key: k}}}]}":                {"spec.store.values", "additional properties 'setings'"},
		"{store: {name: etcd, nodes: 3, mode: linear}, workloads: [{name: a, trace: {configMapKeyRef: {name: m, key: k}}}]}":                         {"spec.store.mode", `no mode "linear"`},
		"{store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A, records: 0, fieldLengthHistogram: {configMapKeyRef: {name: m, key: k}}}]}": {"spec.workloads[0].records", "greater than or equal to 1"},
	} {
		t.Run(want[0], func(t *testing.T) { expect(t, checked(t, runOf(spec)), want) })
	}
}

func TestConfigMapsOfTheFilesServeTheRunsOfTheirNamespace(t *testing.T) {
	withMap := func(namespace, content string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: " + namespace + "}\n" + content + "\n---\n" +
			runOf("{store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A, fieldLengthHistogram: {configMapKeyRef: {name: m, key: k}}}], objectives: [{metric: outage, atMost: 5s}]}")
	}
	missing := [2]string{"spec.objectives[0].metric", "is what faults do"} // what comes after the file is checked
	for name, given := range map[string]struct {
		text      string
		unchecked int
		want      [][2]string
	}{
		"as text":              {withMap("default", `data: {k: "BlockSize\t1\n0\t5\n"}`), 0, [][2]string{missing}},
		"as bytes":             {withMap("default", "binaryData: {k: QmxvY2tTaXplCTEKMAk1Cg==}"), 0, [][2]string{missing}},
		"that is broken":       {withMap("default", "data: {k: nonsense}"), 0, [][2]string{{"spec.workloads[0].fieldLengthHistogram", "ConfigMap m, k"}}},
		"with another key":     {withMap("default", "data: {j: nonsense}"), 1, nil},
		"of another namespace": {withMap("other", "data: {k: nonsense}"), 1, nil},
		"of no namespace":      {strings.ReplaceAll(withMap("default", `data: {k: "BlockSize\t1\n0\t5\n"}`), ", namespace: default", ""), 0, [][2]string{missing}},
	} {
		t.Run(name, func(t *testing.T) {
			results := checked(t, given.text)
			expect(t, results, given.want...)
			ofMaps := slices.DeleteFunc(results[0].Unchecked, func(name string) bool { return !strings.Contains(name, "ConfigMap") })
			if got := len(ofMaps); got != given.unchecked {
				t.Errorf("unchecked are %q", results[0].Unchecked)
			}
		})
	}
}

func TestWhatARunWantsOfAClusterIsNamed(t *testing.T) {
	results := checked(t, runOf(`
  store: {name: etcd, nodes: 3, storage: {className: fast}}
  workloads: [{name: a, preset: A}]
  serviceAccountName: bench
  imagePullSecrets: [{name: pull}]
  placement: {workers: {spread: Spread}}
  faults: [{name: k, action: PodKill, at: 5s}]
`))
	expect(t, results)
	got := strings.Join(results[0].Unchecked, "\n")
	for _, want := range []string{"the storage class fast", "the service account bench", "the Secret pull", "the nodes of spec.placement", "the namespace default", "Chaos Mesh"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}
