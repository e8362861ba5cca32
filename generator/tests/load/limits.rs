//! Hostile input is refused with a message, not with the memory of the machine.

use std::path::PathBuf;

use banlieue_gen::load::{DEPTH_LIMIT, FILE_LIMIT, Source, VALUE_LIMIT, read};
use proptest::prelude::*;

use super::{HEADER, codes, load_body, load_sources};

/// A free-form value below a cluster.
fn extra(value: &str) -> String {
    format!("clusters:\n  payments:\n    tier: gold\n    extra: {value}\n")
}

#[test]
fn aliases_of_aliases_are_refused() {
    let levels: Vec<String> = (1..30)
        .map(|level| {
            format!(
                "  b{level}: &a{level} [{}]\n",
                format!("*a{},", level - 1).repeat(4)
            )
        })
        .collect();
    let body = format!(
        "clusters:\n  a: &a0 {{labels: {{x: y}}}}\n{}",
        levels.concat()
    );
    assert_eq!(codes(load_body(&body)), ["BL0112"]);
}

#[test]
fn a_long_text_counts_by_its_length_each_time_it_is_referred_to() {
    let text = "x".repeat(1 << 20);
    let body = extra(&format!("[&a \"{text}\"{}]", ", *a".repeat(1000)));
    assert_eq!(codes(load_body(&body)), ["BL0112"]);
}

#[test]
fn anchors_inside_of_anchors_do_not_multiply_what_is_kept() {
    let open: Vec<String> = (0..40).map(|level| format!("&a{level} [")).collect();
    let open = open.concat();
    let inner = "1, ".repeat(100_000);
    let body = extra(&format!("{open}{inner}{}", "]".repeat(40)));
    assert_eq!(codes(load_body(&body)), ["BL0112"]);
}

#[test]
fn aliases_within_the_limits_stand_for_what_they_refer_to() {
    let body = "tiers:\n  gold: &tier {replicas: 3}\n  silver: *tier\n";
    let fleet = load_body(body).unwrap().value;
    assert_eq!(fleet.tiers["gold"], fleet.tiers["silver"]);
}

#[test]
fn an_alias_does_not_reach_into_the_next_document() {
    let text = format!("{HEADER}tiers: {{gold: &a {{replicas: 3}}}}\n---\n{HEADER}sites: *a\n");
    assert_eq!(
        codes(load_sources(&[Source::new("f.yaml", text)], &[])),
        ["BL0113"]
    );
}

#[test]
fn deep_nesting_is_refused_in_every_style() {
    // The document, `clusters`, the cluster: three levels around the value.
    let flow = |depth: usize| extra(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
    assert_eq!(codes(load_body(&flow(DEPTH_LIMIT - 3))), Vec::<&str>::new());
    assert_eq!(codes(load_body(&flow(DEPTH_LIMIT - 2))), ["BL0111"]);
    for depth in [1000, 100_000] {
        assert_eq!(codes(load_body(&flow(depth))), ["BL0111"]);
        let dashes = extra(&format!("\n      {}1", "- ".repeat(depth)));
        assert_eq!(codes(load_body(&dashes)), ["BL0111"]);
        let json = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let sources = [Source::new("f.json", json)];
        assert_eq!(codes(load_sources(&sources, &[])), ["BL0111"]);
    }
    let block: Vec<String> = (0..1000)
        .map(|level| format!("{}k:\n", " ".repeat(level)))
        .collect();
    let block = block.concat();
    assert_eq!(codes(load_body(&block)), ["BL0111"]);
}

#[test]
fn more_values_than_allowed_are_refused_over_all_files_together() {
    let thousand = format!("&a [{}]", "1,".repeat(1000));
    let thousands = VALUE_LIMIT / 1000 / 2;
    let list = format!("[{thousand}{}]", ", *a".repeat(thousands));
    let text = format!("{HEADER}{}", extra(&list));
    let half = [Source::new("a.yaml", text.as_str())];
    assert_eq!(codes(load_sources(&half, &[])), Vec::<&str>::new());
    let sources = [
        Source::new("a.yaml", text.as_str()),
        Source::new("b.yaml", text),
    ];
    assert_eq!(codes(load_sources(&sources, &[])), ["BL0112"]);
}

#[test]
fn a_huge_file_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("huge.yaml");
    let file = std::fs::File::create(&path).unwrap();
    // Sparse: reading it would take far longer than any test may.
    file.set_len(1 << 40).unwrap();
    assert_eq!(codes(read(&[path])), ["BL0102"]);
}

#[test]
fn a_file_of_fifty_megabytes_is_refused_and_one_at_the_limit_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, length: usize| {
        let path = folder.path().join(name);
        std::fs::write(&path, "#".repeat(length)).unwrap();
        path
    };
    assert_eq!(codes(read(&[write("a.yaml", 50 << 20)])), ["BL0102"]);
    assert_eq!(codes(read(&[write("b.yaml", FILE_LIMIT + 1)])), ["BL0102"]);
    assert_eq!(read(&[write("c.yaml", FILE_LIMIT)]).unwrap().len(), 1);
    let source = Source::new("memory.yaml", "#".repeat(FILE_LIMIT + 1));
    assert_eq!(codes(load_sources(&[source], &[])), ["BL0102"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_device_without_end_is_refused() {
    assert_eq!(codes(read(&[PathBuf::from("/dev/zero")])), ["BL0102"]);
}

#[test]
fn a_million_mistakes_make_a_thousand_messages() {
    let body = extra("\n      a: 1").replace("a: 1", &"a: 1\n      ".repeat(20_000));
    assert_eq!(codes(load_body(&body)).len(), 1000);
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(parts in prop::collection::vec(fragment(), 0..40)) {
        let text = parts.concat();
        for name in ["f.yaml", "f.json"] {
            let _ = load_sources(&[Source::new(name, text.as_str())], &[]);
            let _ = load_sources(&[Source::new(name, format!("{HEADER}{text}"))], &[]);
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        for name in ["f.yaml", "f.json"] {
            let _ = load_sources(&[Source::new(name, bytes.clone())], &[]);
        }
    }
}

fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\n".to_owned()),
        Just("  ".to_owned()),
        prop::sample::select(vec![
            ":",
            ": ",
            "-",
            "- ",
            "? ",
            "[",
            "]",
            "{",
            "}",
            ",",
            "&a ",
            "*a",
            "!",
            "!!str ",
            "|",
            ">",
            "|2-\n",
            "'",
            "\"",
            "\\",
            "#",
            " #",
            "%",
            "@",
            "`",
            "---\n",
            "...\n",
            "<<: ",
            "~",
            "\t",
            "\r\n",
            "\u{feff}",
            "\u{85}",
            "\u{2028}",
            "é",
            "😀",
            "${{ a }}",
            "$${{",
            "%YAML 1.2\n",
            "%TAG ! x\n",
            "a",
            "clusters",
            "parameters",
            "tiers",
            "1e3",
            "\\u12",
            "\\ud83d",
        ])
        .prop_map(str::to_owned),
        ".{0,4}",
    ]
}
