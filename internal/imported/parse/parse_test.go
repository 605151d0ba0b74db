package parse

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/imported"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// told is a measurement in a few lines: what is not known is a dash.
func told(m *imported.Measured) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s took %s µs, %s/s\n", m.Tool, figure(m.DurationMicros), figure(m.Throughput))
	for _, o := range m.Operations {
		fmt.Fprintf(&b, "%s: %s, %s failed, %s/s\n", o.Operation, count(o.Count), count(o.Errors), figure(o.Throughput))
		for _, l := range o.Latencies {
			fmt.Fprintf(&b, "  %s mean %s p50 %s p90 %s p95 %s p99 %s p99.9 %s max %s\n", l.Time, figure(l.MeanMicros), figure(l.P50Micros), figure(l.P90Micros),
				figure(l.P95Micros), figure(l.P99Micros), figure(l.P999Micros), figure(l.MaxMicros))
		}
	}
	return b.String()
}

func figure(value *float64) string {
	if value == nil {
		return "-"
	}
	return fmt.Sprint(*value)
}

func count(n *int64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

func TestOutputsOfAllToolsAreReadAsTheyStand(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"ycsb.txt", `ycsb took 280000 µs, 1071.4285714285713/s
READ: 135, 0 failed, -/s
  unsaid mean 875.3851851851852 p50 - p90 - p95 3767 p99 5515 p99.9 - max 19503
UPDATE: 165, 0 failed, -/s
  unsaid mean 1411.2424242424242 p50 - p90 - p95 5627 p99 19279 p99.9 - max 31215
`},
		{"ycsb-both.json", `ycsb took 1.011e+06 µs, 296.7359050445104/s
READ: 154, 0 failed, -/s
  service mean 2985.0714285714284 p50 - p90 - p95 18335 p99 47775 p99.9 - max 63999
  response mean 27980.590909090908 p50 - p90 - p95 92223 p99 102655 p99.9 - max 117631
UPDATE: 146, 0 failed, -/s
  service mean 1629.027397260274 p50 - p90 - p95 4651 p99 18079 p99.9 - max 92031
  response mean 23956.712328767124 p50 - p90 - p95 86335 p99 113791 p99.9 - max 118591
`},
		{"ycsb-objects.json", `ycsb took 131000 µs, 2290.0763358778627/s
READ: 125, 0 failed, -/s
  unsaid mean 653.44 p50 - p90 - p95 1273 p99 2197 p99.9 - max 5627
UPDATE: 175, 0 failed, -/s
  unsaid mean 524.6114285714285 p50 - p90 - p95 1188 p99 1547 p99.9 - max 2531
`},
		{"go-ycsb.txt", `go-ycsb took 215438.549 µs, 1394.7/s
READ: 148, 0 failed, 687.7/s
  service mean 2003 p50 1 p90 1205 p95 1354 p99 91775 p99.9 112447 max 112447
UPDATE: 152, 0 failed, 707.1/s
  service mean 700 p50 1085 p90 1221 p95 1317 p99 2185 p99.9 4403 max 4403
`},
		{"go-ycsb-old.txt", `go-ycsb took 4.439704297e+07 µs, -/s
READ: 517, 0 failed, 11.6/s
  service mean 3331 p50 - p90 - p95 - p99 11000 p99.9 272000 max 271100
UPDATE: 483, 0 failed, 11/s
  service mean 646926 p50 - p90 - p95 - p99 1.266e+06 p99.9 1.284e+06 max 1.283542e+06
`},
		{"memtier.txt", `memtier took - µs, 70745.37/s
Sets: -, - failed, 6437.83/s
  service mean 229.85 p50 39 p90 - p95 - p99 967 p99.9 31487 max -
Gets: -, - failed, 64307.54/s
  service mean 54.5 p50 39 p90 - p95 - p99 567 p99.9 3439 max -
`},
		{"memtier.json", `memtier took 142000 µs, 70745.37/s
Sets: 910, - failed, 6437.83/s
  service mean 229 p50 39 p90 - p95 - p99 967 p99.9 31487 max 31615
Gets: 9090, - failed, 64307.54/s
  service mean 54 p50 39 p90 - p95 - p99 567 p99.9 3439 max 4351
`},
		{"memtier-runs.txt", `memtier took - µs, 52066.85/s
Sets: -, - failed, 4790.15/s
  service mean 68.16 p50 23 p90 - p95 - p99 383 p99.9 7423 max -
Gets: -, - failed, 47276.7/s
  service mean 40.75 p50 23 p90 - p95 - p99 335 p99.9 3087 max -
`},
		{"memtier-runs.json", `memtier took - µs, 52066.85/s
Sets: 276, - failed, 4790.15/s
  service mean 67 p50 23 p90 - p95 - p99 383 p99.9 7423 max 7423
Gets: 2724, - failed, 47276.7/s
  service mean 39 p50 23 p90 - p95 - p99 335 p99.9 3087 max 3407
`},
		{"memtier-p100.txt", `memtier took - µs, 499385.9/s
Gets: -, - failed, 499385.9/s
  service mean 330.21 p50 327 p90 - p95 - p99 511 p99.9 1343 max -
`},
		{"memtier-2.0.json", `memtier took 2.0004e+07 µs, 4005.5/s
Sets: 80126, - failed, 4005.5/s
  service mean 1506 p50 1215 p90 2295 p95 2319 p99 2399 p99.9 3935 max 11519
`},
		{"redis-benchmark.txt", `redis-benchmark took - µs, -/s
SET: 20000, - failed, 101010.1/s
  service mean 67 p50 55 p90 - p95 103 p99 271 p99.9 - max 4335
GET: 20000, - failed, 94339.62/s
  service mean 76 p50 55 p90 - p95 95 p99 255 p99.9 - max 12175
`},
		{"redis-benchmark.csv", `redis-benchmark took - µs, -/s
SET: -, - failed, 79365.08/s
  service mean 93 p50 55 p90 - p95 175 p99 535 p99.9 - max 8543
GET: -, - failed, 108695.65/s
  service mean 60 p50 55 p90 - p95 95 p99 215 p99.9 - max 4863
MSET (10 keys): -, - failed, 94786.73/s
  service mean 79 p50 79 p90 - p95 127 p99 231 p99.9 - max 2903
`},
		{"redis-benchmark-quiet.txt", `redis-benchmark took - µs, -/s
SET: -, - failed, 118343.2/s
  service mean - p50 55 p90 - p95 - p99 - p99.9 - max -
GET: -, - failed, 53333.33/s
  service mean - p50 55 p90 - p95 - p99 - p99.9 - max -
LPUSH (needed to benchmark LRANGE): -, - failed, 55401.66/s
  service mean - p50 55 p90 - p95 - p99 - p99.9 - max -
LRANGE_100 (first 100 elements): -, - failed, 54495.91/s
  service mean - p50 111 p90 - p95 - p99 - p99.9 - max -
`},
		{"redis-benchmark-5.txt", `redis-benchmark took - µs, -/s
SET: 100000, - failed, 114025.09/s
`},
		{"k6.txt", `k6 took - µs, 308.932682/s
store_get: -, - failed, -/s
  service mean 5980 p50 1650 p90 9150 p95 43150 p99 59980 p99.9 - max 62750
http_req: 60, 5 failed, 308.932682/s
  service mean 5980 p50 1650 p90 9150 p95 43150 p99 59980 p99.9 - max 62750
iteration: 60, - failed, 308.932682/s
  service mean 6440 p50 2020 p90 9430 p95 44240 p99 60540 p99.9 - max 63370
`},
		{"k6-legacy.txt", `k6 took - µs, 1029.272192/s
http_req: 60, 5 failed, 1029.272192/s
  service mean 1660 p50 1310 p90 3070 p95 5290 p99 6590 p99.9 - max 6770
iteration: 60, - failed, 1029.272192/s
  service mean 1920 p50 1560 p90 3570 p95 5400 p99 6800 p99.9 - max 6970
store_get: -, - failed, -/s
  service mean 1660 p50 1310 p90 3070 p95 5290 p99 6590 p99.9 - max 6770
`},
		{"k6.json", `k6 took - µs, 308.9326819158207/s
http_req: 60, 5 failed, 308.9326819158207/s
  service mean 5987.840266666666 p50 1654.299 p90 9155.528900000007 p95 43156.5939 p99 59987.40413999998 p99.9 - max 62753.474
iteration: 60, - failed, 308.9326819158207/s
  service mean 6442.335333333333 p50 2028.4465000000002 p90 9430.763500000005 p95 44249.13479999998 p99 60541.04772999998 p99.9 - max 63377.327
`},
		{"k6-handle.json", `k6 took 59226.836 µs, 1013.0542850541602/s
iteration: 60, - failed, 1013.0542850541602/s
  service mean 1941.8969333333334 p50 1370.869 p90 4173.9712 p95 4910.51815 p99 - p99.9 - max 6594.287
store_get: -, - failed, -/s
  service mean 1537.1592500000006 p50 980.0335 p90 2980.4621 p95 4045.466249999998 p99 - p99.9 - max 4962.028
http_req: 60, 0 failed, 1013.0542850541602/s
  service mean 1537.1592500000006 p50 980.0335 p90 2980.4621 p95 4045.466249999998 p99 - p99.9 - max 4962.028
`},
		{"k6-thresholds.txt", `k6 took - µs, 6.56109/s
http_req: 45, 0 failed, 6.56109/s
  service mean 140360 p50 140960 p90 146880 p95 148210 p99 - p99.9 - max 154630
iteration: 45, - failed, 6.56109/s
  service mean 152380 p50 141270 p90 147110 p95 148390 p99 - p99.9 - max 684620
`},
		{"k6-0.x.txt", `k6 took - µs, 4.36938/s
http_req: 180, 0 failed, 4.36938/s
  service mean 144560 p50 110470 p90 203540 p95 215950 p99 - p99.9 - max 1.14e+06
iteration: 45, - failed, 1.092345/s
  service mean 1.291e+07 p50 1.277e+07 p90 1.336e+07 p95 1.337e+07 p99 - p99.9 - max 1.435e+07
`},
		{"k6-0.x.json", `k6 took - µs, 16.051857448734527/s
iteration: 51, - failed, 2.710744/s
  service mean 2.165365420686275e+06 p50 1.9903343765e+06 p90 2.723111838800001e+06 p95 3.0330894196999986e+06 p99 - p99.9 - max 3.949568196e+06
http_req: 302, 2 failed, 16.051857448734527/s
  service mean 398788.830023179 p50 317745.566 p90 595266.8039 p95 865072.9589499999 p99 - p99.9 - max 2.50680739e+06
`},
	} {
		t.Run(c.file, func(t *testing.T) {
			content := sample(t, c.file)
			tool := Recognize(content)
			m, err := Output(tool, content)
			if err != nil {
				t.Fatalf("as an output of %q: %v", tool, err)
			}
			if got := told(m); got != c.want {
				t.Errorf("read\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
