package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/fluxcd/cli-utils/pkg/object"
	"github.com/fluxcd/pkg/ssa"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// inventory maps the id of an applied object to its API version, as the status
// of a Flux Kustomization does.
type inventory map[string]string

func newInventory(changes *ssa.ChangeSet) inventory {
	result := inventory{}
	for _, entry := range changes.Entries {
		result[entry.ObjMetadata.String()] = entry.GroupVersion
	}
	return result
}

// loadInventory reads a file that store wrote; no file is an empty inventory.
func loadInventory(path string) (inventory, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return inventory{}, nil
	}
	if err != nil {
		return nil, err
	}
	result := inventory{}
	return result, json.Unmarshal(content, &result)
}

func (i inventory) store(path string) error {
	content, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// without returns the objects of i that are not in other.
func (i inventory) without(other inventory) ([]*unstructured.Unstructured, error) {
	var result []*unstructured.Unstructured
	for id, version := range i {
		if _, kept := other[id]; kept {
			continue
		}
		metadata, err := object.ParseObjMetadata(id)
		if err != nil {
			return nil, err
		}
		stale := &unstructured.Unstructured{}
		stale.SetGroupVersionKind(metadata.GroupKind.WithVersion(version))
		stale.SetName(metadata.Name)
		stale.SetNamespace(metadata.Namespace)
		result = append(result, stale)
	}
	return result, nil
}
