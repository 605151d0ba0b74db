package charts

import (
	"encoding/xml"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/internal/helm"
)

// igniteBean is a bean of Ignite's own file, as the chart writes it.
type igniteBean struct {
	Class      string           `xml:"class,attr"`
	Properties []igniteProperty `xml:"property"`
}

type igniteProperty struct {
	Name   string       `xml:"name,attr"`
	Value  string       `xml:"value,attr"`
	Bean   *igniteBean  `xml:"bean"`
	Beans  []igniteBean `xml:"list>bean"`
	Values []string     `xml:"list>value"`
}

// at is the property that a path of names leads to.
func (b *igniteBean) at(path ...string) igniteProperty {
	for _, property := range b.Properties {
		if property.Name == path[0] && len(path) == 1 {
			return property
		}
		if property.Name == path[0] && property.Bean != nil {
			return property.Bean.at(path[1:]...)
		}
	}
	return igniteProperty{}
}

func igniteConfigOf(t *testing.T, values string) *igniteBean {
	t.Helper()
	manifest, err := helm.Render(releaseOf(t, "ignite", values))
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(manifest, "\n---\n") {
		var object corev1.ConfigMap
		if err := yaml.Unmarshal([]byte(document), &object); err != nil || object.Kind != "ConfigMap" {
			continue
		}
		var file struct {
			Bean igniteBean `xml:"bean"`
		}
		if err := xml.Unmarshal([]byte(object.Data["ignite.xml"]), &file); err != nil {
			t.Fatalf("%v in:\n%s", err, object.Data["ignite.xml"])
		}
		return &file.Bean
	}
	t.Fatalf("no ConfigMap in:\n%s", manifest)
	return nil
}

// igniteTemplate is the template of that name.
func igniteTemplate(t *testing.T, config *igniteBean, name string) *igniteBean {
	t.Helper()
	templates := config.at("cacheConfiguration").Beans
	for i := range templates {
		if templates[i].at("name").Value == name {
			return &templates[i]
		}
	}
	t.Fatalf("no template %s among %+v", name, templates)
	return nil
}

func TestIgnitesMembersFindEachOther(t *testing.T) {
	want := []string{"run-1-0.run-1.bench.svc:47500", "run-1-1.run-1.bench.svc:47500", "run-1-2.run-1.bench.svc:47500"}
	for values, want := range map[string][]string{`{"nodes":1}`: want[:1], `{"nodes":3}`: want} {
		if got := igniteConfigOf(t, values).at("discoverySpi", "ipFinder", "addresses").Values; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", values, got, want)
		}
	}
	set, _ := memberIn(t, releaseOf(t, "ignite", ""))
	if set.Spec.PodManagementPolicy != "OrderedReady" {
		t.Errorf("members start %s", set.Spec.PodManagementPolicy)
	}
}

func TestIgniteHasATemplateForEachAtomicityMode(t *testing.T) {
	config := igniteConfigOf(t, "")
	for name, want := range map[string]string{"atomic-*": "ATOMIC", "transactional-*": "TRANSACTIONAL"} {
		template := igniteTemplate(t, config, name)
		entities := template.at("queryEntities").Beans
		if got := template.at("atomicityMode").Value; got != want || len(entities) != 1 || entities[0].at("tableName").Value != "RECORD" {
			t.Errorf("%s: %s, entities %+v", name, got, entities)
		}
	}
}

func TestIgniteTakesItsSettings(t *testing.T) {
	config := igniteConfigOf(t, `{"persistence":true,"settings":{"backups":2,"write-synchronization-mode":"FULL_ASYNC","read-from-backup":false,
		"partitions":64,"partition-loss-policy":"READ_WRITE_SAFE","failure-detection-timeout":3000,"region-mib":100,"wal-mode":"FSYNC","wal-segment-mib":8}}`)
	template := igniteTemplate(t, config, "transactional-*")
	for _, c := range []struct{ got, want string }{
		{template.at("backups").Value, "2"},
		{template.at("writeSynchronizationMode").Value, "FULL_ASYNC"},
		{template.at("readFromBackup").Value, "false"},
		{template.at("affinity", "partitions").Value, "64"},
		{template.at("partitionLossPolicy").Value, "READ_WRITE_SAFE"},
		{config.at("failureDetectionTimeout").Value, "3000"},
		{config.at("dataStorageConfiguration", "defaultDataRegionConfiguration", "maxSize").Value, "#{100L * 1024 * 1024}"},
		{config.at("dataStorageConfiguration", "walMode").Value, "FSYNC"},
		{config.at("dataStorageConfiguration", "walSegmentSize").Value, "#{8L * 1024 * 1024}"},
		{config.at("dataStorageConfiguration", "maxWalArchiveSize").Value, "#{256L * 1024 * 1024}"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	left := igniteConfigOf(t, `{"settings":{"backups":null,"failure-detection-timeout":null,"partitions":null}}`)
	template = igniteTemplate(t, left, "atomic-*")
	if left.at("failureDetectionTimeout").Name+template.at("backups").Name+template.at("affinity").Name != "" {
		t.Errorf("what was left out is there: %+v", left)
	}
}

func TestIgniteHasVolumesForWhatIsPersistent(t *testing.T) {
	for values, want := range map[string]struct {
		volumes    int
		persistent string
	}{
		`{}`:                   {0, "false"},
		`{"persistence":true}`: {1, "true"},
		`{"persistence":true,"storage":{"ephemeral":true}}`: {0, "true"},
		`{"storage":{"ephemeral":true}}`:                    {0, "false"},
	} {
		set, _ := memberIn(t, releaseOf(t, "ignite", values))
		storage := igniteConfigOf(t, values).at("dataStorageConfiguration", "defaultDataRegionConfiguration", "persistenceEnabled").Value
		if len(set.Spec.VolumeClaimTemplates) != want.volumes || storage != want.persistent {
			t.Errorf("%s: %d volumes, persistence %s", values, len(set.Spec.VolumeClaimTemplates), storage)
		}
		if want.volumes == 0 && set.Spec.PersistentVolumeClaimRetentionPolicy != nil {
			t.Errorf("%s: a policy for volumes that aren't there", values)
		}
	}
}

func TestIgniteRefusesWhatItDoesNotKnow(t *testing.T) {
	for values, want := range map[string]string{
		`{"settings":{"heap":"1g -Dx=y"}}`:                    "/settings/heap",
		`{"settings":{"backups":9}}`:                          "/settings/backups",
		`{"settings":{"write-synchronization-mode":"SYNC"}}`:  "/settings/write-synchronization-mode",
		`{"settings":{"wal-mode":"LOG_ONLY\"/><property/>"}}`: "/settings/wal-mode",
		`{"settings":{"region-mib":"1L); evil("}}`:            "/settings/region-mib",
		`{"settings":{"region-mib":1.5}}`:                     "/settings/region-mib",
		`{"settings":{"java-options":"-javaagent:/x"}}`:       "java-options",
		`{"persistence":"yes"}`:                               "/persistence",
		`{"nodes":10}`:                                        "/nodes",
	} {
		if _, err := helm.Render(releaseOf(t, "ignite", values)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", values, err, want)
		}
	}
}
