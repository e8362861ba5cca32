//! The codes of checking: what is wrong with a rendered object, or between several.

crate::codes! {
    UNKNOWN_FIELD = "BL4001", "An object has a field that its CRD does not have",
        "The API server drops such a field without a word, and the GitOps engine then sees a difference between git and the cluster for ever.";
    MISSING_FIELD = "BL4002", "An object lacks a field that its CRD requires",
        "The API server refuses the object.";
    WRONG_TYPE = "BL4003", "A field of an object has a type that its CRD refuses",
        "For example text where the CRD has a number. In a template, the filter `quote` makes text, and a number needs no quotes.";
    NOT_ALLOWED = "BL4004", "A field of an object has a value that its CRD does not allow",
        "The hint names the allowed values.";
    PATTERN = "BL4005", "A text in an object does not have the form that its CRD wants",
        "The text must match the regular expression in the message.";
    RANGE = "BL4006", "A number in an object is outside of what its CRD allows",
        "The hint has the bounds.";
    SIZE = "BL4007", "A text, list or map in an object is shorter or longer than its CRD allows",
        "Text is counted in characters, lists and maps in entries.";
    DUPLICATE_ENTRY = "BL4008", "A list in an object holds two entries of one key",
        "The list is a map to the API server: entries are told apart by the fields in the message, and two of one key are refused.";
    RULE = "BL4009", "An object breaks a rule of its CRD",
        "CRDs carry rules in CEL over several fields at once. They are evaluated as the API server would, with defaults filled in. Rules that compare with the object before a change are left to the server.";
    IDENTITY = "BL4010", "An object lacks `apiVersion`, `kind` or a name",
        "Nothing can be applied without them.";
    UNSERVED = "BL4011", "No CRD serves an object of this apiVersion and kind",
        "The group is one of ours, so its kinds and versions are known: `banlieue-gen schema crds` lists them.";
    NAME = "BL4012", "The name of an object is not accepted",
        "Most names are DNS subdomains: lower-case letters, digits, `-` and `.`, at most 253 characters. Names of Namespaces and Services have no dots and at most 63 characters; names of RBAC objects may hold anything but `/` and `%`.";
    APPENDED_NAME = "BL4013", "A name is too long for what a controller appends to it",
        "Cluster API names machines after their owner, and a machine's name becomes a host name. k0smotron names a StatefulSet after its control plane, and Kubernetes labels its Pods with that name and a revision. Host names and label values have at most 63 characters.";
    NAMESPACE = "BL4014", "The namespace of an object is missing, not accepted, or one too many",
        "A namespaced object that names none lands in whichever namespace the client happens to use; a cluster-scoped object has none.";
    LABEL = "BL4015", "A label is not accepted",
        "A key is a name of at most 63 characters, optionally after a DNS subdomain and `/`. A value is text of at most 63 characters: letters, digits, `-`, `_` and `.`, starting and ending with a letter or digit.";
    ANNOTATION = "BL4016", "An annotation is not accepted",
        "Keys are as for labels, with the part before `/` in lower case. Values are text of any form; all annotations of an object together have at most 262,144 bytes.";
    SERVER_FIELD = "BL4017", "An object holds what only the API server writes",
        "`status`, `uid`, `resourceVersion` and the like are set by the server, and a `null` is dropped by it: each would show as a difference for ever.";
    CLEAR_SECRET = "BL4018", "A Secret stands in clear text",
        "The tree is committed to git. Refer to a Secret that exists by other means and declare its name under `secrets`, or encrypt it with SOPS.";
    TOO_LARGE = "BL4019", "An object is too large",
        "etcd refuses objects of more than 1.5 MiB, and the API server a ConfigMap with more than 1 MiB of data.";
    LARGE_OBJECT = "BL4020", "An object is nearly or quite too large for a client-side apply",
        "A warning from 200,000 bytes: `kubectl apply` without `--server-side` copies the object into an annotation of at most 262,144 bytes. Flux and Argo CD apply on the server side and have no such limit. CRDs keep their descriptions, which `kubectl explain` shows: the largest of ours has 20 KB with them, a tenth of what is warned of.";
    USER_DATA = "BL4021", "User data is too large for vSphere",
        "vSphere hands user data to the guest in base64, and takes at most 65,536 bytes of it. Let the guest fetch the larger parts.";
    QUANTITY = "BL4022", "A quantity is not written the way that the API server writes it",
        "`1000m` and `1` mean the same, but the server gives back `1`, which shows as a difference, and it gives back text for a number. What is no quantity at all is refused.";
    SUBSTITUTION = "BL4023", "Flux may replace `${...}` in an object",
        "Where post-build substitution is on, Flux replaces `${NAME}` in everything that it applies, and an unknown name becomes nothing. The annotation `kustomize.toolkit.fluxcd.io/substitute: disabled` keeps it away. It is added by itself, unless a template says otherwise.";
    DUPLICATE_OBJECT = "BL4024", "An object is rendered twice",
        "Two files would write the same object, each undoing the other. Rename one of the two things that they come from.";
    DUPLICATE_PATH = "BL4025", "Two objects share a file",
        "Two paths are equal, or differ in the case of letters only, which some file systems and git hosts do not tell apart. One object would overwrite the other.";
    DANGLING = "BL4026", "An object refers to another that does not exist",
        "The other object is not rendered anywhere in the fleet, in the same namespace where it is namespaced.";
    IMAGE_SOURCE = "BL4027", "An image has no source for a provider class",
        "A site that uses the image runs a provider of this class, and would not know where to get the image.";
    SITE_CLASS = "BL4028", "A site does not have a storage or network class that a machine class names",
        "Machine classes name storage and networks in the abstract; every site that they are used at says what the name means there.";
    FEATURE = "BL4029", "A site does not have a feature that a machine class needs",
        "Secure Boot (`firmware: efi-secure`) needs the feature `efiSecureBoot`, a TPM needs `vtpm`, and a class may list more under `features`. A site lists what all of its zones can do.";
    SHARED_NAMESPACE = "BL4030", "Images would be built in a namespace of something else",
        "Builds run privileged Pods; their namespace allows what every other namespace forbids.";
    ADDRESS = "BL4031", "Two machines have the same static address",
        "Both are on networks of the same class at a common site.";
    INTERFACE = "BL4032", "An override is for an interface that the machine class does not have",
        "`networkOverrides` give addresses to interfaces by the name that they have in the machine class.";
    AUTOSCALING = "BL4033", "The bounds of autoscaling are the wrong way round",
        "cluster-autoscaler refuses a smallest size above the largest.";
    UNBOUNDED = "BL4034", "A MachineDeployment has neither a number of machines nor bounds",
        "Cluster API gives a MachineDeployment without `replicas` one machine, unless both annotations of cluster-autoscaler are there to say between which numbers it lies. Where a pool had more, the rest is taken away.";
    BINARY = "BL4035", "A value under `binaryData` is not base64",
        "The API server decodes each value and writes it anew: what is no base64 is refused, and line breaks or missing padding show as a difference for ever.";
    REGISTRY = "BL4036", "An image is imported from a registry that the fleet does not allow",
        "`platform.allowedRegistries` names the registries, with or without a path in them, from which images may be imported. An admission policy refuses every other one.";
    CHARACTER = "BL4037", "A text holds a character that kustomize refuses or changes",
        "Flux and Argo CD read manifests with kustomize, which ends with an error on U+007F to U+009F, U+FFFE and U+FFFF and so stops everything beside the object, and makes a space of U+0085.";
}
