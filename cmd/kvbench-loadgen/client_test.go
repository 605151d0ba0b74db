package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report"
)

func TestLoadInsertsInYCSBsOrderWithYCSBsValues(t *testing.T) {
	t.Parallel()
	e := runChild(t, child(t, "load", "basic", "-P", workloadOf(t), "-p", "recordcount=3", "-p", "basicdb.verbose=true",
		"-p", "dataintegrity=true", "-p", "fieldcount=2", "-p", "fieldlength=40"))
	e.done(t)
	lines := strings.Split(e.out, "\n")
	for i, key := range []string{"user6284781860667377211", "user8517097267634966620", "user1820151046732198393"} {
		if want := "INSERT usertable " + key + " [ field0=" + key + ":field0:"; !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %q, want %q …", i, lines[i], want)
		}
	}
	if want := "user6284781860667377211:field0:-56807877"; !strings.Contains(lines[0], want[:40]) {
		t.Errorf("%q has no %q", lines[0], want[:40])
	}
	if n := e.figure(t, "INSERT", "Return=OK"); n != "3" {
		t.Errorf("%s inserts", n)
	}
}

func TestATargetSlowsALoadDown(t *testing.T) {
	t.Parallel()
	e := runChild(t, child(t, "load", "basic", "-p", "recordcount=11", "--target", "20"))
	e.done(t)
	if millis, err := strconv.ParseFloat(e.figure(t, "OVERALL", "RunTime(ms)"), 64); millis < 500 || err != nil || e.figure(t, "INSERT", "Operations") != "11" {
		t.Errorf("it took %g ms, %v", millis, err)
	}
}

func TestRunMakesTheOperationsThatWereAskedFor(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"closed loop":        {"--threads", "4"},
		"bin/ycsb's options": {"-threads", "4", "-s", "-target", "5000"},
		"open loop":          {"--rate", "5000", "--arrivals", "constant"},
		"target":             {"--target", "5000", "--threads", "4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := runChild(t, child(t, append([]string{"run", "basic", "-P", workloadOf(t), "-p", "operationcount=2000"}, args...)...))
			e.done(t)
			var sum int
			for _, kind := range []string{"READ", "UPDATE"} {
				operations, ok := e.figure(t, kind, "Operations"), e.figure(t, kind, "Return=OK")
				if operations != ok {
					t.Errorf("%s of %s %s are OK", ok, operations, kind)
				}
				n, err := strconv.Atoi(operations)
				if err != nil {
					t.Fatal(err)
				}
				sum += n
			}
			if sum != 2000 {
				t.Errorf("%d operations", sum)
			}
			millis, _ := strconv.ParseFloat(e.figure(t, "OVERALL", "RunTime(ms)"), 64)
			rate, err := strconv.ParseFloat(e.figure(t, "OVERALL", "Throughput(ops/sec)"), 64)
			if err != nil || millis > 0 && rate != 1000*2000/millis {
				t.Errorf("%g operations/s in %g ms, %v", rate, millis, err)
			}
			if n := e.figure(t, "CLEANUP", "Operations"); name == "closed loop" && n != "4" || e.figure(t, "TOTAL_GCs", "Count") == "" {
				t.Errorf("the end of %s sessions was measured", n)
			}
			if !strings.Contains(e.errors, " sec: 2000 operations; ") {
				t.Errorf("no last line of progress in %q", e.errors)
			}
		})
	}
}

func TestAScheduleSetsTheRateOfEachSecond(t *testing.T) {
	t.Parallel()
	schedule, table := write(t, "schedule", "seconds,rate\n0,100\n1,400\n"), filepath.Join(t.TempDir(), "table")
	e := runChild(t, child(t, "run", "basic", "-p", "readproportion=1", "-p", "updateproportion=0", "--rate-schedule", schedule,
		"--arrivals", "constant", "--duration", "2s", "--export", "csv="+table))
	e.done(t)
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	var intended []string
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(line, ","); fields[4] == "response" {
			intended = append(intended, fields[5])
		}
	}
	if fmt.Sprint(intended) != "[100 400]" {
		t.Errorf("operations by second: %v", intended)
	}
}

