package trace

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/stores"
)

// CheckStore says what of the trace the store can't do in that mode. Values that are written
// are those of a record of this field alone.
func (s Summary) CheckStore(store string, mode *stores.Mode, field string) error {
	in := fmt.Sprintf("%s in its mode %s", store, mode.Name)
	if s.Scans > 0 && mode.Scan == stores.ScanNone {
		return fmt.Errorf("%d of its %d requests are scans, and %s has none: take these rows out", s.Scans, s.Rows, in)
	}
	if most, largest := mode.MaxRecordBytes, stores.RecordBytes([]string{field}, s.Largest); most > 0 && largest > most {
		return fmt.Errorf("its largest value has %d bytes, which makes a record of %d, and %s takes up to %d: take such rows out, or make their size smaller%s",
			s.Largest, largest, in, most, mode.OrRaise())
	}
	return nil
}
