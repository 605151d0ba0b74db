package stores

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// recordFormat is the first byte of an encoded record.
const recordFormat = 1

// EncodeRecord appends the record's encoding to dst, for stores whose value is opaque:
// the format's byte, the number of fields, then name and value of each, with their
// lengths before them (unsigned varints).
func EncodeRecord(dst []byte, fields []Field) []byte {
	dst = append(dst, recordFormat)
	dst = binary.AppendUvarint(dst, uint64(len(fields)))
	for i := range fields {
		dst = binary.AppendUvarint(dst, uint64(len(fields[i].Name)))
		dst = append(dst, fields[i].Name...)
		dst = binary.AppendUvarint(dst, uint64(len(fields[i].Value)))
		dst = append(dst, fields[i].Value...)
	}
	return dst
}

// RecordBytes is the length of the encoding of a record whose values have so many bytes each.
func RecordBytes(names []string, value int64) int64 {
	length := 1 + uvarintBytes(uint64(len(names)))
	for _, name := range names {
		length += uvarintBytes(uint64(len(name))) + int64(len(name)) + uvarintBytes(uint64(value)) + value
	}
	return length
}

// uvarintBytes is how long an unsigned varint is: 7 bits in each byte.
func uvarintBytes(value uint64) int64 { return int64(bits.Len64(value|1)+6) / 7 }

var errShortRecord = errors.New("the record ends early")

// DecodeRecord appends the record's fields to dst. The values point into data. A name
// that dst held at the same place before (beyond its length) is used again instead of
// being allocated, so a caller that passes the same slice, cut to [:0], decodes records
// of one shape without allocating.
//
// data may be anything: what is no record is an error, and costs no more memory than a
// record of that size. dst is returned unchanged then.
func DecodeRecord(dst []Field, data []byte) ([]Field, error) {
	if len(data) == 0 {
		return dst, errors.New("the record is empty")
	}
	if data[0] != recordFormat {
		return dst, fmt.Errorf("the record has format %d instead of %d: another program wrote it", data[0], recordFormat)
	}
	count, rest, err := cutUvarint(data[1:])
	if err != nil {
		return dst, err
	}
	out := dst
	for ; count > 0; count-- {
		var name, value []byte
		if name, rest, err = cutBytes(rest); err != nil {
			return dst, err
		}
		if value, rest, err = cutBytes(rest); err != nil {
			return dst, err
		}
		out = appendField(out, name, value)
	}
	if len(rest) > 0 {
		return dst, fmt.Errorf("%d bytes follow the record", len(rest))
	}
	return out, nil
}

func appendField(out []Field, name, value []byte) []Field {
	n := len(out)
	if n == cap(out) {
		return append(out, Field{Name: string(name), Value: value})
	}
	out = out[:n+1]
	if out[n].Name != string(name) { // compares without allocating
		out[n].Name = string(name)
	}
	out[n].Value = value
	return out
}

// cutBytes takes bytes with their length before them off data.
func cutBytes(data []byte) (taken, rest []byte, err error) {
	length, rest, err := cutUvarint(data)
	if err != nil {
		return nil, nil, err
	}
	if length > uint64(len(rest)) {
		return nil, nil, errShortRecord
	}
	return rest[:length:length], rest[length:], nil
}

func cutUvarint(data []byte) (uint64, []byte, error) {
	value, n := binary.Uvarint(data)
	if n == 0 {
		return 0, nil, errShortRecord
	}
	if n < 0 {
		return 0, nil, errors.New("a length in the record is beyond 64 bits")
	}
	return value, data[n:], nil
}

// AppendFields appends those of the fields that have these names; no names means all.
func AppendFields(dst, fields []Field, names []string) []Field {
	if names == nil {
		return append(dst, fields...)
	}
	for _, name := range names {
		for i := range fields {
			if fields[i].Name == name {
				dst = append(dst, fields[i])
				break
			}
		}
	}
	return dst
}
