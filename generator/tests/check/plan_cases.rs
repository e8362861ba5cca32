//! Faults of a fleet that keep it from being planned at all.

use super::{Case, relations_cases::fleet};

/// A selection that the fleet cannot answer. It is an argument, so no file has its place.
const fn selection(
    code: &'static [&'static str; 1],
    select: &'static str,
    message: &'static str,
    hint: &'static str,
) -> Case {
    Case {
        codes: code,
        select,
        layer: "",
        templates: &[],
        message,
        hint,
    }
}

/// A cluster `mine`, with the lines in which it differs from a sound one.
macro_rules! mine {
    ($($line:literal),* $(,)?) => {
        concat!(
            "clusters:\n  mine:\n    version: v1.34.2+k0s.0\n    image: kairos\n",
            $("    ", $line, "\n"),*
        )
    };
}

pub const CASES: &[Case] = &[
    fleet(
        &["BL2001"],
        "classes: {§Big_One: {hardware: {cpus: 1, memoryMiB: 512, disks: [\
         {name: os, sizeGiB: 1, storageClass: fast}]}, \
         network: {interfaces: [{name: eth0, networkClass: prod}]}}}\n",
        "`Big_One` cannot be a name: it has a character other than",
        "use lower-case letters, digits and `-`",
    ),
    fleet(
        &["BL2001"],
        "sites: {nantes: {zones: {§kvm3-: {endpoint: \"qemu+tls://kvm3/system\"}}}}\n",
        "`kvm3-` cannot be a name: it starts or ends with `-`",
        "use lower-case letters, digits and `-`",
    ),
    selection(
        &["BL2002"],
        "tier=golden",
        "tier=golden selects nothing: the fleet has no such tier",
        "did you mean `gold`?",
    ),
    selection(
        &["BL2003"],
        "tier=edge cluster=payments",
        "nothing in the fleet is selected by tier=edge cluster=payments",
        "`banlieue-gen plan` without a selection lists all clusters",
    ),
    fleet(
        &["BL2004"],
        "clusters: {stores: {tier: §egde}}\n",
        "the fleet has no tier named `egde`",
        "did you mean `edge`?",
    ),
    fleet(
        &["BL2004"],
        "sites: {nantes: {storageClasses: {§slow: {perZone: {kvm9: {pool: p}}}}}}\n",
        "the site has no zone named `kvm9`",
        "did you mean `kvm1`?",
    ),
    fleet(
        &["BL2004"],
        "sites: {nantes: {providerClass: §libvrt}}\nproviderClasses: {libvirt: {backend: libvirt}}\n",
        "the fleet has no provider class named `libvrt`",
        "did you mean `libvirt`?",
    ),
    fleet(
        &["BL2005"],
        "clusters:\n  §mine:\n    tier: edge\n    version: v1.34.2+k0s.0\n    image: kairos\n\
         \x20   controlPlane: {kind: k0smotron}\n",
        "the cluster names no site to run at",
        "set `sites` to a list of sites, or `siteSelector` to labels",
    ),
    fleet(
        &["BL2005"],
        mine!(
            "tier: edge",
            "sites: [nantes]",
            "§siteSelector: {matchLabels: {example.com/region: west}}",
            "controlPlane: {kind: k0smotron}",
        ),
        "`sites` and `siteSelector` exclude each other",
        "remove one of them",
    ),
    fleet(
        &["BL2005"],
        mine!(
            "tier: edge",
            "§siteSelector: {matchLabels: {example.com/region: east}}",
            "controlPlane: {kind: k0smotron}",
        ),
        "the selector matches no site",
        "compare it with the `labels` of the sites",
    ),
    fleet(
        &["BL2006"],
        "sites: {§nantes-kvm1: {backend: sim, endpoint: \"sim://lab\", zones: {a: {}}}}\n",
        "sites `nantes` and `nantes-kvm1` both need a Provider named `nantes-kvm1`",
        "rename one of the sites or zones",
    ),
    fleet(
        &["BL2007"],
        "sites: {§nice: {backend: vsphere, credentials: {secret: lyon-vcenter}, \
         zones: {a: {datacenter: d, cluster: c}}}}\n",
        "a vSphere site needs an `endpoint`",
        "for example `https://vcenter.example.com/sdk`",
    ),
    fleet(
        &["BL2007"],
        "sites: {§nice: {backend: vsphere, endpoint: \"https://v/sdk\", \
         zones: {a: {datacenter: d, cluster: c}}}}\n",
        "a vSphere site needs `credentials`",
        "name a Secret with the keys `username` and `password`",
    ),
    fleet(
        &["BL2007"],
        "sites: {lyon: {zones: {§d: {datacenter: lyon-dc}}}}\n",
        "a vSphere zone is a compute cluster of a datacenter",
        "set `datacenter` and `cluster`",
    ),
    fleet(
        &["BL2007"],
        "sites: {lyon: {zones: {§d: {datacenter: d, cluster: c, endpoint: \"https://v/sdk\"}}}}\n",
        "a vSphere zone has no `endpoint`",
        "it belongs to the site",
    ),
    fleet(
        &["BL2007"],
        "sites: {nantes: {endpoint: §\"qemu+tls://kvm/system\"}}\n",
        "at a libvirt site each zone is a host with an `endpoint` of its own",
        "move it to the zones",
    ),
    fleet(
        &["BL2007"],
        "sites: {nantes: {zones: {§kvm3: {}}}}\n",
        "a libvirt zone is a host and needs an `endpoint`",
        "for example `qemu+tls://host.example.com/system`",
    ),
    fleet(
        &["BL2007"],
        "sites: {nice: {backend: libvirt, zones: {§a: {endpoint: \"qemu+tls://a/system\"}}}}\n",
        "a libvirt host needs `credentials`",
        "name a Secret with the keys `tls.crt` and `tls.key`",
    ),
    fleet(
        &["BL2007"],
        "sites: {§lab: {backend: sim, zones: {a: {}}}}\n",
        "a simulated site needs an `endpoint`",
        "for example `sim://lab`",
    ),
    fleet(
        &["BL2007"],
        "providerClasses: {big: {backend: vsphere}}\nsites: {nantes: {providerClass: §big}}\n",
        "provider class `big` is for vsphere, the site is libvirt",
        "name a class of the same backend",
    ),
    fleet(
        &["BL2008"],
        "sites: {lyon: {credentials: {secret: §lion-vcenter}}}\n",
        "Secret `lion-vcenter` is not declared under `secrets`",
        "did you mean `lyon-vcenter`?",
    ),
    fleet(
        &["BL2008"],
        "secrets: {x: {keys: [username]}}\nsites: {lyon: {credentials: {secret: §x}}}\n",
        "Secret `x` is declared without the key `password`, which vsphere needs",
        "add the key to the Secret and to `secrets.x.keys`",
    ),
    fleet(
        &["BL2008"],
        "sites: {lyon: {caBundle: {configMapRef: null, secretRef: {name: §lion-vcenter}}}}\n",
        "Secret `lion-vcenter` is not declared under `secrets`",
        "did you mean `lyon-vcenter`?",
    ),
    fleet(
        &["BL2008"],
        "virtualMachines: {bastion: {cloudInit: null, userData: {secretRef: {name: §lion-vcenter}}}}\n",
        "Secret `lion-vcenter` is not declared under `secrets`",
        "did you mean `lyon-vcenter`?",
    ),
    fleet(
        &["BL2009"],
        "virtualMachines:\n  bastion:\n    networkOverrides:\n\
         \x20     §\"2\": [{name: eth0, static: {address: 10.10.0.7, prefix: 24}}]\n",
        "there is no machine number `2` in a set of 2",
        "machines are numbered from 0",
    ),
    fleet(
        &["BL2010"],
        mine!(
            "tier: silver",
            "§sites: [nantes]",
            "controlPlane: {kind: k0smotron}",
        ),
        "tier `silver` spreads over 6 failure domains, but the cluster's sites (nantes) have 2",
        "add a site or a zone, or choose a tier with fewer failure domains",
    ),
    fleet(
        &["BL2011"],
        mine!(
            "tier: edge",
            "§sites: [nantes, paris]",
            "controlPlane: {kind: k0smotron}",
        ),
        "site `nantes` is libvirt, site `paris` is vsphere",
        "split the cluster, or choose sites of one backend",
    ),
    fleet(
        &["BL2012"],
        concat!(
            "sites: {nantes: {zones: {kvm1: {controlPlane: false}, kvm2: {controlPlane: false}}}}\n",
            mine!(
                "tier: edge",
                "sites: [nantes]",
                "§controlPlane: {kind: k0s, endpoint: {host: mine.example.com}}",
            )
        ),
        "no zone of the cluster's sites allows control-plane machines",
        "set `controlPlane: true` on a zone, or use a hosted control plane",
    ),
    fleet(
        &["BL2013"],
        mine!(
            "tier: silver",
            "sites: [paris, lyon]",
            "§controlPlane: {kind: kubeadm}",
        ),
        "a control plane on machines needs a stable address for its API server",
        "set `controlPlane.endpoint.host` to a virtual IP or load balancer",
    ),
    fleet(
        &["BL2014"],
        mine!(
            "tier: §edge",
            "sites: [nantes]",
            "controlPlane: {kind: k0s, endpoint: {host: mine.example.com}}",
        ),
        "tier `edge` promises to survive the loss of any one failure domain; this cluster does not",
        "use a hosted control plane, or take the promise out of the tier",
    ),
];
