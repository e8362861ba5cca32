//! Faults of one object by itself, most of them made by a template of a user's own.

use super::Case;

/// A cluster for a template to go wrong in.
const MINE: &str = "\
clusters:
  §mine:
    tier: edge
    version: v1.34.2+k0s.0
    image: kairos
    sites: [nantes]
    controlPlane: {kind: k0smotron}
";

/// A fault that `capi/extra/x.yaml.j2` makes in the cluster.
const fn made(
    codes: &'static [&'static str],
    template: &'static [(&'static str, &'static str); 1],
    message: &'static str,
    hint: &'static str,
) -> Case {
    Case {
        codes,
        select: "cluster=mine",
        layer: MINE,
        templates: template,
        message,
        hint,
    }
}

macro_rules! extra {
    ($($text:expr),* $(,)?) => { &[("capi/extra/x.yaml.j2", concat!($($text),*))] };
}

macro_rules! machine {
    ($($text:literal),* $(,)?) => {
        extra!(
            "apiVersion: banlieue.io/v1alpha1\nkind: VirtualMachine\nmetadata: {name: x}\nspec:\n",
            "  classRef: {name: small}\n",
            $("  ", $text, "\n"),*
        )
    };
}

pub const CASES: &[Case] = &[
    made(
        &["BL4001"],
        machine!("imageRef: {name: kairos}", "desiredPowerstate: PoweredOn"),
        "VirtualMachine.banlieue.io fleet/x: `spec.desiredPowerstate` is no field",
        "did you mean `desiredPowerState`?",
    ),
    made(
        &["BL4002"],
        machine!("paused: true"),
        "`spec` lacks the field `imageRef`",
        "add `imageRef`",
    ),
    made(
        &["BL4003"],
        machine!("imageRef: {name: kairos}", "paused: \"yes\""),
        "`spec.paused` is text, and must be true or false",
        "write true or false",
    ),
    made(
        &["BL4004"],
        machine!("imageRef: {name: kairos}", "desiredPowerState: poweredon"),
        "`spec.desiredPowerState` is `poweredon`",
        "did you mean `PoweredOn`?",
    ),
    Case {
        codes: &["BL4005"],
        select: "site=depot",
        layer: "sites: {depot: {backend: sim, endpoint: §depot, zones: {a: {}}}}\n",
        templates: &[],
        message: "Provider.banlieue.io fleet/depot: `spec.connection.endpoint` `depot` does not match",
        hint: "write a text of this form",
    },
    made(
        &["BL4006"],
        machine!("imageRef: {name: kairos}", "hardwareOverride: {cpus: 257}"),
        "`spec.hardwareOverride.cpus` is 257, which is too large",
        "from 1 to 256",
    ),
    made(
        &["BL4007"],
        machine!("imageRef: {name: kairos}", "folder: \"\""),
        "`spec.folder` has 0 characters",
        "lengthen it",
    ),
    Case {
        codes: &["BL4008"],
        select: "",
        layer: "sites: {nantes: {features: [vtpm, §vtpm]}}\n",
        templates: &[],
        message: "Provider.banlieue.io fleet/nantes-kvm1: `spec.capabilities.features.1` is a second",
        hint: "keep one of the two",
    },
    Case {
        codes: &["BL4009"],
        select: "cluster=web",
        layer: "sites:\n  nantes:\n    zones:\n      kvm1: {endpoint: §\"qemu+tls://root@kvm1/system\"}\n",
        templates: &[],
        message: "`spec.connection.endpoint`: endpoint must not hold a user name",
        hint: "the rule is `!self.contains('@')`",
    },
    made(
        &["BL4010"],
        extra!("apiVersion: example.com/v1\nkind: \"\"\nmetadata: {name: x}\n"),
        "has no `kind`",
        "add it",
    ),
    made(
        &["BL4011"],
        extra!("apiVersion: banlieue.io/v1\nkind: VirtualMachine\nmetadata: {name: x}\n"),
        "no CRD serves banlieue.io/v1 VirtualMachine",
        "did you mean `banlieue.io/v1alpha1 VirtualMachine`?",
    ),
    made(
        &["BL4012"],
        extra!("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: X}\n"),
        "`metadata.name` has 'X' at position 1",
        "lower-case",
    ),
    made(
        &["BL4013"],
        extra!(
            "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\n",
            "metadata: {name: a-name-of-forty-four-characters-one-too-many, namespace: x}\n",
            "spec: {controlPlaneRef: {kind: K0smotronControlPlane}}\n",
        ),
        "has 44 characters, and at most 43 fit",
        "shorter",
    ),
    made(
        &["BL4014"],
        extra!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: x}\n"
        ),
        "a ClusterRole belongs to no namespace",
        "by other means",
    ),
    Case {
        codes: &["BL4015"],
        select: "",
        layer: "virtualMachines: {bastion: {labels: {owner: §team one}}}\n",
        templates: &[],
        message: "`team one` has a character that is not allowed (and one more object)",
        hint: "at most 63 letters",
    },
    Case {
        codes: &["BL4015"],
        select: "",
        layer: "clusters: {web: {workers: {labels: {pool: §a=b}}}}\n",
        templates: &[],
        message: "the label `pool` of the nodes",
        hint: "at most 63 letters",
    },
    made(
        &["BL4016"],
        extra!("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, annotations: {a: 1}}\n"),
        "`metadata.annotations.a` is not accepted: the value is no text",
        "in quotes",
    ),
    made(
        &["BL4017"],
        extra!("apiVersion: example.com/v1\nkind: X\nmetadata: {name: x}\nspec: {list: [null]}\n"),
        "`spec.list.0` is null",
        "write a value",
    ),
    made(
        &["BL4018"],
        extra!("apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData: {password: x}\n"),
        "`stringData.password` would be committed to git in clear text",
        "SOPS",
    ),
    made(
        &["BL4019"],
        extra!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  a: \"",
            "{% for i in range(11000) %}0123456789012345678901234567890123456789",
            "0123456789012345678901234567890123456789012345678901234567890123{% endfor %}\"\n",
        ),
        "`data` has 1144001 bytes",
        "split it",
    ),
    made(
        &["BL4014", "BL4020"],
        extra!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n",
            "metadata: {name: x}\nspec:\n  a: \"",
            "{% for i in range(30000) %}0123456789{% endfor %}\"\n",
        ),
        "has 300295 bytes of JSON",
        "--server-side",
    ),
    Case {
        codes: &["BL4021"],
        select: "",
        layer: "virtualMachines: {bastion: {cloudInit: {template: §long}}}\n",
        templates: &[(
            "cloud-init/long.yaml.j2",
            "#cloud-config\n{% for i in range(5000) %}# 12345678\n{% endfor %}",
        )],
        message: "the user data has 73352 bytes in base64",
        hint: "fetch the larger parts",
    },
    Case {
        codes: &["BL4022"],
        select: "",
        layer: "providerClasses:\n  vsphere:\n    backend: vsphere\n    image: {repository: r, tag: t}\n    resources: {requests: {cpu: §1000m}}\n",
        templates: &[],
        message: "ProviderClass.banlieue.io vsphere: `spec.resources.requests.cpu` is `1000m`",
        hint: "write `1`",
    },
    made(
        &["BL4023"],
        extra!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  annotations:\n",
            "    kustomize.toolkit.fluxcd.io/substitute: enabled\ndata: {a: \"${A}\"}\n",
        ),
        "let Flux replace",
        "substitute: disabled",
    ),
    made(
        &["BL4034"],
        extra!(
            "apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineDeployment\nmetadata:\n  name: x\n  annotations:\n",
            "    cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size: \"1\"\n",
        ),
        "`metadata.annotations` has no `cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size`",
        "both bounds",
    ),
    made(
        &["BL4035"],
        extra!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
            "binaryData: {logo: \"not base64\"}\n",
        ),
        "`binaryData.logo` is not base64",
        "base64 -w0",
    ),
    made(
        &["BL4037"],
        extra!("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: \"b\\u0085c\"}\n"),
        "`data.a` holds the character U+0085",
        "base64",
    ),
];
