package helm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/internal/helm/helmtest"
)

// serveRender as the test program's argument makes it the process that renders.
const serveRender = "serve-render"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serveRender {
		if err := ServeRender(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func pack(t testing.TB, files map[string]string) []byte {
	t.Helper()
	folder := fstest.MapFS{}
	for name, text := range files {
		folder[name] = &fstest.MapFile{Data: []byte(text)}
	}
	packed, err := helmtest.Pack(folder)
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

const (
	theirChart = "apiVersion: v2\nname: theirs\nversion: 1.2.3\n"
	aMap       = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
)

// theirs is a chart with these templates, and files beside them.
func theirs(t testing.TB, templates map[string]string, more ...map[string]string) OwnChart {
	t.Helper()
	files := map[string]string{"Chart.yaml": theirChart, "values.yaml": "size: 1\n"}
	for name, text := range templates {
		files["templates/"+name] = text
	}
	for _, some := range more {
		maps.Copy(files, some)
	}
	return OwnChart{Archive: pack(t, files), Release: "run-1", Namespace: "bench"}
}

func one(template string) map[string]string { return map[string]string{"a.yaml": template} }

func kindsIn(t *testing.T, manifest string) (found []string) {
	t.Helper()
	for document := range strings.SplitSeq(strings.TrimPrefix(manifest, "---\n"), "---\n") {
		object := unstructured.Unstructured{}
		if err := sigsyaml.Unmarshal([]byte(document), &object.Object); err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		found = append(found, object.GetKind()+" "+object.GetName())
	}
	return found
}

func TestAnOwnChartIsRenderedToPlainObjects(t *testing.T) {
	for name, c := range map[string]struct {
		templates map[string]string
		more      map[string]string
		values    string
		want      string
	}{
		"with the release and the values": {
			one("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}-{{ .Values.size }}, namespace: {{ .Release.Namespace }}}\n"),
			nil, `{"size":3}`, "ConfigMap run-1-3"},
		"several documents, and those of a list": {
			map[string]string{"a.yaml": aMap + "---\n\n---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: b}}\n", "b.yaml": "{{/* nothing */}}"},
			nil, "", "ConfigMap a Secret b"},
		"without notes and hooks that never come": {
			map[string]string{"NOTES.txt": "thank you", "a.yaml": aMap, "t.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: t, annotations: {helm.sh/hook: 'test,pre-upgrade'}}\n"},
			nil, "", "ConfigMap a"},
		"with the charts in it": {
			one(aMap), map[string]string{
				"Chart.yaml":            theirChart + "dependencies: [{name: sub, version: 1.0.0, repository: 'https://x.example', condition: sub.on}]\n",
				"charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n", "charts/sub/templates/s.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n",
			}, "", "Service s ConfigMap a"},
		"without the definitions beside its templates": {
			one(aMap), map[string]string{"crds/a.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.x.io}\n"}, "", "ConfigMap a"},
		// Helm would ask the address for it.
		"without looking at its schema": {
			one(aMap), map[string]string{"values.schema.json": `{"$ref":"http://127.0.0.1:1/secret"}`}, "", "ConfigMap a"},
	} {
		t.Run(name, func(t *testing.T) {
			own := theirs(t, c.templates, c.more)
			own.Values = []byte(c.values)
			got, err := RenderOwn(own)
			if err != nil {
				t.Fatal(err)
			}
			if kinds := strings.Join(kindsIn(t, got.Manifest), " "); kinds != c.want || got.Name != "theirs" || got.Version != "1.2.3" {
				t.Errorf("%s of %s %s, want %s", kinds, got.Name, got.Version, c.want)
			}
		})
	}
}

func TestNothingOfAnOwnChartIsKeptByItsPolicy(t *testing.T) {
	got, err := RenderOwn(theirs(t, one("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {helm.sh/resource-policy: keep, b: c}}\n")))
	if err != nil || strings.Contains(got.Manifest, "keep") || !strings.Contains(got.Manifest, "b: c") {
		t.Errorf("%v:\n%s", err, got.Manifest)
	}
}

func TestABadOwnChartSaysWhatIsWrongWithIt(t *testing.T) {
	bomb := pack(t, map[string]string{"Chart.yaml": theirChart, "zeros": strings.Repeat("\x00", maxUnpackedBytes)})
	random := make([]byte, MaxArchiveBytes+1)
	for name, c := range map[string]struct {
		own  OwnChart
		want string
	}{
		"no archive":       {OwnChart{Archive: []byte("apiVersion: v2")}, "no packed chart"},
		"cut short":        {OwnChart{Archive: theirs(t, one(aMap)).Archive[:100]}, "can't be unpacked"},
		"too large":        {OwnChart{Archive: random}, "bytes, and can have 921600 packed"},
		"a zip bomb":       {OwnChart{Archive: bomb}, "unpacked it has more than"},
		"no Chart.yaml":    {OwnChart{Archive: pack(t, map[string]string{"a": "b"})}, "Chart.yaml"},
		"a library":        {theirs(t, nil, map[string]string{"Chart.yaml": theirChart + "type: library\n"}), "library"},
		"a chart missing":  {theirs(t, nil, map[string]string{"Chart.yaml": theirChart + "dependencies: [{name: sub, version: 1.0.0}]\n"}), "sub, which it depends on"},
		"doesn't render":   {theirs(t, one(`{{ fail "size must be odd" }}`)), "size must be odd"},
		"no YAML":          {theirs(t, one("a: [")), "renders to no YAML"},
		"nothing":          {theirs(t, one("")), "renders no object"},
		"no object":        {theirs(t, one("a: b")), "without an apiVersion"},
		"an install hook":  {theirs(t, one("apiVersion: v1\nkind: Pod\nmetadata: {name: h, annotations: {helm.sh/hook: post-install}}\n")), "Pod h is a hook"},
		"a definition":     {theirs(t, one("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.x.io}\n")), "it defines as.x.io"},
		"a foreign place":  {theirs(t, one("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: kube-system}\n")), "of the namespace kube-system"},
		"one in a list":    {theirs(t, one("apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: kube-system}}]\n")), "of the namespace kube-system"},
		"items of another": {theirs(t, one("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: kube-system}}]\n")), "its ConfigMap has items, which are a list's"},
		"no list of items": {theirs(t, one("apiVersion: v1\nkind: List\nmetadata: {name: a}\nitems: {}\n")), "its List has items, which are a list's"},
		"far too many":     {theirs(t, one("{{ range until 201 }}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a{{ . }}}\n{{ end }}")), "more than 200 objects, or 262144 bytes"},
		"far too much":     {theirs(t, one(aMap+`data: {a: "{{ repeat 262144 "a" }}"}`)), "more than 200 objects, or 262144 bytes"},
		"much in a record": {theirs(t, one(aMap+`data: {a: "{{ repeat 50000 "<" }}"}`)), "more than 200 objects, or 262144 bytes"},
		"anchors and more": {theirs(t, one(laughs())), "excessive aliasing"},
	} {
		t.Run(name, func(t *testing.T) {
			c.own.Namespace = "bench"
			_, err := RenderOwn(c.own)
			var bad *BadChart
			if !errors.As(err, &bad) || !strings.Contains(bad.Trouble, c.want) || strings.Contains(bad.Trouble, "\n") {
				t.Errorf("%v, want a BadChart with %q", err, c.want)
			}
		})
	}
}

// laughs are a few lines of YAML that stand for many.
func laughs() string {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nl0: &l0 " + strings.Repeat("lol", 20) + "\n"
	for i := range 4 {
		text += fmt.Sprintf("l%d: &l%d [%s]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*l%d,", i), 10))
	}
	return text
}

func TestAnOwnChartIsRenderedInAProcessOfItsOwn(t *testing.T) {
	renderer := NewIsolated(os.Args[0], serveRender)
	if got, err := renderer.Render(t.Context(), theirs(t, one(aMap))); err != nil || got.Version != "1.2.3" || !strings.Contains(got.Manifest, "name: a") {
		t.Errorf("%+v, %v", got, err)
	}
	tooMuch := fmt.Sprintf("more than %d MiB of memory or 5 s", renderMemoryBytes>>20)
	for name, c := range map[string]struct{ template, want string }{
		"it fails":           {`{{ fail "size must be odd" }}`, "size must be odd"},
		"it fails at length": {`{{ fail (repeat 100000 "odd ") }}`, "odd odd"},
		"it eats memory":     {`{{ range until 2000000000 }}{{ end }}`, tooMuch},
		"it never ends":      {`{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}`, tooMuch},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := renderer.Render(t.Context(), theirs(t, one(c.template)))
			var bad *BadChart
			if !errors.As(err, &bad) || !strings.Contains(bad.Trouble, c.want) || len(bad.Trouble) > maxTroubleBytes {
				t.Errorf("%v, want a BadChart with %q", err, c.want)
			}
		})
	}
	var most unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &most); err != nil {
		t.Fatal(err)
	}
	// Its program and its stacks are not among what is bounded.
	if taken := most.Maxrss << 10; taken > renderMemoryBytes+64<<20 {
		t.Errorf("a process had %d MiB", taken>>20)
	}
}