func TestATraceIsMadeAgain(t *testing.T) {
	t.Parallel()
	requests := write(t, "requests.csv", "time,operation,key,size\n1700000000,READ,user1,\n1700000000.1,SCAN,user2,10\n"+
		"1700000000.2,DELETE,user1,\n1700000020,UPDATE,user3,0\n1700000030,READ,user4,\n")
	dir := t.TempDir()
	e := runChild(t, child(t, "run", "basic", "--trace", requests, "--trace-stretch", "0.1", "-p", "operationcount=4",
		// One at a time: the order in which they are printed is that in which they ended.
		"--max-in-flight", "1", "-p", "basicdb.verbose=true", "--bundle", dir))
	e.done(t)
	want := "READ usertable user1 [ <all fields>]\nSCAN usertable user2 10 [ <all fields>]\nDELETE usertable user1\nUPDATE usertable user3 [ field0= ]\n[OVERALL]"
	if !strings.HasPrefix(e.out, want) {
		t.Errorf("it printed\n%s, want\n%s", e.out, want)
	}
	again, twice := runChild(t, child(t, "report", dir)), runChild(t, child(t, "report", dir))
	if again.code != 0 || again.out != twice.out {
		t.Fatalf("exit code %d, %s, and two reports differ: %v", again.code, again.errors, again.out != twice.out)
	}
	var r report.Report
	if err := json.Unmarshal([]byte(again.out), &r); err != nil {
		t.Fatal(err)
	}
	w := &r.Workloads[0]
	if got := w.Load.Trace; got == nil || got.File != "requests.csv" || got.Rows != 5 || got.Stretch != 0.1 || len(got.SHA256) != 64 {
		t.Errorf("the report's trace is %+v", got)
	}
	if w.Intended != 4 || w.Load.Rate != 3 || w.Generator.ArrivalsDistance != nil {
		t.Errorf("%d operations, %g in the busiest second, arrivals judged: %v", w.Intended, w.Load.Rate, w.Generator.ArrivalsDistance)
	}
}

func TestTheLaterPropertyWins(t *testing.T) {
	t.Parallel()
	second := write(t, "second", "operationcount=20\nreadproportion=1\nupdateproportion=0\nbasicdb.verbose=false\netcd.endpoints=nowhere:1\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "20"},
		{[]string{"-p", "operationcount=30"}, "30"},
	} {
		e := runChild(t, child(t, append([]string{"run", "basic", "-P", workloadOf(t), "-P", second, "-s=false"}, c.args...)...))
		e.done(t)
		if got := e.figure(t, "READ", "Operations"); got != c.want || strings.Contains(e.errors, " sec: ") {
			t.Errorf("%v: %s operations and %q", c.args, got, e.errors)
		}
	}
}

