//! KCL schemas, for users who describe a fleet, or single objects, as a program.
//!
//! A KCL package is a folder, so the fleet, the platform's kinds and the infrastructure kinds have
//! one each. Checks are those that JSON Schema states; what only the API server or the planner
//! knows is left to them.

mod checks;
mod schema;
mod types;
mod words;

use serde_json::Value;

use crate::{
    INFRASTRUCTURE_GROUP, json_schema,
    model::{self, Record},
};

/// What `kcl` needs to know about the packages.
const MODULE: &str = concat!(
    "[package]\nname = \"banlieue\"\nversion = \"",
    env!("CARGO_PKG_VERSION"),
    "\"\n"
);

/// The schemas of the fleet: `fleet.k` of package `banlieue`.
pub fn fleet() -> String {
    let mut records = model::records("Fleet", "", &json_schema::named());
    records.sort_by(|left, right| left.name.cmp(&right.name));
    file("The input of banlieue-gen.", &records)
}

/// Path and text of every file, the module file included. The error is that of serialisation.
pub fn files() -> Result<Vec<(String, String)>, serde_json::Error> {
    let mut files = vec![
        ("fleet.k".to_owned(), fleet()),
        ("kcl.mod".to_owned(), MODULE.to_owned()),
    ];
    for mut kind in json_schema::kinds()? {
        // Nobody writes a status by hand.
        if let Some(Value::Object(properties)) = kind.schema.get_mut("properties") {
            properties.remove("status");
        }
        let group = kind.crd.spec.group.as_str();
        let package = if group == INFRASTRUCTURE_GROUP {
            "infrastructure"
        } else {
            "platform"
        };
        let name = kind.name();
        let mut records = model::records(name, name, &kind.schema);
        records.sort_by(|left, right| left.name.cmp(&right.name));
        let path = format!("{package}/{}.k", name.to_lowercase());
        files.push((path, file(&format!("{name} of group {group}."), &records)));
    }
    Ok(files)
}

fn file(title: &str, records: &[Record]) -> String {
    let schemas: Vec<String> = records.iter().map(schema::write).collect();
    let schemas = schemas.join("\n");
    let import = if schemas.contains("regex.match(") {
        "import regex\n\n"
    } else {
        ""
    };
    format!("# {title} Generated from the Rust types; not to be edited.\n{import}{schemas}")
}

#[cfg(test)]
mod tests;
