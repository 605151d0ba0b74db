package hlog

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/stores"
)

const maxUnixSecs = 1 << 32 // the year 2106, so that sums of two fit nanoseconds

// Row is what an interval log has of one second: the latencies of operations of one kind with
// one outcome that were intended in it, or the lags of their sends.
type Row struct {
	At           instant.Unix // the second's begin
	Until        instant.Unix // the end: more than a second later of a writer that was held up
	Lag          bool         // a row of lags has neither operation nor outcome
	Operation    string
	Outcome      string
	Time         timeOf
	Part         bool // of parts of other operations
	encoded      string
	otherSeconds *hdr.PackedHistogram // what of encoded is not of this second; nil for nothing
}

// timeOf says which time of the operations a row holds.
type timeOf int

const (
	ServiceTime  timeOf = iota // from the send
	ResponseTime               // from the intended start
	WaitTime                   // from the intended start to the send
)

// parseRow reads "Tag=READ,<begin s>,<length s>,<max>,<histogram>".
func parseRow(line string) (Row, error) {
	fields := strings.Split(line, ",")
	if len(fields) != 5 || !strings.HasPrefix(fields[0], "Tag=") {
		return Row{}, errors.New("is not tag, begin, length, maximum and histogram")
	}
	row, err := parseTag(strings.TrimPrefix(fields[0], "Tag="))
	if err != nil {
		return Row{}, err
	}
	begin, err := strconv.ParseFloat(fields[1], 64)
	if err != nil || !(begin >= 0 && begin < maxUnixSecs) {
		return Row{}, fmt.Errorf("begin %q is not a Unix time in seconds", fields[1])
	}
	length, err := strconv.ParseFloat(fields[2], 64)
	if err != nil || !(length >= 0 && length < maxUnixSecs) {
		return Row{}, fmt.Errorf("length %q is not a number of seconds", fields[2])
	}
	row.At = instant.Unix(int64(begin) * instant.NanosPerSecond)
	// Times are written in milliseconds, of which sums of seconds may lack a bit.
	row.Until = instant.Unix(int64(math.Round((begin+length)*1000)) * (instant.NanosPerSecond / 1000))
	row.encoded = fields[4]
	return row, nil
}

func parseTag(tag string) (Row, error) {
	if tag == bundle.LagTag {
		return Row{Lag: true}, nil
	}
	row := Row{Outcome: stores.OK.String()}
	operation := tag
	if cut, ok := strings.CutPrefix(tag, bundle.IntendedPrefix); ok {
		operation, row.Time = cut, ResponseTime
	} else if cut, ok := strings.CutPrefix(tag, bundle.WaitPrefix); ok {
		operation, row.Time = cut, WaitTime
	}
	if row.Time != WaitTime {
		operation, row.Part = strings.CutPrefix(operation, bundle.PartPrefix)
	}
	if cut, ok := strings.CutSuffix(operation, bundle.FailedSuffix); ok {
		operation, row.Outcome = cut, stores.Failed.String()
	} else if cut, ok := strings.CutSuffix(operation, bundle.UnknownSuffix); ok {
		operation, row.Outcome = cut, stores.Unknown.String()
	}
	for kind := range stores.NumKinds {
		if kind.String() == operation {
			row.Operation = operation
			return row, nil
		}
	}
	return row, fmt.Errorf("tag %q names no operation", tag)
}

// EncodedBytes is how much of memory the row's histogram takes until it is decoded.
func (r Row) EncodedBytes() int { return len(r.encoded) }

// alike says whether two rows have one tag.
func (r Row) alike(other Row) bool {
	return r.Lag == other.Lag && r.Operation == other.Operation && r.Outcome == other.Outcome && r.Time == other.Time && r.Part == other.Part
}