func TestBadInputEndsAtOnceWithOneSentence(t *testing.T) {
	t.Parallel()
	broken := write(t, "broken", "recordcount=5\n\nfieldnameprefix=\\u12\n")
	wrong := write(t, "wrong", "recordcount=5\n# so many\nreadproportion=-1\n")
	backwards := write(t, "backwards", "seconds,rate\n0,5\n1,6\n1,7\n")
	requests := write(t, "requests", "0,READ,a,\n1,READ,b,\n")
	scans := write(t, "scans", "0,READ,a,\n1,SCAN,b,10\n")
	pause := write(t, "pause", "0,5\n1,0\n")
	areRefused(t, map[string]refusal{
		"no store":                         {[]string{"run"}, "one store is needed"},
		"an unknown store":                 {[]string{"run", "etdc"}, `no store "etdc": did you mean etcd? There are cassandra, etcd, hazelcast, ignite, memcached, redis, valkey, postgresql, basic`},
		"an unknown option":                {[]string{"run", "basic", "--thread", "3"}, "unknown flag: --thread"},
		"a file that isn't there":          {[]string{"run", "basic", "-P", "nowhere"}, "open nowhere"},
		"a broken property file":           {[]string{"run", "basic", "-P", broken}, broken + ":3: "},
		"a wrong value in a file":          {[]string{"run", "basic", "-P", wrong}, wrong + ":3: property readproportion"},
		"a pair without a value":           {[]string{"run", "basic", "-p", "operationcount"}, "must be name=value"},
		"an unknown property":              {[]string{"run", "basic", "-p", "operationscount=3"}, `did you mean "operationcount"?`},
		"a store's unknown property":       {[]string{"run", "basic", "-p", "basicdb.verbos=true"}, "basicdb.verbose"},
		"a store's wrong value":            {[]string{"run", "basic", "-p", "basicdb.simulatedelay=long"}, "basicdb.simulatedelay"},
		"all proportions 0":                {[]string{"run", "basic", "-p", "readproportion=0", "-p", "updateproportion=0"}, "all proportions are 0"},
		"a maximum below a minimum":        {[]string{"run", "basic", "-p", "minscanlength=10", "-p", "maxscanlength=5"}, "minscanlength=10 is above maxscanlength=5"},
		"a rate of 0":                      {[]string{"run", "basic", "--rate", "0"}, "--rate=0: must be above 0"},
		"a rate beside a target":           {[]string{"run", "basic", "--rate", "5", "--target", "5"}, "leave one out"},
		"a schedule that isn't there":      {[]string{"run", "basic", "--rate-schedule", "nowhere"}, "open nowhere"},
		"a broken schedule":                {[]string{"run", "basic", "--rate-schedule", backwards}, backwards + ":4: the step at 1 s is not later"},
		"an endless pause":                 {[]string{"run", "basic", "--rate-schedule", pause}, "ends with a rate of 0"},
		"a schedule beside a rate":         {[]string{"run", "basic", "--rate-schedule", pause, "--rate", "5"}, "leave --rate and target out"},
		"a schedule beside a target":       {[]string{"run", "basic", "--rate-schedule", pause, "--target", "5"}, "leave --rate and target out"},
		"a schedule for a load":            {[]string{"load", "basic", "--rate-schedule", pause}, "unknown flag: --rate-schedule"},
		"a trace that isn't there":         {[]string{"run", "basic", "--trace", "nowhere"}, "open nowhere"},
		"a trace beside a rate":            {[]string{"run", "basic", "--trace", requests, "--rate", "5"}, "leave --rate, --rate-schedule and target out"},
		"a trace beside a schedule":        {[]string{"run", "basic", "--trace", requests, "--rate-schedule", pause}, "leave --rate, --rate-schedule and target out"},
		"a trace with other arrivals":      {[]string{"run", "basic", "--trace", requests, "--arrivals", "constant"}, "leave it out"},
		"a trace with arrivals of a law":   {[]string{"run", "basic", "--trace", requests, "--arrivals", "poisson"}, "leave it out"},
		"a trace without time":             {[]string{"run", "basic", "--trace", requests, "--trace-stretch", "0"}, "can't be stretched by 0"},
		"a trace within the warm-up":       {[]string{"run", "basic", "--trace", requests, "--warmup", "2s"}, "all requests of"},
		"a trace of unknown values":        {[]string{"run", "basic", "--trace", requests, "-p", "dataintegrity=true"}, "dataintegrity=true"},
		"a trace of scans without a scan":  {[]string{"run", "memcached", "--trace", scans}, "1 of its 2 requests are scans, and memcached in its mode sharded has none"},
		"a stretch of nothing":             {[]string{"run", "basic", "--trace-stretch", "2"}, "--trace-stretch is for --trace"},
		"a trace for a load":               {[]string{"load", "basic", "--trace", requests}, "unknown flag: --trace"},
		"no thread":                        {[]string{"run", "basic", "--threads", "0"}, "threadcount"},
		"no such arrivals":                 {[]string{"run", "basic", "--rate", "5", "--arrivals", "uniform"}, "poisson or constant"},
		"half a second of warm-up":         {[]string{"run", "basic", "--warmup", "500ms"}, "whole seconds"},
		"an unknown export":                {[]string{"run", "basic", "--export", "xml"}, "ycsb-text, ycsb-json"},
		"two exports to the screen":        {[]string{"run", "basic", "--export", "csv", "--export", "hlog"}, "standard output"},
		"an export to nowhere":             {[]string{"run", "basic", "--export", "csv=no/such/folder"}, "no/such/folder"},
		"raw measurements into no folder":  {[]string{"run", "basic", "-p", "measurementtype=raw", "-p", "measurement.raw.output_file=/no/such/file"}, "measurement.raw.output_file: open /no/such/file"},
		"a bundle that is not empty":       {[]string{"run", "basic", "--bundle", filepath.Dir(broken)}, "is not empty"},
		"nothing to load":                  {[]string{"load", "basic"}, "recordcount is 0"},
		"a rate for a load":                {[]string{"load", "basic", "-p", "recordcount=1", "--rate", "5"}, "unknown flag: --rate"},
		"no folder for the histogram logs": {[]string{"run", "basic", "-p", "hdrhistogram.fileoutput=true", "-p", "hdrhistogram.output.path=nowhere/"}, "hdrhistogram.output.path=nowhere/"},
		"slots without a rate":             {[]string{"run", "basic", "--max-in-flight", "5"}, "set --rate or --rate-schedule or --trace"},
		"arrivals without a rate":          {[]string{"run", "basic", "--arrivals", "constant", "--target", "5"}, "set --rate or --rate-schedule\n"},
		"no duration":                      {[]string{"run", "basic", "--duration", "0s"}, "--duration=0s"},
		"an endpoint without a port":       {[]string{"run", "etcd", "-p", "etcd.endpoints=localhost"}, "is not host:port"},
		"an endpoint with TLS":             {[]string{"run", "etcd", "-p", "etcd.endpoints=https://localhost:1"}, "etcd.cacert_file"},
		"an unknown mode":                  {[]string{"run", "etcd", "-p", "etcd.mode=fast"}, "linearizable, serializable"},
		"a server named twice":             {[]string{"run", "redis", "-p", "redis.endpoints=a:1", "-p", "redis.host=b"}, "redis.host and redis.port"},
		"more replicas than members":       {[]string{"run", "redis", "-p", "redis.mode=wait", "-p", "redis.host=b"}, "mode wait is for 2 to 9 members"},
		"YCSB's Redis cluster, twice":      {[]string{"run", "redis", "-p", "redis.cluster=true", "-p", "redis.mode=wait"}, "leave it out"},
		"threads of an open loop":          {[]string{"run", "basic", "--rate", "5", "--threads", "3"}, "--threads is of a closed loop"},
		"threads of a trace":               {[]string{"run", "basic", "--trace", requests, "-threads", "3"}, "--threads is of a closed loop"},
		"YCSB's option for a load":         {[]string{"run", "basic", "-load"}, "-load: use the command load"},
		"YCSB's option for a run":          {[]string{"load", "basic", "-t"}, "-t: use the command run"},
		"YCSB's option for the store":      {[]string{"run", "-db", "site.ycsb.BasicDB"}, "-db: name the store after the command"},
		"a label without a blank":          {[]string{"run", "basic", "-lx"}, "for a label write -l LABEL"},
		"a rate of letters":                {[]string{"run", "basic", "--rate", "abc"}, "--rate=abc: must be a number"},
		"threads of letters":               {[]string{"run", "basic", "-threads", "two"}, "--threads=two: must be a whole number"},
		"a duration without a unit":        {[]string{"run", "basic", "--duration", "10"}, "--duration=10: must be a time with its unit, such as 10s"},
		"a negative seed":                  {[]string{"run", "basic", "--seed", "-1"}, "--seed=-1: must be a whole number that is not negative"},
		"status of letters":                {[]string{"run", "basic", "-s=maybe"}, "--status=maybe: must be true or false"},
		"rates of letters":                 {[]string{"sweep", "basic", "--rates", "1,x"}, "--rates=1,x: must be numbers with commas between them"},
		"an unreachable endpoint":          {[]string{"run", "etcd", "-p", "etcd.endpoints=127.0.0.1:1", "-p", "etcd.dial_timeout=200ms"}, "etcd does not answer at [127.0.0.1:1]"},
	})
}

