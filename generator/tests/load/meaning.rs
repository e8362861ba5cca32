//! The same meaning in different words, and what plain scalars mean.

use banlieue_gen::load::{Loaded, Source};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::fleet::{Fleet, Port};
use super::{HEADER, codes, load_body, load_sources};

const BODY: &str = "\
tiers:
  gold:
    replicas: 3
    survives: [site]
clusters:
  payments:
    tier: gold
    version: v1.34.1
    extra:
      script: |
        a
        b
";

fn load_text(name: &str, text: &[u8]) -> Loaded<Fleet> {
    load_sources(&[Source::new(name, text)], &[]).unwrap()
}

#[test]
fn line_ends_byte_order_marks_and_final_newlines_change_nothing() {
    let text = format!("{HEADER}{BODY}");
    let expected = load_text("f.yaml", text.as_bytes());
    for variant in [
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
        format!("\u{feff}{}", text.replace('\n', "\r\n")),
        format!("{text}\n\n"),
        text.trim_end().to_owned(),
        format!("# comment\r\n---\r\n{text}"),
    ] {
        let loaded = load_text("f.yaml", variant.as_bytes());
        assert_eq!(loaded.value, expected.value);
        assert_eq!(loaded.digest, expected.digest);
    }
    let script = &expected.value.clusters["payments"].extra.as_ref().unwrap()["script"];
    assert_eq!(*script, json!("a\nb\n"));
}

#[test]
fn json_and_yaml_of_the_same_meaning_have_the_same_digest() {
    let yaml = load_text("f.yaml", format!("{HEADER}{BODY}").as_bytes());
    let json = json!({
        "clusters": {"payments": {
            "extra": {"script": "a\nb\n"}, "version": "v1.34.1", "tier": "gold",
        }},
        "tiers": {"gold": {"survives": ["site"], "replicas": 3}},
        "kind": "Fleet",
        "apiVersion": "gen.banlieue.io/v1alpha1",
    });
    for text in [
        json.to_string(),
        serde_json::to_string_pretty(&json).unwrap(),
    ] {
        let loaded = load_text("f.json", text.as_bytes());
        assert_eq!((&loaded.value, &loaded.digest), (&yaml.value, &yaml.digest));
        let loaded = load_text("json-is-yaml.yaml", text.as_bytes());
        assert_eq!((&loaded.value, &loaded.digest), (&yaml.value, &yaml.digest));
    }
}

#[test]
fn the_digest_follows_meaning_not_form() {
    let digest = |body: &str| load_body(body).unwrap().digest;
    let base = digest("tiers: {a: {replicas: 1}, b: {replicas: 2}}\n");
    assert_eq!(base.len(), 64);
    assert_eq!(
        base,
        digest("tiers:\n  # comment\n  b:\n    replicas: 2\n  a: {replicas: 1}\n")
    );
    assert_ne!(
        base,
        digest("tiers: {a: {replicas: 1}, b: {replicas: 3}}\n")
    );
    assert_ne!(
        base,
        digest("tiers: {a: {replicas: 1}, c: {replicas: 2}}\n")
    );
}

#[test]
fn the_digest_follows_the_arguments() {
    let body =
        "parameters: {size: {type: integer, default: 1}}\ntiers: {a: {replicas: '${{ size }}'}}";
    let digest = |arguments: &[(&str, &str)]| {
        let source = Source::new("f.yaml", format!("{HEADER}{body}"));
        load_sources(&[source], arguments).unwrap().digest
    };
    assert_eq!(digest(&[]), digest(&[("size", "1")]));
    assert_ne!(digest(&[]), digest(&[("size", "2")]));
    assert_eq!(
        digest(&[]),
        digest(&[("tier", "gold"), ("site", "x"), ("cluster", "y")])
    );
}

#[test]
fn json_escapes_and_odd_layout_are_read_with_positions() {
    let text = "{\n\t\"kind\"\n\t: \"Fleet\", \"apiVersion\":\"gen.banlieue.io\\/v1alpha1\",\n\t\
                \"clusters\": {\"é\": {\"tier\": \"\\ud83d\\ude00 \\\\\\\" \\u00fc\"}}}";
    let loaded = load_text("f.json", text.as_bytes());
    assert_eq!(loaded.value.clusters["é"].tier, "😀 \\\" ü");
    let at = loaded.origins.position(&["clusters", "é", "tier"]);
    assert_eq!((at.line, at.column), (4, 29));
}

