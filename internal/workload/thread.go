package workload

import (
	"math/rand/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// Thread makes the operations of one session. It is not for concurrent use, and what it
// returns is valid until the next call.
type Thread struct {
	shared   *Keyspace
	spec     *Spec
	mix      *Spec // of the kinds of operations: spec, or another one
	rng      *rand.Rand
	requests requests
	bounds   [stores.NumKinds]float64 // cumulative weights, ending at 1

	op      stores.Op
	key     []byte // of a record to insert
	values  []stores.Field
	text    []byte // deterministic values
	field   [1]string
	scratch []byte
	insert  int64 // the worker's insert that op is, or -1

	manyDraws bool // are made for a request

	recorded int64 // the size of a request that is replayed, or -1
}

// NewThread is thread number of the worker; every number draws its own sequence.
func (k *Keyspace) NewThread(number int) *Thread { return k.NewThreadOf(number, k.spec) }

// NewThreadOf is NewThread with the kinds of operations of another workload. The workload of the key space has these as well.
func (k *Keyspace) NewThreadOf(number int, mix *Spec) *Thread {
	rng := NewRand(k.share.Seed, "operations", k.share.Worker<<24+number)
	t := &Thread{
		shared:   k,
		spec:     k.spec,
		mix:      mix,
		rng:      rng,
		requests: newRequests(k, rng),
		// What each operation writes has memory that no other thread's is beside.
		key:    newKey(k.spec),
		values: make([]stores.Field, 0, max(16, len(k.spec.Fields))),
		insert: -1,

		recorded: -1,

		manyDraws: k.spec.Requests == Zipfian && k.expectedInserts > manyDraws*k.part.count,
	}
	var sum float64
	for kind := range t.bounds {
		sum += mix.share(stores.Kind(kind))
		t.bounds[kind] = sum
	}
	t.op.Table = k.spec.Table
	t.op.WantResult = k.spec.DataIntegrity
	return t
}

// Next draws the next operation's kind and key. For ReadModifyWrite, Op and then Update
// give its two parts; for every other kind Op is the operation.
func (t *Thread) Next() stores.Kind {
	kind := t.kind()
	t.insert = -1
	if kind == stores.Insert {
		var number int64
		t.insert, number = t.shared.inserts.next()
		t.key = t.spec.AppendKey(t.key[:0], number)
		t.op.Key = t.key
	} else {
		t.op.Key = t.requests.next()
	}
	t.op.Fields = nil
	t.op.Values = nil
	t.op.Count = 0
	switch kind {
	case stores.Read, stores.ReadModifyWrite:
		t.op.Kind = stores.Read
		t.chooseFields()
		if kind == stores.Read && t.spec.ReadAllFields && (t.spec.DataIntegrity || t.spec.ReadFieldsByName) {
			t.op.Fields = t.spec.Fields // in YCSB, a read alone asks by name
		}
	case stores.Scan:
		t.op.Kind = stores.Scan
		t.op.Count = t.scanLength()
		t.chooseFields()
	case stores.Update:
		t.Update()
	case stores.Insert:
		t.op.Kind = stores.Insert
		t.fillAll()
	case stores.Delete:
		t.op.Kind = stores.Delete
	}
	return kind
}

// Op is the operation to do.
func (t *Thread) Op() *stores.Op { return &t.op }

// Update makes Op an update of the key of the last operation.
func (t *Thread) Update() {
	t.op.Kind = stores.Update
	t.op.Fields = nil
	if t.recorded >= 0 {
		t.fillRecorded()
		return
	}
	if t.spec.WriteAllFields || t.shared.share.WholeRecord {
		t.fillAll()
		return
	}
	t.clear()
	t.fill(t.rng.IntN(len(t.spec.Fields)))
	t.op.Values = t.values
}

// Load makes Op the insert of a record by its key number.
func (t *Thread) Load(number int64) *stores.Op {
	t.key = t.spec.AppendKey(t.key[:0], number)
	t.op.Kind, t.op.Key, t.op.Fields, t.insert = stores.Insert, t.key, nil, -1
	t.fillAll()
	return &t.op
}

// Settle says how the last operation ended, which decides whether an inserted record may
// be asked for.
func (t *Thread) Settle(ok bool) {
	if t.insert >= 0 {
		t.shared.inserts.settle(t.insert, ok)
		t.insert = -1
	}
}

// Fill makes Op the insert of the record that the last operation did not find, if the
// workload is one of a cache aside, and reports whether it did.
func (t *Thread) Fill() bool {
	if !t.spec.CacheAside || t.op.Kind != stores.Read {
		return false
	}
	t.op.Kind, t.op.Fields = stores.Insert, nil
	t.fillAll()
	return true
}

func (t *Thread) kind() stores.Kind {
	u := t.rng.Float64()
	for kind, bound := range t.bounds {
		if u < bound {
			return stores.Kind(kind)
		}
	}
	// The weights' sum may miss 1 by a rounding error: the last kind that has a weight.
	for kind := stores.NumKinds; kind > 0; kind-- {
		if t.mix.Weights[kind-1] > 0 {
			return kind - 1
		}
	}
	return stores.Read
}

func (t *Thread) chooseFields() {
	if !t.spec.ReadAllFields {
		t.field[0] = t.spec.Fields[t.rng.IntN(len(t.spec.Fields))]
		t.op.Fields = t.field[:]
	}
}

func (t *Thread) scanLength() int {
	low, span := t.spec.MinScanLength, t.spec.MaxScanLength-t.spec.MinScanLength+1
	switch t.spec.ScanLengths {
	case Zipfian:
		return int(low + min(span-1, t.shared.scanZipf.next(t.rng, span)))
	case Pareto:
		return int(low - 1 + t.shared.scanPareto.next(t.rng))
	}
	return int(low + t.rng.Int64N(span))
}

func (t *Thread) fieldLength() int64 {
	low, span := t.spec.MinFieldLength, t.spec.FieldLength-t.spec.MinFieldLength+1
	switch t.spec.FieldLengths {
	case Uniform:
		return low + t.rng.Int64N(span)
	case Zipfian:
		return low + min(span-1, t.shared.fieldZipf.next(t.rng, span))
	case Histogram:
		return t.spec.LengthHistogram.next(t.rng)
	case Pareto:
		return low - 1 + t.shared.fieldPareto.next(t.rng)
	}
	return t.spec.FieldLength
}

func (t *Thread) clear() { t.values, t.text = t.values[:0], t.text[:0] }

func (t *Thread) fillAll() {
	t.clear()
	for i := range t.spec.Fields {
		t.fill(i)
	}
	t.op.Values = t.values
}

// fill appends one field with a value: a cut of the arena, which costs no copy.
func (t *Thread) fill(i int) {
	length := t.fieldLength()
	field := stores.Field{Name: t.spec.Fields[i]}
	if t.spec.DataIntegrity {
		from := len(t.text)
		t.text = AppendDeterministic(t.text, t.op.Key, field.Name, length)
		field.Value = t.text[from:]
	} else {
		field.Value = t.cut(length)
	}
	t.values = append(t.values, field)
}

// cut is a random cut of the arena.
func (t *Thread) cut(length int64) []byte {
	from := t.rng.Int64N(int64(len(t.shared.arena)) - length + 1)
	return t.shared.arena[from : from+length]
}
