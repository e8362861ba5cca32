use std::collections::BTreeMap;
use std::fs;

use banlieue_gen::tree::{
    Checksum, Entry, Inventory, ObjectId, Opaque, Scope, ScopeInfo, TreeError, TreePath, inspect,
    moves,
};
use serde_json::json;

use crate::support::{chain, render};

fn sample() -> Inventory {
    let object = ObjectId {
        group: "banlieue.io".to_owned(),
        kind: "Provider".to_owned(),
        namespace: Some("banlieue".to_owned()),
        name: "p".to_owned(),
    };
    let info = ScopeInfo {
        tier: Some("gold".to_owned()),
        cluster: Some("edge".to_owned()),
        sites: vec!["paris".to_owned()],
        summary: Some(Opaque::of(&json!({"workers": 6})).unwrap()),
    };
    let scope = Scope::new("cluster/gold/edge");
    let entry = |objects: &[ObjectId]| Entry {
        sha256: Checksum::of(b"x"),
        scope: scope.clone(),
        objects: objects.into(),
    };
    Inventory {
        generator: "1.2.3".to_owned(),
        input: "a \"quoted\" digest".to_owned(),
        scopes: BTreeMap::from([(scope.clone(), info)]),
        files: BTreeMap::from([
            (TreePath::new("a.yaml").unwrap(), entry(&[object])),
            (TreePath::new("b.md").unwrap(), entry(&[])),
        ]),
        ..Inventory::default()
    }
}

#[test]
fn an_inventory_is_written_with_a_line_for_each_file() {
    insta::assert_snapshot!(String::from_utf8(sample().to_json().unwrap()).unwrap(), @r#"
    {
    "version": 1,
    "generator": "1.2.3",
    "input": "a \"quoted\" digest",
    "scopes": {
    "cluster/gold/edge": {"tier":"gold","cluster":"edge","sites":["paris"],"summary":{"workers":6}}
    },
    "files": {
    "a.yaml": {"sha256":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881","scope":"cluster/gold/edge","objects":[{"group":"banlieue.io","kind":"Provider","namespace":"banlieue","name":"p"}]},
    "b.md": {"sha256":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881","scope":"cluster/gold/edge"}
    }
    }
    "#);
}

#[test]
fn an_inventory_reads_back_as_it_was_written() {
    for inventory in [sample(), Inventory::default()] {
        assert_eq!(
            Inventory::from_json("x", &inventory.to_json().unwrap()).unwrap(),
            inventory
        );
    }
}

#[test]
fn a_damaged_inventory_stops_the_run_with_a_way_out() {
    let whole = String::from_utf8(sample().to_json().unwrap()).unwrap();
    for damaged in [
        String::new(),
        "<<<<<<< HEAD\n".to_owned() + &whole,
        whole.replace("a.yaml", "../a.yaml"),
        whole.replace("\"sha256\":\"2", "\"sha256\":\"z"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        render(dir.path(), &[("s", "x", "x")]).unwrap();
        fs::write(dir.path().join(".banlieue/inventory.json"), &damaged).unwrap();
        let message = chain(inspect(dir.path(), None).unwrap_err());
        assert!(
            message.contains("inventory.json is damaged; restore it from git"),
            "{message}"
        );
    }
}

#[test]
fn a_newer_inventory_is_not_guessed_at() {
    let dir = tempfile::tempdir().unwrap();
    render(dir.path(), &[("s", "x", "x")]).unwrap();
    fs::write(
        dir.path().join(".banlieue/inventory.json"),
        r#"{"version": 2, "surprise": {}}"#,
    )
    .unwrap();
    let error = inspect(dir.path(), None).unwrap_err();
    assert!(
        matches!(
            error,
            TreeError::Newer {
                version: 2,
                newest: 1,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn an_object_that_another_file_holds_from_now_on_has_moved() {
    let before = sample();
    let mut after = before.clone();
    let path = TreePath::new("elsewhere/a.yaml").unwrap();
    let entry = after.files[&TreePath::new("a.yaml").unwrap()].clone();
    after.files.insert(path.clone(), entry);
    assert_eq!(moves(&before, &after), [], "its old file still holds it");

    after.files.remove(&TreePath::new("a.yaml").unwrap());
    let found = moves(&before, &after);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (
            found[0].object.name.as_str(),
            found[0].from.as_str(),
            &found[0].to
        ),
        ("p", "a.yaml", &path)
    );
    after.files.remove(&path);
    assert_eq!(moves(&before, &after), [], "it is gone");
}
