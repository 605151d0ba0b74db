// Package browser opens pages in a real Chromium, headless, and tells what a user would see and what the browser
// complained of. The browser can reach nothing: a request to any host is a complaint.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// TB is what a test gives: *testing.T, or Ginkgo's.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
	TempDir() string
}

// patience bounds an action in the browser.
const patience = 30 * time.Second

// Page is an open page.
type Page struct {
	t          TB
	ctx        context.Context
	mu         sync.Mutex
	complaints []string
	Downloads  string // the folder that files are saved to
}

// program is Chromium's, which `make chromium` installs.
func program(t TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatalf("Chromium is missing: run `make chromium`")
	return ""
}

// Open opens a file in a window of 1200 by 900, and waits until it is drawn.
func Open(t TB, file string) *Page {
	t.Helper()
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return open(t, "file://"+file, func(url string) bool { return url == "file://"+file })
}

// Browse does the same with an address. The page may ask for what is below it.
func Browse(t TB, address string) *Page {
	t.Helper()
	own, _, _ := strings.Cut(address, "#")
	return open(t, address, func(url string) bool { return strings.HasPrefix(url, own) })
}

func open(t TB, address string, own func(url string) bool) *Page {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program(t)), chromedp.NoSandbox,
		chromedp.WindowSize(1200, 900), chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	bounded, cancel := context.WithTimeout(allocated, 5*time.Minute)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(bounded)
	t.Cleanup(end)
	p := &Page{t: t, ctx: ctx, Downloads: t.TempDir()}
	if err := chromedp.Listen(ctx, p.listen(own)); err != nil {
		t.Fatalf("starting Chromium: %v", err)
	}
	go func() {
		for message, err := range chromedp.Console(ctx) {
			if err != nil {
				return // the page was closed
			}
			p.complain("console: %s", message)
		}
	}()
	call(p, network.Enable, network.EnableParams{})
	p.Do(chromedp.Navigate(address), chromedp.WaitVisible(chromedp.CSS("h1")))
	p.Settle()
	return p
}

// listen notes requests to anything but the page itself.
func (p *Page) listen(own func(url string) bool) func(any) {
	return func(event any) {
		if e, is := event.(*network.EventRequestWillBeSent); is {
			url := e.Request.URL
			if !own(url) && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "blob:") {
				p.complain("a request to %s", url)
			}
		}
	}
}

func call[P, R any](p *Page, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	answer, err := chromedp.Call(p.ctx, command, params)
	if err != nil {
		p.t.Fatalf("in the browser: %v", err)
	}
	return answer
}

func (p *Page) complain(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complaints = append(p.complaints, fmt.Sprintf(format, args...))
}

// Complaints are the exceptions, the messages on the console, and the requests to anything but the page itself.
func (p *Page) Complaints() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.complaints...)
}

// Do runs actions, and fails the test if one fails.
func (p *Page) Do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("in the browser: %v", err)
	}
}

// Settle waits until two frames were drawn: charts are drawn in the frame after they are made.
func (p *Page) Settle() {
	p.t.Helper()
	Evaluate[bool](p, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
}

// Until waits until JavaScript says that it is so. As long as what it looks at isn't there, it isn't.
func (p *Page) Until(condition string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	script := fmt.Sprintf(`new Promise(done => { const so = () => { try { return %s } catch { return false } };
		const look = () => so() ? done(true) : setTimeout(look, 50); look(); })`, condition)
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](script, chromedp.EvalAwaitPromise)); err != nil {
		p.t.Fatalf("waiting in the browser until %s: %v", condition, err)
	}
}

// Evaluate runs JavaScript, waits for a promise, and decodes what it gives.
func Evaluate[T any](p *Page, script string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("in the browser: %v", err)
	}
	return value
}

// Click clicks on the first element that the selector finds.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.Do(chromedp.Click(chromedp.CSS(selector)))
}

// Press presses a key with the focus on the first element that the selector finds.
func (p *Page) Press(selector, key string) {
	p.t.Helper()
	p.Do(chromedp.Focus(chromedp.CSS(selector)), chromedp.KeyEvent(key))
	p.Settle()
}

// Text is that of the first element that the selector finds.
func (p *Page) Text(selector string) (text string) {
	p.t.Helper()
	return Evaluate[string](p, fmt.Sprintf(`document.querySelector(%q)?.textContent ?? ""`, selector))
}

// Charts are the titles of the charts that were drawn: those whose canvas isn't empty.
func (p *Page) Charts() []string {
	p.t.Helper()
	return Evaluate[[]string](p, `[...document.querySelectorAll("figure.chart")].filter(f => {
		const canvas = f.querySelector("canvas");
		if (!canvas || !canvas.width) return false;
		return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(v => v);
	}).map(f => f.querySelector("figcaption").textContent)`)
}

// Dark lets the system prefer a dark look.
func (p *Page) Dark() {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	p.Settle()
}

// Resize gives the window another size.
func (p *Page) Resize(width, height int64) {
	p.t.Helper()
	p.Do(chromedp.EmulateViewport(width, height))
	p.Settle()
}

// Shot writes what the window shows to a PNG.
func (p *Page) Shot(file string) {
	p.t.Helper()
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatalf("in the browser: %v", err)
	}
	if err := os.WriteFile(file, picture, 0o644); err != nil {
		p.t.Fatalf("%v", err)
	}
}
