package chartsource

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/helm"
)

const packed = "a packed chart"

func digestOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// serve answers paths with contents, and counts requests.
type serve struct {
	*httptest.Server
	answers map[string]http.HandlerFunc
	asked   []string
}

func newServe(t *testing.T) *serve {
	s := &serve{answers: map[string]http.HandlerFunc{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked = append(s.asked, r.URL.Path)
		if answer, ok := s.answers[r.URL.Path]; ok {
			answer(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func text(content string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(content)) }
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func to(address string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, address, http.StatusTemporaryRedirect)
	}
}

func (s *serve) host() string { return strings.TrimPrefix(s.URL, "http://") }

// repository has the chart theirs 1.2.3 below /charts.
func (s *serve) repository(entry string) {
	s.answers["/charts/index.yaml"] = text("apiVersion: v1\nentries:\n  theirs:\n  - {version: 1.2.4, urls: [nowhere.tgz]}\n  - {version: 1.2.3, " + entry + "}\n")
	s.answers["/charts/theirs-1.2.3.tgz"] = text(packed)
}

// registry has the layer as the chart charts/theirs:1.2.3_a. It speaks as much of the
// distribution specification as a pull needs.
func (s *serve) registry(mediaType string, layer string, size int, blob http.HandlerFunc) {
	manifest, _ := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		"config": map[string]any{"mediaType": "application/vnd.cncf.helm.config.v1+json", "digest": "sha256:" + digestOf("{}"), "size": 2},
		"layers": []any{map[string]any{"mediaType": mediaType, "digest": "sha256:" + digestOf(layer), "size": size}},
	})
	s.answers["/v2/charts/theirs/manifests/1.2.3_a"] = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
		w.Header().Set("Docker-Content-Digest", "sha256:"+digestOf(string(manifest)))
		w.Header().Set("Content-Length", strconv.Itoa(len(manifest)))
		if r.Method == http.MethodGet {
			_, _ = w.Write(manifest)
		}
	}
	s.answers["/v2/charts/theirs/blobs/sha256:"+digestOf(layer)] = blob
}

func fetch(t *testing.T, source Source, allowed ...string) (string, error) {
	t.Helper()
	parsed, err := ParseAllowed(allowed)
	if err != nil {
		t.Fatal(err)
	}
	got, err := New(parsed, http.DefaultTransport).Fetch(t.Context(), source)
	return string(got), err
}