func TestWhatIsNotThereIsRefused(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		`no command "measure"`:                    {"measure"},
		"one bundle is needed":                    {"report"},
		"stat nowhere: no such file or directory": {"report", "nowhere"},
	} {
		e := runChild(t, child(t, args...))
		if e.code != exitBadInput || !strings.Contains(e.errors, want) {
			t.Errorf("%v: exit code %d, %q", args, e.code, e.errors)
		}
	}
}

func TestASignalEndsTheWorkAndShowsWhatThereIs(t *testing.T) {
	t.Parallel()
	slow := []string{"--interval", "1", "-p", "basicdb.simulatedelay=2", "-p", "threadcount=4"}
	for _, c := range []struct {
		name   string
		args   []string
		signal syscall.Signal
		code   int
		metric string
	}{
		{"measurement", []string{"run", "basic", "-p", "operationcount=0"}, syscall.SIGTERM, 143, "READ"},
		{"open loop", []string{"run", "basic", "-p", "operationcount=0", "--rate", "100"}, syscall.SIGINT, 130, "READ"},
		{"hangup", []string{"run", "basic", "-p", "operationcount=0"}, syscall.SIGHUP, 129, "READ"},
		{"load", []string{"load", "basic", "-p", "recordcount=1000000000"}, syscall.SIGTERM, 143, "INSERT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			command := child(t, append(c.args, slow...)...)
			var out bytes.Buffer
			command.Stdout = &out
			said, err := command.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			awaitLine(t, said, " operations; ")
			if err := command.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			command.Wait() // the exit code says how it went
			e := ended{command.ProcessState.ExitCode(), out.String(), ""}
			if e.code != c.code {
				t.Errorf("exit code %d, want %d", e.code, c.code)
			}
			if n, err := strconv.Atoi(e.figure(t, c.metric, "Operations")); n < 1 || err != nil {
				t.Errorf("%d operations, %v", n, err)
			}
		})
	}
}

