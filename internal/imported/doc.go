// Package imported is what other benchmark tools measured, in a document that stands beside kvbench's reports.
//
// A document has no figure that the tool didn't print. What is missing is null. What the tool doesn't tell at all is in
// NotKnown: above all, nobody looked whether its numbers are valid. Package parse reads the tools' outputs.
package imported
