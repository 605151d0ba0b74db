// Package maven fetches jars of Maven Central into a folder of their own, each with the
// digest that its recipe names.
package maven

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
	"github.com/kvbench/kvbench/hack/localcluster/internal/scratch"
)

// Central is Maven's central repository.
const Central = "https://repo1.maven.org/maven2/"

const (
	maxJarBytes = 128 << 20
	jarTimeout  = 5 * time.Minute
	attempts    = 4
)

// Jar is a file of the repository.
type Jar struct {
	Path   string // below the repository
	SHA256 string // in hex
}

// Cache is the folder of fetched jars.
type Cache struct {
	Dir        string
	Repository string // Central, or another that ends with a slash
	Report     *progress.Reporter
	Pause      time.Duration // before asking again
}

// Ensure returns a folder with these jars and nothing else, and fetches them when it isn't there.
func (c Cache) Ensure(ctx context.Context, name string, jars []Jar) (folder string, err error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", jars))
	folder = filepath.Join(c.Dir, name+"-"+hex.EncodeToString(sum[:])[:8])
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	temp, remove, err := scratch.Dir(c.Dir)
	if err != nil {
		return "", err
	}
	defer remove()
	err = c.Report.Step("fetching "+name+" from Maven Central", func(detail func(string)) error {
		for i, jar := range jars {
			detail(fmt.Sprintf("%d of %d, %s", i+1, len(jars), path.Base(jar.Path)))
			if err := c.fetchAnyway(ctx, jar, temp, detail); err != nil {
				return err
			}
		}
		// The folder of a temporary thing is its maker's alone.
		if err := os.Chmod(temp, 0o755); err != nil {
			return err
		}
		err := os.Rename(temp, folder)
		if _, there := os.Stat(folder); there == nil {
			return nil // by another command, if not by this one
		}
		return err
	})
	return folder, err
}

// fetchAnyway asks again where the way there failed, or the server: a hundred jars are many chances, and
// all that came before would be for nothing. What isn't there, or isn't what was meant, stays so.
func (c Cache) fetchAnyway(ctx context.Context, jar Jar, folder string, detail func(string)) (err error) {
	for attempt := range attempts {
		if attempt > 0 {
			detail(fmt.Sprintf("again, after: %v", err))
			select {
			case <-time.After(c.Pause):
			case <-ctx.Done():
				return err
			}
		}
		if err = c.fetch(ctx, jar, folder); err == nil || !errors.Is(err, errOnTheWay) {
			return err
		}
	}
	return err
}

// errOnTheWay says nothing of the jar.
var errOnTheWay = errors.New("the jar did not come")

// fetch brings one jar into the folder, if it is the one that was meant.
func (c Cache) fetch(ctx context.Context, jar Jar, folder string) error {
	ctx, cancel := context.WithTimeout(ctx, jarTimeout)
	defer cancel()
	url := c.Repository + jar.Path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("%w: %w", errOnTheWay, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("%w: %s: %s", errOnTheWay, url, answer.Status)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxJarBytes))
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errOnTheWay, url, err)
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != jar.SHA256 {
		return fmt.Errorf("%s has the SHA-256 %x instead of %s: it is damaged, or not what it was", url, sum, jar.SHA256)
	}
	return os.WriteFile(filepath.Join(folder, path.Base(jar.Path)), content, 0o644)
}