func TestFailedOperationsAreCountedAndChangeTheExitCode(t *testing.T) {
	t.Parallel()
	tooSlow := []string{"-p", "basicdb.simulatedelay=50", "-p", "basicdb.randomizedelay=false", "--operation-timeout", "1ms"}
	e := runChild(t, child(t, append([]string{"run", "basic", "-P", workloadOf(t), "-p", "operationcount=10", "-p", "updateproportion=0"}, tooSlow...)...))
	if e.code != exitOperations || !strings.Contains(e.errors, "10 of 10 operations did not succeed: 10 × READ DeadlineExceeded") {
		t.Errorf("exit code %d, %q", e.code, e.errors)
	}
	if a, b := e.figure(t, "READ-FAILED", "Operations"), e.figure(t, "READ", "Return=ERROR"); a != "10" || b != "10" {
		t.Errorf("%s failed and %s statuses", a, b)
	}

	e = runChild(t, child(t, append([]string{"load", "basic", "-P", workloadOf(t)}, tooSlow...)...))
	if e.code != exitFailed || !strings.Contains(e.errors, "cannot be loaded, tried 1 times") || e.figure(t, "INSERT-FAILED", "Operations") != "1" {
		t.Errorf("exit code %d, %q", e.code, e.errors)
	}
	e = runChild(t, child(t, append([]string{"load", "basic", "-p", "recordcount=3", "-p", "core_workload_insertion_keep_going_on_error=true"}, tooSlow...)...))
	if e.code != exitFailed || !strings.Contains(e.errors, "0 of 3 records were loaded") || e.figure(t, "INSERT-FAILED", "Operations") != "3" {
		t.Errorf("exit code %d, %q", e.code, e.errors)
	}
}

func TestOperationsThatNeverStartedChangeTheExitCode(t *testing.T) {
	t.Parallel()
	e := runChild(t, child(t, "run", "basic", "-P", workloadOf(t), "--rate", "50", "--max-in-flight", "1", "--duration", "1s", "-p", "operationcount=0",
		"-p", "basicdb.simulatedelay=500", "-p", "basicdb.randomizedelay=false"))
	if e.code != exitOperations && e.code != exitNotValid || !strings.Contains(e.errors, " intended operations never started\n") ||
		!strings.Contains(e.errors, " never started; ") {
		t.Errorf("exit code %d, %q", e.code, e.errors)
	}
}

