package livepage

import (
	"io"
	"net/http"
	"path"
	"time"

	"github.com/kvbench/kvbench/internal/cli/compare/text"
	"github.com/kvbench/kvbench/internal/cli/imports"
	"github.com/kvbench/kvbench/internal/imported/parse"
)

// Import answers with the document that kubectl kvbench import makes of the file that the page sends. The cluster has no part in it.
func Import(w http.ResponseWriter, r *http.Request) {
	content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, parse.MaxBytes))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, err)
		return
	}
	made, err := imports.Document(path.Base(r.URL.Query().Get("file")), content, time.Now().UTC())
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
