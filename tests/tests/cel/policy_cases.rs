//! For each validation of each admission policy a request that it accepts and one that it refuses.

/// Who asks. Both may write every kind that a policy is about.
#[derive(Clone, Copy)]
pub enum Who {
    /// May read no Secret and no ConfigMap.
    Writer,
    /// May read what the bases name: the Secrets `vcenter-1`, `vcenter-1-ca` and `db-1`, and the
    /// ConfigMap `db-1`.
    Reader,
}

/// A request: a creation, or an update where there is an old object.
pub struct Ask {
    /// Who makes it.
    pub who: Who,
    /// JSON merge patch of the case's base that makes the object before an update.
    pub old: Option<&'static str>,
    /// JSON merge patch of the old object, or of the base, that makes what is sent.
    pub patch: &'static str,
}

/// One validation, and what it says.
pub struct Case {
    /// Name of the policy and of its binding.
    pub policy: &'static str,
    /// Message of the validation.
    pub message: &'static str,
    /// What the case is about.
    pub name: &'static str,
    /// Kind of the objects. Its base is the one of its CEL rules.
    pub kind: &'static str,
    /// JSON merge patch of that base.
    pub base: &'static str,
    /// What the validation accepts.
    pub accepted: Ask,
    /// What it refuses.
    pub refused: Ask,
}

/// From where images may be imported.
pub const ALLOWED_REGISTRY: &str = "registry.example.com/images";

const CREDENTIALS: &str = "banlieue-provider-credentialsref-authorization";
const CREDENTIALS_MESSAGE: &str =
    "you may not read the Secret that spec.connection.credentialsRef names";
const CA_MESSAGE: &str =
    "you may not read the Secret that spec.connection.caBundle.secretRef names";
const INSECURE: &str = "banlieue-provider-insecure-tls";
const INSECURE_MESSAGE: &str =
    "insecureSkipTLSVerify needs the annotation banlieue.io/allow-insecure-tls: \"true\"";
const IMPORT: &str = "banlieue-vmimage-import-source";
const IMPORT_MESSAGE: &str = "importFrom must start with one of: registry.example.com/images";
const USER_DATA: &str = "banlieue-virtualmachine-userdata-authorization";
const USER_SECRET_MESSAGE: &str = "you may not read the Secret that spec.userData.secretRef names";
const USER_MAP_MESSAGE: &str =
    "you may not read the ConfigMap that spec.userData.configMapRef names";
const IMMUTABLE: &str = "banlieue-machine-template-immutable";
const IMMUTABLE_MESSAGE: &str =
    "spec.template.spec is immutable: create a template under a new name and refer to it";

/// No reference to a Secret of an authority, which has a validation of its own.
const NO_CA: &str = r#"{"spec": {"connection": {"caBundle": null}}}"#;
const USER_DATA_OF_A_MAP: &str =
    r#"{"spec": {"userData": {"secretRef": null, "configMapRef": {"name": "db-1"}}}}"#;
const LABEL: &str = r#"{"metadata": {"labels": {"a": "b"}}}"#;
const ALLOWED: &str = r#"{"metadata": {"annotations": {"banlieue.io/allow-insecure-tls": "true"}}, "spec": {"connection": {"insecureSkipTLSVerify": true}}}"#;

macro_rules! import_from {
    ($repository:literal) => {
        concat!(
            r#"{"spec": {"sources": [{"providerClass": "sim", "kind": "Template", "ref": "kairos"}, {"providerClass": "vsphere", "kind": "Url", "ref": "", "importFrom": ""#,
            $repository,
            r#"@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}]}}"#
        )
    };
}

const fn create(who: Who, patch: &'static str) -> Ask {
    Ask {
        who,
        old: None,
        patch,
    }
}

const fn update(who: Who, old: &'static str, patch: &'static str) -> Ask {
    Ask {
        who,
        old: Some(old),
        patch,
    }
}

