package read

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/kvbench/kvbench/internal/bundle"
)

// Limits of what is read; workers write far less.
const (
	maxSmallFile = 4 << 20 // plan, claims, faults, starts and end marks
	MaxJSONLine  = 64 << 10
	maxLines     = 250_000 // of a worker's or loader's .jsonl: one each second for 69 hours
	maxClaims    = 10_000
	maxFaults    = 1_000
)

// readSmall reads a whole file of bounded size.
func readSmall(fsys fs.FS, name string) ([]byte, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxSmallFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if len(data) > maxSmallFile {
		return nil, fmt.Errorf("reading %s: longer than %d bytes", name, maxSmallFile)
	}
	return data, nil
}

func readJSON[T any](fsys fs.FS, name string) (value T, err error) {
	data, err := readSmall(fsys, name)
	if err != nil {
		return value, err
	}
	if err := json.Unmarshal(data, &value); err != nil {
		return value, fmt.Errorf("reading %s: %w", name, err)
	}
	return value, nil
}

// readLines reads a .jsonl file of so many lines at most and calls each for every line. A
// last line without its newline was cut off with its writer: it is left out if torn says
// so, else an error.
func readLines[T any](r io.Reader, most int, torn bool, each func(*T) error) error {
	lines := bufio.NewReaderSize(r, MaxJSONLine)
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && (len(line) == 0 || torn):
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("line %d: cut off", number)
		case errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("line %d: longer than %d bytes", number, MaxJSONLine)
		case err != nil:
			return err
		case number > most:
			return fmt.Errorf("more than %d lines", most)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		value := new(T)
		err = json.Unmarshal(line, value)
		if err == nil {
			err = each(value)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
}

// readLinesOf reads the named .jsonl file; a missing one has no lines.
func readLinesOf[T any](fsys fs.FS, name string, most int, torn bool, each func(*T) error) error {
	file, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if err := readLines(file, most, torn, each); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	return nil
}

// checkEnd compares a streamed file with its end mark.
func checkEnd(fsys fs.FS, name string) error {
	end, err := readJSON[bundle.End](fsys, bundle.EndFile(name))
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("it has no end mark: its writer was lost, or did not ship all of it")
	}
	if err != nil {
		return err
	}
	file, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	digest := sha256.New()
	length, err := io.Copy(digest, file)
	if err != nil {
		return err
	}
	if sum := hex.EncodeToString(digest.Sum(nil)); length != end.Length || sum != end.SHA256 {
		return fmt.Errorf("it has %d bytes with SHA-256 %s, and its end mark says %d with %s", length, sum, end.Length, end.SHA256)
	}
	return nil
}
