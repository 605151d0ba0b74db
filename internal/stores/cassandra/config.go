package cassandra

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// propertyKeyspace is the property with the keyspace's name.
const (
	propertyKeyspace = "keyspace"
	defaultKeyspace  = "ycsb" // as in YCSB
)

const (
	// connectTimeout bounds the connecting to a member, and the introduction to one that asks for nothing.
	connectTimeout = 2 * time.Second
	// introductionTimeout bounds it where members look at a password, or at certificates: a member
	// that has just started has to do that for all clients at once. Who gave up and came again would make
	// it longer.
	introductionTimeout = 20 * time.Second
	// silence is how long what was sent may stay without an acknowledgement of the other side's
	// kernel: a member that is cut off, or whose address is gone, answers nothing for ever.
	silence = 2 * time.Second
	// reconnectInterval is how soon a member that is away is tried again.
	reconnectInterval = 100 * time.Millisecond
	// requestTimeout is far above the deadlines of operations, which are their contexts'.
	requestTimeout = 5 * time.Minute
	// protocol is the native protocol's version, of Cassandra 4.0 and later.
	protocol = 5
)

// settings are what a driver is told.
type settings struct {
	cluster  *gocql.ClusterConfig
	levels   levels
	keyspace string
	replicas int
	ttl      int // in seconds; 0 is for ever
}

// keyspaceName is what Cassandra takes without quotes or with them.
var keyspaceName = regexp.MustCompile(`^[a-zA-Z0-9_]{1,48}$`)

func settingsOf(cfg stores.Config) (settings, error) {
	read, write, known := levelsOf(cfg.Mode)
	if !known {
		return settings{}, fmt.Errorf("cassandra: unknown mode %.80q: use %s, %s, %s, or %s", cfg.Mode, ModeOne, ModeQuorum, ModeAll, derivedModes)
	}
	if len(cfg.Addresses) == 0 {
		return settings{}, errors.New("cassandra: no member is named")
	}
	keyspace := defaultKeyspace
	for name, value := range cfg.Properties {
		if name != propertyKeyspace {
			return settings{}, fmt.Errorf("cassandra: property cassandra.%s is not one of the store's", name)
		}
		if keyspace = value; !keyspaceName.MatchString(value) {
			return settings{}, fmt.Errorf("cassandra: property cassandra.keyspace=%.80q: use 1 to 48 letters, digits and underscores", value)
		}
	}
	cluster, err := clusterOf(read.ofOwnTables(), cfg.Credentials, cfg.Addresses...)
	if err != nil {
		return settings{}, err
	}
	// gocql heeds no context while it writes, and a member that is cut off takes nothing.
	cluster.WriteTimeout = cfg.Timeout
	if cfg.Connections > 0 {
		cluster.NumConns = cfg.Connections
	}
	return settings{
		cluster: cluster, levels: levels{read.consistency, write.consistency}, keyspace: keyspace,
		replicas: min(maxReplicas, len(cfg.Addresses)), ttl: wholeSeconds(cfg.TTL),
	}, nil
}

// wholeSeconds is a time to live that is never too short: Cassandra cuts the moment of a write
// to the second before it.
func wholeSeconds(ttl time.Duration) int {
	if ttl <= 0 {
		return 0
	}
	return int((ttl+time.Second-1)/time.Second) + 1
}

// clusterOf is a client of these members, and of those that they name. It sends nothing again,
// and to one member alone: without a policy for them gocql has no retries, and no speculative
// execution. Of members that are up it learns by its own connections: by others' word a sound
// connection would be ended. It writes no log.
func clusterOf(level gocql.Consistency, credentials *stores.Credentials, addresses ...string) (*gocql.ClusterConfig, error) {
	cluster := gocql.NewCluster(addresses...)
	cluster.ProtoVersion = protocol
	cluster.Consistency = level
	cluster.Timeout, cluster.ConnectTimeout = requestTimeout, connectTimeout
	cluster.WriteCoalesceWaitTime = 0 // which would be a part of each latency
	cluster.ReconnectInterval = reconnectInterval
	cluster.ReconnectionPolicy = &gocql.ConstantReconnectionPolicy{MaxRetries: 1, Interval: reconnectInterval}
	cluster.Events.DisableNodeStatusEvents = true
	cluster.Metadata.CacheMode = gocql.KeyspaceOnly
	cluster.MaxWaitSchemaAgreement = time.Nanosecond // see agree
	cluster.Logger = gocql.NewLogger(gocql.LogLevelNone)
	return cluster, secure(cluster, credentials, addresses)
}
