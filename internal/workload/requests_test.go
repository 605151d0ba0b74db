package workload

import (
	"maps"
	"math"
	"testing"
	"time"
)

func keyspace(t testing.TB, properties map[string]string, share Share) *Keyspace {
	t.Helper()
	spec, err := Parse(properties, FromRun(nil))
	if err != nil {
		t.Fatal(err)
	}
	if share.Workers == 0 {
		share.Workers = 1
	}
	if share.InsertBase == 0 {
		share.InsertBase = share.Records
	}
	return NewKeyspace(spec, share)
}

func TestZipfConstantsAreThoseOfYCSB(t *testing.T) {
	if math.Abs(zeta2-1.5034777750283594) > 1e-15 {
		t.Errorf("zeta2 = %v", zeta2)
	}
	if z := newScrambledZipf(); math.Abs(z.eta-0.21220003380967417) > 1e-15 {
		t.Errorf("eta = %v", z.eta)
	}
	// The whole sum of YCSB's constant, in a moment; its own rounding is in the 11th digit.
	if got := zetaOf(scrambledItems); math.Abs(got-scrambledZeta) > 1e-7 {
		t.Errorf("zeta of 10^10 = %.14f", got)
	}
	if direct, quick := zetaWith(100_000, 100_000), zetaWith(100_000, 1_000); math.Abs(direct-quick) > 1e-10 {
		t.Errorf("zeta of 100,000 = %.14f, with the formula %.14f", direct, quick)
	}
}

// The ranks are those of the formula: with math.Pow, whose products power takes.
func TestThePowerIsThatOfTheFormula(t *testing.T) {
	rng := NewRand(1, "", 0)
	for _, z := range []zipf{newScrambledZipf(), newZipf(1000), newZipf(1e15)} {
		for range 300_000 {
			x := z.eta*rng.Float64() - z.eta + 1
			exact := math.Pow(x, alpha)
			if got := power(x); math.Abs(got-exact) > 1e-15*exact {
				t.Fatalf("power of %.17g is %.17g, want %.17g", x, got, exact)
			}
			if a, b := int64(float64(z.n)*power(x)), int64(float64(z.n)*exact); a != b && z.n <= scrambledItems {
				t.Errorf("rank %d, want %d (of x = %.17g)", a, b, x)
			}
		}
	}
	if alpha != 99.99999999999991 {
		t.Errorf("alpha = %.17g, in Java 99.99999999999991", alpha)
	}
}

// However a zipf grows, its zeta is what YCSB's is after adding item by item.
func TestAGrownZipfIsTheSumOfAllItems(t *testing.T) {
	for _, c := range []struct{ from, to, step int64 }{
		{2, 50, 1}, {2, 5_000, 5_000}, {1000, 1500, 1}, {1000, 1500, 500}, {999, 1_000_000, 1_000_000},
		{1000, 200_000, 7}, {1000, 200_000, 9}, {1000, 200_000, 1000}, {500_000, 1_500_000, 1_000_000},
	} {
		z := newZipf(c.from)
		want := z.zeta
		for i := c.from + 1; i <= c.to; i++ {
			want += math.Pow(1/float64(i), theta)
		}
		for items := c.from; items < c.to; {
			items = min(c.to, items+c.step)
			z.growTo(items)
		}
		z.growTo(1)
		if math.Abs(z.zeta-want) > 1e-10 || z.n != c.from || z.last != c.to {
			t.Errorf("%+v: zeta %.14f of %d items (n %d), want %.14f", c, z.zeta, z.last, z.n, want)
		}
	}
}

// A session that an outage needs is opened after the inserts of the whole run. What its
// first operation takes is a lag of the generator, so it must not count them again.
func TestTheFirstRequestOfANewThreadDoesNotCountAllInserts(t *testing.T) {
	const inserts = 4_000_000
	k := keyspace(t, map[string]string{"requestdistribution": Latest}, Share{Records: 1000})
	k.inserts.known.Store(inserts)
	begin := time.Now()
	for number := range 100 {
		if v := k.NewThread(number).requests.chooser.next(); v < 0 || v >= 1000+inserts {
			t.Fatalf("drew %d", v)
		}
	}
	// One by one, the terms take 10 s.
	if took := time.Since(begin); took > time.Second {
		t.Errorf("100 threads took %v for their first request", took)
	}
}

func TestTheZipfianRangeIsThatOfYCSB(t *testing.T) {
	for _, c := range []struct {
		name       string
		proportion map[string]string
		records    int64
		operations int64
		beyond     int64
	}{
		{"workload E", map[string]string{"readproportion": "0", "scanproportion": "0.95", "updateproportion": "0", "insertproportion": "0.05"}, 1000, 10_000, 1000},
		{"the defaults stay in place", map[string]string{"insertproportion": "0.05"}, 1000, 10_000, 1000},
		{"proportions in percent", map[string]string{"readproportion": "95", "updateproportion": "0", "insertproportion": "5"}, 1000, 10_000, 100_000},
		{"a part of an operation", map[string]string{"insertproportion": "0.05"}, 1000, 19, 1},
		{"no inserts", nil, 1000, 10_000, 0},
		{"operations not known", map[string]string{"insertproportion": "1"}, 1000, 0, 0},
		{"so many that a draw would never hit", map[string]string{"insertproportion": "1e9"}, 7, 1 << 62, 7 * widest},
	} {
		properties := map[string]string{"requestdistribution": Zipfian}
		maps.Copy(properties, c.proportion)
		k := keyspace(t, properties, Share{Records: c.records, Operations: c.operations})
		if chooser := newChooser(k, NewRand(1, "", 0)); k.expectedInserts != c.beyond || chooser.span != c.records+c.beyond+1 {
			t.Errorf("%s: %d beyond the records, a range of %d, want %d", c.name, k.expectedInserts, chooser.span, c.beyond)
		}
		if costly := k.NewThread(0).HasCostlyWork(); costly != (c.beyond > manyDraws*c.records) {
			t.Errorf("%s: costly work: %v", c.name, costly)
		}
	}
}

func TestNoRequestLeavesTheRecordsThatAreThere(t *testing.T) {
	for _, kind := range []string{Uniform, Zipfian, Latest, Exponential, Hotspot, Sequential, Mixgraph} {
		for _, records := range []int64{1, 2, 3, 10} {
			k := keyspace(t, map[string]string{"requestdistribution": kind, "insertproportion": "1"},
				Share{Records: records, InsertBase: 100, Worker: 1, Workers: 3, Operations: 50, Seed: 3})
			allowed := map[int64]bool{}
			for v := range records {
				allowed[v] = true
			}
			c := newChooser(k, NewRand(1, kind, 0))
			for step := range 2000 {
				if v := c.next(); !allowed[v] {
					t.Fatalf("%s over %d records drew %d", kind, records, v)
				}
				if step%200 == 0 {
					insert, number := k.inserts.next()
					ok := step%400 == 0
					k.inserts.settle(insert, ok)
					allowed[number] = ok
				}
			}
		}
	}
}

func TestWorkersTakeTurnsInASequence(t *testing.T) {
	seen := map[int64]int{}
	for worker := range 3 {
		k := keyspace(t, map[string]string{"requestdistribution": Sequential},
			Share{Records: 9, Worker: worker, Workers: 3})
		c := newChooser(k, NewRand(1, "", 0))
		for range 3 {
			seen[c.next()]++
		}
	}
	for v := range int64(9) {
		if seen[v] != 1 {
			t.Errorf("record %d was asked for %d times", v, seen[v])
		}
	}
}
