package livepage

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/kvbench/kvbench/internal/cli/livepage/points"
)

// mostPosted bounds one post of points, in bytes.
const mostPosted = 16 << 20

// Feeds serves the points that programs post.
func Feeds(mux *http.ServeMux) {
	feeds := points.New()
	mux.HandleFunc("GET /points.json", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]any{"feeds": feeds.List()})
	})
	mux.HandleFunc("POST /points/{name}", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostPosted))
		if err != nil {
			refuse(w, http.StatusRequestEntityTooLarge, fmt.Errorf("a post has %d bytes at most: %w", mostPosted, err))
			return
		}
		added, err := feeds.Add(r.PathValue("name"), text)
		if err != nil {
			refuse(w, http.StatusUnprocessableEntity, err)
			return
		}
		answer(w, http.StatusOK, map[string]int{"points": added})
	})
	mux.HandleFunc("GET /points/{name}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		err := feeds.Follow(r.Context(), r.PathValue("name"), w, http.NewResponseController(w).Flush)
		if errors.Is(err, points.ErrNone) { // any other one says that the browser has gone
			refuse(w, http.StatusNotFound, err)
		}
	})
}
