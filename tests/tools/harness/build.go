package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fluxcd/pkg/kustomize"
	"github.com/fluxcd/pkg/ssa/utils"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/resmap"
)

// source says what one Flux Kustomization would build.
type source struct {
	root, path string
	substitute bool
	variables  variables
}

func (s *source) register(flags *flag.FlagSet) {
	flags.StringVar(&s.root, "root", "", "root of the fetched repository; nothing outside it is read")
	flags.StringVar(&s.path, "path", "./", "spec.path of the Kustomization, relative to the root")
	flags.BoolVar(&s.substitute, "substitute", false, "run post-build substitution, strict")
	flags.Var(&s.variables, "set", "KEY=VALUE for post-build substitution, repeatable; implies --substitute")
}

// variables is a repeatable flag.
type variables []string

func (v *variables) String() string { return fmt.Sprint(*v) }

func (v *variables) Set(value string) error {
	*v = append(*v, value)
	return nil
}

func runBuild(ctx context.Context, args []string, out io.Writer) error {
	var s source
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	s.register(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	objects, err := s.build(ctx)
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := writeJSONLine(out, object.Object); err != nil {
			return err
		}
	}
	return nil
}

// build works on a copy, because Flux's generator writes a kustomization.yaml
// where there is none.
func (s *source) build(ctx context.Context) ([]*unstructured.Unstructured, error) {
	work, err := os.MkdirTemp("", "harness-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	// The generator refuses paths that differ from their resolved form.
	if work, err = filepath.EvalSymlinks(work); err != nil {
		return nil, err
	}
	if err := copyTree(s.root, work); err != nil {
		return nil, err
	}

	directory := filepath.Join(work, s.path)
	owner := unstructured.Unstructured{Object: map[string]any{}}
	if _, err := kustomize.NewGenerator(work, owner).WriteFile(directory); err != nil {
		return nil, fmt.Errorf("generate kustomization: %w", err)
	}
	resources, err := kustomize.SecureBuild(work, directory, false)
	if err != nil {
		return nil, fmt.Errorf("kustomize build: %w", err)
	}
	if err := s.substituteAll(ctx, resources); err != nil {
		return nil, err
	}
	text, err := resources.AsYaml()
	if err != nil {
		return nil, err
	}
	return utils.ReadObjects(bytes.NewReader(text))
}

func (s *source) substituteAll(ctx context.Context, resources resmap.ResMap) error {
	if !s.substitute && len(s.variables) == 0 {
		return nil
	}
	values, err := parseVariables(s.variables)
	if err != nil {
		return err
	}
	owner := unstructured.Unstructured{Object: map[string]any{}}
	if err := unstructured.SetNestedStringMap(owner.Object, values, "spec", "postBuild", "substitute"); err != nil {
		return err
	}
	for _, resource := range resources.Resources() {
		changed, err := kustomize.SubstituteVariables(ctx, nil, owner, resource,
			kustomize.SubstituteWithDryRun(true), kustomize.SubstituteWithStrict(true), kustomize.SubstituteWithAlways(true))
		if err != nil {
			return fmt.Errorf("post build of %s: %w", resource.CurId(), err)
		}
		if changed == nil {
			continue
		}
		if _, err := resources.Replace(resource); err != nil {
			return err
		}
	}
	return nil
}

// copyTree copies directories and regular files only: Flux leaves symbolic
// links out of an artifact.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		switch {
		case entry.IsDir():
			return os.MkdirAll(target, 0o755)
		case entry.Type().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(target, content, 0o644)
		default:
			return nil
		}
	})
}
