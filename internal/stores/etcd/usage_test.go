package etcd

import (
	"strings"
	"testing"
)

func TestUsageIsReadFromMetrics(t *testing.T) {
	used, err := parseUsage(strings.NewReader(`# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 12.34
process_resident_memory_bytes 4.3978752e+07
process_start_time_seconds 1.76399731256e+09
etcd_mvcc_db_total_size_in_bytes 20480
etcd_mvcc_db_total_size_in_use_in_bytes 16384
go_gc_duration_seconds{quantile="0"} 2.5e-05
go_gc_duration_seconds_sum 0.001
`))
	if err != nil {
		t.Fatal(err)
	}
	if *used.CPUMicros != 12_340_000 || *used.ResidentBytes != 43_978_752 || *used.DataBytes != 20_480 || *used.CollectorMicros != 1000 {
		t.Errorf("%d %d %d %d", *used.CPUMicros, *used.ResidentBytes, *used.DataBytes, *used.CollectorMicros)
	}
	later, err := parseUsage(strings.NewReader("process_start_time_seconds 1.76399731257e+09\n"))
	if err != nil || used.Process == 0 || later.Process == 0 || later.Process == used.Process {
		t.Errorf("process %d, and one that began later %d, %v", used.Process, later.Process, err)
	}
	for _, value := range []string{"NaN", "-1", "1e300", "+Inf", "many", ""} {
		if used, err := parseUsage(strings.NewReader("process_cpu_seconds_total " + value + "\n")); err == nil {
			t.Errorf("%q is taken for %d", value, *used.CPUMicros)
		}
	}
}

// The image of the store is the run's choice, so its metrics are anybody's.
func FuzzMetrics(f *testing.F) {
	f.Add("process_cpu_seconds_total 12.34\ngo_gc_duration_seconds_sum 1e-3\n")
	f.Fuzz(func(t *testing.T, page string) {
		used, err := parseUsage(strings.NewReader(page))
		if err != nil {
			return
		}
		for _, count := range []*int64{used.CPUMicros, used.ResidentBytes, used.DataBytes, used.CollectorMicros} {
			if count != nil && *count < 0 {
				t.Errorf("%d in %q", *count, page)
			}
		}
	})
}
