package ycsb

import (
	"maps"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
)

// withoutEffect are properties of YCSB's and go-ycsb's clients, workloads and stores that say nothing
// about the work, or what only other stores look at. What has a value is an option for the same.
var withoutEffect = map[string]string{
	"command": "", "db": "", "debug": "", "debug.pprof": "", "dropdata": "", "outputstyle": "", "silence": "", "verbose": "",
	"histogram.percentiles.export": "", "histogram.percentiles.export.filepath": "", "measurement.trackjvm": "",

	// Of YCSB's clients for Bigtable, HBase, Cassandra, Ignite, MongoDB, Accumulo, Oracle NoSQL and GridDB.
	"batchsize": "", "cache": "", "clientbuffering": "", "columnfamily": "", "discardscannedrecord": "", "durability": "", "hosts": "",
	"maxscanrate": "", "port": "", "ports": "", "scanoptimelimit": "", "writebuffersize": "",

	"cassandra.connections": "", "cassandra.connecttimeoutmillis": "cassandra.dial_timeout", "cassandra.coreconnections": "",
	"cassandra.maxconnections": "", "cassandra.readtimeoutmillis": "--operation-timeout", "cassandra.tracing": "",
	"memcached.checkOperationStatus": "", "memcached.failureMode": "", "memcached.opTimeoutMillis": "--operation-timeout",
	"memcached.protocol": "", "memcached.readBufferSize": "", "memcached.shutdownTimeoutMillis": "",
	"redis.idle_timeout": "", "redis.max_conn_age": "", "redis.max_idle_conns": "", "redis.max_redirects": "", "redis.max_retries": "",
	"redis.max_retry_backoff": "", "redis.min_idle_conns": "", "redis.min_retry_backoff": "", "redis.pool_size": "--connections",
	"redis.pool_timeout": "", "redis.read_timeout": "--operation-timeout", "redis.timeout": "--operation-timeout",
	"redis.write_timeout": "--operation-timeout",
}

// otherStores begin the properties of stores that YCSB and go-ycsb have beside those that are here, and
// of HTrace.
var otherStores = strings.Fields(`accumulo aerospike alibaba arangodb as asynchbase azure azurecosmos badger bigtable bolt
	cloudspanner couchbase crail db dynamodb elasticsearch es fdb foundationdb geode gbudb google googlebigtable googlebigtable2 googledatastore griddb hbase htrace
	hypertable infinispan jdbc kudu kudu_table maprdb maprjsondb minio mongodb mysql nosqldb orientdb pegasus postgrenosql rados rest
	riak rocksdb s3 scylla seaweed solr spanner sqlite tarantool tidb tikv url voltdb zookeeper`)

// elsewhere are properties that change what is measured and are said in another way here, by store; those
// of "" for all stores.
var elsewhere = map[string]map[string]string{
	"": {"warmuptime": "the option --warmup"},
	"cassandra": {
		"cassandra.readconsistencylevel": "cassandra.mode", "cassandra.writeconsistencylevel": "cassandra.mode",
	},
	"postgresql": {
		"db.url": "pg.host, pg.port and pg.db", "db.user": "pg.user", "db.passwd": "pg.password",
		"postgrenosql.url": "pg.host, pg.port and pg.db", "postgrenosql.user": "pg.user", "postgrenosql.passwd": "pg.password",
	},
}

// saidElsewhere is how else a property is said for the store; "" where it isn't.
func saidElsewhere(name string, store *stores.Entry) string {
	if how := elsewhere[store.Name][name]; how != "" {
		return how
	}
	return elsewhere[""][name]
}

// ineffective says whether a property is known and has no effect, where the store's own begin with
// that prefix. Those of another store are told as one.
func ineffective(name, ownPrefix string) (told string, ok bool) {
	prefix, _, dotted := strings.Cut(name, ".")
	if dotted && prefix != ownPrefix && (isPrefix(prefix) || slices.Contains(otherStores, prefix)) {
		return prefix + ".*", true
	}
	option, known := withoutEffect[name]
	if option != "" {
		name += " (use " + option + ")"
	}
	return name, known
}

// sayUnused tells of properties without effect, in one line.
func (s *Settings) sayUnused(screen *Screen) {
	if len(s.unused) > 0 {
		screen.say("without effect here: %s", strings.Join(slices.Sorted(maps.Keys(s.unused)), ", "))
	}
}
