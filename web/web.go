// Package web holds the page that draws runs, suites and comparisons. The TypeScript below src is built into dist by `make generate`
// (esbuild), and `make verify` compares them.
package web

import _ "embed"

var (
	// Script draws the page from the data that stands in it.
	//go:embed dist/page.js
	Script []byte
	// Style is the page's style sheet.
	//go:embed dist/page.css
	Style []byte
)
