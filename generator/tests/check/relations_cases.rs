//! Faults between several objects, or between what the fleet asks for and what a site offers.

use super::Case;

/// A fault of the fleet itself.
pub const fn fleet(
    code: &'static [&'static str; 1],
    layer: &'static str,
    message: &'static str,
    hint: &'static str,
) -> Case {
    Case {
        codes: code,
        select: "",
        layer,
        templates: &[],
        message,
        hint,
    }
}

/// Two clusters, the second of which is at fault.
const TWO: &str = "\
clusters:
  m1:
    tier: edge
    version: v1.34.2+k0s.0
    image: kairos
    sites: [nantes]
    controlPlane: {kind: k0smotron}
  §m2:
    tier: edge
    version: v1.34.2+k0s.0
    image: kairos
    sites: [nantes]
    controlPlane: {kind: k0smotron}
";

pub const CASES: &[Case] = &[
    Case {
        codes: &["BL4024"],
        select: "cluster=m1,m2",
        layer: TWO,
        templates: &[(
            "capi/extra/x.yaml.j2",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
        )],
        message: "ConfigMap fleet/x: is rendered twice, for `clusters.m1` and for `clusters.m2`",
        hint: "rename one",
    },
    Case {
        codes: &["BL4025"],
        select: "cluster=m2",
        layer: TWO,
        templates: &[
            (
                "capi/extra/x.yaml.j2",
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: \"x:y\"}\n",
            ),
            (
                "capi/extra/y.yaml.j2",
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: x-y}\n",
            ),
        ],
        message: "shares the file clusters/edge/m2/role-x-y.yaml",
        hint: "rename one",
    },
    Case {
        codes: &["BL4026"],
        select: "cluster=m2",
        layer: TWO,
        templates: &[(
            "capi/extra/x.yaml.j2",
            "apiVersion: banlieue.io/v1alpha1\nkind: VirtualMachine\nmetadata: {name: x}\n\
             spec: {classRef: {name: tiny}, imageRef: {name: kairos}}\n",
        )],
        message: "`spec.classRef` refers to VMClass.banlieue.io tiny",
        hint: "correct the name",
    },
    fleet(
        &["BL4027"],
        "images: {kairos: {§sources: [{providerClass: vsphere, kind: Template, ref: k}]}}\n",
        "site `nantes`, where cluster `stores` uses it, has providers of class `libvirt`",
        "`providerClass: libvirt`",
    ),
    fleet(
        &["BL4028"],
        "classes:\n  small:\n    network: {interfaces: [{name: eth0, networkClass: §prod}]}\n\
         sites: {nantes: {networkClasses: {prod: null, prodd: {target: {network: x}}}}}\n",
        "site `nantes`, where cluster `stores` uses it, has no network class `prod`",
        "did you mean `prodd`?",
    ),
    fleet(
        &["BL4028"],
        "sites:\n  nantes:\n    storageClasses:\n      fast: null\n---\n\
         apiVersion: gen.banlieue.io/v1alpha1\nkind: Fleet\n\
         sites:\n  nantes:\n    storageClasses:\n      §fast: {perZone: {kvm1: {pool: p}}}\n",
        "does not say what storage class `fast` is in zone `kvm2`",
        "add a `target`, or an entry `kvm2`",
    ),
    fleet(
        &["BL4029"],
        "classes: {small: {firmware: §efi-secure}}\n",
        "site `nantes`, where cluster `stores` uses it, does not list the feature `efiSecureBoot`",
        "add `efiSecureBoot` to `sites.nantes.features`",
    ),
    Case {
        codes: &["BL4024", "BL4030"],
        select: "",
        layer: "platform: {imageBuilder: {namespace: §banlieue-system}}\n",
        templates: &[],
        message: "`banlieue-system` is the namespace of the controller, too",
        hint: "a namespace of their own",
    },
    fleet(
        &["BL4031"],
        "virtualMachines:\n  bastion:\n    networkOverrides:\n\
         \x20     \"0\": [{name: eth0, static: {address: 10.10.0.7, prefix: 24}}]\n\
         \x20     \"1\": [{name: eth0, static: {address: §10.10.0.7, prefix: 24}}]\n",
        "machine 0 of set `bastion` has the address 10.10.0.7, too",
        "an address of its own",
    ),
    fleet(
        &["BL4032"],
        "virtualMachines:\n  bastion:\n    networkOverrides:\n\
         \x20     \"0\": [{name: §eth1, static: {address: 10.10.0.7, prefix: 24}}]\n",
        "class `small` has no interface `eth1`",
        "did you mean `eth0`?",
    ),
    fleet(
        &["BL4033"],
        "clusters: {web: {workers: {autoscaling: {min: §3, max: 2}}}}\n",
        "`min` is 3, and `max` only 2",
        "swap them",
    ),
    fleet(
        &["BL4036"],
        "platform: {allowedRegistries: [ghcr.io/kairos, registry.example.com]}\n\
         images:\n  kairos:\n    sources:\n\
         \x20     - {providerClass: vsphere, kind: Url, importFrom: \"registry.example.com/kairos@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}\n\
         \x20     - {providerClass: libvirt, kind: Url, importFrom: §\"ghcr.io/kairos-io/kairos@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}\n",
        "VMImage.banlieue.io kairos: `spec.sources.1.importFrom` is `ghcr.io/kairos-io/kairos@",
        "import it from ghcr.io/kairos or registry.example.com, or add its registry",
    ),
];
