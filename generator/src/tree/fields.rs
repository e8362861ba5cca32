//! Walks two JSON values side by side and lists where they differ.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// Where two values differ: the path, the old and the new value.
pub(super) type Difference = (String, Option<Value>, Option<Value>);

/// Fields that name an element of a list, in order of preference.
const KEYS: [&str; 2] = ["name", "type"];

/// Every difference between two values. The path of the values themselves is empty.
pub(super) fn changed_fields(old: &Value, new: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    walk("", Some(old), Some(new), &mut found);
    found
}

fn walk(path: &str, old: Option<&Value>, new: Option<&Value>, found: &mut Vec<Difference>) {
    match (old, new) {
        (Some(old), Some(new)) if old == new => {}
        (Some(Value::Object(old)), Some(Value::Object(new))) => walk_object(path, old, new, found),
        (Some(Value::Array(old)), Some(Value::Array(new))) => match key_of(old, new) {
            Some(key) => walk_keyed(path, key, old, new, found),
            None => walk_list(path, old, new, found),
        },
        _ => found.push((path.to_owned(), old.cloned(), new.cloned())),
    }
}

fn walk_object(
    path: &str,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    found: &mut Vec<Difference>,
) {
    for (name, value) in new {
        walk(&field(path, name), old.get(name), Some(value), found);
    }
    for (name, value) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        walk(&field(path, name), Some(value), None, found);
    }
}

fn walk_list(path: &str, old: &[Value], new: &[Value], found: &mut Vec<Difference>) {
    for index in 0..old.len().max(new.len()) {
        walk(
            &format!("{path}[{index}]"),
            old.get(index),
            new.get(index),
            found,
        );
    }
}

fn walk_keyed(path: &str, key: &str, old: &[Value], new: &[Value], found: &mut Vec<Difference>) {
    let (before, after) = (names(old, key), names(new, key));
    let at = |name: &str| format!("{path}[{key}={name}]");
    for (name, value) in after.iter().zip(new) {
        let counterpart = before
            .iter()
            .position(|other| other == name)
            .and_then(|index| old.get(index));
        walk(&at(name), counterpart, Some(value), found);
    }
    for (name, value) in before
        .iter()
        .zip(old)
        .filter(|(name, _)| !after.contains(name))
    {
        walk(&at(name), Some(value), None, found);
    }
    let shared = |these: &[&str], others: &[&str]| -> Vec<Value> {
        these
            .iter()
            .filter(|name| others.contains(name))
            .map(|name| Value::from(*name))
            .collect()
    };
    let (old_order, new_order) = (shared(&before, &after), shared(&after, &before));
    if old_order != new_order {
        found.push((
            format!("{path}[order]"),
            Some(old_order.into()),
            Some(new_order.into()),
        ));
    }
}

/// The key that tells the elements of both lists apart, if there is one.
fn key_of(old: &[Value], new: &[Value]) -> Option<&'static str> {
    KEYS.into_iter().find(|key| {
        [old, new].into_iter().all(|list| {
            let names = names(list, key);
            names.len() == list.len() && names.iter().collect::<HashSet<_>>().len() == names.len()
        })
    })
}

fn names<'a>(list: &'a [Value], key: &str) -> Vec<&'a str> {
    list.iter()
        .filter_map(|element| element.get(key)?.as_str())
        .collect()
}

fn field(path: &str, name: &str) -> String {
    let plain = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    match (path.is_empty(), plain) {
        (true, true) => name.to_owned(),
        (false, true) => format!("{path}.{name}"),
        (_, false) => format!("{path}[{name:?}]"),
    }
}
