package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/normalize"
	"github.com/fluxcd/pkg/ssa/utils"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

const (
	fieldOwner = "kustomize-controller"
	fluxGroup  = "kustomize.toolkit.fluxcd.io"
)

// change is one line of the answer of apply.
type change struct {
	ID     string `json:"id"`
	Action string `json:"action"`
}

type applyOptions struct {
	source                               source
	kubeconfig, name, namespace, history string
	prune, wait                          bool
	timeout                              time.Duration
}

func parseApply(args []string) (applyOptions, error) {
	var o applyOptions
	flags := flag.NewFlagSet("apply", flag.ContinueOnError)
	o.source.register(flags)
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the API server")
	flags.StringVar(&o.name, "name", "test", "name of the Kustomization that owns the objects")
	flags.StringVar(&o.namespace, "namespace", "flux-system", "namespace of that Kustomization")
	flags.StringVar(&o.history, "inventory", "", "file that keeps what was applied last")
	flags.BoolVar(&o.prune, "prune", false, "delete what the inventory holds and the build does not")
	flags.BoolVar(&o.wait, "wait", false, "wait until every applied object is ready")
	flags.DurationVar(&o.timeout, "timeout", 60*time.Second, "for each wait")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.kubeconfig == "" {
		return o, fmt.Errorf("--kubeconfig is missing")
	}
	if o.prune && o.history == "" {
		return o, fmt.Errorf("--prune needs --inventory")
	}
	return o, nil
}

func runApply(ctx context.Context, args []string, out io.Writer) error {
	o, err := parseApply(args)
	if err != nil {
		return err
	}
	objects, err := o.source.build(ctx)
	if err != nil {
		return err
	}
	manager, err := newManager(o.kubeconfig)
	if err != nil {
		return err
	}
	asBuilt := make([]*unstructured.Unstructured, 0, len(objects))
	for _, object := range objects {
		asBuilt = append(asBuilt, object.DeepCopy())
	}
	changes, err := o.apply(ctx, manager, objects)
	if err != nil {
		return err
	}
	if err := checkFields(ctx, manager.Client(), asBuilt); err != nil {
		return err
	}
	pruned, err := o.pruneStale(ctx, manager, changes)
	if err != nil {
		return err
	}
	for _, entry := range append(changes.Entries, pruned...) {
		if err := writeJSONLine(out, change{ID: entry.Subject, Action: entry.Action.String()}); err != nil {
			return err
		}
	}
	return nil
}

// newManager returns Flux's server-side apply engine.
func newManager(kubeconfig string) (*ssa.ResourceManager, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = -1, -1
	config.WarningHandler = rest.NoWarnings{}
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	mapper, err := apiutil.NewDynamicRESTMapper(config, httpClient)
	if err != nil {
		return nil, err
	}
	kubernetes, err := client.New(config, client.Options{HTTPClient: httpClient, Mapper: mapper})
	if err != nil {
		return nil, err
	}
	poller := polling.NewStatusPoller(kubernetes, mapper, polling.Options{})
	return ssa.NewResourceManager(kubernetes, poller, ssa.Owner{Field: fieldOwner, Group: fluxGroup}), nil
}

func (o *applyOptions) apply(ctx context.Context, manager *ssa.ResourceManager, objects []*unstructured.Unstructured) (*ssa.ChangeSet, error) {
	if err := normalize.UnstructuredList(objects); err != nil {
		return nil, err
	}
	manager.SetOwnerLabels(objects, o.name, o.namespace)

	options := ssa.DefaultApplyOptions()
	options.WaitInterval, options.WaitTimeout = 200*time.Millisecond, o.timeout
	options.ExclusionSelector = map[string]string{fluxGroup + "/reconcile": "disabled", fluxGroup + "/ssa": "Ignore"}
	options.IfNotPresentSelector = map[string]string{fluxGroup + "/ssa": "IfNotPresent"}
	options.ForceSelector = map[string]string{fluxGroup + "/force": "enabled"}

	changes, err := manager.ApplyAllStaged(ctx, objects, options)
	if err != nil {
		return nil, err
	}
	if o.wait {
		wait := ssa.WaitOptions{Interval: options.WaitInterval, Timeout: o.timeout}
		if err := manager.WaitForSet(changes.ToObjMetadataSet(), wait); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// checkFields fails where a field is unknown to the API server. Flux itself
// drops such a field of a built-in kind without a word. It runs after the
// apply, when the kinds are there.
func checkFields(ctx context.Context, kubernetes client.Client, objects []*unstructured.Unstructured) error {
	var failures []error
	for _, object := range objects {
		id := utils.FmtUnstructured(object)
		err := kubernetes.Patch(ctx, object, client.Apply, client.DryRunAll, client.ForceOwnership,
			client.FieldOwner(fieldOwner), client.FieldValidation(metav1.FieldValidationStrict))
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: strict dry run: %w", id, err))
		}
	}
	return errors.Join(failures...)
}

// pruneStale deletes what an earlier run applied and this one did not, then
// records this run. What is kept because of its annotation leaves the record,
// as it leaves the inventory of Flux.
func (o *applyOptions) pruneStale(ctx context.Context, manager *ssa.ResourceManager, changes *ssa.ChangeSet) ([]ssa.ChangeSetEntry, error) {
	if o.history == "" {
		return nil, nil
	}
	before, err := loadInventory(o.history)
	if err != nil {
		return nil, err
	}
	after := newInventory(changes)
	var pruned []ssa.ChangeSetEntry
	if o.prune {
		stale, err := before.without(after)
		if err != nil {
			return nil, err
		}
		deleted, err := manager.DeleteAll(ctx, stale, ssa.DeleteOptions{
			PropagationPolicy: metav1.DeletePropagationBackground,
			Inclusions:        manager.GetOwnerLabels(o.name, o.namespace),
			Exclusions:        map[string]string{fluxGroup + "/prune": "disabled", fluxGroup + "/reconcile": "disabled"},
		})
		if err != nil {
			return nil, err
		}
		pruned = deleted.Entries
	}
	return pruned, after.store(o.history)
}
