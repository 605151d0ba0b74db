package imports

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/cli/compare/text"
	"github.com/kvbench/kvbench/internal/imported"
	"github.com/kvbench/kvbench/internal/imported/parse"
)

// reader makes documents of files.
type reader struct {
	in      io.Reader // of the file -
	said    *said
	renames []*rename
	now     time.Time
}

// all reads the files in their order. The errors name the file.
func (r *reader) all(files []string) ([]*imported.Imported, error) {
	var documents []*imported.Imported
	for _, file := range files {
		content, err := r.content(file)
		var made *imported.Imported
		if err == nil {
			made, err = r.document(nameOf(file), content)
		}
		if err != nil {
			return nil, fmt.Errorf("%s can't be imported: %w", text.Clean(file), text.CleanError(err))
		}
		documents = append(documents, made)
	}
	return documents, checkUsed(r.renames, documents)
}

// Document makes a document of a file's content that nobody said more of.
func Document(name string, content []byte, now time.Time) (*imported.Imported, error) {
	r := &reader{said: &said{}, now: now}
	return r.document(name, content)
}

// content is at most one byte more than an output can have.
func (r *reader) content(file string) ([]byte, error) {
	from := r.in
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer opened.Close()
		from = opened
	}
	return io.ReadAll(io.LimitReader(from, parse.MaxBytes+1))
}

// nameOf is the file's name without folders.
func nameOf(file string) string {
	if file == "-" {
		return "stdin"
	}
	return filepath.Base(file)
}

// document makes one of a file's content.
func (r *reader) document(name string, content []byte) (*imported.Imported, error) {
	tool := r.said.tool
	if tool == "" {
		tool = parse.Recognize(content)
	}
	if tool == "" {
		if imported.Is(content) {
			return nil, errors.New("it is an imported document already: compare takes it as it is")
		}
		return nil, fmt.Errorf("it looks like no output of %s; if it is one, name the tool with --tool", strings.Join(imported.Tools, ", "))
	}
	m, err := parse.Output(tool, content)
	if err != nil {
		return nil, fmt.Errorf("as an output of %s: %w", tool, err)
	}
	if err := r.said.apply(m, r.renames); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	made := &imported.Imported{
		Kind: imported.Kind, Format: imported.Format, Source: imported.Source{File: name, SHA256: hex.EncodeToString(sum[:])},
		ImportedAt: r.now.Format(time.RFC3339), Workload: r.said.workload, Measured: *m,
	}
	if made.Workload == "" {
		made.Workload = stem(name)
	}
	return made, made.Check()
}

// stem is the name without its ending. A name that is all ending stays.
func stem(name string) string {
	if s := strings.TrimSuffix(name, filepath.Ext(name)); s != "" {
		return s
	}
	return name
}
