package stores

import (
	"fmt"
	"slices"
	"strings"
)

// Promise is what a mode promises of an operation that it acknowledged. Every verdict on a
// store goes by this one statement.
type Promise string

// Promises, each weaker than the one before.
const (
	// PromiseLinearizable: operations take effect one after the other, each between its
	// request and its answer.
	PromiseLinearizable Promise = "Linearizable"
	// PromiseDurable: an acknowledged write is never lost; a read may be old.
	PromiseDurable Promise = "Durable"
	// PromiseEventual: members agree in the end; a fault may lose acknowledged writes.
	PromiseEventual Promise = "Eventual"
	// PromiseNone: what was written may be gone at any time.
	PromiseNone Promise = "None"
)

// ReadsAreFresh says that a read sees every write that was acknowledged before it.
func (p Promise) ReadsAreFresh() bool { return p == PromiseLinearizable }

// KeepsAcknowledged says that no fault which the mode survives loses an acknowledged write.
func (p Promise) KeepsAcknowledged() bool {
	return p == PromiseLinearizable || p == PromiseDurable
}

// promises are those above, from the strongest on.
var promises = []Promise{PromiseLinearizable, PromiseDurable, PromiseEventual, PromiseNone}

// Weakening is a setting of the chart, settings.<Setting> in its values, that takes something from what
// a mode promises.
type Weakening struct {
	Setting, Value string
	Promise        Promise
}

// Order is that of the records which a scan returns.
type Order uint8

// The orders.
const (
	ScanNone         Order = iota // the store has no scan
	ScanOrdered                   // by key
	ScanTokenOrdered              // by a hash of the key: as many records, but not those that follow
)

// Mode is a way to use a store: what it promises, and what it can do.
type Mode struct {
	Name    string
	Promise Promise
	// PromiseElsewhere is what it promises of members that kvbench did not deploy, where that is less; "" is where it isn't.
	PromiseElsewhere Promise
	// Weakenings are the settings that a run may choose and with which it promises less.
	Weakenings []Weakening
	// Nodes are the numbers of members that it can have, ascending.
	Nodes []int
	// Leader is what the one member is called that all others follow: leader, primary or
	// master. Where it is empty no member leads all others, and no fault can aim at one that does.
	Leader string
	// SurvivesFrom is how many members it needs to go on without any one of them, where members
	// take each other's place and none leads all; 0 is where they don't.
	SurvivesFrom int
	// FixedLeader says that the leader is always the same member: while it is away there is
	// none.
	FixedLeader bool
	// Container is the one of a member's pod that a ContainerKill ends.
	Container string
	// Values are those of the chart that make the mode; a run can't set them.
	Values map[string]any
	Scan   Order
	// ListsKeys says that a store without a scan knows its keys all the same: one table can be
	// emptied.
	ListsKeys bool
	// WholeRecord says that a record is one value: an update rewrites all its fields.
	WholeRecord bool
	// Expires says that a record can be given a time to live.
	Expires bool
	// BlindDeletes says that a delete doesn't tell whether there was a record.
	BlindDeletes bool
	// InMemory says that a member's data ends with its process: there is no storage to ask for.
	InMemory bool
	// Share is the part of all records that each of so many members keeps on its volume, on average, with
	// these values of the chart; nil is all of them.
	Share func(nodes int, values map[string]any) float64
	// NoAuth says, as the end of a sentence, why members that are deployed in this mode can't have
	// SecurityAuth although the store has it; "" is where they can.
	NoAuth string
	// CheckNames says what of a workload's names the table, or one of its fields, can't have; nil is
	// where they can have all.
	CheckNames func(table string, fields []string) error
	// CheckFields says how many fields of so many bytes each a record can't have; nil is where
	// MaxRecordBytes alone bounds them.
	CheckFields func(fields int, valueBytes int64) error
	// MaxFields bounds the fields of a record; 0 is no bound.
	MaxFields int
	// MaxRecordBytes bounds a record, as EncodeRecord makes it where it is one value; 0 is
	// no bound.
	MaxRecordBytes int64
	// RecordLimit is the setting of the chart that bounds a record; nil is where none does. MaxRecordBytes is
	// the bound with the setting's default.
	RecordLimit *RecordLimit
	// RaiseRecord is the value of the chart that raises MaxRecordBytes; "" is where no run can. With sets it.
	RaiseRecord string
}

