package etcd

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// maxMetrics bounds a member's page of metrics: etcd 3.7 has 100 kB.
const maxMetrics = 4 << 20

// Usage asks all members at once for their metrics, which are on the clients' port.
func (o *observer) Usage(ctx context.Context, timeout time.Duration) []stores.Usage {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return stores.GatherUsage(len(o.addresses), func(i int) *stores.Usage {
		used, err := o.fetch(ctx, o.addresses[i])
		if err != nil {
			return nil
		}
		used.Member = o.names[i]
		return used
	})
}

func (o *observer) fetch(ctx context.Context, address string) (*stores.Usage, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.scheme+address+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	response, err := o.metrics.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", address, response.Status)
	}
	return parseUsage(io.LimitReader(response.Body, maxMetrics))
}

// parseUsage reads what etcd and Go's runtime say in Prometheus' text format.
func parseUsage(page io.Reader) (*stores.Usage, error) {
	used := &stores.Usage{}
	const perSecond = 1e6
	wanted := map[string]struct {
		to    **int64
		scale float64
	}{
		"process_cpu_seconds_total":        {&used.CPUMicros, perSecond},
		"process_resident_memory_bytes":    {&used.ResidentBytes, 1},
		"etcd_mvcc_db_total_size_in_bytes": {&used.DataBytes, 1},
		"go_gc_duration_seconds_sum":       {&used.CollectorMicros, perSecond},
	}
	lines := bufio.NewScanner(page)
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), " ")
		if name == "process_start_time_seconds" {
			// By the node's clock: once that is set, the process seems to be another one.
			used.Process = stores.ProcessOf(text)
			continue
		}
		metric, ok := wanted[name]
		if !ok {
			continue
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || !(value >= 0 && value*metric.scale <= math.MaxInt64/2) {
			return nil, fmt.Errorf("the metric %s is %.40q", name, text)
		}
		count := int64(value * metric.scale)
		*metric.to = &count
	}
	return used, lines.Err()
}

// newMetricsClient keeps a connection to each member, and asks no proxy for the way.
func newMetricsClient(encrypted *tls.Config) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute, DisableCompression: true, TLSClientConfig: encrypted,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
