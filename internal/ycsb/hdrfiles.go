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

	hdr "github.com/HdrHistogram/hdrhistogram-go"

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
	files := map[string]*hdrFile{}
	defer func() {
		for _, file := range files {
			err = errors.Join(err, file.close())
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
		second, err := beginOf(row)
		if err != nil {
			return err
		}
		if second < r.measuredFrom {
			continue // of the warm-up
		}
		if !strings.HasPrefix(name, bundle.IntendedPrefix) && !isOperation(name) {
			continue // what the generator says of itself
		}
		file := files[name]
		if file == nil {
			to, err := os.Create(path + name + ".hdr")
			if err != nil {
				return err
			}
			file = &hdrFile{file: to}
			files[name] = file
			if _, err := fmt.Fprintf(to, "#[Logging for: %s]\n%s", name, header); err != nil {
				return err
			}
		}
		if err := file.add(second, row); err != nil {
			return err
		}
	}
	return lines.Err()
}

// hdrFile is an interval log of one kind of latency, with one row for operations and for those that
// are parts of others.
type hdrFile struct {
	file   *os.File
	second int64
	row    []byte // of that second, which isn't written yet; empty before the first
}

func (f *hdrFile) add(second int64, row []byte) (err error) {
	if len(f.row) > 0 && f.second == second {
		f.row, err = mergeRows(f.row, row)
		return err
	}
	if err := f.write(); err != nil {
		return err
	}
	f.second, f.row = second, append(f.row, row...)
	return nil
}

func (f *hdrFile) write() error {
	if len(f.row) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(f.file, "%s\n", f.row)
	f.row = f.row[:0]
	return err
}

func (f *hdrFile) close() error { return errors.Join(f.write(), f.file.Close()) }

// mergeRows adds up two rows of a second: begin, length, maximum in milliseconds, histogram.
func mergeRows(one, other []byte) ([]byte, error) {
	fields, others := bytes.Split(one, []byte{','}), bytes.Split(other, []byte{','})
	if len(fields) != 4 || len(others) != 4 {
		return nil, errors.New("the interval log has a row that is not begin, length, maximum and histogram")
	}
	sum, err := hdr.DecodePacked(fields[3])
	if err != nil {
		return nil, err
	}
	from, err := hdr.DecodePacked(others[3])
	if err != nil {
		return nil, err
	}
	if err := merge(sum, from); err != nil {
		return nil, err
	}
	text, err := sum.Encode()
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%s,%s,%.3f,%s", fields[0], fields[1], float64(sum.Max())/1000, text), nil
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
