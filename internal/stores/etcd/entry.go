// Package etcd drives and observes etcd.
//
// A record is one key, "<table>/<key>", whose value holds all its fields: etcd cannot
// write a part of a value. In the modes with fields it is a key for each field. An operation
// is one request and is never sent again; the client's own retries are off.
package etcd

import "github.com/kvbench/kvbench/internal/stores"

// The modes: which reads the session sends. Writes always go through consensus. With the suffix a record is a key for each field.
const (
	ModeLinearizable = "linearizable"
	ModeSerializable = "serializable"
	fieldsSuffix     = "-fields"
)

// maxRequestBytes is etcd's default of --max-request-bytes. It counts what is written to the log: besides the
// record its key, of 2 KiB at most in a trace, and who asks.
const (
	maxRequestBytes = 3 << 19
	besidesRecord   = 4 << 10
	// requestLimit is the chart's setting of it.
	requestLimit = "max-request-bytes"
	// In the modes with fields each field comes with the record's key, so that it is for short keys.
	besidesFields = 64 << 10
)

// Entry is etcd in the catalog.
func Entry() *stores.Entry {
	return &stores.Entry{
		Name:           "etcd",
		Chart:          "etcd",
		DefaultVersion: "v3.7.3",
		DefaultMode:    ModeLinearizable,
		Modes: []stores.Mode{
			mode(ModeLinearizable, stores.PromiseLinearizable),
			// A member answers from its own state, so a read may be old; what was
			// acknowledged is never lost.
			mode(ModeSerializable, stores.PromiseDurable),
			withFields(mode(ModeLinearizable, stores.PromiseLinearizable)),
			withFields(mode(ModeSerializable, stores.PromiseDurable)),
		},
		ClientPort: 2379, SharesConnections: true,
		NeedsData: "a member that comes back without its data is refused by its cluster",
		// Without one of two there is no majority that could take it in.
		RejoinsFrom: 3,
		Security: stores.Security{
			// Nobody else may compact the history, or take members in.
			Levels: []string{stores.SecurityAuth, stores.SecurityTLS}, User: rootUser,
		},
		Prefix:     "etcd",
		Properties: []string{propertyCA, propertyCert, propertyKey, propertyUser, propertyPassword},
		Secrets:    []string{propertyPassword},
		Open:       Open,
		Observe:    Observe,
	}
}

func mode(name string, promise stores.Promise) stores.Mode {
	return stores.Mode{
		Name: name, Promise: promise,
		Nodes: stores.UpTo(9), Leader: "leader", Container: "etcd",
		Scan: stores.ScanOrdered, WholeRecord: true, Expires: true, MaxRecordBytes: maxRequestBytes - besidesRecord,
		RecordLimit: stores.SettingLimit(requestLimit, maxRequestBytes, besidesRecord),
	}
}

// withFields is the mode with a key for each field.
func withFields(m stores.Mode) stores.Mode {
	m.Name += fieldsSuffix
	m.WholeRecord, m.MaxFields = false, maxFields
	m.MaxRecordBytes = maxRequestBytes - besidesFields
	m.RecordLimit = stores.SettingLimit(requestLimit, maxRequestBytes, besidesFields)
	return m
}
