package basic

import (
	"strconv"

	"github.com/kvbench/kvbench/internal/stores"
)

// appendOperation appends the line that YCSB's BasicDB prints for the operation.
func appendOperation(dst []byte, op *stores.Op) []byte {
	dst = append(dst, op.Kind.String()...)
	dst = append(append(dst, ' '), op.Table...)
	dst = append(append(dst, ' '), op.Key...)
	switch op.Kind {
	case stores.Scan:
		dst = strconv.AppendInt(append(dst, ' '), int64(op.Count), 10)
		dst = appendNames(dst, op.Fields)
	case stores.Read:
		dst = appendNames(dst, op.Fields)
	case stores.Insert, stores.Update:
		dst = appendValues(dst, op.Values)
	}
	return append(dst, '\n')
}

func appendNames(dst []byte, names []string) []byte {
	dst = append(dst, " [ "...)
	if names == nil {
		return append(dst, "<all fields>]"...)
	}
	for _, name := range names {
		dst = append(append(dst, name...), ' ')
	}
	return append(dst, ']')
}

func appendValues(dst []byte, values []stores.Field) []byte {
	dst = append(dst, " [ "...)
	for i := range values {
		dst = append(append(dst, values[i].Name...), '=')
		dst = append(append(dst, values[i].Value...), ' ')
	}
	return append(dst, ']')
}
