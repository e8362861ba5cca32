// Modules from which the setup script copies CRDs. Nothing is compiled.
module banlieue.io/tests/tools/crds

go 1.26.3

require (
	github.com/argoproj/argo-cd/v3 v3.5.7
	github.com/fluxcd/kustomize-controller v1.7.3
	github.com/fluxcd/source-controller v1.8.0
	sigs.k8s.io/cluster-api v1.14.2
)
