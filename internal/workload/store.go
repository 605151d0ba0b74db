package workload

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/stores"
)

// CheckStore says what of the workload the store can't do in that mode, and what to do
// about it.
func (s *Spec) CheckStore(store string, mode *stores.Mode) error {
	in := fmt.Sprintf("%s in its mode %s", store, mode.Name)
	if s.share(stores.Scan) > 0 && mode.Scan == stores.ScanNone {
		return &PropertyError{Name: "scanproportion", Err: fmt.Errorf(
			"%s has no scan, and %.3g %% of the operations are scans; use a preset without them (A, B, C, D or F), or set scanproportion=0",
			in, 100*s.share(stores.Scan))}
	}
	if s.TTL > 0 && !mode.Expires {
		return &PropertyError{Name: "cacheaside.ttl", Err: fmt.Errorf("%s gives records no time to live; leave cacheaside.ttl out", in)}
	}
	if mode.CheckNames != nil {
		if err := mode.CheckNames(s.Table, nil); err != nil {
			return &PropertyError{Name: "table", Err: err}
		}
		if err := mode.CheckNames(s.Table, s.Fields); err != nil {
			return &PropertyError{Name: "fieldnameprefix", Err: fmt.Errorf("%w; fieldnameprefix begins it", err)}
		}
	}
	if mode.MaxFields > 0 && len(s.Fields) > mode.MaxFields {
		return &PropertyError{Name: "fieldcount", Err: fmt.Errorf("%s takes %d fields of a record with one request, and not %d; lower fieldcount", in, mode.MaxFields, len(s.Fields))}
	}
	if mode.CheckFields != nil && s.FieldLengths == Constant {
		if err := mode.CheckFields(len(s.Fields), s.FieldLength); err != nil {
			return &PropertyError{Name: "fieldcount", Err: err}
		}
	}
	if most, largest := mode.MaxRecordBytes, stores.RecordBytes(s.Fields, s.FieldLength); most > 0 && largest > most {
		return &PropertyError{Name: "fieldlength", Err: fmt.Errorf(
			"%s takes records of up to %d bytes, and fieldcount=%d with fieldlength=%d makes some of %d with the fields' names; lower one of the two%s",
			in, most, len(s.Fields), s.FieldLength, largest, mode.OrRaise())}
	}
	return nil
}
