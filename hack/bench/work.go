package main

import "fmt"

// work is what one run does. Its properties mean the same to all programs.
type work struct {
	store      string
	operation  string // read or update
	threads    int
	operations int64
	records    int64
}

func (w work) String() string {
	return fmt.Sprintf("%s/op=%s/threads=%d/operations=%d", w.store, w.operation, w.threads, w.operations)
}

// properties are YCSB's: one kind of operation on scrambled zipfian keys, records of ten
// fields of 100 bytes. go-ycsb's etcd forgets the fields that an update leaves out, and
// etcd cannot write one alone, so there all of them are written.
func (w work) properties() []string {
	read, update := 1, 0
	if w.operation == "update" {
		read, update = 0, 1
	}
	return []string{
		fmt.Sprintf("recordcount=%d", w.records),
		fmt.Sprintf("operationcount=%d", w.operations),
		fmt.Sprintf("readproportion=%d", read),
		fmt.Sprintf("updateproportion=%d", update),
		"scanproportion=0", "insertproportion=0", "readmodifywriteproportion=0",
		"requestdistribution=zipfian", "fieldcount=10", "fieldlength=100",
		fmt.Sprintf("writeallfields=%t", w.store == "etcd"),
	}
}

var operations = []string{"read", "update"}

func onBasic(n int64, threads []int) (all []work) {
	for _, operation := range operations {
		for _, t := range threads {
			all = append(all, work{store: "basic", operation: operation, threads: t, operations: n, records: 1_000_000})
		}
	}
	return all
}

// memory is a short run and a long one: what a run needs must not grow with it.
func memory(n int64) []work {
	short := work{store: "basic", operation: "update", threads: 64, operations: max(1, n/10), records: 1_000_000}
	long := short
	long.operations = n
	return []work{short, long}
}

func onEtcd(n int64, threads []int) (all []work) {
	for _, operation := range operations {
		for _, t := range threads {
			all = append(all, work{store: "etcd", operation: operation, threads: t, operations: n, records: 10_000})
		}
	}
	return all
}
