package livepage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/cli/compare"
	"github.com/kvbench/kvbench/internal/cli/initialize"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/remove"
	"github.com/kvbench/kvbench/internal/cli/run"
)

// mostManifest bounds a resource that the page sends, in bytes. The API server takes no larger one.
const mostManifest = 1 << 20

// draft answers with a first run that has the answers of the form.
func (s *Server) draft(w http.ResponseWriter, r *http.Request) {
	var form struct {
		Name    string            `json:"name"`
		Answers map[string]string `json:"answers"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostManifest)).Decode(&form); err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	drafted, err := initialize.DraftOf(form.Name, form.Answers)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err)
		return
	}
	answer(w, http.StatusOK, drafted)
}

// create creates the resource that the page sends, as the user.
func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostManifest))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, err)
		return
	}
	object, err := run.Parse(r.Context(), "the text", text)
	if err == nil {
		err = s.place(object)
	}
	if err == nil {
		err = run.Create(r.Context(), s.cluster, object)
	}
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err)
		return
	}
	entry := inventory.Of(object)
	answer(w, http.StatusCreated, map[string]string{"kind": string(entry.Kind), "name": entry.Name, "uid": entry.UID})
}

// place puts the resource into the page's namespace.
func (s *Server) place(object client.Object) error {
	if object.GetNamespace() != "" && object.GetNamespace() != s.cluster.Namespace {
		return fmt.Errorf("it is of the namespace %s, and this page is of %s: change it, or start kubectl kvbench open -n %s",
			object.GetNamespace(), s.cluster.Namespace, object.GetNamespace())
	}
	object.SetNamespace(s.cluster.Namespace)
	return nil
}

// cancel deletes the resource of what is under way, as kubectl kvbench cancel does, and doesn't wait until it is gone.
func (s *Server) cancel(w http.ResponseWriter, r *http.Request) {
	entry, err := s.find(r)
	if err != nil {
		refuse(w, http.StatusNotFound, err)
		return
	}
	var resource client.Object
	switch {
	case entry.RunResource != nil:
		resource = entry.RunResource
	case entry.SuiteResource != nil:
		resource = entry.SuiteResource
	default:
		refuse(w, http.StatusGone, errors.New("it is no longer in the cluster, so there is nothing to cancel"))
		return
	}
	if remove.Over(entry) {
		refuse(w, http.StatusConflict, fmt.Errorf("%s is %s, so there is nothing to cancel", entry.Reference(), entry.Phase))
		return
	}
	if err := kube.Delete(r.Context(), s.cluster, resource); err != nil {
		refuse(w, http.StatusUnprocessableEntity, err)
		return
	}
	answer(w, http.StatusOK, map[string]string{})
}

// mostCompared bounds what is compared at a time: each has a report in memory.
const mostCompared = 12

// compare compares the runs and suites that the query names, as kind/name/UID, the first one with the others.
func (s *Server) compare(w http.ResponseWriter, r *http.Request) {
	references := r.URL.Query()["of"]
	if len(references) < 2 || len(references) > mostCompared {
		refuse(w, http.StatusBadRequest, fmt.Errorf("a comparison has 2 to %d sides, not %d", mostCompared, len(references)))
		return
	}
	var entries []*inventory.Entry
	for _, reference := range references {
		at := strings.LastIndex(reference, "/")
		if at < 0 {
			refuse(w, http.StatusBadRequest, fmt.Errorf("%q is no kind, name and UID", reference))
			return
		}
		entry, err := inventory.Find(r.Context(), s.cluster, s.results, reference[:at], reference[at+1:])
		if err != nil {
			refuse(w, http.StatusNotFound, err)
			return
		}
		entries = append(entries, entry)
	}
	compared, err := compare.Entries(r.Context(), s.cluster, s.results, entries)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err)
		return
	}
	answer(w, http.StatusOK, compared)
}

func (s *Server) find(r *http.Request) (*inventory.Entry, error) {
	return inventory.Find(r.Context(), s.cluster, s.results, r.PathValue("kind")+"/"+r.PathValue("name"), r.PathValue("uid"))
}
