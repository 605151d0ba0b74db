package ycsb

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

func unusedBy(t *testing.T, change func(*Command)) (said string) {
	t.Helper()
	var out bytes.Buffer
	settled(t, change).sayUnused(&Screen{Err: &out})
	return out.String()
}

func TestPropertiesWithoutEffectAreToldInOneLine(t *testing.T) {
	for _, c := range []struct {
		name  string
		store string
		pairs string
		want  string
	}{
		{"none", "etcd", "recordcount=5", ""},
		{"YCSB's newest template", "etcd", "maxscanrate=0 scanoptimelimit=0 discardscannedrecord=false columnfamily=family db=site.ycsb.BasicDB",
			"columnfamily, db, discardscannedrecord, maxscanrate, scanoptimelimit"},
		{"stores that are not here", "etcd", "jdbc.driver=x jdbc.fetchsize=10 db.url=x db.user=y mongodb.url=z tikv.pd=a tikv.type=raw mysql.host=b hosts=c",
			"db.*, hosts, jdbc.*, mongodb.*, mysql.*, tikv.*"},
		{"another store that is here", "etcd", "basicdb.verbose=true redis.timeout=5", "basicdb.*, redis.*"},
		{"the clients' own", "basic", "measurement.trackjvm=true htrace.sampler.classes=x dropdata=false silence=true verbose=true outputstyle=plain debug.pprof=:6060",
			"debug.pprof, dropdata, htrace.*, measurement.trackjvm, outputstyle, silence, verbose"},
		{"what is an option here", "redis", "redis.timeout=1000 redis.pool_size=10", "redis.pool_size (use --connections), redis.timeout (use --operation-timeout)"},
		{"of memcached", "memcached", "memcached.opTimeoutMillis=60000 memcached.failureMode=Redistribute", "memcached.failureMode, memcached.opTimeoutMillis (use --operation-timeout)"},
	} {
		want := ""
		if c.want != "" {
			want = "without effect here: " + c.want + "\n"
		}
		if got := unusedBy(t, func(s *Command) { s.Store, s.Pairs = c.store, strings.Fields(c.pairs) }); got != want {
			t.Errorf("%s: said %q, want %q", c.name, got, want)
		}
	}
}

func TestPropertiesOfOtherClientsHaveTheirNamesHere(t *testing.T) {
	for _, c := range []struct{ store, pairs, endpoints, mode string }{
		{"redis", "redis.addr=a:1", "a:1", "async"},
		{"redis", "redis.addr=a:1;b:2 redis.mode=cluster", "a:1 b:2", "cluster"},
		{"redis", "redis.mode=single redis.datatype=hash", "localhost:6379", "async"},
		{"redis", "redis.host=a redis.cluster=true", "a:6379", "cluster"},
		{"redis", "redis.host=a redis.cluster=false", "a:6379", "async"},
		{"memcached", "memcached.hosts=a,b:2,[::1]", "a:11211 b:2 [::1]:11211", "sharded"},
		{"cassandra", "hosts=a,b port=99", "a:99 b:99", "quorum"},
		{"cassandra", "hosts=a, cassandra.endpoints=b:1", "b:1", "quorum"},
		{"cassandra", "cassandra.cluster=a:1,b", "a:1 b:9042", "quorum"},
		{"ignite", "hosts=a port=99", "a:10800", "atomic"},
		{"etcd", "etcd.serializable_reads=true", "localhost:2379", "serializable"},
		{"etcd", "etcd.serializable_reads=false", "localhost:2379", "linearizable"},
	} {
		s := settled(t, func(command *Command) { command.Store, command.Pairs = c.store, strings.Fields(c.pairs) })
		if got := strings.Join(s.addresses, " "); got != c.endpoints || s.mode.Name != c.mode {
			t.Errorf("%s %s: %s in mode %s, want %s in %s", c.store, c.pairs, got, s.mode.Name, c.endpoints, c.mode)
		}
	}
	s := settled(t, pairs("measurement.output_file=x"))
	if s.client.RawFile != "x" || len(s.unused) > 0 {
		t.Errorf("%q and %v", s.client.RawFile, slices.Sorted(maps.Keys(s.unused)))
	}
}

