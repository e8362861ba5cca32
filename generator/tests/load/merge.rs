//! What a layer does to the layers before it.

use banlieue_gen::load::Source;
use serde_json::{Value, json};

use super::{HEADER, codes, load_sources};

/// `{k1: {k2: {k3: leaf}}}` for a depth of three, or the map that would hold the leaf if none.
fn nested(depth: usize, leaf: Option<Value>) -> Value {
    let inner = match leaf {
        Some(leaf) => json!({ format!("k{depth}"): leaf }),
        None => json!({}),
    };
    (1..depth)
        .rev()
        .fold(inner, |inner, level| json!({ format!("k{level}"): inner }))
}

/// The field `extra`, in which anything may stand, of layers that write `values` to it.
fn merged(values: &[&Value]) -> Result<Value, Vec<&'static str>> {
    let sources: Vec<Source> = values
        .iter()
        .enumerate()
        .map(|(index, value)| {
            let body = format!("clusters: {{c: {{tier: gold, extra: {value}}}}}");
            Source::new(format!("{index}.yaml"), format!("{HEADER}{body}"))
        })
        .collect();
    let mut loaded = load_sources(&sources, &[])
        .map_err(|problems| codes::<()>(Err(problems)))?
        .value;
    Ok(loaded.clusters.remove("c").unwrap().extra.unwrap())
}

#[test]
fn missing_null_empty_and_zero_mean_different_things_at_every_depth() {
    let values = [
        json!(""),
        json!({}),
        json!([]),
        json!(0),
        json!(false),
        json!("2"),
    ];
    for depth in 1..=3 {
        let absent = nested(depth, None);
        let present = nested(depth, Some(json!(1)));
        let null = nested(depth, Some(Value::Null));

        assert_eq!(merged(&[&present, &absent]).as_ref(), Ok(&present));
        assert_eq!(merged(&[&absent, &absent]).as_ref(), Ok(&absent));
        assert_eq!(merged(&[&present, &null]).as_ref(), Ok(&absent));
        assert_eq!(merged(&[&absent, &null]), Err(vec!["BL0203"]));
        assert_eq!(merged(&[&null]), Err(vec!["BL0203"]));
        for value in &values {
            let written = nested(depth, Some(value.clone()));
            let expected = match value {
                Value::Object(_) => Err(vec!["BL0202"]),
                _ => Ok(written.clone()),
            };
            assert_eq!(merged(&[&absent, &written]), Ok(written.clone()));
            assert_eq!(
                merged(&[&present, &written]),
                expected,
                "{value} at {depth}"
            );
        }
    }
}

#[test]
fn lists_replace_and_maps_merge() {
    let base = json!({"list": [1, 2], "map": {"a": 1, "b": 2}});
    let layer = json!({"list": [3], "map": {"b": 3, "c": 4}});
    let expected = json!({"list": [3], "map": {"a": 1, "b": 3, "c": 4}});
    assert_eq!(merged(&[&base, &layer]), Ok(expected));
}

#[test]
fn a_map_is_replaced_as_a_whole_through_a_null_between() {
    let base = json!({"map": {"a": 1}});
    let remove = json!({"map": null});
    let again = json!({"map": {"b": 2}});
    assert_eq!(merged(&[&base, &remove, &again]), Ok(again));
}

#[test]
fn documents_of_one_file_are_layers_like_files() {
    let first = format!("{HEADER}tiers: {{gold: {{replicas: 3}}}}\n");
    let second = format!("{HEADER}tiers: {{gold: {{replicas: 5}}}}\n");
    let files = [
        Source::new("a.yaml", first.as_str()),
        Source::new("b.yaml", second.as_str()),
    ];
    let file = [Source::new(
        "a.yaml",
        format!("---\n{first}---\n# empty\n---\n{second}...\n"),
    )];
    let (files, file) = (
        load_sources(&files, &[]).unwrap(),
        load_sources(&file, &[]).unwrap(),
    );
    assert_eq!(files.value, file.value);
    assert_eq!(files.value.tiers["gold"].replicas, 5);
}
