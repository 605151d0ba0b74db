package cassandra

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"strings"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

// changes are the statements that add what columns are absent, or make the table with them, and
// its keyspace. Each does nothing where it is done already. The table's id comes from its name: of
// a table that two coordinators make at the same time, each with an id of its own, one is left, and
// members that have the other fail from then on (CASSANDRA-10699). A column has no id.
func changes(keyspace, table string, replicas int, absent []string, there bool) []string {
	name := quote(keyspace) + "." + quote(table)
	if there {
		return []string{"ALTER TABLE " + name + " ADD IF NOT EXISTS (" + columnsOf(absent) + ")"}
	}
	return []string{
		fmt.Sprintf("CREATE KEYSPACE IF NOT EXISTS %s WITH replication = {'class': 'NetworkTopologyStrategy', 'replication_factor': %d}", quote(keyspace), replicas),
		fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (%s blob PRIMARY KEY, %s) WITH id = %s", name, keyColumn, columnsOf(absent), tableID(keyspace, table)),
	}
}

func columnsOf(fields []string) string {
	var columns []string
	for _, field := range fields {
		columns = append(columns, quote(field)+" blob")
	}
	return strings.Join(columns, ", ")
}

// tableID is a UUID of version 5 (RFC 9562, section 5.5) whose namespace is none.
func tableID(keyspace, table string) gocql.UUID {
	sum := sha1.Sum([]byte("kvbench " + keyspace + " " + table))
	var id gocql.UUID
	copy(id[:], sum[:])
	id[6], id[8] = id[6]&0x0f|0x50, id[8]&0x3f|0x80
	return id
}

const (
	versionTimeout = 2 * time.Second
	agreePause     = 50 * time.Millisecond
)

// agree waits until all members that can be reached have the same schema. gocql would ask one
// of them, to whom the others' news come by gossip a second later, and wait for those that are
// away.
func (t *tables) agree(ctx context.Context) error {
	for {
		versions, err := t.versions(ctx)
		if err == nil && len(versions) == 1 {
			return nil
		}
		select {
		case <-time.After(agreePause):
		case <-ctx.Done():
			return fmt.Errorf("wait for the members to agree on the schema, of which there are %d versions: %w", len(versions), errors.Join(ctx.Err(), err))
		}
	}
}

// versions are those of the schema that members have.
func (t *tables) versions(ctx context.Context) (versions map[gocql.UUID]bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	members, err := t.members(ctx)
	if err != nil {
		return nil, err
	}
	versions = map[gocql.UUID]bool{}
	for _, member := range members {
		var version gocql.UUID
		err := t.driver.client.Query("SELECT schema_version FROM system.local").SetHostID(member.String()).ScanContext(ctx, &version)
		if err == nil {
			versions[version] = true
		} else if !neverSent(err) { // else it is away
			return nil, err
		}
	}
	return versions, nil
}

// members are the ids of all, as one of them knows them.
func (t *tables) members(ctx context.Context) (ids []gocql.UUID, err error) {
	own, err := t.someone(ctx)
	if err != nil {
		return nil, err
	}
	ids = append(ids, own)
	rows := t.driver.client.Query("SELECT host_id FROM system.peers_v2").SetHostID(own.String()).IterContext(ctx)
	for id := (gocql.UUID{}); rows.Scan(&id); {
		ids = append(ids, id)
	}
	return ids, rows.Close()
}

// someone is the id of a member that answers.
func (t *tables) someone(ctx context.Context) (id gocql.UUID, err error) {
	return id, t.driver.client.Query("SELECT host_id FROM system.local").ScanContext(ctx, &id)
}
