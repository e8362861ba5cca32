//! Equal input gives equal bytes, wherever and however it is rendered.

use std::process::Command;
use std::thread;

use crate::support::Folder;

const RENDERS: usize = 100;

/// Every so many renders, one goes into a directory.
const TREES: usize = 10;

#[test]
fn a_hundred_renders_in_other_surroundings_are_the_same_bytes() {
    let folder = Folder::new();
    let file = folder.path("fleet.yaml");
    let command = |number: usize| -> Command {
        let own = folder.path(&format!("surroundings/{number}"));
        std::fs::create_dir_all(&own).unwrap();
        let language = ["C", "tr_TR.UTF-8", "ja_JP.eucJP", ""][number % 4];
        let zone = ["UTC", "Pacific/Apia", "America/St_Johns"][number % 3];
        let jobs = ["1", "2", "7"][number % 3];
        let mut command = folder.command();
        command
            .args(["render", "--jobs", jobs, "-f"])
            .arg(&file)
            .current_dir(&own)
            .env("TMPDIR", &own)
            .env("HOME", &own)
            .env("LANG", language)
            .env("LC_ALL", language)
            .env("TZ", zone);
        command
    };
    let render = |number: usize| {
        let output = command(number).output().unwrap();
        assert!(output.status.success());
        output.stdout
    };
    let tree = |number: usize| {
        let output = command(number).args(["-o", "repo"]).output().unwrap();
        assert!(output.status.success());
        folder.whole_tree(&format!("surroundings/{number}/repo"))
    };
    let (first, first_tree) = (render(0), tree(0));
    assert!(first.len() > 100_000);
    assert!(first_tree.contains_key(".banlieue/inventory.json"));
    thread::scope(|scope| {
        for start in 0..2 {
            let (render, first) = (&render, &first);
            let (tree, first_tree) = (&tree, &first_tree);
            scope.spawn(move || {
                for number in (start + 1..RENDERS).step_by(2) {
                    assert!(render(number) == *first, "render {number} differs");
                    if number % TREES < 2 {
                        assert!(tree(number) == *first_tree, "tree {number} differs");
                    }
                }
            });
        }
    });
}

#[test]
fn a_render_that_changes_nothing_touches_no_file() {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml -o repo");
    let before = folder.times("repo");
    let said = folder.ok("render -f fleet.yaml -o repo").err;
    assert_eq!(folder.times("repo"), before);
    let count = folder.tree("repo").len();
    assert_eq!(said, format!("repo: no changes, {count} files\n"));
}
