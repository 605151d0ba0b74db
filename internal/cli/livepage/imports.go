package livepage

import (
	"fmt"
	"io"
	"net/http"
	"path"
	"time"

	"github.com/kvbench/kvbench/internal/cli/compare/text"
	"github.com/kvbench/kvbench/internal/cli/imports"
	"github.com/kvbench/kvbench/internal/imported/hdrlog"
	"github.com/kvbench/kvbench/internal/imported/parse"
)

// Import answers with the document that kubectl kvbench import makes of the file that the page sends, or with the intervals of a log of
// HdrHistogram. The cluster has no part in it.
func Import(w http.ResponseWriter, r *http.Request) {
	content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, parse.MaxBytes))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, err)
		return
	}
	name := path.Base(r.URL.Query().Get("file"))
	if hdrlog.Is(content) {
		log, err := hdrlog.Read(content, name)
		if err != nil {
			refuse(w, http.StatusUnprocessableEntity, fmt.Errorf("as a log of HdrHistogram: %w", text.CleanError(err)))
			return
		}
		answer(w, http.StatusOK, map[string]any{"intervals": log})
		return
	}
	made, err := imports.Document(name, content, time.Now().UTC())
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, text.CleanError(err))
		return
	}
	notKnown := []string{}
	for _, n := range made.NotKnown {
		notKnown = append(notKnown, n.String())
	}
	answer(w, http.StatusOK, map[string]any{"document": made, "notKnown": notKnown})
}