func TestAChartIsFetchedFromARepository(t *testing.T) {
	s := newServe(t)
	source := Source{URL: s.URL + "/charts/", Name: "theirs", Version: "1.2.3"}
	for name, entry := range map[string]string{
		"beside its index": "urls: [theirs-1.2.3.tgz]", "by its address": "urls: ['" + s.URL + "/charts/theirs-1.2.3.tgz']",
		"of its digest": "urls: [theirs-1.2.3.tgz], digest: " + digestOf(packed),
	} {
		t.Run(name, func(t *testing.T) {
			s.repository(entry)
			if got, err := fetch(t, source, s.URL+"/charts"); got != packed || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestAChartIsFetchedFromARegistry(t *testing.T) {
	s, blobs := newServe(t), newServe(t)
	blobs.answers["/blob"] = text(packed)
	source := Source{URL: "oci://" + s.host() + "/charts/theirs", Version: "1.2.3+a"}
	for name, blob := range map[string]http.HandlerFunc{"itself": text(packed), "elsewhere": to(blobs.URL + "/blob")} {
		t.Run(name, func(t *testing.T) {
			s.registry(chartMediaTypes[0], packed, len(packed), blob)
			if got, err := fetch(t, source, "oci+http://"+s.host()+"/charts", blobs.URL+"/blob"); got != packed || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	t.Run("by an index", func(t *testing.T) {
		s.repository("urls: ['" + source.URL + ":1.2.3_a']")
		got, err := fetch(t, Source{URL: s.URL + "/charts", Name: "theirs", Version: "1.2.3"}, s.URL+"/charts", "oci+http://"+s.host()+"/charts", blobs.URL)
		if got != packed || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// A registry that gives everybody a token says where.
func TestATokenIsAskedForWhereItIsAllowed(t *testing.T) {
	s, tokens := newServe(t), newServe(t)
	s.registry(chartMediaTypes[1], packed, len(packed), text(packed))
	for address, answer := range s.answers {
		s.answers[address] = func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer everybody" {
				w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="%s/token",service="s",scope="repository:charts/theirs:pull"`, tokens.URL))
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			answer(w, r)
		}
	}
	tokens.answers["/token"] = text(`{"token":"everybody"}`)
	source := Source{URL: "oci://" + s.host() + "/charts/theirs", Version: "1.2.3+a"}
	if got, err := fetch(t, source, "oci+http://"+s.host()+"/charts", tokens.URL+"/token"); got != packed || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	tokens.asked = nil
	var refused *NotAllowed
	if _, err := fetch(t, source, "oci+http://"+s.host()+"/charts"); !errors.As(err, &refused) || refused.Address != tokens.URL+"/token" || tokens.asked != nil {
		t.Errorf("%v, after %v", err, tokens.asked)
	}
}

func TestNoAddressIsAskedThatIsNotAllowed(t *testing.T) {
	secret := newServe(t)
	secret.answers["/latest/meta-data"] = text(packed)
	s := newServe(t)
	s.repository("urls: ['" + secret.URL + "/latest/meta-data']")
	s.answers["/moved/index.yaml"] = to(secret.URL + "/latest/meta-data")
	s.registry(chartMediaTypes[0], packed, len(packed), to(secret.URL+"/latest/meta-data"))
	for name, c := range map[string]struct {
		source  Source
		allowed []string
		asked   string
	}{
		"nothing is":                  {Source{URL: secret.URL, Name: "a", Version: "1"}, nil, secret.URL + "/index.yaml"},
		"no registry is":              {Source{URL: "oci://" + secret.host() + "/a", Version: "1"}, nil, "oci://" + secret.host() + "/a"},
		"another host":                {Source{URL: secret.URL, Name: "a", Version: "1"}, []string{s.URL}, secret.URL + "/index.yaml"},
		"another path":                {Source{URL: s.URL + "/charts-2", Name: "a", Version: "1"}, []string{s.URL + "/charts"}, s.URL + "/charts-2/index.yaml"},
		"a path that leads up":        {Source{URL: s.URL + "/charts/../x", Name: "a", Version: "1"}, []string{s.URL + "/charts"}, ""},
		"without TLS":                 {Source{URL: s.URL + "/charts", Name: "theirs", Version: "1.2.3"}, []string{"https://" + s.host() + "/charts"}, s.URL + "/charts/index.yaml"},
		"a registry without TLS":      {Source{URL: "oci://" + s.host() + "/charts/theirs", Version: "1.2.3+a"}, []string{s.URL + "/charts"}, "oci://" + s.host() + "/charts/theirs"},
		"where an index points":       {Source{URL: s.URL + "/charts", Name: "theirs", Version: "1.2.3"}, []string{s.URL}, secret.URL + "/latest/meta-data"},
		"where an answer redirects":   {Source{URL: s.URL + "/moved", Name: "theirs", Version: "1.2.3"}, []string{s.URL}, secret.URL + "/latest/meta-data"},
		"where a blob is said to be":  {Source{URL: "oci://" + s.host() + "/charts/theirs", Version: "1.2.3+a"}, []string{"oci+http://" + s.host() + "/charts"}, secret.URL + "/latest/meta-data"},
		"a registry that is no index": {Source{URL: "oci://" + s.host() + "/other/theirs", Version: "1.2.3+a"}, []string{"oci+http://" + s.host() + "/charts"}, "oci://" + s.host() + "/other/theirs"},
	} {
		t.Run(name, func(t *testing.T) {
			var refused *NotAllowed
			got, err := fetch(t, c.source, c.allowed...)
			if !errors.As(err, &refused) || c.asked != "" && refused.Address != c.asked || !strings.Contains(err.Error(), "chartSources") {
				t.Errorf("%q, %v, want a refusal of %s", got, err, c.asked)
			}
			if secret.asked != nil {
				t.Errorf("asked %v", secret.asked)
			}
		})
	}
}

func TestWhatIsNoChartIsSaid(t *testing.T) {
	zeros := strings.Repeat("0", helm.MaxArchiveBytes+1)
	inRepository := Source{Name: "theirs", Version: "1.2.3"}
	inRegistry := Source{Version: "1.2.3+a"}
	for name, c := range map[string]struct {
		source Source
		set    func(*serve)
		want   string
	}{
		"no repository":         {inRepository, func(*serve) {}, "there is no http"},
		"another version":       {Source{Name: "theirs", Version: "1.2"}, func(s *serve) { s.repository("urls: [theirs-1.2.3.tgz]") }, "has no chart theirs of version 1.2:"},
		"another name":          {Source{Name: "ours", Version: "1.2.3"}, func(s *serve) { s.repository("urls: [theirs-1.2.3.tgz]") }, "has no chart ours"},
		"no address":            {inRepository, func(s *serve) { s.repository("urls: []") }, "has no chart theirs"},
		"no file":               {inRepository, func(s *serve) { s.repository("urls: [other.tgz]") }, "there is no http"},
		"a forged file":         {inRepository, func(s *serve) { s.repository("urls: [theirs-1.2.3.tgz], digest: " + digestOf("other")) }, "isn't the chart of the digest"},
		"a large file":          {inRepository, func(s *serve) { s.repository("urls: [zeros]"); s.answers["/charts/zeros"] = text(zeros) }, "has more than 921600 bytes"},
		"an index that is none": {inRepository, func(s *serve) { s.answers["/charts/index.yaml"] = text("a: [") }, "can't be read"},
		"a large index":         {inRepository, func(s *serve) { s.answers["/charts/index.yaml"] = text(strings.Repeat("#", maxIndexBytes+1)) }, "has more than 4194304 bytes"},
		"a repository for some": {inRepository, func(s *serve) { s.answers["/charts/index.yaml"] = status(http.StatusForbidden) }, "no credentials"},
		"no tag":                {inRegistry, func(*serve) {}, "the registry has no oci://"},
		"an image": {inRegistry, func(s *serve) {
			s.registry("application/vnd.oci.image.layer.v1.tar+gzip", packed, len(packed), text(packed))
		}, "holds no Helm chart"},
		"a large layer":           {inRegistry, func(s *serve) { s.registry(chartMediaTypes[0], zeros, len(zeros), text(zeros)) }, "has 921601 bytes, and can have 921600"},
		"a layer that is another": {inRegistry, func(s *serve) { s.registry(chartMediaTypes[0], packed, len(packed), text("b packed chart")) }, "isn't what its manifest says"},
		"a layer that is longer":  {inRegistry, func(s *serve) { s.registry(chartMediaTypes[0], packed, len(packed), text(packed+zeros)) }, ""},
		"a registry for some":     {inRegistry, func(s *serve) { s.answers["/v2/charts/theirs/manifests/1.2.3_a"] = status(http.StatusForbidden) }, "no credentials"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServe(t)
			c.set(s)
			allowed := s.URL
			if c.source.URL = s.URL + "/charts"; c.source.Name == "" {
				c.source.URL, allowed = "oci://"+s.host()+"/charts/theirs", "oci+http://"+s.host()
			}
			got, err := fetch(t, c.source, allowed)
			var known *Missing
			if err == nil || c.want != "" && (!errors.As(err, &known) || !strings.Contains(known.Trouble, c.want)) {
				t.Errorf("%.20q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// hostileIndexes have up to 4 MiB, and more in memory. They all have the chart, at their end.
func hostileIndexes() map[string]string {
	const chart = "\nentries: {theirs: [{version: 1.2.3, urls: [theirs-1.2.3.tgz]}]}\n"
	fill := func(before, each, after string) string {
		return before + strings.Repeat(each, (maxIndexBytes-len(before)-len(after)-len(chart))/len(each)) + after + chart
	}
	var keys strings.Builder
	for i := 0; keys.Len() < maxIndexBytes-100; i++ {
		fmt.Fprintf(&keys, "%40x: ~,", i)
	}
	// As Helm writes it.
	const helms = "  - apiVersion: v2\n    appVersion: 1.2.3\n    created: \"2023-04-05T06:07:08.123456789Z\"\n" +
		"    dependencies:\n    - condition: state.enabled\n      name: state-metrics\n      repository: https://a.example/charts\n      version: 1.*\n" +
		"    description: A chart for this, that and more\n    digest: 3a6eb0790f39ac87c94f3856b2dd2c5d110e6811602261a9a923d3bb23adc8b7\n" +
		"    home: https://a.example\n    keywords:\n    - a\n    - b\n    maintainers:\n    - email: a@b.example\n      name: A B\n    name: others\n" +
		"    type: application\n    urls:\n    - https://a.example/others-1.2.3.tgz\n    version: 1.2.3\n"
	large := strings.Repeat("b", maxIndexBytes/2)
	return map[string]string{
		"aliases of a large text":   fill("a: &a "+large+"\nb: [", "*a,", "]"),
		"few aliases of it":         fill("a: &a "+large+"\nb: [", "*a,          ", "]"),
		"aliases of aliases":        "a: &a [" + strings.Repeat("b ,", 1000) + "]\nb: &b [" + strings.Repeat("*a ,", 1000) + "]\nc: [" + strings.Repeat("*b ,", 1000) + "]" + chart,
		"entries that are aliases":  "a: &a {" + strings.Repeat("b      ,", 100_000) + "}\nentries: {theirs: [" + strings.Repeat("*a        ,", 200_000) + "{version: 1.2.3, urls: [theirs-1.2.3.tgz]}]}",
		"comments":                  fill("", "#a\n", ""),
		"Helm's own":                "entries:\n  others:\n" + strings.Repeat(helms, (maxIndexBytes-200)/len(helms)) + "  theirs:\n  - version: 1.2.3\n    urls:\n    - theirs-1.2.3.tgz\n",
		"small lists":               fill("a: [", "[],", "]"),
		"keys without values":       fill("a: {", "a,", "}"),
		"as many as there can be":   fill("a: {", "aaaaaaaaaaaa,", "}"),
		"charts of different names": "entries: {" + keys.String() + " theirs: [{version: 1.2.3, urls: [theirs-1.2.3.tgz]}]}",
		"lists in lists":            fill("a: ", "[", ""),
		"lists of a line":           fill("", "- ", ""),
		"a large text":              fill("a: ", "b", ""),
	}
}

// A pod of the controller may have 512 MiB.
func TestAnIndexTakesBoundedTimeAndMemory(t *testing.T) {
	for name, index := range hostileIndexes() {
		if len(index) > maxIndexBytes {
			t.Fatalf("%s: %d bytes are refused for their number", name, len(index))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		got, err := findEntry([]byte(index), "theirs", "1.2.3")
		runtime.ReadMemStats(&after)
		took, taken := time.Since(began), (after.TotalAlloc-before.TotalAlloc)>>20
		if taken > 256 || took > 30*time.Second || err == nil && got.url != "theirs-1.2.3.tgz" {
			t.Errorf("%s: %+v, %v, after %v and %d MiB", name, got, err, took, taken)
		}
		t.Logf("%s: %d MiB, %v, %v", name, taken, took, err)
		if name == "Helm's own" && err != nil {
			t.Errorf("an index like Helm's: %v", err)
		}
	}
}

// Whoever waits for a fetch would keep a controller's few workers from other runs.
func TestOneChartIsFetchedAtATimeAndNobodyWaits(t *testing.T) {
	s := newServe(t)
	s.repository("urls: [theirs-1.2.3.tgz]")
	asked, answer := make(chan struct{}), make(chan struct{})
	index := s.answers["/charts/index.yaml"]
	s.answers["/charts/index.yaml"] = func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-answer
		index(w, r)
	}
	allowed, err := ParseAllowed([]string{s.URL})
	if err != nil {
		t.Fatal(err)
	}
	fetcher := New(allowed, http.DefaultTransport)
	source := Source{URL: s.URL + "/charts", Name: "theirs", Version: "1.2.3"}
	first := make(chan error)
	go func() {
		_, err := fetcher.Fetch(t.Context(), source)
		first <- err
	}()
	<-asked
	if _, err := fetcher.Fetch(t.Context(), source); !errors.Is(err, ErrBusy) {
		t.Errorf("%v, want ErrBusy", err)
	}
	close(answer)
	if err := <-first; err != nil {
		t.Error(err)
	}
	s.answers["/charts/index.yaml"] = index
	if _, err := fetcher.Fetch(t.Context(), source); err != nil {
		t.Errorf("%v after the first has ended", err)
	}
}

// What may be better a moment later isn't said to be missing.
func TestATroubleThatPassesIsNone(t *testing.T) {
	s := newServe(t)
	s.answers["/charts/index.yaml"] = status(http.StatusBadGateway)
	s.answers["/v2/charts/theirs/manifests/1.2.3"] = status(http.StatusTooManyRequests)
	for _, source := range []Source{{URL: s.URL + "/charts", Name: "a", Version: "1"}, {URL: "oci://" + s.host() + "/charts/theirs", Version: "1.2.3"}} {
		var known *Missing
		var refused *NotAllowed
		if _, err := fetch(t, source, s.URL, "oci+http://"+s.host()); err == nil || errors.As(err, &known) || errors.As(err, &refused) {
			t.Errorf("%v", err)
		}
	}
}

func TestAllowedAddressesAreHostsAndPaths(t *testing.T) {
	for _, address := range []string{"", "charts.example.com", "ftp://a.example", "https://", "https://u:p@a.example", "https://a.example/x?y", "https://a.example/x#y", "https://a.example/a/../b", "oci://a.example/%2e%2e/b"} {
		if got, err := ParseAllowed([]string{address}); err == nil {
			t.Errorf("%q is taken for %v", address, got)
		}
	}
	for _, address := range []string{"https://a.example", "https://a.example/", "http://a.example:8080/x/y/", "oci://a.example/x", "oci+http://a.example"} {
		if _, err := ParseAllowed([]string{address}); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// No address is allowed that isn't of an allowed host and below an allowed path.
func FuzzAllowed(f *testing.F) {
	allowed, err := ParseAllowed([]string{"https://a.example/charts", "oci://b.example/x"})
	if err != nil {
		f.Fatal(err)
	}
	for _, address := range []string{"https://a.example/charts/y", "https://a.example/charts/../y", "https://a.example/charts/%2e%2e/y", "https://b.example/v2/x/blobs/1", "https://u@a.example/charts", "https://a.example:443/charts", "https:a.example/charts"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		parsed, err := url.Parse(address)
		if err != nil || !allowed.allow(parsed) {
			return
		}
		host, below := strings.ToLower(parsed.Host), path.Clean(parsed.Path)+"/"
		if parsed.Scheme != "https" || !(host == "a.example" && strings.HasPrefix(below, "/charts/") || host == "b.example" && strings.HasPrefix(below, "/v2/x/")) {
			t.Errorf("%q is allowed", address)
		}
	})
}
