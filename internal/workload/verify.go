package workload

import "github.com/kvbench/kvbench/internal/stores"

// Verification is what dataintegrity says of a read. Its names are those of YCSB's VERIFY.
type Verification uint8

// The verifications.
const (
	// Unverified: the workload doesn't ask for it, or the operation was no read.
	Unverified Verification = iota
	Verified
	// Mismatch: a field is missing or has another value. YCSB does not see missing ones.
	Mismatch
	// Nothing: there is no field at all.
	Nothing
)

var verificationNames = [...]string{"", "OK", "UNEXPECTED_STATE", "ERROR"}

// String is YCSB's status.
func (v Verification) String() string { return verificationNames[v] }

// Verify compares what a successful read brought back with what dataintegrity says.
func (t *Thread) Verify() Verification {
	if !t.spec.DataIntegrity || t.op.Kind != stores.Read {
		return Unverified
	}
	want := len(t.spec.Fields)
	if !t.spec.ReadAllFields {
		want = 1
	}
	switch len(t.op.Result) {
	case want:
	case 0:
		return Nothing
	default:
		return Mismatch
	}
	for _, field := range t.op.Result {
		same, scratch := IsDeterministic(t.scratch, t.op.Key, field.Name, field.Value, t.spec.FieldLength)
		t.scratch = scratch
		if !same {
			return Mismatch
		}
	}
	return Verified
}
