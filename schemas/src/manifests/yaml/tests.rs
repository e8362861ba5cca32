#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::to_string;

/// Strings that some reader is known to take for another type, refuse, or change.
const HAZARDS: &[&str] = &[
    "y",
    "Y",
    "yes",
    "Yes",
    "n",
    "N",
    "no",
    "NO",
    "on",
    "On",
    "ON",
    "off",
    "OFF",
    "true",
    "True",
    "TRUE",
    "false",
    "null",
    "Null",
    "NULL",
    "~",
    "",
    "0o17",
    "017",
    "0777",
    "08",
    "1_000",
    "0x1F",
    "1e3",
    "1E3",
    "1e+06",
    "12e03",
    "6.0e2",
    ".inf",
    ".nan",
    "+1",
    "-1",
    "1.",
    "1:30",
    "190:20:30",
    "2001-01-01",
    "2001-12-14T21:59:43Z",
    "=",
    "<<",
    "!foo",
    "&a",
    "*a",
    "@x",
    "`x",
    "%d",
    "- a",
    "? a",
    ": a",
    "a: b",
    "a:",
    "a #c",
    "#c",
    " lead",
    "trail ",
    "tab\tx",
    "\t",
    " ",
    "\n",
    "\n\n",
    "line1\nline2",
    "line1\nline2\n",
    "line1\n\n",
    "\nlead",
    "a\n b\n",
    "a\n\tb\n",
    "a \nb",
    "a\n ",
    "a\t\nb",
    " a\nb\n",
    "a\n\n\nb\n\n\n",
    "cr\r\nlf",
    "a\n---\nb\n",
    "a\n# b\n",
    "\u{85}",
    "a\n\u{85}b",
    "\u{2028}",
    "\u{2029}",
    "\u{feff}bom",
    "\u{fffe}",
    "\u{ffff}",
    "\u{a0}",
    "ünï",
    "ünï\nünï\n",
    "\u{1f600}",
    "\0nul",
    "\u{1b}[0m",
    "\u{7f}",
    "\u{9f}",
    "{a}",
    "[a]",
    "a, b",
    "---",
    "...",
    "--- a",
    "'q'",
    "\"dq\"",
    "a'b",
    "a\"b",
    "a\\b",
    "\\d'\"",
    "0b11",
    "0.1.2",
    "1.2.3",
    "1.30",
    "00",
    "1e",
    "e1",
    "0e0",
    "1234567e8",
    "5e98765",
    "0123e45",
    "NaN",
    "Infinity",
    "inf",
    "123456789012345678901234567890",
    "^[a-z]([-a-z0-9]*)?$",
    "(a)",
    "/dev/sda",
    "${VAR}",
    "500m",
    "self.a == \"b\" ? 1 : 2",
    "http://x:80/#y",
    "a::b",
    "|",
    ">",
    "a|b",
    "yes\n",
    "null\n",
];

fn read(yaml: &str) -> Value {
    serde_saphyr::from_str(yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"))
}

fn assert_same_after_reading(value: &Value) {
    let yaml = to_string(value).unwrap();
    assert_eq!(&read(&yaml), value, "{yaml}");
}

#[test]
fn a_hazardous_string_is_the_same_string_in_every_position() {
    for text in HAZARDS {
        assert_same_after_reading(&json!(text));
        assert_same_after_reading(&json!({ "k": text, "z": 1 }));
        assert_same_after_reading(&json!([text, [text, 1], { "k": text }]));
        assert_same_after_reading(&json!({ "a": { *text: text }, "b": { *text: [1] } }));
    }
}

#[test]
fn words_and_numbers_of_yaml_1_1_are_quoted() {
    for text in HAZARDS {
        let resolved = text.starts_with(|c: char| c.is_ascii_digit() || "+-.~=<".contains(c))
            || ["y", "n", "yes", "no", "on", "off", "true", "false", "null"]
                .contains(&text.to_lowercase().as_str());
        if resolved {
            assert!(to_string(text).unwrap().starts_with('"'), "{text}");
        }
    }
}

#[test]
fn a_key_too_long_for_one_line_is_explicit() {
    let long = "k".repeat(2000);
    let value =
        json!({ "a": { long.clone(): { "x": 1 } }, "b": { long.clone(): [1, 2] }, long: "v" });
    assert!(to_string(&value).unwrap().contains("\n? kkk"));
    assert_same_after_reading(&value);
}

#[test]
fn integers_are_exact_and_floats_stay_floats_in_yaml_1_1() {
    let value = json!([
        u64::MAX,
        i64::MIN,
        0,
        -1,
        1_000_000,
        9_007_199_254_740_993_u64
    ]);
    assert_eq!(
        to_string(&value).unwrap(),
        "- 18446744073709551615\n- -9223372036854775808\n- 0\n- -1\n- 1000000\n- 9007199254740993\n"
    );
    let value = json!([
        1.0,
        -0.0,
        0.1,
        1e16,
        1e-7,
        1.5e300,
        f64::MAX,
        f64::MIN_POSITIVE
    ]);
    assert_eq!(
        to_string(&value).unwrap(),
        "- 1.0\n- -0.0\n- 0.1\n- 1.0e+16\n- 1.0e-7\n- 1.5e+300\n- 1.7976931348623157e+308\n\
         - 2.2250738585072014e-308\n"
    );
    assert_same_after_reading(&value);
}

#[test]
fn an_object_reads_the_way_kubectl_prints_it() {
    let value = json!({
        "spec": {
            "empty": {}, "none": [], "nothing": null,
            "args": ["controller", "--n=1"],
            "rules": [{ "verbs": ["get"], "apiGroups": [""] }],
            "script": "#!/bin/sh\n\nexit 0\n",
            "json": "{\"a\":1}",
            "pattern": "^\\d+$",
        },
        "metadata": { "name": "a" }, "kind": "K", "apiVersion": "v1",
    });
    let yaml = r#"apiVersion: v1
kind: K
metadata:
  name: a
spec:
  args:
  - controller
  - "--n=1"
  empty: {}
  json: '{"a":1}'
  none: []
  nothing: null
  pattern: ^\d+$
  rules:
  - apiGroups:
    - ""
    verbs:
    - get
  script: |
    #!/bin/sh

    exit 0
"#;
    assert_eq!(to_string(&value).unwrap(), yaml);
}

fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        any::<String>(),
        "[ \ta-c:#'\"\\\\\n-]{0,12}",
        "[0-9eE.+_:-]{1,8}",
        proptest::sample::select(HAZARDS).prop_map(String::from),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map(text.clone(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_is_the_same_after_reading(value in any_json()) {
        let yaml = to_string(&value).unwrap();
        prop_assert_eq!(read(&yaml), value, "{}", yaml);
    }

    #[test]
    fn the_order_of_insertion_does_not_show(map in proptest::collection::btree_map("[a-e]{1,3}", 0..9, 0..9)) {
        let forward: serde_json::Map<_, _> = map.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
        let backward: serde_json::Map<_, _> = map.iter().rev().map(|(k, v)| (k.clone(), json!(v))).collect();
        prop_assert_eq!(to_string(&forward).unwrap(), to_string(&backward).unwrap());
    }
}
