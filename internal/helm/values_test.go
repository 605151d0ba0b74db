package helm

import (
	"encoding/json"
	"testing"
	"testing/fstest"
)

func TestValuesAreTheChartsAndTheReleasesOverThem(t *testing.T) {
	chart := fstest.MapFS{
		"Chart.yaml": {Data: []byte("apiVersion: v2\nname: tiny\nversion: 1.0.0\n")},
		"values.yaml": {Data: []byte(`nodes: 3
image: {repository: docker.io/library/tiny, tag: "1"}
settings: {sync: batch, window: 10ms, most: 16384, fast: true}
list: [1, 2]
`)},
	}
	const own = `"image":{"repository":"docker.io/library/tiny","tag":"1"},"list":[1,2],"nodes":3,"settings":{"fast":true,"most":16384,"sync":"batch","window":"10ms"}`
	for values, want := range map[string]string{
		``:   `{` + own + `}`,
		`{}`: `{` + own + `}`,
		`{"nodes":5,"image":{"repository":"elsewhere/tiny"},"settings":{"sync":"periodic","further":0},"list":[3]}`: `{"image":{"repository":"elsewhere/tiny","tag":"1"},"list":[3],"nodes":5,` +
			`"settings":{"fast":true,"further":0,"most":16384,"sync":"periodic","window":"10ms"}}`,
		// A null takes away what the chart sets.
		`{"settings":{"sync":null},"list":null}`: `{"image":{"repository":"docker.io/library/tiny","tag":"1"},"nodes":3,"settings":{"fast":true,"most":16384,"window":"10ms"}}`,
	} {
		got, err := Values(Release{Name: "r", Namespace: "default", Chart: chart, Values: []byte(values)})
		if err != nil {
			t.Errorf("%s: %v", values, err)
			continue
		}
		if text, err := json.Marshal(got); err != nil || string(text) != want {
			t.Errorf("%s gives %s, %v, want %s", values, text, err, want)
		}
	}
	if _, err := Values(Release{Chart: chart, Values: []byte("[]")}); err == nil {
		t.Error("a list is taken for values")
	}
	if _, err := Values(Release{Chart: fstest.MapFS{}}); err == nil {
		t.Error("nothing is taken for a chart")
	}
}
