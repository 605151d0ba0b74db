package ycsb

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// writeHdrFiles writes, as YCSB's hdrhistogram.fileoutput=true does, an interval log for
// each kind of latency: <path><name>.hdr, such as READ.hdr, in whose rows there is no tag.
func writeHdrFiles(r *run, path string) (err error) {
	log, err := r.files().Open(r.writer().File(bundle.Hlog))
	if err != nil {
		return err
	}
	defer log.Close()
	files := map[string]*os.File{}
	defer func() {
		for _, file := range files {
			err = errors.Join(err, file.Close())
		}
	}()
	var header []byte
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		tag, row, tagged := bytes.Cut(bytes.TrimPrefix(lines.Bytes(), []byte("Tag=")), []byte{','})
		if !tagged || !bytes.HasPrefix(lines.Bytes(), []byte("Tag=")) {
			header = append(append(header, lines.Bytes()...), '\n')
			continue
		}
		name := strings.Replace(string(tag), bundle.PartPrefix, "", 1) // as YCSB, which knows no parts
		if second, err := beginOf(row); err != nil || second < r.measuredFrom {
			if err != nil {
				return err
			}
			continue // of the warm-up
		}
		if !strings.HasPrefix(name, bundle.IntendedPrefix) && !isOperation(name) {
			continue // what the generator says of itself
		}
		file := files[name]
		if file == nil {
			if file, err = os.Create(path + name + ".hdr"); err != nil {
				return err
			}
			files[name] = file
			if _, err := fmt.Fprintf(file, "#[Logging for: %s]\n%s", name, header); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(file, "%s\n", row); err != nil {
			return err
		}
	}
	return lines.Err()
}

// checkHdrPath says before anything is measured that writeHdrFiles will find no folder.
func checkHdrPath(path string) error {
	file, err := os.CreateTemp(filepath.Dir(path+"READ"), ".kvbench-")
	if err != nil {
		return Refuse("hdrhistogram.output.path=%s: %w", path, err)
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// longestLine of a log: a row of our geometry is far shorter.
const longestLine = 256 << 10

// beginOf is the second, in Unix time, with which a row without its tag begins.
func beginOf(row []byte) (int64, error) {
	begin, _, _ := bytes.Cut(row, []byte{','})
	seconds, err := strconv.ParseFloat(string(begin), 64)
	if err != nil {
		return 0, fmt.Errorf("the interval log has a row that begins at %q: %w", begin, err)
	}
	return int64(math.Floor(seconds)), nil
}

func isOperation(tag string) bool {
	tag = strings.TrimSuffix(strings.TrimSuffix(tag, bundle.FailedSuffix), bundle.UnknownSuffix)
	for kind := range stores.NumKinds {
		if kind.String() == tag {
			return true
		}
	}
	return false
}
