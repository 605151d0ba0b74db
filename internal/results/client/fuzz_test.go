package client

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

type answering func(*http.Request) (*http.Response, error)

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

// Whatever the server answers is an answer or an error, and a refusal is never a success.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []struct {
		status int
		body   string
	}{
		{200, `{"length":5}`}, {200, `{"unixNanos":1}`}, {200, `{"startUnixNanos":1}`}, {204, ""}, {200, ""}, {200, "["},
		{409, `{"error":"x","reason":"Offset","length":-9223372036854775808}`}, {409, `{"reason":"Claimed"}`}, {500, "<html>"}, {302, ""}, {99, ""},
	} {
		f.Add(seed.status, []byte(seed.body))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		c := &Client{
			base: "https://results", token: func() (string, error) { return "t", nil }, now: time.Now,
			http: &http.Client{Transport: answering(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
			}), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		const uid = "11111111-1111-4111-8111-111111111111"
		errs := map[string]error{"claim": c.Claim(ctx, uid, bundle.Writer{}), "end": c.End(ctx, uid, "f", bundle.End{}), "bundle": c.Bundle(ctx, uid, io.Discard)}
		_, errs["append"] = c.Append(ctx, uid, "f", 0, []byte("x"))
		_, errs["state"] = c.State(ctx, uid)
		_, errs["live"] = c.Live(ctx, uid)
		_, errs["time"] = c.Time(ctx)
		_, errs["clock"] = c.EstimateClock(ctx, 2)
		_, errs["start"] = c.StartIn(ctx, uid, "a", time.Second)
		_, errs["await"] = c.AwaitStart(ctx, uid, "a")
		_, errs["report"] = c.MakeReport(ctx, uid)
		for what, err := range errs {
			if err == nil && (status < 200 || status > 299) {
				t.Errorf("%s: status %d is a success", what, status)
			}
			Transient(err)
		}
	})
}
