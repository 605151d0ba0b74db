package reporttest

import (
	"bytes"
	"slices"
)

// ByTime has the rows of an interval log in the order in which a worker writes them: second by second.
func ByTime(log []byte) []byte {
	lines := slices.Collect(bytes.Lines(log))
	slices.SortStableFunc(lines, func(a, b []byte) int { return bytes.Compare(RowBegin(a), RowBegin(b)) })
	return slices.Concat(lines...)
}

// RowBegin is the Unix second in which a row begins, as it is written; nil of a line that is no row.
func RowBegin(line []byte) []byte {
	if !bytes.HasPrefix(line, []byte("Tag=")) {
		return nil
	}
	return bytes.Split(line, []byte(","))[1]
}
