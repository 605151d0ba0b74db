package ycsb

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
)

// wholeLines are text files without what follows their last line's end: what a full disk
// left of a row that was being written.
type wholeLines struct{ fs.FS }

// Open fails for a file that cannot be read at any offset.
func (w wholeLines) Open(name string) (fs.File, error) {
	file, err := w.FS.Open(name)
	if err != nil {
		return nil, err
	}
	at, ok := file.(io.ReaderAt)
	info, err := file.Stat()
	if err == nil && !ok {
		err = errors.ErrUnsupported
	}
	var length int64
	if err == nil {
		length, err = wholeLength(at, info.Size())
	}
	if err != nil {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: name, Err: err}, file.Close())
	}
	return &wholeFile{file, io.LimitReader(file, length)}, nil
}

type wholeFile struct {
	fs.File
	lines io.Reader
}

func (f *wholeFile) Read(p []byte) (int, error) { return f.lines.Read(p) }

// wholeLength is where the last line ends.
func wholeLength(file io.ReaderAt, size int64) (int64, error) {
	piece := make([]byte, 64<<10)
	for size > 0 {
		from := max(0, size-int64(len(piece)))
		n, err := file.ReadAt(piece[:size-from], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if last := bytes.LastIndexByte(piece[:n], '\n'); last >= 0 {
			return from + int64(last) + 1, nil
		}
		size = from
	}
	return 0, nil
}
