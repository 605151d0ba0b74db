package loadgen

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/kvbench/kvbench/internal/loadgen/ship"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// BenchmarkShipping is the closed loop with 16 threads, whose files are shipped every
// second over TLS, or are not. The server is in the same process, so that the difference
// is more than what shipping costs a worker.
func BenchmarkShipping(b *testing.B) {
	properties := map[string]string{"readproportion": "1", "updateproportion": "0", "requestdistribution": "zipfian"}
	for _, shipping := range []string{"off", "on"} {
		b.Run("shipping="+shipping, func(b *testing.B) {
			file, err := ship.Create(b.TempDir(), "bench")
			if err != nil {
				b.Fatal(err)
			}
			defer file.Close()
			loop, stage := benchLoop(b, properties, 16)
			if shipping == "on" {
				shipper := ship.New(shippingServer(b), "bench", b.Logf, file)
				ctx, cancel := context.WithCancel(context.Background())
				ended := make(chan error)
				go func() { ended <- shipper.Run(ctx) }()
				defer func() {
					cancel()
					if err := <-ended; err != nil {
						b.Error(err)
					}
					b.ReportMetric(float64(shipper.Shipped())/b.Elapsed().Seconds(), "shipped-B/s")
				}()
			}
			measureClosed(b, loop, stage, file)
		})
	}
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