#[test]
fn origins_lead_to_the_layer_that_wrote_the_value() {
    let sources = [
        Source::new("base.yaml", format!("{HEADER}{BODY}")),
        Source::new(
            "prod.yaml",
            format!("{HEADER}tiers:\n  gold:\n    replicas: 5\n"),
        ),
    ];
    let origins = load_sources(&sources, &[]).unwrap().origins;
    let place = |path: &[&str]| origins.position(path).to_string();
    assert_eq!(place(&["tiers", "gold", "replicas"]), "prod.yaml:5:15");
    assert_eq!(place(&["tiers", "gold", "survives", "0"]), "base.yaml:6:16");
    assert_eq!(place(&["tiers", "gold"]), "base.yaml:4:3");
    assert_eq!(
        place(&["clusters", "payments", "no", "such", "field"]),
        "base.yaml:8:3"
    );
    assert_eq!(place(&[]), "base.yaml:1:1");
    let position = origins.position(&["tiers", "gold", "replicas"]);
    assert_eq!(origins.snippet(&position).unwrap().text, "    replicas: 5");
}

#[test]
fn a_parameter_keeps_its_type_alone_and_becomes_text_among_text() {
    let body = "
parameters:
  size: {type: integer}
  secure: {type: boolean, default: true}
  env: {type: string, enum: [prod, test], default: test}
tiers:
  gold: {replicas: '${{ size }}'}
sites:
  paris: {backend: {vsphere: {endpoint: 'https://${{ env }}-${{ size }}', insecure: '${{ secure }}'}}}
clusters:
  payments: {tier: '$${{ env }}', port: '${{ size }}', version: '${{env}}'}
";
    let source = Source::new("f.yaml", format!("{HEADER}{body}"));
    let fleet = load_sources(&[source], &[("size", "7"), ("env", "prod")])
        .unwrap()
        .value;
    assert_eq!(fleet.tiers["gold"].replicas, 7);
    let cluster = &fleet.clusters["payments"];
    assert_eq!(cluster.tier, "${{ env }}");
    assert_eq!(cluster.port, Some(Port::Number(7)));
    assert_eq!(cluster.version.as_deref(), Some("prod"));
    let site = format!("{:?}", fleet.sites["paris"]);
    assert!(
        site.contains("https://prod-7") && site.contains("insecure: true"),
        "{site}"
    );
}

#[test]
fn a_value_that_a_parameter_brings_is_not_read_again() {
    let body = "
parameters: {a: {type: string}, b: {type: string, default: x}}
clusters: {payments: {tier: '${{ a }}', version: '${{ b }}'}}
";
    for argument in ["no", "017", "null", "", "${{ b }}", "a: b"] {
        let source = Source::new("f.yaml", format!("{HEADER}{body}"));
        let fleet = load_sources(&[source], &[("a", argument)]).unwrap().value;
        assert_eq!(fleet.clusters["payments"].tier, argument);
    }
}

#[test]
fn an_integer_or_text_keeps_the_kind_it_is_written_in() {
    let port = |written: &str| {
        let body = format!("clusters: {{payments: {{tier: gold, port: {written}}}}}\n");
        load_body(&body).map(|mut loaded| loaded.value.clusters.remove("payments").unwrap().port)
    };
    assert_eq!(port("80").unwrap(), Some(Port::Number(80)));
    assert_eq!(port("\"80\"").unwrap(), Some(Port::Name("80".into())));
    assert_eq!(port("https").unwrap(), Some(Port::Name("https".into())));
    assert_eq!(codes(port("080")), ["BL0304"]);
}

#[test]
fn integers_stay_exact() {
    for number in [
        "999999",
        "1000000",
        "9007199254740993",
        "-9223372036854775808",
        "18446744073709551615",
    ] {
        let body = format!("clusters: {{payments: {{tier: gold, extra: {number}}}}}\n");
        let mut fleet = load_body(&body).unwrap().value;
        let extra = fleet.clusters.remove("payments").unwrap().extra.unwrap();
        assert_eq!(extra.to_string(), number);
    }
}

/// The label `x` of a cluster, written as given.
fn label(written: &str) -> Result<String, Vec<&'static str>> {
    let body = format!("clusters:\n  payments:\n    tier: gold\n    labels:\n      x: {written}\n");
    match load_body(&body) {
        Ok(loaded) => Ok(loaded.value.clusters["payments"].labels["x"].clone()),
        Err(problems) => Err(codes::<()>(Err(problems))),
    }
}

proptest! {
    #[test]
    fn a_plain_text_is_read_as_written_or_refused(text in "[-+.:_/0-9a-fA-FxoeEnNyYTZ]{1,12}") {
        if let Ok(read) = label(&text) {
            prop_assert_eq!(read, text);
        }
    }

    #[test]
    fn a_quoted_text_is_read_as_written(text in any::<String>()) {
        let quoted = Value::from(text.as_str()).to_string();
        let quoted: String = quoted
            .chars()
            .map(|c| if c.is_control() { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() })
            .collect();
        // `${{` would be a reference.
        prop_assume!(!text.contains("${{"));
        prop_assert_eq!(label(&quoted), Ok(text));
    }
}
