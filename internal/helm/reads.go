package helm

import (
	"io"
	"net/http"
	"time"
)

// readTries is how often a read is tried, and readPause the wait before the second time; each
// further one is twice as long.
const (
	readTries = 4
	readPause = 50 * time.Millisecond
)

// reads tries reads again that failed on their way, or by the API server's own fault. An install
// asks for every API group and for each of its objects, and begins anew when one answer is missing:
// where one call in ten fails, it would hardly ever come to its end. Writes are never repeated
// here, for nobody knows what became of them.
type reads struct{ next http.RoundTripper }

func (r reads) RoundTrip(request *http.Request) (*http.Response, error) {
	for try, pause := 1, readPause; ; try, pause = try+1, 2*pause {
		response, err := r.next.RoundTrip(request)
		failed := err != nil || response.StatusCode >= http.StatusInternalServerError
		if request.Method != http.MethodGet || !failed || try == readTries {
			return response, err
		}
		if response != nil {
			// The connection is used again when the answer was read to its end.
			_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
			response.Body.Close()
		}
		select {
		case <-time.After(pause):
		case <-request.Context().Done():
			return nil, request.Context().Err()
		}
	}
}