// Whoever waits for a rendering would keep a controller's few workers from other runs.
func TestOneChartIsRenderedAtATimeAndNobodyWaits(t *testing.T) {
	renderer := NewIsolated(os.Args[0], serveRender)
	renderer.one <- struct{}{} // another one
	if _, err := renderer.Render(t.Context(), theirs(t, one(aMap))); !errors.Is(err, ErrBusy) {
		t.Errorf("%v, want ErrBusy", err)
	}
	<-renderer.one
	if _, err := renderer.Render(t.Context(), theirs(t, one(aMap))); err != nil {
		t.Error(err)
	}
}

func TestARendererThatIsMissingIsNoChartsFault(t *testing.T) {
	var bad *BadChart
	if _, err := NewIsolated("/nowhere").Render(t.Context(), theirs(t, one(aMap))); err == nil || errors.As(err, &bad) {
		t.Errorf("%v", err)
	}
	if _, err := NewIsolated(os.Args[0], "-test.run=^$", "-nosuchflag").Render(t.Context(), theirs(t, one(aMap))); err == nil {
		t.Error("a program that doesn't render was believed")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewIsolated(os.Args[0], serveRender).Render(ended, theirs(t, one(aMap))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's end", err)
	}
}

func TestEachKindOfAnOwnChartIsNamedOnce(t *testing.T) {
	got, err := RenderOwn(theirs(t, one(aMap+"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n---\napiVersion: v2\nkind: ConfigMap\nmetadata: {name: c}\n---\n"+
		"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: d}}\n")))
	want := []Kind{{"v1", "ConfigMap", "a"}, {"v2", "ConfigMap", "c"}, {"rbac.authorization.k8s.io/v1", "ClusterRole", "d"}}
	if err != nil || !slices.Equal(got.Kinds, want) {
		t.Errorf("%v, %v; want %v", got.Kinds, err, want)
	}
}

// What is installed is the manifest, whatever a template would make of it.
func TestARenderedChartIsInstalledAsItIs(t *testing.T) {
	rendered := &Rendered{Name: "theirs", Version: "1.2.3", Manifest: "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: '{{ .Release.Name }}'\n"}
	manifest, err := Render(Release{Name: "run-1", Namespace: "bench", Rendered: rendered, Labels: map[string]string{"run": "1"}})
	if err != nil || !strings.Contains(manifest, "{{ .Release.Name }}") || !strings.Contains(manifest, "run: \"1\"") {
		t.Errorf("%v:\n%s", err, manifest)
	}
}

// Whatever the bytes are, they are a chart that renders to plain objects of the run's namespace, or
// what is wrong with them is said.
func FuzzOwnChart(f *testing.F) {
	f.Add(theirs(f, one(aMap)).Archive, "a: 1")
	f.Add([]byte("\x1f\x8b"), aMap)
	f.Add([]byte{}, "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}}]")
	f.Add([]byte{}, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}}]")
	f.Add([]byte{}, "a: &a [b]\nc: [*a, *a]\n---\n---\n{}")
	f.Add([]byte{}, "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {helm.sh/hook: 7}}")
	f.Fuzz(func(t *testing.T, packed []byte, text string) {
		var bad *BadChart
		if _, err := loadOwn(packed); err != nil && !errors.As(err, &bad) {
			t.Errorf("loading: %v", err)
		}
		manifest, _, err := manifestOf(map[string]string{"a/templates/a.yaml": text}, "bench")
		if err != nil && !errors.As(err, &bad) || len(manifest) > maxManifestBytes {
			t.Errorf("%d bytes, %v", len(manifest), err)
		}
		if err != nil {
			return
		}
		for document := range strings.SplitSeq(strings.TrimPrefix(manifest, "---\n"), "\n---\n") {
			object := unstructured.Unstructured{}
			if err := sigsyaml.Unmarshal([]byte(document), &object.Object); err != nil {
				t.Fatalf("%v in\n%s", err, manifest)
			}
			if object.GetNamespace() != "" && object.GetNamespace() != "bench" || object.GetKind() == "" || object.Object["items"] != nil {
				t.Errorf("%s", document)
			}
		}
	})
}

// A record beyond its bound is none, for who reads it: the release would be there, and be absent.
func TestTheRecordOfTheLargestOwnChartIsRead(t *testing.T) {
	text := "{{ range until 200 }}---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a{{ . }}}\nspec: {template: {spec: {a: {{ repeat 1150 \"a\" | quote }}}}, volumeClaimTemplates: [{a: b}]}\n{{ end }}"
	rendered, err := RenderOwn(theirs(t, one(text)))
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{}
	for _, name := range []string{"kvbench.io/run-uid", "kvbench.io/run", "kvbench.io/role"} {
		labels[name] = strings.Repeat("x", 40)
	}
	c := newCluster()
	if err := c.releaser().Install(t.Context(), Release{Name: "r", Namespace: "default", Rendered: &rendered, Labels: labels}); err != nil {
		t.Fatal(err)
	}
	last, err := c.releases.Last("r")
	if err != nil {
		t.Fatal(err)
	}
	record, err := json.Marshal(last)
	if err != nil || len(record) > maxRecordBytes {
		t.Errorf("%d bytes of a manifest with %d, %v; a record can have %d", len(record), len(rendered.Manifest), err, maxRecordBytes)
	}
}