pub const CASES: &[Case] = &[
    Case {
        policy: CREDENTIALS,
        message: CREDENTIALS_MESSAGE,
        name: "only who may read the Secret creates a Provider with it",
        kind: "Provider",
        base: NO_CA,
        accepted: create(Who::Reader, "{}"),
        refused: create(Who::Writer, "{}"),
    },
    Case {
        policy: CREDENTIALS,
        message: CREDENTIALS_MESSAGE,
        name: "the right to read one Secret is not the right to read another",
        kind: "Provider",
        base: "{}",
        accepted: create(Who::Reader, "{}"),
        refused: create(
            Who::Reader,
            r#"{"spec": {"connection": {"credentialsRef": {"name": "vcenter-2"}}}}"#,
        ),
    },
    Case {
        policy: CREDENTIALS,
        message: CREDENTIALS_MESSAGE,
        name: "a Provider without credentials is anybody's",
        kind: "Provider",
        base: r#"{"spec": {"connection": {"endpoint": "sim://lab", "caBundle": null}}}"#,
        accepted: create(
            Who::Writer,
            r#"{"spec": {"connection": {"credentialsRef": null}}}"#,
        ),
        refused: create(Who::Writer, "{}"),
    },
    Case {
        policy: CREDENTIALS,
        message: CREDENTIALS_MESSAGE,
        name: "another endpoint gets the credentials, a label does not",
        kind: "Provider",
        base: NO_CA,
        accepted: update(Who::Writer, "{}", LABEL),
        refused: update(
            Who::Writer,
            "{}",
            r#"{"spec": {"connection": {"endpoint": "https://elsewhere.example.com/sdk"}}}"#,
        ),
    },
    Case {
        policy: CREDENTIALS,
        message: CA_MESSAGE,
        name: "a Secret of an authority must be readable, a ConfigMap need not",
        kind: "Provider",
        base: "{}",
        accepted: create(
            Who::Reader,
            r#"{"spec": {"connection": {"caBundle": {"secretRef": null, "configMapRef": {"name": "ca"}}}}}"#,
        ),
        refused: create(
            Who::Reader,
            r#"{"spec": {"connection": {"caBundle": {"secretRef": {"name": "vcenter-2-ca"}}}}}"#,
        ),
    },
    Case {
        policy: CREDENTIALS,
        message: CA_MESSAGE,
        name: "another authority is a change of the connection",
        kind: "Provider",
        base: "{}",
        accepted: update(Who::Reader, NO_CA, LABEL),
        refused: update(
            Who::Reader,
            NO_CA,
            r#"{"spec": {"connection": {"caBundle": {"secretRef": {"name": "vcenter-2-ca"}}}}}"#,
        ),
    },
    Case {
        policy: INSECURE,
        message: INSECURE_MESSAGE,
        name: "unverified certificates need somebody who takes the blame",
        kind: "Provider",
        base: "{}",
        accepted: create(Who::Reader, ALLOWED),
        refused: create(
            Who::Reader,
            r#"{"spec": {"connection": {"insecureSkipTLSVerify": true}}}"#,
        ),
    },
    Case {
        policy: INSECURE,
        message: INSECURE_MESSAGE,
        name: "the annotation must say true",
        kind: "Provider",
        base: r#"{"metadata": {"annotations": {"banlieue.io/allow-insecure-tls": "yes"}}}"#,
        accepted: create(Who::Reader, "{}"),
        refused: create(
            Who::Reader,
            r#"{"spec": {"connection": {"insecureSkipTLSVerify": true}}}"#,
        ),
    },
    Case {
        policy: INSECURE,
        message: INSECURE_MESSAGE,
        name: "the annotation goes only with the setting",
        kind: "Provider",
        base: "{}",
        accepted: update(
            Who::Reader,
            ALLOWED,
            r#"{"metadata": {"annotations": null}, "spec": {"connection": {"insecureSkipTLSVerify": null}}}"#,
        ),
        refused: update(
            Who::Writer,
            ALLOWED,
            r#"{"metadata": {"annotations": null}}"#,
        ),
    },
    Case {
        policy: IMPORT,
        message: IMPORT_MESSAGE,
        name: "an image comes from below an allowed registry",
        kind: "VMImage",
        base: "{}",
        accepted: create(
            Who::Writer,
            import_from!("registry.example.com/images/kairos"),
        ),
        refused: create(Who::Writer, import_from!("registry.example.com/kairos")),
    },
    Case {
        policy: IMPORT,
        message: IMPORT_MESSAGE,
        name: "a longer name of a registry is another registry",
        kind: "VMImage",
        base: import_from!("registry.example.com/images/kairos"),
        accepted: update(Who::Writer, "{}", LABEL),
        refused: update(
            Who::Writer,
            "{}",
            import_from!("registry.example.com/images-of-others/kairos"),
        ),
    },
    Case {
        policy: IMPORT,
        message: IMPORT_MESSAGE,
        name: "an image that is imported nowhere",
        kind: "VMImage",
        base: r#"{"spec": {"trustedBoot": null}}"#,
        accepted: create(
            Who::Writer,
            r#"{"spec": {"sources": [{"providerClass": "sim", "kind": "Template", "ref": "kairos"}]}}"#,
        ),
        refused: create(Who::Writer, import_from!("kairos")),
    },
    Case {
        policy: USER_DATA,
        message: USER_SECRET_MESSAGE,
        name: "only who may read the Secret hands it to a machine",
        kind: "VirtualMachine",
        base: "{}",
        accepted: create(Who::Reader, "{}"),
        refused: create(Who::Writer, "{}"),
    },
    Case {
        policy: USER_DATA,
        message: USER_SECRET_MESSAGE,
        name: "another Secret, by somebody who may read the first",
        kind: "VirtualMachine",
        base: "{}",
        accepted: update(Who::Writer, "{}", LABEL),
        refused: update(
            Who::Reader,
            "{}",
            r#"{"spec": {"userData": {"secretRef": {"name": "db-2"}}}}"#,
        ),
    },
    Case {
        policy: USER_DATA,
        message: USER_SECRET_MESSAGE,
        name: "user data that comes later",
        kind: "VirtualMachine",
        base: "{}",
        accepted: update(Who::Writer, "{}", r#"{"spec": {"userData": null}}"#),
        refused: update(
            Who::Writer,
            r#"{"spec": {"userData": null}}"#,
            r#"{"spec": {"userData": {"secretRef": {"name": "db-1"}}}}"#,
        ),
    },
    Case {
        policy: USER_DATA,
        message: USER_MAP_MESSAGE,
        name: "only who may read the ConfigMap hands it to a machine",
        kind: "VirtualMachine",
        base: USER_DATA_OF_A_MAP,
        accepted: create(Who::Reader, "{}"),
        refused: create(Who::Writer, "{}"),
    },
    Case {
        policy: IMMUTABLE,
        message: IMMUTABLE_MESSAGE,
        name: "machines are not changed under their owner's feet",
        kind: "SimMachineTemplate",
        base: "{}",
        accepted: update(Who::Writer, "{}", LABEL),
        refused: update(
            Who::Writer,
            "{}",
            r#"{"spec": {"template": {"spec": {"memoryMiB": 8192}}}}"#,
        ),
    },
];
