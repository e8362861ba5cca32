use std::fs;

use banlieue_gen::tree::{Edits, Rendered, Scope, ScopeInfo, inspect};

use crate::support::{
    assert_consistent, content, pairs, render, render_with, rendered, rendered_as,
};

const GOLD: [(&str, &str, &str); 2] = [
    ("cluster/gold/g", "gold/g.yaml", "g"),
    ("cluster/gold/h", "gold/h.yaml", "h"),
];
const SILVER: [(&str, &str, &str); 1] = [("cluster/silver/s", "silver/s.yaml", "s")];

fn tier(name: &'static str) -> impl Fn(&Scope, &ScopeInfo) -> bool {
    move |_, info| info.tier.as_deref() == Some(name)
}

fn tiered(name: &str, files: &[(&str, &str, &str)]) -> Rendered {
    rendered_as(
        &ScopeInfo {
            tier: Some(name.to_owned()),
            ..ScopeInfo::default()
        },
        files,
    )
}

#[test]
fn two_selections_keep_each_others_files() {
    let dir = tempfile::tempdir().unwrap();
    render_with(
        dir.path(),
        &tiered("gold", &GOLD),
        &tier("gold"),
        Edits::Refuse,
    )
    .unwrap();
    render_with(
        dir.path(),
        &tiered("silver", &SILVER),
        &tier("silver"),
        Edits::Refuse,
    )
    .unwrap();
    let all = [GOLD[0], GOLD[1], SILVER[0]];
    assert_eq!(content(dir.path()), pairs(&all));

    let summary = render_with(
        dir.path(),
        &tiered("gold", &GOLD[..1]),
        &tier("gold"),
        Edits::Refuse,
    )
    .unwrap();
    assert_eq!((summary.deleted, summary.unchanged), (1, 1));
    assert_eq!(content(dir.path()), pairs(&[GOLD[0], SILVER[0]]));
    let scopes: Vec<_> = inspect(dir.path(), None)
        .unwrap()
        .inventory()
        .scopes
        .keys()
        .cloned()
        .collect();
    assert_eq!(
        scopes,
        [Scope::new("cluster/gold/g"), Scope::new("cluster/silver/s")]
    );
    assert_consistent(dir.path());
}

#[test]
fn an_edit_in_another_selection_does_not_stop_this_one() {
    let dir = tempfile::tempdir().unwrap();
    render_with(
        dir.path(),
        &tiered("gold", &GOLD),
        &tier("gold"),
        Edits::Refuse,
    )
    .unwrap();
    fs::write(dir.path().join("gold/g.yaml"), "edited").unwrap();
    render_with(
        dir.path(),
        &tiered("silver", &SILVER),
        &tier("silver"),
        Edits::Refuse,
    )
    .unwrap();
    assert_eq!(
        fs::read_to_string(dir.path().join("gold/g.yaml")).unwrap(),
        "edited"
    );
}

#[test]
fn a_removed_cluster_takes_its_files_and_empty_folders_along() {
    let dir = tempfile::tempdir().unwrap();
    render(
        dir.path(),
        &[
            ("a", "clusters/a/deep/x.yaml", "1"),
            ("b", "clusters/b/x.yaml", "2"),
        ],
    )
    .unwrap();
    render(dir.path(), &[("b", "clusters/b/x.yaml", "2")]).unwrap();
    assert!(!dir.path().join("clusters/a").exists());
    assert!(dir.path().join("clusters/b/x.yaml").exists());
    assert_consistent(dir.path());
}

#[test]
fn a_path_that_moves_to_another_scope_stays() {
    let dir = tempfile::tempdir().unwrap();
    render(dir.path(), &[("a", "x.yaml", "1")]).unwrap();
    let only_b = |scope: &Scope, _: &ScopeInfo| scope.as_str() == "b";
    render_with(
        dir.path(),
        &rendered(&[("b", "x.yaml", "1")]),
        &only_b,
        Edits::Refuse,
    )
    .unwrap();
    assert_eq!(content(dir.path()), pairs(&[("b", "x.yaml", "1")]));
    let existing = inspect(dir.path(), None).unwrap();
    let scopes: Vec<_> = existing
        .inventory()
        .files
        .values()
        .map(|entry| entry.scope.as_str())
        .collect();
    assert_eq!(scopes, ["b"]);
}

#[test]
fn the_union_foretells_what_the_inventory_holds_after_the_run() {
    let dir = tempfile::tempdir().unwrap();
    render_with(
        dir.path(),
        &tiered("gold", &GOLD),
        &tier("gold"),
        Edits::Refuse,
    )
    .unwrap();
    let run = tiered("silver", &SILVER);
    let before = inspect(dir.path(), None).unwrap();
    let union = before
        .inventory()
        .union(run.scopes(), run.files(), &tier("silver"));
    render_with(dir.path(), &run, &tier("silver"), Edits::Refuse).unwrap();

    let existing = inspect(dir.path(), None).unwrap();
    let inventory = existing.inventory();
    assert_eq!(union.scopes, inventory.scopes);
    let mut paths = union.paths;
    paths.sort();
    assert_eq!(paths, inventory.files.keys().collect::<Vec<_>>());
}
