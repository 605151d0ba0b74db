// Package web holds the pages: those of runs, suites and comparisons, and the live one. The TypeScript below src is built into dist by `make generate`
// (esbuild), and `make verify` compares them.
package web

import _ "embed"

// LivePolicy lets the live page load its own script and style, and ask its server.
const LivePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var (
	// Script draws the page from the data that stands in it.
	//go:embed dist/page.js
	Script []byte
	// LiveScript draws the live page from what a server answers.
	//go:embed dist/live.js
	LiveScript []byte
	// LiveFrame is the live page without its script and its style, which it loads from where it is.
	//go:embed live.html
	LiveFrame []byte
	// Style is the page's style sheet.
	//go:embed dist/page.css
	Style []byte
)
