#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::errors::chain;

fn settings(filter: &str) -> Settings {
    Settings {
        format: Format::Json,
        filter: filter.to_owned(),
        service: "s".to_owned(),
        version: "1".to_owned(),
    }
}

#[test]
fn a_mistyped_level_is_refused_and_says_what_one_looks_like() {
    for filter in ["loud", "info,kub", "kube=loud"] {
        let error = start(&settings(filter)).unwrap_err();
        let text = chain(&error).to_string();
        assert!(text.contains("is not a log level, such as info"), "{text}");
    }
}

#[test]
fn levels_and_lists_of_directives_are_understood() {
    for filter in [
        "info",
        "WARN",
        "off",
        "info,kube=debug",
        "warn, banlieue_kit::lease=trace",
    ] {
        parse(filter).unwrap();
    }
}
