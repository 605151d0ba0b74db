package chartsource

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// maxIndexMarks bounds what YAML makes of an index: a few bytes of it become a node of hundreds,
// and there are at most two nodes for one of these marks. Helm writes about one in 17 bytes.
// With all of them an index takes some 150 MiB.
const (
	indexMarks    = ",[{:-?"
	maxIndexMarks = maxIndexBytes / 10
)

// entry is where a repository's index.yaml has a chart. Without a url there is none.
type entry struct{ url, digest string }

// findEntry looks for the chart in the index, which may be hostile: it looks at each node once,
// and follows no alias, which stands for many. Helm writes none.
func findEntry(index []byte, name, version string) (entry, error) {
	marks := 0
	for _, mark := range []byte(indexMarks) {
		marks += bytes.Count(index, []byte{mark})
	}
	if marks > maxIndexMarks {
		return entry{}, fmt.Errorf("it has %d of the characters %s, and can have %d", marks, indexMarks, maxIndexMarks)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(index, &document); err != nil {
		return entry{}, err
	}
	if len(document.Content) == 0 {
		return entry{}, nil
	}
	listed := field(field(document.Content[0], "entries"), name)
	if listed.Kind != yaml.SequenceNode {
		return entry{}, nil
	}
	for _, item := range listed.Content {
		urls := field(item, "urls")
		if scalar(field(item, "version")) == version && urls.Kind == yaml.SequenceNode && len(urls.Content) > 0 {
			return entry{url: scalar(urls.Content[0]), digest: scalar(field(item, "digest"))}, nil
		}
	}
	return entry{}, nil
}

// field is a mapping's value of the name; an empty node where it has none.
func field(of *yaml.Node, name string) *yaml.Node {
	if of.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(of.Content); i += 2 {
			if scalar(of.Content[i]) == name {
				return of.Content[i+1]
			}
		}
	}
	return &yaml.Node{}
}

// scalar is a scalar's; "" of what is none.
func scalar(node *yaml.Node) string {
	if node.Kind != yaml.ScalarNode {
		return ""
	}
	return node.Value
}