func TestASignalHidesNothing(t *testing.T) {
	t.Parallel()
	command := child(t, "run", "basic", "-p", "operationcount=0", "--threads", "2", "--interval", "1",
		"-p", "basicdb.simulatedelay=5", "-p", "basicdb.randomizedelay=false", "--operation-timeout", "1ms")
	said, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines, signalled, all := bufio.NewScanner(said), false, ""
	for lines.Scan() {
		if !signalled && strings.Contains(lines.Text(), " operations; ") {
			signalled = true
			if err := command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
		all += lines.Text() + "\n"
	}
	command.Wait() // the exit code says how it went
	if code := command.ProcessState.ExitCode(); code != 143 || !strings.Contains(all, "received terminated") || !strings.Contains(all, "operations did not succeed") {
		t.Errorf("exit code %d, %q", code, all)
	}
}

func TestALoadThatTakesTooLongSaysHowFarItCame(t *testing.T) {
	t.Parallel()
	e := runChild(t, child(t, "load", "basic", "-p", "recordcount=1000000000", "-p", "maxexecutiontime=1", "-p", "basicdb.simulatedelay=2"))
	if e.code != exitFailed || !strings.Contains(e.errors, e.figure(t, "INSERT", "Operations")+" of 1000000000 records were loaded") {
		t.Errorf("exit code %d, %q and\n%s", e.code, e.errors, e.out)
	}
}

func TestExportsAndTheBundleHaveTheSameOperations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	e := runChild(t, child(t, "run", "basic", "-P", workloadOf(t), "-p", "measurement.interval=both", "--rate", "2000", "--bundle", in("bundle"),
		"--export", "ycsb-text", "--export", "ycsb-json="+in("json"), "--export", "hlog="+in("hlog"), "--export", "csv="+in("csv"),
		"-p", "hdrhistogram.fileoutput=true", "-p", "hdrhistogram.output.path="+in("hdr-")))
	e.done(t)
	reads := e.figure(t, "READ", "Operations")

	var entries []struct {
		Metric, Measurement string
		Value               json.Number
	}
	text, err := os.ReadFile(in("json"))
	if err == nil {
		err = json.Unmarshal(text, &entries)
	}
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, entry := range entries {
		found[entry.Metric+" "+entry.Measurement] = entry.Value.String()
	}
	if found["READ Operations"] != reads || found["Intended-READ Operations"] != reads || found["READ Return=OK"] != reads {
		t.Errorf("%s reads, and as JSON %v", reads, found)
	}

	table, err := os.ReadFile(in("csv"))
	if err != nil {
		t.Fatal(err)
	}
	sum := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(string(table)), "\n") {
		fields := strings.Split(line, ",")
		if i == 0 {
			if line != "unix_seconds,phase,operation,outcome,latency,operations,average_us,min_us,max_us,p50_us,p95_us,p99_us" {
				t.Errorf("the table begins with %s", line)
			}
			continue
		}
		n, err := strconv.Atoi(fields[5])
		if err != nil || fields[1] != "measurement" || fields[3] != "ok" {
			t.Errorf("line %d: %s", i+1, line)
		}
		sum[fields[2]+" "+fields[4]] += n
	}
	if got := fmt.Sprint(sum["READ service"]); got != reads || fmt.Sprint(sum["READ response"]) != reads {
		t.Errorf("%s reads, and in the table %v", reads, sum)
	}

	log, err := os.ReadFile(in("hlog"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := filepath.Glob(in("bundle/worker-run-0-*.hlog"))
	if err != nil || len(raw) != 1 {
		t.Fatalf("%v, %v", raw, err)
	}
	if content, err := os.ReadFile(raw[0]); err != nil || !bytes.Equal(content, log) {
		t.Errorf("the log is not the bundle's, %v", err)
	}
	own, err := os.ReadFile(in("hdr-READ.hdr"))
	if err != nil || bytes.Count(own, []byte("HISTFAAAA")) != 1 || bytes.Contains(own, []byte("Tag=")) || !bytes.HasPrefix(own, []byte("#[Logging for: READ]\n")) {
		t.Errorf("READ.hdr, %v:\n%s", err, own)
	}

	again := runChild(t, child(t, "report", in("bundle")))
	if again.code != 0 || !strings.Contains(again.out, `"operation": "READ"`) || !strings.Contains(again.out, `"count": `+reads) {
		t.Errorf("exit code %d, %s reads, and the report\n%s%s", again.code, reads, again.errors, again.out)
	}
}

func TestTheWarmUpIsNeitherCountedNorInTheHistogramLogs(t *testing.T) {
	t.Parallel()
	command := child(t, "run", "basic", "-P", workloadOf(t), "--threads", "2", "--warmup", "1s", "-p", "updateproportion=0", "-p", "operationcount=100",
		"-p", "basicdb.simulatedelay=5", "-p", "hdrhistogram.fileoutput=true", "--bundle", "raw")
	e := runChild(t, command)
	e.done(t)
	if n := e.figure(t, "READ", "Operations"); n != "100" {
		t.Errorf("%s operations", n)
	}
	log, err := os.ReadFile(filepath.Join(command.Dir, "READ.hdr"))
	if err != nil {
		t.Fatal(err)
	}
	_, encoded, _ := strings.Cut(string(log), "HISTFAAAA")
	h, err := hdr.DecodePacked([]byte("HISTFAAAA" + strings.TrimSpace(encoded)))
	if err != nil || h.TotalCount() != 100 {
		t.Errorf("%v, and READ.hdr is\n%s", err, log)
	}
}

func TestAFullDiskLeavesTheFiguresUntilThen(t *testing.T) {
	t.Parallel()
	command := child(t, "run", "basic", "-P", workloadOf(t), "--rate", "200", "--duration", "50s", "-p", "operationcount=0", "-p", "basicdb.simulatedelay=5")
	e := runChild(t, withFullDisk(command))
	if n, err := strconv.Atoi(e.figure(t, "READ", "Operations")); e.code != exitFailed || !strings.Contains(e.errors, "file too large") || n < 1 || err != nil {
		t.Errorf("exit code %d, %d reads, %v: %s", e.code, n, err, e.errors)
	}
}

func TestAFailedStartLeavesNothingInTheBundle(t *testing.T) {
	t.Parallel()
	for name, there := range map[string]bool{"a new folder": false, "an empty folder": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := child(t, "run", "etcd", "-p", "etcd.endpoints=127.0.0.1:1", "-p", "etcd.dial_timeout=200ms", "--bundle", "raw")
			raw := filepath.Join(command.Dir, "raw")
			if there {
				if err := os.Mkdir(raw, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			e := runChild(t, command)
			left, err := os.ReadDir(raw)
			if e.code != exitBadInput || len(left) > 0 || (err == nil) != there {
				t.Errorf("exit code %d, %v is left, %v", e.code, left, err)
			}
		})
	}
}

func TestNoFileIsLeftBehind(t *testing.T) {
	t.Parallel()
	command := child(t, "run", "basic", "-P", workloadOf(t))
	runChild(t, command).done(t)
	leavesNothing(t, command)
}

func TestWithoutAReaderItEndsInOrder(t *testing.T) {
	t.Parallel()
	endless := []string{"basic", "-p", "recordcount=1000000000", "-p", "basicdb.simulatedelay=2", "--interval", "1"}
	verbose := slices.Concat(endless, []string{"-p", "basicdb.verbose=true"})
	for name, c := range map[string]struct {
		args []string
		pipe func(*exec.Cmd) (io.ReadCloser, error)
	}{
		"a run's operations": {append([]string{"run"}, verbose...), (*exec.Cmd).StdoutPipe},
		"a load's inserts":   {append([]string{"load"}, verbose...), (*exec.Cmd).StdoutPipe},
		"lines of progress":  {append([]string{"run"}, endless...), (*exec.Cmd).StderrPipe},
		"a sweep's table":    {append([]string{"sweep", "basic", "-P", workloadOf(t), "--rates", "20,40,50"}, slow...), (*exec.Cmd).StdoutPipe},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := child(t, c.args...)
			from, err := c.pipe(command)
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := from.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			from.Close()
			command.Wait() // the exit code says how it went
			if code := command.ProcessState.ExitCode(); code != 141 {
				t.Errorf("exit code %d", code)
			}
			leavesNothing(t, command)
		})
	}
}

