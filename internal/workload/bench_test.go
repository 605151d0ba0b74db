package workload

import (
	"math"
	"testing"
)

var requestLaws = []string{Uniform, Zipfian, Latest, Exponential, Hotspot, Sequential, Mixgraph}

// BenchmarkRequest is the draw of a record among a million.
func BenchmarkRequest(b *testing.B) {
	for _, law := range requestLaws {
		b.Run(law, func(b *testing.B) {
			k := keyspace(b, map[string]string{"requestdistribution": law}, Share{Records: 1_000_000})
			c := newChooser(k, NewRand(1, "", 0))
			b.ReportAllocs()
			for b.Loop() {
				c.next()
			}
		})
	}
}

// BenchmarkNext is what an operation costs before the store has it: kind, key and values.
func BenchmarkNext(b *testing.B) {
	for _, c := range []struct{ name, properties string }{
		{"read", "updateproportion=0 requestdistribution=zipfian"},
		{"update", "readproportion=0 requestdistribution=zipfian"},
		{"update with dataintegrity", "readproportion=0 requestdistribution=zipfian dataintegrity=true"},
		{"update of 50 MB", "readproportion=0 requestdistribution=zipfian fieldlength=50000000 fieldcount=1"},
		{"insert", "readproportion=0 updateproportion=0 insertproportion=1"},
		{"mixgraph", "updateproportion=0.14 requestdistribution=mixgraph fieldlengthdistribution=pareto"},
	} {
		b.Run(c.name, func(b *testing.B) {
			thread := keyspace(b, properties(c.properties), Share{Records: 1_000_000}).NewThread(0)
			b.ReportAllocs()
			for b.Loop() {
				thread.Next()
				thread.Settle(true)
			}
		})
	}
}

// BenchmarkLatestOfANewThread is the first request of a session after a million inserts.
func BenchmarkLatestOfANewThread(b *testing.B) {
	k := keyspace(b, map[string]string{"requestdistribution": Latest}, Share{Records: 1_000_000})
	k.inserts.known.Store(1_000_000)
	rng := NewRand(1, "", 0)
	b.ReportAllocs()
	for b.Loop() {
		c := newChooser(k, rng)
		c.next()
	}
}

func BenchmarkFailedInsert(b *testing.B) {
	in := newInserts(0, 0, 1)
	b.ReportAllocs()
	for b.Loop() {
		k, _ := in.next()
		in.settle(k, false)
	}
}

func BenchmarkKey(b *testing.B) {
	spec, key, number := &Spec{ZeroPadding: 1}, make([]byte, 0, 64), int64(0)
	b.ReportAllocs()
	for b.Loop() {
		key = spec.AppendKey(key[:0], number)
		number++
	}
}

// BenchmarkPower is the power of a zipfian draw, and the same by math.Pow.
func BenchmarkPower(b *testing.B) {
	for name, power := range map[string]func(float64) float64{
		"ours": power, "math": func(x float64) float64 { return math.Pow(x, alpha) },
	} {
		b.Run(name, func(b *testing.B) {
			x := 0.8
			for b.Loop() {
				if x = power(x) + 0.7; x > 1 {
					x = 0.8
				}
			}
		})
	}
}
