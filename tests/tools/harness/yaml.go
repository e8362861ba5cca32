package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// readYAML splits a stream as kubectl and the controllers do, and decodes each
// document strictly: a duplicate key is an error. Numbers keep their digits.
func readYAML(in io.Reader, out io.Writer) error {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(in))
	for index := 0; ; index++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		converted, err := yaml.YAMLToJSONStrict(document)
		if err != nil {
			return fmt.Errorf("document %d: %w", index, err)
		}
		if err := writeJSONLine(out, json.RawMessage(converted)); err != nil {
			return err
		}
	}
}
