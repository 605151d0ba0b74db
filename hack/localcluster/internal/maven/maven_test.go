package maven

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
)

func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// repository has files, and counts what it was asked.
func repository(t *testing.T, files map[string]string) (Cache, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		content, ok := files[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return Cache{Dir: t.TempDir(), Repository: server.URL + "/", Report: progress.New()}, &asked
}

func TestJarsAreFetchedOnce(t *testing.T) {
	cache, asked := repository(t, map[string]string{"org/x/1/x-1.jar": "x", "org/y/2/y-2.jar": "y"})
	jars := []Jar{{Path: "org/x/1/x-1.jar", SHA256: digest("x")}, {Path: "org/y/2/y-2.jar", SHA256: digest("y")}}
	for range 2 {
		folder, err := cache.Ensure(t.Context(), "xy", jars)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"x-1.jar": "x", "y-2.jar": "y"} {
			if got, err := os.ReadFile(filepath.Join(folder, name)); string(got) != want {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	}
	if asked.Load() != 2 {
		t.Errorf("%d requests", asked.Load())
	}
}

func TestAJarThatDidNotComeIsAskedForAgain(t *testing.T) {
	for failures, want := range map[int32]bool{attempts - 1: true, attempts: false} {
		var asked atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch n := asked.Add(1); {
			case n > failures:
				w.Write([]byte("x"))
			case n == 1: // breaks off
				w.Header().Set("Content-Length", "100")
				w.Write([]byte("x"))
			default:
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}))
		cache := Cache{Dir: t.TempDir(), Repository: server.URL + "/", Report: progress.New()}
		folder, err := cache.Ensure(t.Context(), "x", []Jar{{Path: "x.jar", SHA256: digest("x")}})
		server.Close()
		if (err == nil) != want || min(failures+1, attempts) != asked.Load() {
			t.Errorf("%d failures: %v after %d requests", failures, err, asked.Load())
		}
		if content, _ := os.ReadFile(filepath.Join(folder, "x.jar")); want && string(content) != "x" {
			t.Errorf("%d failures: %q came", failures, content)
		}
	}
}

func TestAnotherJarThanTheOneThatWasMeantIsRefused(t *testing.T) {
	cache, asked := repository(t, map[string]string{"x.jar": "something else"})
	for name, jar := range map[string]Jar{
		"SHA-256": {Path: "x.jar", SHA256: digest("x")},
		"404":     {Path: "z.jar", SHA256: digest("z")},
	} {
		if _, err := cache.Ensure(t.Context(), "x", []Jar{jar}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %s in it", err, name)
		}
	}
	if asked.Load() != 2 {
		t.Errorf("%d requests for two jars, of which none can become right", asked.Load())
	}
	if left, _ := os.ReadDir(cache.Dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}
