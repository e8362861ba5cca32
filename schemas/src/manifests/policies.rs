//! Admission rules that a CRD cannot express: they need the requester, an annotation, or a
//! setting of the installation. Everything else is in the CRDs.
//!
//! Each policy looks away while an object is being deleted and, where it asks for the requester,
//! unless the protected part of the spec changes. So no controller is asked for rights that only
//! the author of a spec needs, and deletion always ends.

use k8s_openapi::api::admissionregistration::v1::{
    MatchCondition, MatchResources, NamedRuleWithOperations, ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding, ValidatingAdmissionPolicyBindingSpec,
    ValidatingAdmissionPolicySpec, Validation,
};
use serde_json::Value;

use super::object::metadata;
use super::settings::Settings;
use crate::{INFRASTRUCTURE_GROUP, PLATFORM_GROUP, VERSION};

/// Annotation by which the author of a Provider takes the blame for unverified certificates.
pub const ALLOW_INSECURE_TLS: &str = "banlieue.io/allow-insecure-tls";

/// Plural names of the machine templates.
const MACHINE_TEMPLATES: [&str; 3] = [
    "libvirtmachinetemplates",
    "simmachinetemplates",
    "vspheremachinetemplates",
];

const COMPONENT: Option<&str> = Some("admission");

const NOT_BEING_DELETED: (&str, &str) = (
    "not-being-deleted",
    "!has(object.metadata.deletionTimestamp)",
);

/// A policy and what puts it in force.
pub type Policy = (ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding);

/// All policies, in a fixed order.
pub fn all(settings: &Settings) -> Vec<Policy> {
    let mut policies = vec![provider_credentials(), provider_insecure_tls()];
    policies.extend(image_registries(&settings.allowed_registries));
    policies.push(user_data());
    policies.push(immutable_templates());
    policies
}

/// A machine template is changed by making another: machines are never changed under their
/// owner's feet. Cluster API's topology controller marks its dry runs, which the contract says
/// must pass; a rule inside the CRD could not tell them from an edit.
fn immutable_templates() -> Policy {
    policy(
        "banlieue-machine-template-immutable",
        rule(INFRASTRUCTURE_GROUP, &["UPDATE"], &MACHINE_TEMPLATES),
        &[],
        &[(
            "object.spec.template.spec == oldObject.spec.template.spec || \
             (request.dryRun && has(object.metadata.annotations) && \
             'topology.cluster.x-k8s.io/dry-run' in object.metadata.annotations)",
            "spec.template.spec is immutable: create a template under a new name and refer to it",
        )],
    )
}

/// Whoever names a Secret in a Provider must be allowed to read it. A change of the endpoint
/// counts: it decides to whom the credentials are sent.
fn provider_credentials() -> Policy {
    policy(
        "banlieue-provider-credentialsref-authorization",
        writes_of("providers"),
        &[(
            "connection-changed",
            "request.operation == 'CREATE' || object.spec.connection != oldObject.spec.connection",
        )],
        &[
            (
                "!has(object.spec.connection.credentialsRef) || \
                 authorizer.group('').resource('secrets').namespace(request.namespace)\
                 .name(object.spec.connection.credentialsRef.name).check('get').allowed()",
                "you may not read the Secret that spec.connection.credentialsRef names",
            ),
            (
                "!has(object.spec.connection.caBundle) || \
                 !has(object.spec.connection.caBundle.secretRef) || \
                 authorizer.group('').resource('secrets').namespace(request.namespace)\
                 .name(object.spec.connection.caBundle.secretRef.name).check('get').allowed()",
                "you may not read the Secret that spec.connection.caBundle.secretRef names",
            ),
        ],
    )
}

fn provider_insecure_tls() -> Policy {
    policy(
        "banlieue-provider-insecure-tls",
        writes_of("providers"),
        &[],
        &[(
            "!has(object.spec.connection.insecureSkipTLSVerify) || \
             !object.spec.connection.insecureSkipTLSVerify || \
             (has(object.metadata.annotations) && \
             'banlieue.io/allow-insecure-tls' in object.metadata.annotations && \
             object.metadata.annotations['banlieue.io/allow-insecure-tls'] == 'true')",
            "insecureSkipTLSVerify needs the annotation banlieue.io/allow-insecure-tls: \"true\"",
        )],
    )
}

