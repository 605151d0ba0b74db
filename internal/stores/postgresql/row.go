package postgresql

import "fmt"

// What a row has at most, which is on one page of 8 kB. Of longer values it keeps a pointer to where they
// were moved: "TOAST" of PostgreSQL's manual; MaxHeapTupleSize and TOAST_POINTER_SIZE of its source.
const (
	maxTuple     = 8160
	tupleHeader  = 24
	toastPointer = 18
	neverMoved   = 23 // bytes of a value that the row keeps
)

// checkFields refuses rows that are too wide, of values that can't be compressed, whatever their key is.
func checkFields(fields int, valueBytes int64) error {
	const room = maxTuple - tupleHeader - (1 + neverMoved)
	each := 1 + valueBytes // with its length
	if valueBytes > neverMoved {
		each = toastPointer
	}
	if kept := int64(fields) * each; kept > room {
		return fmt.Errorf("postgresql: of a record with fieldcount=%d and fieldlength=%d, a row keeps %d bytes even where values are moved out of it, and its page has room for %d; lower fieldcount to %d, or use a mode with jsonb",
			fields, valueBytes, kept, room, room/each)
	}
	return nil
}
