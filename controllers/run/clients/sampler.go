package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

// maxSampleBytes bounds what is read from an observer: nine members need about 2 kB.
const maxSampleBytes = 64 << 10

// observerClient follows nothing and asks no proxy: the pod's labels are its namespace's
// word, and it must not send the controller elsewhere.
var observerClient = &http.Client{
	Transport:     &http.Transport{Proxy: nil, MaxIdleConns: 16, IdleConnTimeout: time.Minute},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// SampleOverHTTP asks the observer at the pod's address.
func SampleOverHTTP(ctx context.Context, podIP string) (*bundle.TopologyLine, error) {
	address := "http://" + net.JoinHostPort(podIP, "8080") + "/v1/sample"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := observerClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the observer answered with status %d", answer.StatusCode)
	}
	return readSample(answer.Body)
}

func readSample(from io.Reader) (*bundle.TopologyLine, error) {
	line := &bundle.TopologyLine{}
	if err := json.NewDecoder(io.LimitReader(from, maxSampleBytes)).Decode(line); err != nil {
		return nil, errors.New("the observer's answer is not a sample")
	}
	return line, nil
}