// What changes the work must not be left aside.
func TestPropertiesOfOtherClientsThatChangeTheWorkAreRefused(t *testing.T) {
	for _, c := range []struct{ store, pairs, want string }{
		{"redis", "redis.addr=a:1 redis.endpoints=b:2", `property "redis.addr" says what redis.endpoints does`},
		{"redis", "redis.cluster=true redis.mode=wait", `property "redis.cluster" says what redis.mode does`},
		{"redis", "redis.password=x", "redis has redis.endpoints"},
		{"redis", "redis.datatype=json", `unknown property "redis.datatype"`},
		{"redis", "redis.tls_ca=x", `unknown property "redis.tls_ca"`},
		{"redis", "redis.cluster=yes", `property redis.mode="yes": must be one of`},
		{"cassandra", "cassandra.username=x", `unknown property "cassandra.username"`},
		{"cassandra", "cassandra.readconsistencylevel=ONE", "use cassandra.mode"},
		{"postgresql", "db.url=jdbc:postgresql://a/b", "use pg.host, pg.port and pg.db"},
		{"postgresql", "postgrenosql.passwd=x", "use pg.password"},
		{"etcd", "warmuptime=10", "use the option --warmup"},
		{"etcd", "keyprefix=x", `unknown property "keyprefix"`},
		{"etcd", "threads=5", `did you mean "threadcount"?`},
		{"etcd", "operations=5", `did you mean "operationcount"?`},
		{"etcd", "measurement.interval=10", "use status.interval"},
		{"pg", "a=b", "did you mean postgresql?"},
		{"jdbc", "a=b", "did you mean postgresql?"},
		{"cassandra-cql", "a=b", "did you mean cassandra?"},
		{"memcache", "a=b", "did you mean memcached?"},
		{"mongodb", "a=b", "use one of cassandra, "},
	} {
		_, err := Settle(&Command{Store: c.store, Pairs: strings.Fields(c.pairs), Arrivals: "poisson", OperationTimeout: time.Second})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.store, c.pairs, err, c.want)
		}
	}
}

func TestThreadsThatChangeNothingAreTold(t *testing.T) {
	rate := func(c *Command) { c.Store, c.Rate, c.RateSet = "basic", 5, true }
	for _, c := range []struct {
		name   string
		change func(*Command)
		want   string // of the line
		err    string
	}{
		{"a closed loop", func(c *Command) { c.Options = map[string]string{"threadcount": "5"} }, "", ""},
		{"an open loop without connections", func(c *Command) { rate(c); c.Options = map[string]string{"threadcount": "5"} }, "", "--threads is of a closed loop"},
		{"a property of a file for both", func(c *Command) { rate(c); c.Pairs = []string{"threadcount=5"} }, "without effect here: threadcount\n", ""},
		{"shared connections", func(c *Command) { rate(c); c.Store, c.Options = "redis", map[string]string{"threadcount": "50"} }, "", ""},
		{"no more than shared connections have anyway", func(c *Command) { rate(c); c.Store, c.Options = "redis", map[string]string{"threadcount": "16"} }, "", "--threads is of a closed loop"},
		{"shared connections of a given number", func(c *Command) {
			rate(c)
			c.Store, c.Connections, c.Options = "redis", 5, map[string]string{"threadcount": "50"}
		}, "", "--threads is of a closed loop"},
		{"target, whose threads bound what is under way", func(c *Command) {
			c.Pairs, c.Options = []string{"target=5"}, map[string]string{"threadcount": "50"}
		}, "", ""},
	} {
		if c.err == "" {
			if got := unusedBy(t, c.change); got != c.want {
				t.Errorf("%s: said %q, want %q", c.name, got, c.want)
			}
			continue
		}
		command := &Command{Store: "etcd", Arrivals: "poisson", OperationTimeout: time.Second}
		c.change(command)
		if _, err := Settle(command); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		}
	}
}
