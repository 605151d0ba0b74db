package helm

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
)

// Bounds of a chart that somebody else wrote.
const (
	// MaxArchiveBytes is of the packed chart, which is kept in a ConfigMap.
	MaxArchiveBytes = 900 << 10
	// maxUnpackedBytes is of its tar file, headers included.
	maxUnpackedBytes = 8 << 20
	// maxManifestBytes is of what it renders, as JSON has it. A record of Helm's holds it twice,
	// with our labels on each of the objects, and has to stay below maxRecordBytes.
	maxManifestBytes = 256 << 10
	maxObjects       = 200
)

// OwnChart is a chart that a run brought, and what it is rendered with.
type OwnChart struct {
	Archive   []byte          `json:"archive"` // packed, .tgz
	Values    json.RawMessage `json:"values"`
	Release   string          `json:"release"`
	Namespace string          `json:"namespace"`
}

// Rendered is what becomes of an OwnChart: an install of it renders nothing any more.
type Rendered struct {
	Name     string `json:"name"` // of the chart
	Version  string `json:"version"`
	Manifest string `json:"manifest"`
	Kinds    []Kind `json:"kinds"`
}

// Kind is one of the kinds of objects that a chart makes.
type Kind struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	First      string `json:"first"` // the name of the first of them
}

// BadChart is what is wrong with an OwnChart, for who brought it.
type BadChart struct{ Trouble string }

func (b *BadChart) Error() string { return b.Trouble }

func bad(format string, args ...any) error { return &BadChart{fmt.Sprintf(format, args...)} }

// RenderOwn renders a chart that may be hostile: it can take any time and memory. See Isolated.
//
// Its values.schema.json is not looked at: it may refer to any address, which Helm would ask.
func RenderOwn(own OwnChart) (Rendered, error) {
	loaded, err := loadOwn(own.Archive)
	if err != nil {
		return Rendered{}, err
	}
	values := map[string]any{}
	if len(own.Values) > 0 {
		if err := json.Unmarshal(own.Values, &values); err != nil {
			return Rendered{}, bad("the values are no JSON object: %s", oneLine(err))
		}
	}
	files, err := renderOwn(loaded, values, own)
	if err != nil {
		return Rendered{}, bad("it doesn't render with spec.store.values (try them with helm template): %s", oneLine(err))
	}
	manifest, kinds, err := manifestOf(files, own.Namespace)
	if err != nil {
		return Rendered{}, err
	}
	return Rendered{Name: loaded.Name(), Version: loaded.Metadata.Version, Manifest: manifest, Kinds: kinds}, nil
}

func renderOwn(loaded *chart.Chart, values map[string]any, own OwnChart) (map[string]string, error) {
	if err := chartutil.ProcessDependencies(loaded, values); err != nil {
		return nil, err
	}
	options := common.ReleaseOptions{Name: own.Release, Namespace: own.Namespace, Revision: 1, IsInstall: true}
	all, err := commonutil.ToRenderValuesWithSchemaValidation(loaded, values, options, common.DefaultCapabilities, true)
	if err != nil {
		return nil, err
	}
	return engine.Render(loaded, all)
}

func loadOwn(packed []byte) (*chart.Chart, error) {
	if len(packed) > MaxArchiveBytes {
		return nil, bad("it has %d bytes, and can have %d packed: leave out what isn't needed", len(packed), MaxArchiveBytes)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, bad("it is no packed chart (%s): make one with helm package", oneLine(err))
	}
	switch size, err := io.Copy(io.Discard, io.LimitReader(unzipped, maxUnpackedBytes+1)); {
	case err != nil:
		return nil, bad("it can't be unpacked (%s): make it anew with helm package", oneLine(err))
	case size > maxUnpackedBytes:
		return nil, bad("unpacked it has more than %d bytes: leave out what isn't needed", maxUnpackedBytes)
	}
	files, err := archive.LoadArchiveFiles(bytes.NewReader(packed))
	if err != nil {
		return nil, bad("it can't be unpacked (%s): make it anew with helm package", oneLine(err))
	}
	loaded, err := loader.LoadFiles(files)
	if err == nil && loaded.Metadata == nil {
		err = errors.New("it has no Chart.yaml")
	}
	if err == nil {
		err = loaded.Validate()
	}
	if err != nil {
		return nil, bad("it can't be loaded (%s): helm lint says more", oneLine(err))
	}
	if loaded.Metadata.Type == "library" {
		return nil, bad("it is a library for other charts: name one that can be installed")
	}
	for _, needed := range loaded.Metadata.Dependencies {
		if !slices.ContainsFunc(loaded.Dependencies(), func(c *chart.Chart) bool { return c.Name() == needed.Name }) {
			return nil, bad("the chart %s, which it depends on, is not in it: run helm dependency update, and pack it again", needed.Name)
		}
	}
	return loaded, nil
}

// manifestFile is where asChart keeps the manifest.
const manifestFile = "manifest.yaml"

// asChart is a chart that renders to the manifest, whatever is in it.
func (r *Rendered) asChart() *chart.Chart {
	return &chart.Chart{
		Metadata:  &chart.Metadata{APIVersion: chart.APIVersionV2, Name: r.Name, Version: r.Version},
		Templates: []*common.File{{Name: "templates/" + manifestFile, Data: []byte(`{{ .Files.Get "` + manifestFile + `" }}`)}},
		Files:     []*common.File{{Name: manifestFile, Data: []byte(r.Manifest)}},
	}
}
