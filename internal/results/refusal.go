package results

import (
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/internal/results/wire"
)

// A refusal is an error that the caller is told about; any other error is the server's
// own, and the caller learns only that.
type refusal struct {
	reason  wire.Reason
	message string
	length  int64
}

func (r *refusal) Error() string { return r.message }

func refuse(reason wire.Reason, format string, args ...any) *refusal {
	return &refusal{reason: reason, message: fmt.Sprintf(format, args...)}
}

// at adds the length of the file in question, so that its writer can go there.
func (r *refusal) at(length int64) *refusal {
	r.length = length
	return r
}

var statuses = map[wire.Reason]int{
	wire.ReasonInvalid:         http.StatusBadRequest,
	wire.ReasonUnauthenticated: http.StatusUnauthorized,
	wire.ReasonForbidden:       http.StatusForbidden,
	wire.ReasonNotFound:        http.StatusNotFound,
	wire.ReasonTooLarge:        http.StatusRequestEntityTooLarge,
	wire.ReasonUnmergeable:     http.StatusUnprocessableEntity,
	wire.ReasonFull:            http.StatusInsufficientStorage,
	wire.ReasonUnavailable:     http.StatusServiceUnavailable,
	wire.ReasonMerging:         http.StatusServiceUnavailable,
	wire.ReasonInternal:        http.StatusInternalServerError,
	wire.ReasonDiffers:         http.StatusConflict,
	wire.ReasonClaimed:         http.StatusConflict,
	wire.ReasonOffset:          http.StatusConflict,
	wire.ReasonEnded:           http.StatusConflict,
	wire.ReasonDigest:          http.StatusConflict,
	wire.ReasonReported:        http.StatusConflict,
	wire.ReasonInUse:           http.StatusConflict,
}

// explain turns any error into what the caller is told.
func explain(err error) *refusal {
	var told *refusal
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &told):
		return told
	case errors.As(err, &tooLarge):
		return refuse(wire.ReasonTooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return refuse(wire.ReasonFull, "the results server's volume is full: enlarge it, or lower results.keepBytes or results.keepAge of kvbench's chart")
	default:
		return refuse(wire.ReasonInternal, "the results server failed; its log says why")
	}
}
