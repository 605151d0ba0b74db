//go:build screenshots

package web_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/kvbench/kvbench/test/browser"
)

const pictures = "../docs/guide/images"

// TestScreenshots writes the pictures of docs/guide/look.md: make screenshots PAGE=report.html COMPARISON=compare.html. LIVE is the address of
// a run of kubectl kvbench open that goes on. Those of a page that isn't named stay.
func TestScreenshots(t *testing.T) {
	report, comparison, live := os.Getenv("PAGE"), os.Getenv("COMPARISON"), os.Getenv("LIVE")
	if report != "" {
		p := browser.Open(t, report)
		p.Shot(pictures + "/page.png")
		p.Dark()
		p.Shot(pictures + "/page-dark.png")
	}
	if comparison != "" {
		p := browser.Open(t, comparison)
		alignedAt(p, "first")
		from(p, ".choices")
		p.Shot(pictures + "/page-comparison.png")
	}
	if live != "" {
		p := browser.Browse(t, live)
		p.Until(`document.querySelector(".steps [aria-current]") && document.querySelectorAll(".plot canvas").length > 3`)
		p.Resize(1200, 1150)
		p.Shot(pictures + "/live.png")
	}
}

// TestScreenshotOfASuite has invented figures.
func TestScreenshotOfASuite(t *testing.T) {
	_, document := curve(t)
	p := openSuite(t, document)
	from(p, ".choices")
	p.Shot(pictures + "/page-suite.png")
}

// from lets the window begin at the heading before an element.
func from(p *browser.Page, selector string) {
	browser.Evaluate[bool](p, fmt.Sprintf(`(e => { (e.previousElementSibling ?? e.parentElement.previousElementSibling).scrollIntoView(); return true; })(document.querySelector(%q))`, selector))
	p.Settle()
}
