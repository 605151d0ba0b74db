package validate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Bounds of what is read.
const (
	maxFileBytes     = 16 << 20
	maxAllBytes      = 256 << 20
	maxFiles         = 5000
	maxDocumentBytes = 3 << 20 // the API server takes no larger request
	maxDocuments     = 1000    // of one file
)

// stdin is how the user calls standard input.
const stdin = "-"

// Content is what a file has.
type Content struct {
	File string // as messages call it
	Text []byte
}

// reader reads what the user named.
type reader struct {
	in        io.Reader
	recursive bool // folders, with those below
	left      int  // bytes that may still be read
}

// read reads files, the files of folders, and standard input. It returns those that it could read, and one error for all others.
// It ends with the context, also while nobody writes to standard input.
func read(ctx context.Context, in io.Reader, named []string, recursive bool) (contents []Content, unreadable, ended error) {
	type all struct {
		contents   []Content
		unreadable error
	}
	done := make(chan all, 1)
	go func() {
		r := &reader{in: in, recursive: recursive, left: maxAllBytes}
		contents, unreadable := r.all(named)
		done <- all{contents, unreadable}
	}()
	select {
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	case got := <-done:
		return got.contents, got.unreadable, nil
	}
}

func (r *reader) all(named []string) (contents []Content, unreadable error) {
	var errs []error
	seen := map[string]bool{}
	for _, name := range named {
		files, err := filesOf(name, r.recursive)
		if err != nil {
			errs = append(errs, clean(err))
		}
		for _, file := range files {
			if seen[file] {
				continue // a folder and a pattern may name the same; of standard input nothing is left
			}
			seen[file] = true
			text, err := r.file(file)
			if err != nil {
				errs = append(errs, clean(err))
				continue
			}
			contents = append(contents, Content{nameOf(file), text})
		}
	}
	return contents, errors.Join(errs...)
}

// clean is an error for a terminal: a folder has files with names that others gave them.
func clean(err error) error { return errors.New(line(err.Error())) }

func nameOf(file string) string {
	if file == stdin {
		return "standard input"
	}
	return file
}

func (r *reader) file(file string) (text []byte, err error) {
	from := r.in
	if file != stdin {
		opened, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("%w: name a file that you can read", err)
		}
		defer opened.Close()
		from = opened
	}
	text, err = io.ReadAll(io.LimitReader(from, maxFileBytes+1))
	r.left -= len(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w: name a file that you can read", nameOf(file), err)
	case len(text) > maxFileBytes:
		return nil, fmt.Errorf("%s has more than %d MiB: split it", nameOf(file), maxFileBytes>>20)
	case r.left < 0:
		return nil, fmt.Errorf("with %s all files have more than %d MiB: check fewer at a time", nameOf(file), maxAllBytes>>20)
	}
	return text, nil
}
