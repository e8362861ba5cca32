//! The JSON Schemas in the hands of a validator.

use std::collections::BTreeMap;
use std::fs;

use banlieue_gen::load::{self, Loaded, Source};
use banlieue_gen::plan::{self, Selection};
use banlieue_gen::render::{self, Context, templates::Templates};
use banlieue_schemas::{fleet::Fleet, json_schema};
use banlieue_tests::tools::checkout;
use jsonschema::Validator;
use serde_json::{Value, json};

/// Faults by the place that they are at.
fn faults(schema: &Value, instance: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).unwrap();
    let found = validator.iter_errors(instance);
    found
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

fn example() -> Value {
    let path = checkout().join("examples/fleet/fleet.yaml");
    load::parse_value("fleet.yaml", &fs::read_to_string(path).unwrap()).unwrap()
}

/// The example with one value replaced.
fn with(pointer: &str, value: Value) -> Value {
    let mut fleet = example();
    *fleet.pointer_mut(pointer).unwrap() = value;
    fleet
}

#[test]
fn the_loader_checks_against_the_types_as_they_are() {
    assert_eq!(json_schema::for_loader(), json_schema::merged());
}

#[test]
fn editors_accept_every_fleet_that_we_give_away() {
    let starter = load::parse_value("fleet.yaml", banlieue_gen::commands::init::STARTER).unwrap();
    for fleet in [example(), starter] {
        assert_eq!(faults(&json_schema::fleet(), &fleet), [""; 0]);
        assert_eq!(faults(&json_schema::layer(), &fleet), [""; 0]);
    }
}

#[test]
fn editors_refuse_what_the_loader_refuses() {
    let schema = json_schema::fleet();
    let mut misspelt = example();
    misspelt["clusters"]["web"]["labls"] = json!({});
    let mut incomplete = example();
    incomplete["clusters"]["web"]
        .as_object_mut()
        .unwrap()
        .remove("tier");
    for (fleet, place) in [
        (misspelt, "/clusters/web"),
        (incomplete, "/clusters/web"),
        (
            with("/tiers/gold/replicas", json!(0)),
            "/tiers/gold/replicas",
        ),
        (
            with("/tiers/gold/replicas", json!("five")),
            "/tiers/gold/replicas",
        ),
        (
            with("/tiers/gold/survives", json!(["everything"])),
            "/tiers/gold/survives/0",
        ),
        (
            with("/clusters/web/version", json!("1.34")),
            "/clusters/web/version",
        ),
        (with("/sites", json!({ "Paris": {} })), "/sites"),
        (with("/kind", json!("Flet")), "/kind"),
    ] {
        let found = faults(&schema, &fleet);
        assert!(
            found
                .iter()
                .any(|fault| fault.starts_with(&format!("{place}: "))),
            "{place}: {found:?}"
        );
    }
}

#[test]
fn a_reference_to_a_parameter_may_stand_for_any_scalar() {
    let reference = || json!("${{ size }}");
    for pointer in [
        "/tiers/gold/replicas",
        "/tiers/gold/survives/0",
        "/clusters/web/version",
        "/clusters/web/controlPlane/kind",
        "/clusters/web/image",
    ] {
        assert_eq!(
            faults(&json_schema::fleet(), &with(pointer, reference())),
            [""; 0],
            "{pointer}"
        );
    }
}

#[test]
fn a_layer_says_what_it_changes_and_no_more() {
    let layer = json!({
        "apiVersion": "gen.banlieue.io/v1alpha1",
        "kind": "Fleet",
        "sites": { "lyon": null },
        "clusters": { "web": { "workers": { "replicas": 8 }, "network": null, "controlPlane": { "replicas": null } } },
        "tiers": { "gold": { "resources": null } },
    });
    assert_eq!(faults(&json_schema::layer(), &layer), [""; 0]);
    assert_ne!(faults(&json_schema::fleet(), &layer), [""; 0]);
    let headless = json!({ "sites": {} });
    assert_ne!(faults(&json_schema::layer(), &headless), [""; 0]);
}

#[test]
fn rendered_objects_match_the_schemas_of_their_kinds() {
    let kinds = json_schema::kinds().unwrap();
    let validators: BTreeMap<&str, Validator> = kinds
        .iter()
        .map(|kind| {
            (
                kind.name(),
                jsonschema::validator_for(&kind.json_schema()).unwrap(),
            )
        })
        .collect();
    let mut seen = BTreeMap::new();
    for object in rendered() {
        let api_version = object["apiVersion"].as_str().unwrap();
        if !api_version.contains("banlieue.io/") {
            continue;
        }
        let kind = object["kind"].as_str().unwrap().to_owned();
        let errors: Vec<String> = validators[kind.as_str()]
            .iter_errors(&object)
            .map(|error| error.to_string())
            .collect();
        assert_eq!(errors, [""; 0], "{object:#}");
        let mut misspelt = object.clone();
        misspelt["spec"]["notAField"] = json!(1);
        assert!(!validators[kind.as_str()].is_valid(&misspelt), "{kind}");
        *seen.entry(kind).or_insert(0) += 1;
    }
    assert!(seen.len() >= 9, "{seen:?}");
}

fn rendered() -> Vec<Value> {
    let source = fs::read(checkout().join("examples/fleet/fleet.yaml")).unwrap();
    let source = Source::new("fleet.yaml", source);
    let loaded: Loaded<Fleet> =
        load::load(&[source], &json_schema::merged(), &BTreeMap::new()).unwrap();
    let plan = plan::plan(&loaded.value, &Selection::default()).unwrap();
    let templates = Templates::built_in().unwrap();
    let context = Context {
        fleet: &loaded.value,
        templates: &templates,
    };
    let units = render::units(&plan).into_iter();
    let objects = units.flat_map(|unit| render::render(context, unit).unwrap());
    objects.map(|object| object.value).collect()
}