fn image_registries(allowed: &[String]) -> Option<Policy> {
    if allowed.is_empty() {
        return None;
    }
    // CEL reads a list of JSON strings as the same list.
    let list = Value::from(allowed.to_vec());
    let expression = format!(
        "object.spec.sources.all(source, !has(source.importFrom) || \
         {list}.exists(registry, source.importFrom.startsWith(registry + '/')))"
    );
    let message = format!("importFrom must start with one of: {}", allowed.join(", "));
    Some(policy(
        "banlieue-vmimage-import-source",
        writes_of("vmimages"),
        &[],
        &[(&expression, &message)],
    ))
}

/// Whoever names a Secret or ConfigMap as user data must be allowed to read it: the machine hands
/// it to whoever is logged in there.
fn user_data() -> Policy {
    policy(
        "banlieue-virtualmachine-userdata-authorization",
        writes_of("virtualmachines"),
        &[(
            "user-data-changed",
            "has(object.spec.userData) && (request.operation == 'CREATE' || \
             !has(oldObject.spec.userData) || object.spec.userData != oldObject.spec.userData)",
        )],
        &[
            (
                "!has(object.spec.userData.secretRef) || \
                 authorizer.group('').resource('secrets').namespace(request.namespace)\
                 .name(object.spec.userData.secretRef.name).check('get').allowed()",
                "you may not read the Secret that spec.userData.secretRef names",
            ),
            (
                "!has(object.spec.userData.configMapRef) || \
                 authorizer.group('').resource('configmaps').namespace(request.namespace)\
                 .name(object.spec.userData.configMapRef.name).check('get').allowed()",
                "you may not read the ConfigMap that spec.userData.configMapRef names",
            ),
        ],
    )
}

fn policy(
    name: &str,
    rule: NamedRuleWithOperations,
    conditions: &[(&str, &str)],
    validations: &[(&str, &str)],
) -> Policy {
    let match_conditions = std::iter::once(&NOT_BEING_DELETED).chain(conditions);
    let policy = ValidatingAdmissionPolicy {
        metadata: metadata(name, COMPONENT),
        spec: Some(ValidatingAdmissionPolicySpec {
            failure_policy: Some("Fail".to_owned()),
            match_conditions: Some(
                match_conditions
                    .map(|&(name, cel)| condition(name, cel))
                    .collect(),
            ),
            match_constraints: Some(MatchResources {
                resource_rules: Some(vec![rule]),
                ..MatchResources::default()
            }),
            validations: Some(
                validations
                    .iter()
                    .map(|&(cel, text)| validation(cel, text))
                    .collect(),
            ),
            ..ValidatingAdmissionPolicySpec::default()
        }),
        status: None,
    };
    let binding = ValidatingAdmissionPolicyBinding {
        metadata: metadata(name, COMPONENT),
        spec: ValidatingAdmissionPolicyBindingSpec {
            policy_name: name.to_owned(),
            validation_actions: vec!["Deny".to_owned()],
            ..ValidatingAdmissionPolicyBindingSpec::default()
        },
    };
    (policy, binding)
}

/// Creation and change of one of our own kinds.
fn writes_of(resource: &str) -> NamedRuleWithOperations {
    rule(PLATFORM_GROUP, &["CREATE", "UPDATE"], &[resource])
}

fn rule(group: &str, operations: &[&str], resources: &[&str]) -> NamedRuleWithOperations {
    let list = |items: &[&str]| Some(items.iter().map(|&item| item.to_owned()).collect());
    NamedRuleWithOperations {
        api_groups: list(&[group]),
        api_versions: list(&[VERSION]),
        operations: list(operations),
        resources: list(resources),
        ..NamedRuleWithOperations::default()
    }
}

fn condition(name: &str, cel: &str) -> MatchCondition {
    MatchCondition {
        expression: cel.to_owned(),
        name: name.to_owned(),
    }
}

fn validation(cel: &str, message: &str) -> Validation {
    Validation {
        expression: cel.to_owned(),
        message: Some(message.to_owned()),
        reason: Some("Forbidden".to_owned()),
        ..Validation::default()
    }
}
