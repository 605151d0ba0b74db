package web_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/livepage"
	"github.com/kvbench/kvbench/test/browser"
	"github.com/kvbench/kvbench/web"
)

const benchPoints = 10_000_000

// BenchmarkTenMillionPoints loads a file as YCSB writes it with measurementtype=raw, zooms in and out of its chart, and moves in it, a step in each
// frame. The times are those between frames. A browser draws 60 in a second at most, one each 16.7 ms.
func BenchmarkTenMillionPoints(b *testing.B) {
	file := filepath.Join(b.TempDir(), "raw.txt")
	writePoints(b, file)
	mux := http.NewServeMux()
	for path, served := range map[string]struct {
		kind    string
		content []byte
	}{
		"/{$}":          {"text/html; charset=utf-8", web.LiveFrame},
		"/live.js":      {"text/javascript", web.LiveScript},
		"/page.css":     {"text/css", web.Style},
		"/session.json": {"application/json", []byte(`{"namespace": "team", "cluster": true}`)},
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", served.kind)
			_, _ = w.Write(served.content)
		})
	}
	livepage.Feeds(mux)
	server := httptest.NewServer(mux)
	defer server.Close()
	for b.Loop() {
		p := browser.Browse(b, server.URL+"/#/import")
		start := browser.Evaluate[float64](p, `performance.now()`)
		p.Choose("#files", file)
		p.Until(painted)
		loaded := browser.Evaluate[float64](p, `performance.now()`)
		b.ReportMetric((loaded-start)/1000, "s-to-load")
		if got := browser.Evaluate[int](p, `document.querySelector(".points .plot").points.set.series.reduce((n, s) => n + s.length, 0)`); got != benchPoints {
			b.Fatalf("%d points are drawn", got)
		}
		for name, step := range map[string]string{
			// There and back in four seconds, to a thousandth of the whole.
			"zoom": `const w = whole * 0.001 ** Math.sin(Math.PI * part); c.show(from + whole * 0.37 - w * 0.37, from + whole * 0.37 + w * 0.63);`,
			"pan":  `const at = from + whole * 0.8 * Math.sin(Math.PI * part); c.show(at, at + whole * 0.2);`,
		} {
			frames := browser.Evaluate[[]float64](p, `new Promise(done => {
				const c = document.querySelector(".points .plot").points, from = c.begin, whole = c.end - c.begin, times = [];
				let first, last;
				const frame = now => {
					first ??= now;
					if (last !== undefined) times.push(now - last);
					last = now;
					const part = (now - first) / 4000;
					if (part >= 1) return done(times);
					`+step+`
					requestAnimationFrame(frame);
				};
				requestAnimationFrame(frame);
			})`)
			slices.Sort(frames)
			b.ReportMetric(frames[len(frames)/2], "ms/"+name+"-median")
			b.ReportMetric(frames[len(frames)-1], "ms/"+name+"-worst")
		}
	}
	b.ReportMetric(0, "ns/op") // loading and drawing together say nothing
}

func writePoints(b *testing.B, path string) {
	b.Helper()
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	to, random := bufio.NewWriterSize(file, 1<<20), rand.New(rand.NewPCG(1, 2))
	for _, operation := range []string{"READ", "UPDATE"} {
		fmt.Fprintf(to, "%s latency raw data: op, timestamp(ms), latency(us)\n", operation)
		for i := range benchPoints / 2 {
			fmt.Fprintf(to, "%s,%d,%d\n", operation, 1_700_000_000_000+i/10, 100+int(random.ExpFloat64()*200))
		}
	}
	if err := to.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
}
