package browser

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// Saved clicks on what saves a file of that name, and returns the file's content.
func (p *Page) Saved(selector, name string) []byte {
	p.t.Helper()
	if _, err := chromedp.CallBrowser(p.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: p.Downloads}); err != nil {
		p.t.Fatalf("in the browser: %v", err)
	}
	p.Click(selector)
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		content, err := os.ReadFile(filepath.Join(p.Downloads, name))
		if err == nil && len(content) > 0 {
			return content
		}
	}
	var has []string
	entries, _ := os.ReadDir(p.Downloads)
	for _, e := range entries {
		has = append(has, e.Name())
	}
	p.t.Fatalf("no file %s was saved, but %s", name, strings.Join(has, ", "))
	return nil
}
