//! How the binary talks: formats, colours, silence.

use serde_json::Value;

use crate::support::Folder;

const ESCAPE: char = '\u{1b}';
const FAULTY: &str = "render -f fleet.yaml tier=platnum";

/// Every line as JSON.
fn lines(said: &str) -> Vec<Value> {
    said.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
        .collect()
}

#[test]
fn json_is_one_object_a_line_when_all_goes_well() {
    let said = Folder::new()
        .ok("render --log-format json tier=gold -o repo")
        .err;
    let lines = lines(&said);
    assert_eq!(lines.len(), 2, "{said}");
    assert!(lines.iter().all(|line| line["level"] == "info"), "{said}");
}

#[test]
fn json_of_a_fault_has_code_and_place() {
    let folder = Folder::new();
    folder.layer("typo.yaml", "site: {}\n");
    let said = folder
        .run("render --log-format json -f fleet.yaml -f typo.yaml")
        .err;
    let lines = lines(&said);
    assert_eq!(lines.len(), 1, "{said}");
    assert_eq!(lines[0]["code"], "BL0301");
    assert_eq!(lines[0]["at"]["file"], "typo.yaml");
    assert_eq!(lines[0]["at"]["line"], 3);
}

#[test]
fn json_of_a_message_with_several_lines_is_one_line() {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml -o repo");
    folder.write("repo/TOPOLOGY.md", "mine");
    let ran = folder.run("render --log-format json -f fleet.yaml -o repo");
    assert_eq!(ran.code, 1);
    let lines = lines(&ran.err);
    assert_eq!(lines.len(), 1, "{}", ran.err);
    assert_eq!(lines[0]["level"], "error");
}

#[test]
fn colours_come_when_asked_for() {
    let said = Folder::new().run(&format!("{FAULTY} --color always")).err;
    assert!(said.contains(ESCAPE), "{said}");
}

#[test]
fn colours_stay_away_when_not_wanted_or_not_on_a_terminal() {
    for colour in ["never", "auto"] {
        let said = Folder::new().run(&format!("{FAULTY} --color {colour}")).err;
        assert!(!said.contains(ESCAPE), "{said}");
    }
}

#[test]
fn no_color_is_heeded_and_an_explicit_wish_is_stronger() {
    let folder = Folder::new();
    let coloured = |when: &str| {
        let output = folder
            .command()
            .args(FAULTY.split(' '))
            .args(["--color", when])
            .env("NO_COLOR", "1")
            .env("CLICOLOR_FORCE", "1")
            .output()
            .unwrap();
        String::from_utf8(output.stderr).unwrap().contains(ESCAPE)
    };
    assert!(!coloured("auto"));
    assert!(coloured("always"));
}

#[test]
fn quiet_says_nothing_when_all_goes_well() {
    let ran = Folder::new().ok("render --quiet tier=gold -o repo");
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
}

#[test]
fn quiet_still_says_what_is_wrong() {
    let said = Folder::new().run(&format!("{FAULTY} --quiet")).err;
    assert!(said.starts_with("error[BL2002]"), "{said}");
}

#[test]
fn a_run_without_a_fleet_says_that_it_uses_the_example() {
    let said = Folder::new().ok("plan").err;
    assert!(said.contains("built-in example"), "{said}");
}