// What YCSB makes of single operations, end to end.
func TestSingleOperationsAreShown(t *testing.T) {
	t.Parallel()
	raw := filepath.Join(t.TempDir(), "raw.csv")
	e := runChild(t, child(t, "run", "basic", "-P", workloadOf(t), "-s=false", "-p", "operationcount=100",
		"-p", "measurementtype=hdrhistogram+raw", "-p", "measurement.raw.output_file="+raw))
	e.done(t)
	text, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^Raw(READ|UPDATE),\d{13},\d+$`).FindAllString(string(text), -1)
	if len(rows) != 100 || e.figure(t, "HdrREAD", "Operations") != e.figure(t, "RawREAD", "Total Operations") {
		t.Errorf("%d rows in\n%s\nbeside\n%s", len(rows), text, e.out)
	}

	e = runChild(t, child(t, "run", "basic", "-P", workloadOf(t), "-s=false", "-p", "operationcount=50", "--target", "100",
		"-p", "measurementtype=timeseries", "-p", "timeseries.granularity=100", "-p", "readproportion=1", "-p", "updateproportion=0"))
	e.done(t)
	if steps := regexp.MustCompile(`(?m)^\[READ\], \d00, `).FindAllString(e.out, -1); len(steps) < 3 {
		t.Errorf("it printed\n%s", e.out)
	}
}
