//go:build screenshots

package web_test

import (
	"os"
	"testing"

	"github.com/kvbench/kvbench/test/browser"
)

const folder = "../docs/guide/images"

// TestScreenshots writes the pictures of docs/guide/look.md: make screenshots PAGE=report.html, or make screenshots LIVE=ADDRESS, the
// address of a run of kubectl kvbench open that goes on.
func TestScreenshots(t *testing.T) {
	if live := os.Getenv("LIVE"); live != "" {
		p := browser.Browse(t, live)
		p.Until(`document.querySelector(".steps [aria-current]") && document.querySelectorAll(".plot canvas").length > 3`)
		p.Resize(1200, 1150)
		p.Shot(folder + "/live.png")
		return
	}
	file := os.Getenv("PAGE")
	if file == "" {
		t.Fatal("PAGE names no page, and LIVE no address")
	}
	p := browser.Open(t, file)
	p.Shot(folder + "/page.png")
	p.Dark()
	p.Shot(folder + "/page-dark.png")
}
