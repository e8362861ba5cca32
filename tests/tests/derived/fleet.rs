//! `docs/reference/fleet.md`.

use std::fmt::Write;

use banlieue_schemas::{json_schema, model};

use super::markdown;

const ABOUT: &str = "\
Every field of a fleet file. `banlieue-gen init` writes one to start from, and \
[fleet.json](../../schemas/json/fleet.json) gives the same to editors: put \
`# yaml-language-server: $schema=fleet.schema.json` on the first line. A file that changes a part \
of a fleet has [fleet.layer.json](../../schemas/json/fleet.layer.json), in which nothing is \
required and `null` removes.

`map from name` means keys of lower-case letters, digits and `-` that become parts of object names.";

/// The page.
pub fn page() -> String {
    let records = model::records("Fleet", "", &json_schema::named());
    let mut page = markdown::head("The fleet", ABOUT);
    for record in &records {
        write!(page, "\n## {}\n{}", record.name, markdown::record(record)).unwrap();
    }
    page
}
