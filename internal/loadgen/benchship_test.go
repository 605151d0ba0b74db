package loadgen

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/loadgen/ship"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// BenchmarkShipping is what the shipping of a second takes of the cores' time: after each
// second of a closed loop with 16 threads, all that was written down in it is shipped over
// TLS, while the loop stands still. Beside the loop, the noise would be more. The server is
// in the same process, so a worker's own part is less.
func BenchmarkShipping(b *testing.B) {
	loop, stage := benchLoop(b, map[string]string{"readproportion": "1", "updateproportion": "0", "requestdistribution": "zipfian"}, 16)
	file, err := ship.Create(b.TempDir(), "bench")
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	log, err := record.NewLog(file, file, stage.begin.UnixNano())
	if err != nil {
		b.Fatal(err)
	}
	shipper := ship.New(shippingServer(b), "bench", b.Logf, file)
	second := func() (used time.Duration) {
		loop.schedule = schedule{end: stage.now() + time.Second}
		if _, err := loop.run(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := log.Write(stage.set.Collect(), stage.begin.Add(stage.now()).UnixNano()); err != nil {
			b.Fatal(err)
		}
		before := cpuTime(b)
		if err := shipper.Flush(b.Context()); err != nil {
			b.Fatal(err)
		}
		return cpuTime(b) - before
	}
	second() // connects, too
	before := shipper.Shipped()
	var used time.Duration
	b.ResetTimer()
	for range b.N {
		used += second()
	}
	cores := float64(b.N*runtime.GOMAXPROCS(0)) * float64(time.Second)
	b.ReportMetric(100*float64(used)/cores, "shipping-%")
	b.ReportMetric(float64(shipper.Shipped()-before)/float64(b.N), "shipped-B/op")
}

// shippingServer takes files and forgets them.
func shippingServer(b *testing.B) ship.Server {
	b.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		offset, err := strconv.ParseInt(r.FormValue("offset"), 10, 64)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(wire.Length{Length: offset + n}) // the client sees it fail
	}))
	b.Cleanup(server.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	results, err := client.New(client.Config{URL: server.URL, CA: ca, Token: func() (string, error) { return "token", nil }})
	if err != nil {
		b.Fatal(err)
	}
	return results
}