// RecordLimit is a setting of the chart, settings.<Setting> in its values, that bounds a record.
type RecordLimit struct {
	Setting string
	// Bytes are the bound with these settings of the chart, of which each may be left out. Their values are as JSON has them, and the
	// chart's schema refuses what makes no sense.
	Bytes func(settings map[string]any) int64
	// Besides is how many of the bytes something else takes than the record.
	Besides int64
}

// SettingLimit is a setting that is a number of bytes, with its default.
func SettingLimit(setting string, otherwise, besides int64) *RecordLimit {
	return &RecordLimit{Setting: setting, Besides: besides, Bytes: func(settings map[string]any) int64 {
		if set, ok := settings[setting].(float64); ok {
			return int64(set)
		}
		return otherwise
	}}
}

// OrRaise ends a sentence that advises to make records smaller, where the store can be told to take larger ones.
func (m *Mode) OrRaise() string {
	if m.RaiseRecord == "" {
		return ""
	}
	return ", or raise " + m.RaiseRecord + " of the store"
}

// With is the mode with these values of the chart. Its record is bounded by what they set.
func (m *Mode) With(values map[string]any) *Mode {
	limit := m.RecordLimit
	if limit == nil {
		return m
	}
	with := *m
	with.RaiseRecord = "settings." + limit.Setting
	settings, _ := values["settings"].(map[string]any)
	with.MaxRecordBytes = max(1, limit.Bytes(settings)-limit.Besides) // 0 would be no bound
	return &with
}

// PromiseWith is what the mode promises with these values of the chart.
func (m *Mode) PromiseWith(values map[string]any) Promise {
	promise := m.Promise
	settings, _ := values["settings"].(map[string]any)
	for _, w := range m.Weakenings {
		if settings[w.Setting] == w.Value && slices.Index(promises, w.Promise) > slices.Index(promises, promise) {
			promise = w.Promise
		}
	}
	return promise
}

// Elects says that another member takes the place of a leader that is away.
func (m *Mode) Elects() bool { return m.Leader != "" && !m.FixedLeader }

// Survives says that with so many members it goes on, by itself, without any one of them.
func (m *Mode) Survives(nodes int) bool {
	return m.Elects() && nodes > 2 || m.SurvivesFrom > 0 && nodes >= m.SurvivesFrom
}

// ResetsOneTable says that one table can be emptied, and others be left alone.
func (m *Mode) ResetsOneTable() bool { return m.Scan != ScanNone || m.ListsKeys }

// UpTo are all numbers of members from 1 to most.
func UpTo(most int) []int {
	nodes := make([]int, most)
	for i := range nodes {
		nodes[i] = i + 1
	}
	return nodes
}

// DescribeNodes says how many members the mode can have: "1 to 9" or "3, 5 or 7".
func (m *Mode) DescribeNodes() string {
	last := len(m.Nodes) - 1
	if last < 0 {
		return "no"
	}
	if m.Nodes[last]-m.Nodes[0] == last && last > 1 {
		return fmt.Sprintf("%d to %d", m.Nodes[0], m.Nodes[last])
	}
	var numbers []string
	for _, n := range m.Nodes {
		numbers = append(numbers, fmt.Sprint(n))
	}
	if last == 0 {
		return numbers[0]
	}
	return strings.Join(numbers[:last], ", ") + " or " + numbers[last]
}

// CanHave says whether the mode works with so many members.
func (m *Mode) CanHave(nodes int) bool { return slices.Contains(m.Nodes, nodes) }
