package helm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	release "helm.sh/helm/v4/pkg/release/v1"
)

// BadValues is why a chart of the catalog doesn't render with its values.
type BadValues struct {
	Chart string
	// Trouble is one line. Where it is the schema's, it names each value by a JSON pointer: at '/a/b'.
	Trouble string
}

func (b *BadValues) Error() string {
	return fmt.Sprintf("chart %s doesn't render with these values: %s", b.Chart, b.Trouble)
}

// findings are an error's text in one line. What Helm says before a schema's findings is that there
// are some.
func findings(err error) string {
	text := oneLine(err)
	if i := strings.Index(text, "- at '"); i >= 0 && strings.HasPrefix(text, schemaWords) {
		text = strings.TrimPrefix(text[i:], "- ")
	}
	return text
}

// schemaWords is how Helm begins with what a schema found.
const schemaWords = "values don't meet the specifications of the schema"

// Render renders the chart on the client alone, labels included, and returns the
// manifest. Its error is one line for the author of the values.
func Render(rel Release) (string, error) {
	loaded, values, err := load(rel)
	if err != nil {
		return "", err
	}
	cfg := action.NewConfiguration(action.ConfigurationSetLogger(slog.DiscardHandler))
	dry := newInstall(cfg, rel)
	dry.DryRunStrategy = action.DryRunClient
	out, err := dry.Run(loaded, values)
	if err != nil {
		return "", &BadValues{Chart: loaded.Name(), Trouble: findings(err)}
	}
	rendered, ok := out.(*release.Release)
	if !ok {
		return "", fmt.Errorf("chart %s: a release of the unknown kind %T", loaded.Name(), out)
	}
	return rendered.Manifest, nil
}

// load reads the chart and its values anew each time: Helm writes into both.
func load(rel Release) (*chart.Chart, map[string]any, error) {
	if rel.Rendered != nil {
		return rel.Rendered.asChart(), map[string]any{}, nil
	}
	loaded, err := loadChart(rel.Chart)
	if err != nil {
		return nil, nil, err
	}
	values := map[string]any{}
	if len(rel.Values) > 0 {
		if err := json.Unmarshal(rel.Values, &values); err != nil {
			return nil, nil, fmt.Errorf("values for chart %s: give a JSON object: %w", loaded.Name(), err)
		}
	}
	return loaded, values, nil
}

func loadChart(folder fs.FS) (*chart.Chart, error) {
	var files []*archive.BufferedFile
	err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(folder, path)
		if err == nil {
			files = append(files, &archive.BufferedFile{Name: path, Data: data})
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the chart: %w", err)
	}
	loaded, err := loader.LoadFiles(files)
	if err != nil {
		return nil, fmt.Errorf("load the chart: %w", err)
	}
	if loaded.Metadata == nil {
		return nil, errors.New("load the chart: Chart.yaml is missing")
	}
	if err := loaded.Validate(); err != nil {
		return nil, fmt.Errorf("load the chart: %w", err)
	}
	return loaded, nil
}

// oneLine joins the lines of Helm's messages, which end up in a condition.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
