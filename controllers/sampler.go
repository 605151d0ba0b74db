package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/kvbench/kvbench/internal/bundle"
)

// maxSampleBytes bounds what is read from an observer: nine members need about 2 kB.
const maxSampleBytes = 64 << 10

// SampleOverHTTP asks the observer at the pod's address.
func SampleOverHTTP(ctx context.Context, podIP string) (*bundle.TopologyLine, error) {
	address := "http://" + net.JoinHostPort(podIP, "8080") + "/v1/sample"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the observer answered %s", answer.Status)
	}
	line := &bundle.TopologyLine{}
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxSampleBytes)).Decode(line); err != nil {
		return nil, fmt.Errorf("reading the observer's sample: %w", err)
	}
	return line, nil
}
