// Package postgresql drives and observes PostgreSQL.
//
// A record is one row, whose key is the primary key. Reads and writes go to the primary; an
// operation is one statement and is never sent again. A table is made by the first insert.
package postgresql

import "github.com/kvbench/kvbench/internal/stores"

// The modes: what a commit waits for, and what a row is made of.
const (
	ModeAsync      = "async"
	ModeSync       = "sync"
	ModeAsyncJSONB = "async-jsonb"
	ModeSyncJSONB  = "sync-jsonb"
)

// Bounds of a record, far below PostgreSQL's own: a message has at most 1 GiB, and the text
// in a jsonb at most 256 MiB, where bytes that are no text take twice their room.
const (
	maxRowBytes   = 256 << 20
	maxJSONBBytes = 64 << 20
)

// Entry is PostgreSQL in the catalog.
func Entry() *stores.Entry {
	return &stores.Entry{
		Name:           "postgresql",
		Chart:          "postgresql",
		DefaultVersion: "15",
		DefaultMode:    ModeAsync,
		Modes: []stores.Mode{
			mode(ModeAsync, false, false), mode(ModeSync, true, false),
			mode(ModeAsyncJSONB, false, true), mode(ModeSyncJSONB, true, true),
		},
		ClientPort: 5432, SharesConnections: true,
		NeedsData:  "a primary that comes back without its data is an empty one, which its standbys cannot follow",
		Security:   stores.Security{Levels: []string{stores.SecurityAuth, stores.SecurityTLS}, User: "postgres"},
		Prefix:     "pg",
		Properties: []string{"host", "port", propertyUser, propertyPassword, propertyDB, propertySSLMode},
		Secrets:    []string{propertyPassword},
		Open:       Open,
		Observe:    Observe,
	}
}

// mode promises the same with standbys and without. There is one primary, which answers all
// reads: a statement sees what committed before it, and a commit is seen, and acknowledged, when
// it is on the primary's disk, with which it returns. What a quorum adds is that others have it
// as well, if that disk is lost.
func mode(name string, synchronous, jsonb bool) stores.Mode {
	maxRecordBytes, fields := int64(maxRowBytes), checkFields
	if jsonb {
		maxRecordBytes, fields = maxJSONBBytes, nil
	}
	return stores.Mode{
		Name: name, Promise: stores.PromiseLinearizable,
		Nodes: stores.UpTo(9), Leader: "primary", FixedLeader: true, Container: "postgresql",
		Values: map[string]any{"synchronous": synchronous},
		Scan:   stores.ScanOrdered, MaxRecordBytes: maxRecordBytes,
		CheckNames:  func(table string, fields []string) error { return checkNames(table, fields, jsonb) },
		CheckFields: fields,
	}
}

// modeOf says what a mode's name means.
func modeOf(name string) (synchronous, jsonb, known bool) {
	switch name {
	case "", ModeAsync:
		return false, false, true
	case ModeSync:
		return true, false, true
	case ModeAsyncJSONB:
		return false, true, true
	case ModeSyncJSONB:
		return true, true, true
	}
	return false, false, false
}
