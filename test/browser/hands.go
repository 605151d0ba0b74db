package browser

import (
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// Choose chooses files for an input, as a user does.
func (p *Page) Choose(selector string, files ...string) {
	p.t.Helper()
	var paths []string
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			p.t.Fatalf("%v", err)
		}
		paths = append(paths, path)
	}
	p.Do(chromedp.SetUploadFiles(chromedp.CSS(selector), paths))
}
