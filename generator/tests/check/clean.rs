//! What must not be found.

use std::fs;
use std::path::Path;

use banlieue_gen::load::read;

use super::{EXAMPLE, check, run};

/// Whether a folder is a fleet; the one of KCL is a program that makes one.
fn is_fleet(folder: &Path) -> bool {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|file| file.path()).any(|file| {
        file.extension()
            .is_some_and(|extension| extension == "yaml")
    })
}

#[test]
fn every_example_is_clean() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let templates = tempfile::tempdir().unwrap();
    let mut checked = 0;
    for example in fs::read_dir(folder).unwrap() {
        let example = example.unwrap().path();
        if is_fleet(&example) {
            let sources = read(std::slice::from_ref(&example)).unwrap();
            let found = run(&sources, templates.path(), "");
            assert!(found.is_empty(), "{}: {found:#?}", example.display());
            checked += 1;
        }
    }
    assert!(checked > 0);
}

#[test]
fn the_example_is_clean_with_argo_cd() {
    let found = check("gitops: {engine: argocd}\n", &[], "");
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_part_of_the_fleet_may_refer_to_the_rest() {
    assert!(EXAMPLE.contains("  web:\n") && EXAMPLE.contains("  stores:\n"));
    let template = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineHealthCheck\n\
                    metadata: {name: x}\nspec: {clusterName: NAME}\n";
    let found = |name: &str| {
        let text = template.replace("NAME", name);
        check(
            "metadata: {name: example}\n",
            &[("capi/extra/x.yaml.j2", &text)],
            "cluster=stores",
        )
    };
    assert!(found("web").is_empty());
    assert_eq!(found("wub")[0].code, "BL4026");
}

#[test]
fn one_address_may_be_used_at_sites_that_do_not_meet() {
    let layer = |second: &str| {
        let set = |name: &str, site: &str| {
            format!(
                "  {name}:\n    replicas: 1\n    class: small\n    image: kairos\n    sites: [{site}]\n    \
                 networkOverrides: {{\"0\": [{{name: eth0, static: {{address: 10.0.0.7, prefix: 24}}}}]}}\n"
            )
        };
        format!(
            "virtualMachines:\n{}{}",
            set("a", "paris"),
            set("b", second)
        )
    };
    assert!(check(&layer("lyon"), &[], "").is_empty());
    assert_eq!(check(&layer("paris"), &[], "")[0].code, "BL4031");
}

#[test]
fn a_set_of_any_site_needs_one_that_fits() {
    let layer = "virtualMachines: {any: {replicas: 1, class: large, image: kairos}}\n";
    assert!(check(layer, &[], "").is_empty());
}
