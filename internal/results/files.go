package results

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// pieceBytes is how much of an append is held in memory at once.
const pieceBytes = 64 << 10

// append adds the body to a file whose length must be offset, and returns the new length.
//
// The body is written in pieces as it arrives, so that a slow sender holds neither the
// lock nor much memory. When it breaks off, the pieces that came stay: they are the
// writer's bytes in the writer's order, and it asks for the length before it goes on.
// For the same reason a tail torn by a kill needs no repair.
func (r *run) append(name string, offset int64, body io.Reader) (length int64, err error) {
	piece := make([]byte, pieceBytes)
	for first := true; ; first = false {
		n, readErr := io.ReadFull(body, piece)
		if n > 0 || first {
			if offset, err = r.appendPiece(name, offset, piece[:n]); err != nil {
				return offset, err
			}
		}
		if errors.Is(readErr, io.EOF) || errors.Is(readErr, io.ErrUnexpectedEOF) {
			return offset, nil
		}
		if readErr != nil {
			return offset, fmt.Errorf("read the bytes to append to %s: %w", name, readErr)
		}
	}
}

// mayAppend says so before the body is read: a caller that is refused needn't send it.
func (r *run) mayAppend(name string, offset, more int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _, err := r.checkAppend(name, offset, more)
	return err
}

// checkAppend refuses what may not be appended. The caller holds mu.
func (r *run) checkAppend(name string, offset, more int64) (length int64, exists bool, err error) {
	length, exists, err = fileLength(r.path(name))
	if err != nil {
		return 0, exists, err
	}
	if err := r.mayGrow(name, length, exists, more); err != nil {
		return length, exists, err
	}
	if offset != length {
		return length, exists, refuse(wire.ReasonOffset,
			"%s has %d bytes, so nothing can be appended at %d", name, length, offset).at(length)
	}
	return length, exists, nil
}

// appendPiece writes through to the page cache: what it acknowledges survives this
// process. A power cut can take it until the end mark, which syncs the file.
func (r *run) appendPiece(name string, offset int64, piece []byte) (length int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	length, exists, err := r.checkAppend(name, offset, int64(len(piece)))
	if err != nil {
		return length, err
	}
	file, err := os.OpenFile(r.path(name), os.O_WRONLY|os.O_CREATE, 0o640)
	if err != nil {
		return length, err
	}
	n, err := r.disk.write(file, piece, length)
	if !exists {
		r.files++
	}
	r.bytes += int64(n)
	r.touched = r.ages.now()
	return length + int64(n), errors.Join(err, file.Close())
}

// mayGrow refuses what may be appended nowhere in the file. The caller holds mu.
func (r *run) mayGrow(name string, length int64, exists bool, more int64) error {
	if _, ended, err := fileLength(r.path(bundle.EndFile(name))); err != nil {
		return err
	} else if ended {
		return refuse(wire.ReasonEnded, "%s has its end mark at %d bytes", name, length).at(length)
	}
	if err := r.open(); err != nil {
		return err
	}
	if !exists && r.files >= r.limits.FilesPerRun {
		return refuse(wire.ReasonTooLarge, "the run %s has %d files, and takes no more", r.uid, r.files)
	}
	if r.limits.BytesPerRun > 0 && r.bytes+more > r.limits.BytesPerRun {
		return refuse(wire.ReasonTooLarge, "the run %s has %d bytes, and takes no more than %d: measure for a shorter time, or raise results.runBytes of kvbench's chart",
			r.uid, r.bytes, r.limits.BytesPerRun).at(length)
	}
	return nil
}

// end closes a file when its length and digest are as its writer says, and empties it when only
// its length is. The digest is taken without the lock: an end mark that comes twice at once may
// have a file sent again once too often.
func (r *run) end(name string, mark bundle.End) error {
	done, err := r.checkEnd(name, mark)
	if done || err != nil {
		return err
	}
	digest, err := digestOf(r.path(name), mark.Length)
	if err != nil {
		return err
	}
	document, err := json.Marshal(mark)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if done, err := r.checkEndLocked(name, mark); done || err != nil {
		return err
	}
	if digest != mark.SHA256 {
		if err := r.empty(name, mark.Length); err != nil {
			return err
		}
		return refuse(wire.ReasonDigest, "%s has the SHA-256 %s, not %s: bytes were lost or changed on the way, and all of them are to be sent again", name, digest, mark.SHA256)
	}
	if err := r.syncFile(name); err != nil {
		return errors.Join(err, r.empty(name, mark.Length))
	}
	if err := r.failedSyncs.note(bundle.EndFile(name), r.disk.createOnce(r.dir, bundle.EndFile(name), document)); err != nil {
		return err
	}
	r.bytes += int64(len(document))
	r.touched = r.ages.now()
	return nil
}

// empty takes back bytes that are wrong, or may not have reached the disk. Their writer has them
// all, and sends them again. The caller holds mu.
func (r *run) empty(name string, length int64) error {
	if err := r.disk.truncate(r.path(name), 0); err != nil {
		return err
	}
	r.bytes -= length
	return r.failedSyncs.note(name, nil)
}

func (r *run) checkEnd(name string, mark bundle.End) (done bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.checkEndLocked(name, mark)
}

// checkEndLocked says whether the file has just this end mark, or may get it.
func (r *run) checkEndLocked(name string, mark bundle.End) (done bool, err error) {
	length, exists, err := fileLength(r.path(name))
	if err != nil {
		return false, err
	}
	held, err := readJSON[bundle.End](r.path(bundle.EndFile(name)))
	if err == nil {
		if held != mark {
			return false, refuse(wire.ReasonEnded, "%s has another end mark", name).at(length)
		}
		return true, r.confirm(bundle.EndFile(name))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err := r.open(); err != nil {
		return false, err
	}
	if !exists {
		return false, refuse(wire.ReasonNotFound, "the run %s has no file %s", r.uid, name)
	}
	if length != mark.Length {
		return false, refuse(wire.ReasonOffset, "%s has %d bytes, so it can't end at %d", name, length, mark.Length).at(length)
	}
	return false, nil
}

func digestOf(path string, length int64) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, io.LimitReader(file, length)); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
