//go:build screenshots

package web_test

import (
	"os"
	"testing"

	"github.com/kvbench/kvbench/test/browser"
)

// TestScreenshots writes the pictures of docs/guide/look.md from a page: make screenshots PAGE=report.html.
func TestScreenshots(t *testing.T) {
	file, folder := os.Getenv("PAGE"), "../docs/guide/images"
	if file == "" {
		t.Fatal("PAGE names no page")
	}
	p := browser.Open(t, file)
	p.Shot(folder + "/page.png")
	p.Dark()
	p.Shot(folder + "/page-dark.png")
}
