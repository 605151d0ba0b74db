package parse

import (
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/imported"
)

// section is what YCSB prints of one metric.
func section(metric, operations string) string {
	lines := "[], Operations, " + operations + "\n[], AverageLatency(us), 3\n[], MinLatency(us), 1\n[], MaxLatency(us), 9\n"
	return strings.ReplaceAll(lines, "[]", "["+metric+"]")
}

// goYCSBLine is what go-ycsb prints of one operation.
func goYCSBLine(operation, operations string) string {
	return operation + " - Takes(s): 1.0, Count: " + operations + ", OPS: 9, Avg(us): 3, Min(us): 1, Max(us): 9\n"
}

// means are the latencies of both.
func means(time string) string {
	return "  " + time + " mean 3 p50 - p90 - p95 - p99 - p99.9 - max 9\n"
}

func TestWhatATextLacksIsNotInvented(t *testing.T) {
	const overall = "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 1.0E7\n"
	for name, c := range map[string]struct{ tool, text, want string }{
		"an operation that always failed has no latency": {imported.YCSB,
			overall + "[UPDATE], Operations, 0\n[UPDATE], AverageLatency(us), NaN\n[UPDATE], MinLatency(us), 9223372036854775807\n[UPDATE], MaxLatency(us), 0\n[UPDATE], Return=ERROR, 3\n" +
				"[UPDATE-FAILED], Operations, 3\n[UPDATE-FAILED], AverageLatency(us), 7.0\n[UPDATE-FAILED], MinLatency(us), 7\n[UPDATE-FAILED], MaxLatency(us), 7\n",
			"ycsb took 1e+06 µs, 1e+07/s\nUPDATE: 3, 3 failed, -/s\n"},
		"an older YCSB has milliseconds": {imported.YCSB,
			overall + "[READ], Operations, 5\n[READ], AverageLatency(ms), 1.25\n[READ], MinLatency(ms), 0\n[READ], MaxLatency(ms), 12\n[READ], 95thPercentileLatency(ms), 2\n[READ], Return=0, 4\n[READ], Return=-1, 1\n[READ], 0, 3\n[READ], >1000, 2\n",
			"ycsb took 1e+06 µs, 1e+07/s\nREAD: 5, 1 failed, -/s\n  unsaid mean 1250 p50 - p90 - p95 2000 p99 - p99.9 - max 12000\n"},
		"a status of the driver's own is a failure": {imported.YCSB,
			overall + section("READ", "90") + "[READ], Return=OK, 90\n[READ], Return=TIMEOUT, 10\n" + section("READ-TIMEOUT", "10") + section("Intended-READ", "90") + section("Intended-READ-TIMEOUT", "10"),
			"ycsb took 1e+06 µs, 1e+07/s\nREAD: 100, 10 failed, -/s\n" + means("service") + means("response")},
		"a failure without a section is among the statuses": {imported.YCSB,
			overall + section("READ", "90") + "[READ], Return=OK, 90\n[READ], Return=TIMEOUT, 7\n[READ], Return=ERROR, 3\n" + section("READ-FAILED", "3"),
			"ycsb took 1e+06 µs, 1e+07/s\nREAD: 100, 10 failed, -/s\n" + means("unsaid")},
		"kvbench has a section for all failures": {imported.YCSB,
			"[KVBENCH], ThroughputOfSuccesses, true\n" + overall + section("READ", "90") + "[READ], Return=OK, 90\n[READ], Return=ERROR, 5\n" + section("READ-FAILED", "3"),
			"ycsb took 1e+06 µs, 1e+07/s\nREAD: 93, 3 failed, -/s\n" + means("unsaid")},
		"a lower bound of kvbench is no latency": {imported.YCSB,
			"[KVBENCH], ResponseTimeCensored, true\n" + overall + section("READ", "90") + section("Intended-READ", "90"),
			"ycsb took 1e+06 µs, 1e+07/s\nREAD: 90, - failed, -/s\n" + means("service")},
		"nor is what a saturated store made of it": {imported.YCSB,
			"[KVBENCH], Saturated, true\n" + overall + section("READ", "90") + section("Intended-READ", "90"),
			"ycsb took 1e+06 µs, 1e+07/s\nREAD: 90, - failed, -/s\n" + means("service")},
		"go-ycsb counts read-modify-writes that failed too, and their parts twice": {imported.GoYCSB,
			"Run finished, takes 1s\n" + goYCSBLine("READ", "90") + goYCSBLine("READ_ERROR", "10") + goYCSBLine("READ_MODIFY_WRITE", "50") + goYCSBLine("TOTAL", "130") + goYCSBLine("UPDATE", "40"),
			"go-ycsb took 1e+06 µs, -/s\nREAD: 100, 10 failed, 9/s\n" + means("service") + "READ_MODIFY_WRITE: 50, - failed, 9/s\n" + means("service") + "UPDATE: 40, 0 failed, 9/s\n" + means("service")},
		"lines of a driver's log are no measurements": {imported.YCSB,
			"YCSB Client 0.17.0\r\n[main] INFO org.mongodb.driver.cluster - Cluster created\r\n" + overall + "[SCAN], Operations, 1\r\n[SCAN], AverageLatency(us), 2.5\r\n[SCAN], MinLatency(us), 2\r\n[SCAN], MaxLatency(us), 2\r\n",
			"ycsb took 1e+06 µs, 1e+07/s\nSCAN: 1, - failed, -/s\n  unsaid mean 2.5 p50 - p90 - p95 - p99 - p99.9 - max 2\n"},
		"go-ycsb counts errors in lines of their own": {imported.GoYCSB,
			"Run finished, takes 1m2s\nREAD   - Takes(s): 1.0, Count: 90, OPS: 90.0, Avg(us): 3, Min(us): 1, Max(us): 9\nREAD_ERROR - Takes(s): 1.0, Count: 10, OPS: 10.0, Avg(us): 3, Min(us): 1, Max(us): 9\n",
			"go-ycsb took 6.2e+07 µs, -/s\nREAD: 100, 10 failed, 90/s\n  service mean 3 p50 - p90 - p95 - p99 - p99.9 - max 9\n"},
		"memtier's columns may touch": {imported.Memtier,
			"Type        Ops/sec     Hits/sec   Misses/sec    Avg. Latency   p99.5 Latency p99.9 Latency p99.950 Latency   KB/sec\n-----\nSets  4005.50  ---  ---  1.50600  3.93500  3.93600  3.93700  308.00\nTotals  4005.50  0.00  0.00  -nan  3.93500  3.93600  3.93700  308.00\n",
			"memtier took - µs, 4005.5/s\nSets: -, - failed, 4005.5/s\n  service mean 1506 p50 - p90 - p95 - p99 - p99.9 3936 max -\n"},
		"of several runs of memtier the average counts": {imported.Memtier,
			"BEST RUN RESULTS\nType Ops/sec Latency KB/sec\nSets 9 1 1\nTotals 9 1 1\nAGGREGATED AVERAGE RESULTS (3 runs)\nType Ops/sec Latency KB/sec\nSets 5 2 1\nTotals 5 2 1\n",
			"memtier took - µs, 5/s\nSets: -, - failed, 5/s\n  service mean 2000 p50 - p90 - p95 - p99 - p99.9 - max -\n"},
		"an older redis-benchmark writes two columns": {imported.RedisBenchmark, "\"SET\",\"106382.98\"\n\"MSET (10 keys)\",\"9000.50\"\n",
			"redis-benchmark took - µs, -/s\nSET: -, - failed, 106382.98/s\nMSET (10 keys): -, - failed, 9000.5/s\n"},
		"k6's data of handleSummary have the unit of a custom trend": {imported.K6,
			`{"state":{"testRunDurationMs":23.374},"metrics":{"redis_get":{"type":"trend","contains":"time","values":{"avg":0.512,"med":5e-1,"p(99.9)":1.5,"count":7}},"size":{"type":"trend","contains":"default","values":{"avg":3}},"iterations":{"type":"counter","contains":"default","values":{"count":7,"rate":42.78257893385813}}}}`,
			"k6 took 23374 µs, 42.78257893385813/s\nredis_get: 7, - failed, -/s\n  service mean 512 p50 500 p90 - p95 - p99 - p99.9 1500 max -\n"},
		"colours and custom trends of k6": {imported.K6,
			"   \x1b[32m✓\x1b[0m redis_get\x1b[2m...........:\x1b[0m avg=\x1b[36m1.5ms\x1b[0m max=\x1b[36m1m30s\x1b[0m\n   iteration_duration...: avg=90µs max=7ns\n   iterations.........: 3 0.5/s\n",
			"k6 took - µs, 0.5/s\nredis_get: -, - failed, -/s\n  service mean 1500 p50 - p90 - p95 - p99 - p99.9 - max 9e+07\niteration: 3, - failed, 0.5/s\n  service mean 90 p50 - p90 - p95 - p99 - p99.9 - max 0.007\n"},
	} {
		m, err := Output(c.tool, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := told(m); got != c.want {
			t.Errorf("%s: read\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestWhatIsCutOffOrGarbledIsRefusedWithItsLine(t *testing.T) {
	const overall = "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 5.0\n"
	const redis = "====== SET ======\n  10 requests completed in 0.11 seconds\n"
	const k6 = "iteration_duration......: avg=9ms max=9ms\n"
	const total = "  █ TOTAL RESULTS\n" + k6
	const average, table = "AGGREGATED AVERAGE RESULTS (3 runs)\n", "Type Ops/sec Latency KB/sec\nSets 9 1 1\nTotals 9 1 1\n"
	for _, c := range []struct{ tool, text, says string }{
		{imported.YCSB, "[READ], Operations, 5\n", "no [OVERALL]"},
		{imported.YCSB, overall + "[READ], Operations, 5\n[READ], AverageLatency(us), 1.0\n", "line 3: the measurements of [READ] begin there, and lack Min"},
		{imported.YCSB, overall + "[READ], Operations, 5\n[READ], Avera", "line 4:"},
		{imported.YCSB, overall + "[READ], Operations, 5\n[READ], AverageLat, 5\n", "line 4: \"AverageLat\" is no measurement"},
		{imported.YCSB, overall + "[REA", "line 3:"},
		{imported.YCSB, overall + "[READ], Operations, five\n", "line 3: \"five\" is no number"},
		{imported.YCSB, overall + "[READ], Operations, 5\n[READ], Operations, 5\n", "line 4: [READ] has \"Operations\" twice"},
		{imported.YCSB, overall + section("INSERT", "5") + overall, "line 7: [OVERALL] has \"RunTime(ms)\" twice, so a second run begins there"},
		{imported.YCSB, overall + "[READ], Operations, 1000", "line 3: \"[READ], Operations, 1000\" has no end of line"},
		{imported.YCSB, overall + "[RE\x07AD], Operations, 5\n", "line 3: the metric has characters"},
		{imported.YCSB, "[ {\n  \"metric\" : \"OVERALL\",\n  \"measurement\" : \"Run", "line 3: the JSON is cut off"},
		{imported.YCSB, "[ {\n  \"metric\" : 5\n} ]", "line 3: json: cannot unmarshal number"},
		{imported.YCSB, "[ { \"metric\" : \"READ\",\n\"measurement\" : \"Operations\", \"value\": null\n} ]", "line 3: "},
		{imported.GoYCSB, "READ - Takes(s): 1.0, Count: 9\n", "didn't end"},
		{imported.GoYCSB, "Run finished, takes soon\n", "line 1: \"soon\" is no duration"},
		{imported.GoYCSB, "Run finished, takes 1s\nREAD - Takes(s): 1.0, Count: 9, OP\n", "line 2: the figures are cut off or garbled"},
		{imported.GoYCSB, "Run finished, takes 1s\nREAD - Takes(s): 1.0, Count: 9\n", "line 2: the figures lack OPS"},
		{imported.GoYCSB, "Run finished, takes 1s\nREAD - Takes(s): 1.0, Count: 9, OPS: 1, Avg(us): 1, Min(us): 1, Max(us): 1, 99th(us): 1\nSCAN - Takes(s): 1.0, Count: 9, OPS: 1, Avg(us): 1, Min(us): 1, Max(us): 1\n", "line 3: it has other figures"},
		{imported.GoYCSB, "Run finished, takes 1s\nREAD - Takes(s): 1.0, Count: 9, OPS: 1, Avg(us): 1, Min(us): 1, Max(us): 1\nSCAN - Takes(s): 1.0, Count: 9, OPS: 1, Avg(us): 1, Min(us): 1, Max(us): 10", "line 3: \"SCAN"},
		{imported.Memtier, "ALL STATS\n", "no table"},
		{imported.Memtier, "Type Ops/sec Latency KB/sec\nSets 9 1 1\n", "line 1: the table that begins there has no row Totals"},
		{imported.Memtier, "Type Ops/sec Latency KB/sec\nSets 9 1\nTotals 9 1 1\n", "line 2: the row has 3 columns"},
		{imported.Memtier, "Type Ops/sec Latency KB/sec\nSets 9 1.x 1\nTotals 9 1 1\n", "line 2: \"1.x\" is no number"},
		{imported.Memtier, "Type Ops/sec Latency KB/sec\nSets 9 1 1\nTotals 9 1 1", "line 3:"},
		{imported.Memtier, "{\"ALL STATS\":\n{\"Sets\":{\"Count\":1,\"Ops/sec\":1.5,", "line 2: the JSON is cut off"},
		{imported.Memtier, "{\"ALL STATS\":\n{\"Sets\":{\"Count\":1,\"Ops/sec\":1.5}}}", "no member Totals"},
		{imported.Memtier, "{\"ALL STATS\":\n{\"Sets\":\n{\"Count\":1.5,\"Ops/sec\":1.5}}}", "line 3: \"Sets\": the member Count"},
		{imported.Memtier, "{\"ALL STATS\":\n{\"Sets\":\n{\"Count\":-nan}}}", "line 3: "},
		{imported.Memtier, average + table + table + table, "line 8: another table begins there"},
		{imported.Memtier, table + average + table + average + table, "line 9: another table begins there"},
		{imported.K6, total + "█ GROUP: a\n" + k6 + total, "line 5: the results of a second run begin there"},
		{imported.RedisBenchmark, redis, "line 1: the test that begins there lacks its number of requests or its throughput"},
		{imported.RedisBenchmark, redis + "Summary:\n  throughput summary: 9.5 requests per second\n", "line 1: the test that begins there lacks its latency summary"},
		{imported.RedisBenchmark, redis + "Summary:\n  throughput summary: 9.5 requests per second\n  latency summary (msec):\n avg min p50\n 0.1 0.2\n", "line 7: the latency summary has not as many"},
		{imported.RedisBenchmark, "====== SE", "line 1: "},
		{imported.RedisBenchmark, "\"test\",\"rps\"\n\"SET\",\"1\"\n\"GET\"\n", "line 3"},
		{imported.RedisBenchmark, "\"test\",\"rps\"\n\"SET\",\"1\"\n\"GET\",\"1", "line 3"},
		{imported.RedisBenchmark, "\"SET\",\"1\"\n\"SET\",\"2\"\n", "line 2: the test \"SET\" is there twice"},
		{imported.K6, k6, "no iterations: the end of the summary is missing"},
		{imported.K6, k6 + "redis_get......: avg=9ms\n", "line 2: redis_get: it has other statistics"},
		{imported.K6, k6 + "iterations......: 45\n", "line 2: iterations: \"45\" is cut off or garbled"},
		{imported.K6, "iteration_duration......: avg=9 max=7\n", "line 1: iteration_duration"},
		{imported.K6, "{\"metrics\":\n{\"iterations\":\n{\"count\":1.5,\"rate\":2}}}", "line 3: \"iterations\": \"1.5\" is no count"},
		{imported.K6, "{\"metrics\":[]}", "line 1: it is no object"},
		{imported.K6, "{\"results\":{}}", "new-machine-readable-summary"},
		{imported.GoYCSB, "Run finished, takes 1s\n[{\"Count\":\"285\"}]\n", "line 1: the run ends there, and no figures follow"},
		{imported.YCSB, "[OVERALL], RunTime(ms), 1\n" + strings.Repeat("\n", maxLines), "more than 2000000 lines"},
		{imported.YCSB, overall + "[READ], Return=\x07, 1\n[READ], Return=\x07, 1\n", "line 4: [READ] has \"Return=\\a\" twice"},
		{imported.YCSB, "", "empty"},
		{imported.YCSB, "\x00", "no text"},
		{"ab", "x", "none of the tools"},
	} {
		if m, err := Output(c.tool, []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %q: %+v, %v; want %q", c.tool, c.text, m, err, c.says)
		}
	}
}

// A figure must not lose digits, nor an operation its latencies, wherever a file ends.
func TestAFileThatIsCutOffHasNoOtherFiguresThanTheWholeOne(t *testing.T) {
	for _, file := range []string{"ycsb.txt", "ycsb-both.json", "ycsb-objects.json", "go-ycsb.txt", "memtier.txt", "memtier.json", "redis-benchmark.txt", "redis-benchmark.csv", "k6.txt", "k6-legacy.txt", "k6-0.x.txt", "k6.json", "k6-handle.json"} {
		content := sample(t, file)
		tool := Recognize(content)
		whole, err := Output(tool, content)
		if err != nil {
			t.Fatal(err)
		}
		for n := range content {
			part, err := Output(tool, content[:n])
			if err != nil {
				continue
			}
			for _, o := range part.Operations {
				at := slices.IndexFunc(whole.Operations, func(other imported.Operation) bool { return other.Operation == o.Operation })
				if at < 0 {
					t.Fatalf("%s cut at %d has %s", file, n, o.Operation)
				}
				for i, l := range o.Latencies {
					if got, want := figure(l.MeanMicros)+figure(l.MaxMicros), figure(whole.Operations[at].Latencies[i].MeanMicros)+figure(whole.Operations[at].Latencies[i].MaxMicros); got != want {
						t.Fatalf("%s cut at %d: %s has %s, want %s", file, n, o.Operation, got, want)
					}
				}
				if figure(o.Throughput) != figure(whole.Operations[at].Throughput) {
					t.Fatalf("%s cut at %d: %s has another throughput", file, n, o.Operation)
				}
			}
		}
	}
}

func TestAnExportThatIsNotValidStaysSo(t *testing.T) {
	m, err := Output(imported.YCSB, append([]byte("[KVBENCH], Valid, false\n[KVBENCH], Valid, true\n"), sample(t, "ycsb.txt")...))
	if err != nil || !m.NotValid() || len(m.Remarks) != 1 || !strings.Contains(m.Remarks[0], "not valid") || slices.Contains(m.NotKnown, imported.Validity) {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestATrendWithoutUnitIsLeftOutAndNamed(t *testing.T) {
	m, err := Output(imported.K6, sample(t, "k6.json"))
	if err != nil || !slices.Contains(m.Remarks, "The trend store_get is left out: the file doesn't say its unit.") {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestUnknownTextIsNoToolsOutput(t *testing.T) {
	for _, text := range []string{"", "hello\n", "{}", "[]", "{\"metrics\":1}", "\x00", "Type\n"} {
		if tool := Recognize([]byte(text)); tool != "" {
			t.Errorf("%q is taken for one of %s", text, tool)
		}
	}
}
