// Package page makes HTML pages of a run, of a suite and of a comparison. A page is one file that holds its script, its style and
// its data, and loads nothing.
package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"

	"github.com/kvbench/kvbench/web"
)

// Run is the page of a run, made of its report.json and its charts.json. charts is nil where there are none.
func Run(report, charts []byte) ([]byte, error) {
	var run struct {
		Run struct{ Namespace, Name string }
	}
	if err := json.Unmarshal(report, &run); err != nil {
		return nil, fmt.Errorf("the page of a report that is no JSON: %w", err)
	}
	if charts == nil {
		charts = []byte("null")
	}
	data := fmt.Appendf(nil, `{"kind":"run","report":%s,"charts":%s}`, bytes.TrimSpace(report), bytes.TrimSpace(charts))
	return document(run.Run.Namespace+"/"+run.Run.Name, data)
}

// policy lets the page run its own script and nothing else. No request leaves the page. Charts set their own styles.
const policy = "default-src 'none'; script-src 'sha256-%s'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"

const frame = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<style>%s</style>
</head>
<body>
<main id="page"><noscript>This page draws its charts with JavaScript. The report as Markdown has the figures.</noscript></main>
<script type="application/json" id="data">%s</script>
<script>%s</script>
</body>
</html>
`

// document puts the page together. data is JSON.
func document(title string, data []byte) ([]byte, error) {
	// A text of the report may hold "</script>". Escaped in this way, JSON stays the same and holds no markup.
	var safe bytes.Buffer
	if err := json.Compact(&safe, data); err != nil {
		return nil, fmt.Errorf("the page's data: %w", err)
	}
	var escaped bytes.Buffer
	json.HTMLEscape(&escaped, safe.Bytes())
	sum := sha256.Sum256(web.Script)
	return fmt.Appendf(nil, frame, fmt.Sprintf(policy, base64.StdEncoding.EncodeToString(sum[:])),
		html.EscapeString(title)+" · kvbench", web.Style, escaped.Bytes(), web.Script), nil
}
