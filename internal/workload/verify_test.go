package workload

import (
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestVerifySeesAnyDifference(t *testing.T) {
	for _, c := range []struct {
		name       string
		properties string
		change     func(fields []stores.Field) []stores.Field
		want       string
	}{
		{"the right record", "", func(f []stores.Field) []stores.Field { return f }, "OK"},
		{"the right field", "readallfields=false", func(f []stores.Field) []stores.Field { return f }, "OK"},
		{"in another order", "", func(f []stores.Field) []stores.Field { f[0], f[9] = f[9], f[0]; return f }, "OK"},
		{"a missing field", "", func(f []stores.Field) []stores.Field { return f[:9] }, "UNEXPECTED_STATE"},
		{"a changed byte", "", func(f []stores.Field) []stores.Field { f[3].Value[50] ^= 1; return f }, "UNEXPECTED_STATE"},
		{"a shorter value", "", func(f []stores.Field) []stores.Field { f[9].Value = f[9].Value[:99]; return f }, "UNEXPECTED_STATE"},
		{"nothing", "", func(f []stores.Field) []stores.Field { return nil }, "ERROR"},
		{"a workload without it", "dataintegrity=false", func(f []stores.Field) []stores.Field { return nil }, ""},
		{"no read", "readproportion=0 deleteproportion=1", func(f []stores.Field) []stores.Field { return nil }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := properties("dataintegrity=true updateproportion=0 " + c.properties)
			thread := keyspace(t, p, Share{Records: 10}).NewThread(0)
			thread.Next()
			op := thread.Op()
			for _, name := range op.Fields {
				op.Result = append(op.Result, stores.Field{Name: name, Value: AppendDeterministic(nil, op.Key, name, 100)})
			}
			op.Result = c.change(op.Result)
			if got := thread.Verify().String(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
