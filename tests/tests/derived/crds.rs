//! `docs/reference/crds.md`, and `schemas/crds.json`.

use std::fmt::Write;

use banlieue_schemas::{
    json_schema::{self, Kind},
    manifests::{crds, object},
    model,
};

use super::markdown::{self, code};

const ABOUT: &str = "\
Every kind of the groups `banlieue.io` and `infrastructure.banlieue.io`: fields, rules, and the \
columns that `kubectl get` prints. Manifests: [schemas/crds](../../schemas/crds); JSON Schemas for \
editors: [schemas/json](../../schemas/json); KCL schemas: [schemas/kcl](../../schemas/kcl).";

/// What every object has.
const OBJECT: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The page.
pub fn page() -> String {
    let kinds = json_schema::kinds().unwrap();
    let mut page = markdown::head("Custom resources", ABOUT);
    page.push_str("\n| kind | group | scope | short names |\n|---|---|---|---|\n");
    for kind in &kinds {
        let spec = &kind.crd.spec;
        writeln!(
            page,
            "| [{name}](#{anchor}) | `{}` | {} | {} |",
            spec.group,
            spec.scope,
            short_names(kind),
            name = kind.name(),
            anchor = kind.name().to_lowercase(),
        )
        .unwrap();
    }
    for kind in &kinds {
        write(kind, &mut page);
    }
    page
}

/// Every CRD as JSON, one a line.
pub fn lines() -> String {
    let line = |crd: &_| {
        let mut crd = object::to_value(crd).unwrap();
        crd.sort_all_objects();
        crd.to_string()
    };
    let lines: Vec<String> = crds::all().iter().map(line).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

fn write(kind: &Kind, page: &mut String) {
    let spec = &kind.crd.spec;
    let name = kind.name();
    write!(
        page,
        "\n## {name}\n\n`{}/{}`, {}.",
        spec.group,
        banlieue_schemas::VERSION,
        spec.scope.to_lowercase()
    )
    .unwrap();
    if spec.versions[0].subresources.is_some() {
        page.push_str(" Its status is a subresource.");
    }
    page.push('\n');
    let mut records = model::records(name, name, &kind.schema).into_iter();
    let mut root = records.next().unwrap();
    root.fields
        .retain(|field| !OBJECT.contains(&field.name.as_str()));
    page.push_str(&markdown::record(&root));
    let columns = spec.versions[0].additional_printer_columns.iter().flatten();
    page.push_str("\n| column | from | only with `-o wide` |\n|---|---|---|\n");
    for column in columns {
        let wide = if column.priority.unwrap_or_default() > 0 {
            "yes"
        } else {
            ""
        };
        writeln!(
            page,
            "| {} | {} | {wide} |",
            column.name,
            code(&column.json_path)
        )
        .unwrap();
    }
    for record in records.filter(|record| record.name != format!("{name}Metadata")) {
        write!(page, "\n### {}\n{}", record.name, markdown::record(&record)).unwrap();
    }
}

fn short_names(kind: &Kind) -> String {
    let names = kind.crd.spec.names.short_names.iter().flatten();
    let names: Vec<String> = names.map(|name| code(name)).collect();
    names.join(", ")
}
