package helm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// answers are given one after another; 0 is an error on the way.
type answers struct {
	codes []int
	asked int
}

var errLost = errors.New("connection reset")

func (a *answers) RoundTrip(*http.Request) (*http.Response, error) {
	code := a.codes[a.asked]
	a.asked++
	if code == 0 {
		return nil, errLost
	}
	return &http.Response{StatusCode: code, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

func TestReadsAreTriedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		method string
		codes  []int
		asked  int
		want   int // 0 is an error
	}{
		"all is well":          {http.MethodGet, []int{200}, 1, 200},
		"lost once":            {http.MethodGet, []int{0, 200}, 2, 200},
		"lost and in trouble":  {http.MethodGet, []int{0, 500, 503, 200}, 4, 200},
		"in trouble for long":  {http.MethodGet, []int{500, 500, 500, 500, 200}, 4, 500},
		"lost for long":        {http.MethodGet, []int{0, 0, 0, 0, 200}, 4, 0},
		"not there":            {http.MethodGet, []int{404, 200}, 1, 404},
		"a write in trouble":   {http.MethodPatch, []int{500, 200}, 1, 500},
		"a deletion that fell": {http.MethodDelete, []int{0, 200}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := &answers{codes: c.codes}
				request, err := http.NewRequestWithContext(t.Context(), c.method, "https://api", http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				response, err := reads{script}.RoundTrip(request)
				got := 0
				if err == nil {
					got = response.StatusCode
					response.Body.Close()
				}
				if got != c.want || script.asked != c.asked {
					t.Errorf("status %d (%v) after %d requests, want %d after %d", got, err, script.asked, c.want, c.asked)
				}
			})
		})
	}
}

func TestAReadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://api", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	script := &answers{codes: []int{500, 200}}
	response, err := reads{script}.RoundTrip(request)
	if err == nil {
		response.Body.Close()
	}
	if !errors.Is(err, context.Canceled) || script.asked != 1 {
		t.Errorf("%v after %d requests", err, script.asked)
	}
}
