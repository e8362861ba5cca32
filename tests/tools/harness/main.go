// Command harness does, for the tests, what Flux and the API tooling do with
// a rendered tree: read YAML, substitute variables, build, apply and prune.
// Each subcommand writes JSON to standard output and errors to standard error.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fluxcd/pkg/envsubst"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/go-logr/logr"
)

const usage = `usage:
  harness yaml                 < stream   one JSON document a line
  harness envsubst [KEY=VALUE] < text     strict: an unknown variable is an error
  harness build --root DIR --path P       one JSON object a line
  harness apply --kubeconfig F --root DIR --path P [options]`

func main() {
	ctrllog.SetLogger(logr.Discard())
	if err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "harness:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("%s", usage)
	}
	switch args[0] {
	case "yaml":
		return readYAML(in, out)
	case "envsubst":
		return substitute(args[1:], in, out)
	case "build":
		return runBuild(ctx, args[1:], out)
	case "apply":
		return runApply(ctx, args[1:], out)
	default:
		return fmt.Errorf("unknown subcommand %q\n%s", args[0], usage)
	}
}

func substitute(args []string, in io.Reader, out io.Writer) error {
	vars, err := parseVariables(args)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	result, err := envsubst.Eval(string(text), func(name string) (string, bool) {
		value, known := vars[name]
		return value, known
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, result)
	return err
}

func parseVariables(args []string) (map[string]string, error) {
	vars := make(map[string]string, len(args))
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not KEY=VALUE", arg)
		}
		vars[key] = value
	}
	return vars, nil
}

func writeJSONLine(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
