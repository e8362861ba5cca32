//! From the schema in a CRD to one that can be walked.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use regex::Regex;

use super::{Bounds, Keyed, Map, Others, Schema, Shape};

/// Fields of every object, which no CRD describes.
const COMMON: [&str; 3] = ["apiVersion", "kind", "metadata"];

impl Schema {
    /// The schema of a whole object.
    ///
    /// # Errors
    /// A pattern that is no regular expression.
    pub fn of_object(schema: &JSONSchemaProps) -> Result<Self, regex::Error> {
        let mut compiled = Self::compile(schema)?;
        if let Shape::Map(map) = &mut compiled.shape {
            for field in COMMON {
                let any = Self {
                    shape: Shape::Any,
                    nullable: false,
                    allowed: None,
                    size: Bounds {
                        min: None,
                        max: None,
                    },
                };
                map.properties.insert(field.to_owned(), any);
            }
        }
        Ok(compiled)
    }

    fn compile(schema: &JSONSchemaProps) -> Result<Self, regex::Error> {
        let size = |bound: Option<i64>| bound.and_then(|bound| usize::try_from(bound).ok());
        let (min, max) = match schema.type_.as_deref() {
            Some("string") => (schema.min_length, schema.max_length),
            Some("array") => (schema.min_items, schema.max_items),
            Some("object") => (schema.min_properties, schema.max_properties),
            _ => (None, None),
        };
        Ok(Self {
            shape: shape(schema)?,
            nullable: schema.nullable.unwrap_or_default(),
            allowed: schema
                .enum_
                .as_ref()
                .map(|values| values.iter().map(|value| value.0.clone()).collect()),
            size: Bounds {
                min: size(min),
                max: size(max),
            },
        })
    }
}

fn shape(schema: &JSONSchemaProps) -> Result<Shape, regex::Error> {
    if schema.x_kubernetes_int_or_string == Some(true) {
        return Ok(Shape::IntegerOrText);
    }
    Ok(match schema.type_.as_deref() {
        Some("boolean") => Shape::Boolean,
        Some("integer") => Shape::Integer(integer_bounds(schema)),
        Some("number") => Shape::Number(Bounds {
            min: schema.minimum,
            max: schema.maximum,
        }),
        Some("string") => Shape::Text(schema.pattern.as_deref().map(Regex::new).transpose()?),
        Some("array") => Shape::List {
            items: Box::new(match &schema.items {
                Some(JSONSchemaPropsOrArray::Schema(items)) => Schema::compile(items)?,
                _ => Schema::compile(&JSONSchemaProps::default())?,
            }),
            keyed: keyed(schema),
        },
        Some("object") => Shape::Map(map(schema)?),
        _ => Shape::Any,
    })
}

/// Bounds of an integer, with those of its format.
fn integer_bounds(schema: &JSONSchemaProps) -> Bounds<f64> {
    let (min, max) = match schema.format.as_deref() {
        Some("int32") => (Some(f64::from(i32::MIN)), Some(f64::from(i32::MAX))),
        _ => (None, None),
    };
    Bounds {
        min: schema.minimum.or(min),
        max: schema.maximum.or(max),
    }
}

fn keyed(schema: &JSONSchemaProps) -> Keyed {
    match schema.x_kubernetes_list_type.as_deref() {
        Some("set") => Keyed::Value,
        Some("map") => Keyed::Fields(
            schema
                .x_kubernetes_list_map_keys
                .clone()
                .unwrap_or_default(),
        ),
        _ => Keyed::Position,
    }
}

fn map(schema: &JSONSchemaProps) -> Result<Map, regex::Error> {
    let properties = schema.properties.iter().flatten();
    let properties = properties
        .map(|(name, schema)| Ok((name.clone(), Schema::compile(schema)?)))
        .collect::<Result<_, regex::Error>>()?;
    let others = if schema.x_kubernetes_preserve_unknown_fields == Some(true) {
        Others::Kept
    } else {
        match &schema.additional_properties {
            Some(JSONSchemaPropsOrBool::Schema(schema)) => {
                Others::Are(Box::new(Schema::compile(schema)?))
            }
            Some(JSONSchemaPropsOrBool::Bool(true)) => Others::Kept,
            Some(JSONSchemaPropsOrBool::Bool(false)) | None => Others::Pruned,
        }
    };
    Ok(Map {
        properties,
        required: schema.required.clone().unwrap_or_default(),
        others,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use serde_json::Value;

    /// Keywords that the walk enforces, and those that restrict no value.
    const KNOWN: [&str; 24] = [
        "additionalProperties",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "nullable",
        "pattern",
        "properties",
        "required",
        "title",
        "type",
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-validations",
    ];

    fn unknown(schema: &Value, found: &mut Vec<String>) {
        for (keyword, argument) in schema.as_object().unwrap() {
            match keyword.as_str() {
                "properties" => {
                    for schema in argument.as_object().unwrap().values() {
                        unknown(schema, found);
                    }
                }
                "items" | "additionalProperties" if argument.is_object() => {
                    unknown(argument, found);
                }
                _ => {}
            }
            if !KNOWN.contains(&keyword.as_str()) {
                found.push(keyword.clone());
            }
        }
    }

    #[test]
    fn our_crds_use_no_keyword_that_the_walk_would_miss() {
        for crd in banlieue_schemas::manifests::crds::all() {
            let schema = crd.spec.versions[0].schema.as_ref().unwrap();
            let mut found = Vec::new();
            unknown(
                &serde_json::to_value(schema.open_api_v3_schema.as_ref().unwrap()).unwrap(),
                &mut found,
            );
            assert!(found.is_empty(), "{}: {found:?}", crd.spec.names.kind);
        }
    }
}
