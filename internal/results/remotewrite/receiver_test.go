package remotewrite

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/snappy"
	"google.golang.org/protobuf/encoding/protowire"
)

// receiver keeps what it is sent. It takes messages apart by the numbers in the specification of remote write 1.0.
type receiver struct {
	t      *testing.T
	url    string
	answer func(request int, w http.ResponseWriter, r *http.Request) (taken bool)

	mu       sync.Mutex
	requests int
	got      map[string][]sample // by the labels, as text
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{t: t, got: map[string][]sample{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL + "/api/v1/write"
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	packed, err := io.ReadAll(request.Body)
	if err != nil {
		return // the sender has gone
	}
	r.mu.Lock()
	r.requests++
	number := r.requests
	r.mu.Unlock()
	if r.answer != nil && !r.answer(number, w, request) {
		return
	}
	body, err := snappy.Decode(nil, packed)
	if err != nil {
		r.t.Errorf("the body: %v", err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	fields(r.t, body, func(field protowire.Number, message []byte, _ uint64) {
		if field != 1 {
			r.t.Errorf("field %d of a request", field)
		}
		var names []string
		var samples []sample
		fields(r.t, message, func(field protowire.Number, part []byte, _ uint64) {
			switch field {
			case 1:
				var pair [3]string
				fields(r.t, part, func(field protowire.Number, text []byte, _ uint64) { pair[field] = string(text) })
				names = append(names, fmt.Sprintf("%s=%q", pair[1], pair[2]))
			case 2:
				var s sample
				fields(r.t, part, func(field protowire.Number, _ []byte, number uint64) {
					if field == 1 {
						s.Value = math.Float64frombits(number)
					} else {
						s.Millis = int64(number)
					}
				})
				samples = append(samples, s)
			default:
				r.t.Errorf("field %d of a series", field)
			}
		})
		if !slices.IsSorted(names) {
			r.t.Errorf("labels in the order %v", names)
		}
		key := strings.Join(names, ",")
		r.got[key] = append(r.got[key], samples...)
	})
}

// fields goes through those of a message: their bytes, or their number.
func fields(t *testing.T, message []byte, do func(field protowire.Number, content []byte, number uint64)) {
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			t.Errorf("a tag: %v", protowire.ParseError(n))
			return
		}
		message = message[n:]
		var content []byte
		var number uint64
		switch kind {
		case protowire.BytesType:
			content, n = protowire.ConsumeBytes(message)
		case protowire.Fixed64Type:
			number, n = protowire.ConsumeFixed64(message)
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(message)
		default:
			n = -1
		}
		if n < 0 {
			t.Errorf("field %d of kind %d: %v", field, kind, protowire.ParseError(n))
			return
		}
		message = message[n:]
		do(field, content, number)
	}
}

// find is the one series with all these labels, such as `operation="READ"`.
func (r *receiver) find(labels ...string) []sample {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []sample
	count := 0
	for key, samples := range r.got {
		if !slices.ContainsFunc(labels, func(l string) bool { return !strings.Contains(","+key+",", ","+l+",") }) {
			found = samples
			count++
		}
	}
	if count != 1 {
		r.t.Fatalf("%d series have %v", count, labels)
	}
	return found
}

func (r *receiver) seen() (requests, samples int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.got {
		samples += len(s)
	}
	return r.requests, samples
}

func pemOf(c *x509.Certificate) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
}
