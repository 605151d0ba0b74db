package properties

import (
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
)

// withoutEffect has properties of YCSB and go-ycsb that have no effect here. Some say nothing about the
// work. Others are looked at only by stores that aren't here. The value is the option or the property that
// does the same here; "" where there is none.
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

// otherStores has the prefixes of stores that YCSB and go-ycsb have and that aren't here, and the prefix of
// HTrace.
var otherStores = strings.Fields(`accumulo aerospike alibaba arangodb as asynchbase azure azurecosmos badger bigtable bolt
	cloudspanner couchbase crail db dynamodb elasticsearch es fdb foundationdb geode gbudb google googlebigtable googlebigtable2 googledatastore griddb hbase htrace
	hypertable infinispan jdbc kudu kudu_table maprdb maprjsondb minio mongodb mysql nosqldb orientdb pegasus postgrenosql rados rest
	riak rocksdb s3 scylla seaweed solr spanner sqlite tarantool tidb tikv url voltdb zookeeper`)

// elsewhere has properties that change what is measured, and that are set in another way here. They are by
// store; those of "" are of all stores.
var elsewhere = map[string]map[string]string{
	"": {"warmuptime": "the option --warmup"},
	"cassandra": {
		"cassandra.readconsistencylevel":  "cassandra.mode, such as read-one-write-quorum",
		"cassandra.writeconsistencylevel": "cassandra.mode, such as read-one-write-quorum",
	},
	"postgresql": {
		"db.url": "pg.host, pg.port and pg.db", "db.user": "pg.user", "db.passwd": "pg.password",
		"postgrenosql.url": "pg.host, pg.port and pg.db", "postgrenosql.user": "pg.user", "postgrenosql.passwd": "pg.password",
	},
}

// saidElsewhere returns the way in which such a property is set here; "" for any other property.
func saidElsewhere(name string, store *stores.Entry) string {
	if how := elsewhere[store.Name][name]; how != "" {
		return how
	}
	return elsewhere[""][name]
}

// ineffective says whether a property is known and has no effect, and how the user is told of it. The
// properties of the run's own store begin with ownPrefix. All properties of another store are told as one.
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
