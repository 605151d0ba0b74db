package loadgen

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/scripted"
	"github.com/kvbench/kvbench/internal/workload"
)

// halves answers reads and updates apart.
type halves struct {
	stores.Session
	read, update error
	value        []byte
}

func (h *halves) Do(op *stores.Op) error {
	if op.Kind == stores.Update {
		return h.update
	}
	if h.read == nil {
		value := h.value
		if value == nil {
			value = workload.AppendDeterministic(nil, op.Key, "field0", 10)
		}
		op.Result = append(op.Result[:0], stores.Field{Name: "field0", Value: value})
	}
	return h.read
}

// YCSB sends the update whatever the read found.
func TestAReadModifyWriteUpdatesARecordThatItDidNotFind(t *testing.T) {
	missing := &stores.Error{Outcome: stores.Failed, Code: stores.CodeNotFound, Err: errors.New("no such record"), Answered: true}
	gone := &stores.Error{Outcome: stores.Unknown, Code: "DeadlineExceeded", Err: errors.New("no answer")}
	for _, c := range []struct {
		name  string
		store halves
		want  []string
	}{
		{"found", halves{}, []string{"READ ok", "UPDATE ok", "READ-MODIFY-WRITE ok"}},
		{"not found", halves{read: missing}, []string{"READ failed", "UPDATE ok", "READ-MODIFY-WRITE ok"}},
		{"not found, and no update", halves{read: missing, update: gone}, []string{"READ failed", "UPDATE unknown", "READ-MODIFY-WRITE unknown"}},
		{"neither can be updated", halves{read: missing, update: missing}, []string{"READ failed", "UPDATE failed", "READ-MODIFY-WRITE failed"}},
		{"another record", halves{value: []byte("another")}, []string{"READ failed", "UPDATE ok", "READ-MODIFY-WRITE failed"}},
		{"another record, and no update", halves{value: []byte("another"), update: gone}, []string{"READ failed", "UPDATE unknown", "READ-MODIFY-WRITE unknown"}},
		{"no answer", halves{read: gone}, []string{"READ unknown", "READ-MODIFY-WRITE unknown"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, _, _ := job(t, scripted.Script{}, map[string]string{
				"dataintegrity": "true", "fieldcount": "1", "fieldlength": "10", "readproportion": "0", "updateproportion": "0", "readmodifywriteproportion": "1",
			}, plan.Load{Threads: 1})
			keyspace, err := j.keyspace()
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			stage := &stage{begin: begin, set: record.NewSet(1, begin.UnixNano(), false), errors: newErrorCounts(), timeout: time.Second}
			s := &session{stage: stage, thread: keyspace.NewThread(0), store: &c.store}
			s.closed(s.now())
			var got []string
			in := stage.set.Collect()
			in.Each(func(of record.Row, h *record.Histogram) {
				for range h.Total() {
					got = append(got, fmt.Sprintf("%s %s", of.Kind, of.Outcome))
				}
			})
			if !slices.Equal(got, c.want) || in.Finished != 1 || in.Intended != 1 {
				t.Errorf("%d of %d ended: %q, want %q", in.Finished, in.Intended, got, c.want)
			}
		})
	}
}
