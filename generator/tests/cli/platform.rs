//! What a fleet says about the installation of the platform itself.

use serde_json::Value;

use crate::support::{Folder, objects, text};

const IMPORT_POLICY: &str = "banlieue-vmimage-import-source";

/// The policy on image imports and its binding, of the example with these platform settings.
fn import_policy(settings: &str) -> Vec<Value> {
    let folder = Folder::new();
    folder.layer("platform.yaml", &format!("platform: {{{settings}}}\n"));
    let stream = folder.ok("render -f fleet.yaml -f platform.yaml --stage system");
    let mut found = objects(&stream.out);
    assert!(found.len() > 5, "{}", found.len());
    found.retain(|object| text(object, "/metadata/name") == IMPORT_POLICY);
    found
}

#[test]
fn images_come_from_anywhere_until_registries_are_named() {
    assert!(import_policy("").is_empty());
    assert!(import_policy("allowedRegistries: []").is_empty());
}

#[test]
fn a_policy_allows_the_registries_of_the_fleet_and_no_other() {
    let found = import_policy("allowedRegistries: [ghcr.io/kairos, \"registry.example.com:5000\"]");
    let kinds: Vec<&str> = found.iter().map(|object| text(object, "/kind")).collect();
    let policy = "ValidatingAdmissionPolicy";
    assert_eq!(kinds, [policy, "ValidatingAdmissionPolicyBinding"]);
    assert_eq!(
        text(&found[0], "/spec/validations/0/message"),
        "importFrom must start with one of: ghcr.io/kairos, registry.example.com:5000"
    );
    let rule = text(&found[0], "/spec/validations/0/expression");
    assert!(
        rule.contains(r#"["ghcr.io/kairos","registry.example.com:5000"]"#),
        "{rule}"
    );
}

/// A registry is compared with the beginning of a reference, so one that no reference begins with
/// would refuse every image.
#[test]
fn a_registry_that_no_image_could_come_from_is_refused() {
    for name in ["https://ghcr.io", "ghcr.io/", "ghcr.io/kairos@sha256"] {
        let folder = Folder::new();
        let fields = format!("platform: {{allowedRegistries: [\"{name}\"]}}\n");
        folder.layer("platform.yaml", &fields);
        let ran = folder.run("render -f fleet.yaml -f platform.yaml");
        assert_ne!(ran.code, 0, "{name}");
        assert!(ran.err.contains("platform.yaml:3:"), "{name}: {}", ran.err);
    }
}
