"""Installs the peers, each once a machine, at a pinned version, without root.

Everything is kept under ${XDG_CACHE_HOME:-~/.cache}/banlieue, one directory for each peer and
digest of how it is made, so that a second run does nothing.
"""

import dataclasses
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


@dataclasses.dataclass(frozen=True)
class Package:
    """A package of a registry, and the version that is measured."""

    registry: str
    name: str
    version: str
    also: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        spec = "\n".join([self.registry, self.name, self.version, *self.also, os.uname().machine])
        return hashlib.sha256(spec.encode()).hexdigest()[:16]


PACKAGES = {
    "kustomize": Package("go", "sigs.k8s.io/kustomize/kustomize/v5", "v5.7.1"),
    "jsonnet": Package("go", "github.com/google/go-jsonnet/cmd/jsonnet", "v0.22.0"),
    "cue": Package("go", "cuelang.org/go/cmd/cue", "v0.17.1"),
    "kubeconform": Package("go", "github.com/yannh/kubeconform/cmd/kubeconform", "v0.8.0"),
    "helm": Package("go", "helm.sh/helm/v3/cmd/helm", "v3.22.0"),
    "kcl": Package("python", "kcl-lib", "0.13.2", also=("protobuf==7.36.2",)),
    # Reads the peers' YAML, to compare it.
    "yaml": Package("python", "PyYAML", "6.0.3"),
    "cdk8s": Package("node", "cdk8s", "2.70.106", also=("constructs@10.8.1",)),
}


def cache() -> pathlib.Path:
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "banlieue"


def directory(peer: str) -> pathlib.Path:
    """Where a peer is, or will be."""
    return cache() / f"bench-{peer}-{PACKAGES[peer].digest}"


def is_installed(peer: str) -> bool:
    return directory(peer).is_dir()


def binary(peer: str) -> pathlib.Path:
    """The program of a peer that is one."""
    return directory(peer) / peer


def install(peer: str) -> None:
    """Installs a peer, unless it is there. It appears under its name only when it is whole."""
    if is_installed(peer):
        return
    package = PACKAGES[peer]
    print(f"bench: installs {package.name} {package.version}", file=sys.stderr)
    cache().mkdir(parents=True, exist_ok=True)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix=f".bench-{peer}.", dir=cache()))
    try:
        MAKERS[package.registry](package, scratch)
        scratch.chmod(0o755)
        scratch.rename(directory(peer))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def run(*command: object, **settings: object) -> None:
    subprocess.run(["nice", *map(str, command)], check=True, **settings)


def make_go(package: Package, target: pathlib.Path) -> None:
    environment = {**os.environ, "CGO_ENABLED": "0", "GOBIN": str(target)}
    run("go", "install", "-p", "2", "-ldflags=-s -w", f"{package.name}@{package.version}", env=environment)


def make_python(package: Package, target: pathlib.Path) -> None:
    run(sys.executable, "-m", "venv", target)
    # A script of a virtual environment names the place where it was made; the interpreter does not.
    run(
        target / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
        f"{package.name}=={package.version}", *package.also,
    )  # fmt: skip


def make_node(package: Package, target: pathlib.Path) -> None:
    run(
        "npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", target,
        f"{package.name}@{package.version}", *package.also,
    )  # fmt: skip


MAKERS = {"go": make_go, "python": make_python, "node": make_node}
