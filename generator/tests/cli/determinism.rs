//! Equal input gives equal bytes, wherever and however it is rendered.

use std::thread;

use crate::support::Folder;

const RENDERS: usize = 100;

#[test]
fn a_hundred_renders_in_other_surroundings_are_the_same_bytes() {
    let folder = Folder::new();
    let file = folder.path("fleet.yaml");
    let render = |number: usize| {
        let own = folder.path(&format!("surroundings/{number}"));
        std::fs::create_dir_all(&own).unwrap();
        let language = ["C", "tr_TR.UTF-8", "ja_JP.eucJP", ""][number % 4];
        let zone = ["UTC", "Pacific/Apia", "America/St_Johns"][number % 3];
        let jobs = ["1", "2", "7"][number % 3];
        let output = folder
            .command()
            .args(["render", "--jobs", jobs, "-f"])
            .arg(&file)
            .current_dir(&own)
            .env("TMPDIR", &own)
            .env("HOME", &own)
            .env("LANG", language)
            .env("LC_ALL", language)
            .env("TZ", zone)
            .output()
            .unwrap();
        assert!(output.status.success());
        output.stdout
    };
    let first = render(0);
    assert!(first.len() > 100_000);
    thread::scope(|scope| {
        for start in 0..2 {
            let (render, first) = (&render, &first);
            scope.spawn(move || {
                for number in (start + 1..RENDERS).step_by(2) {
                    assert!(render(number) == *first, "render {number} differs");
                }
            });
        }
    });
}

#[test]
fn ten_trees_are_the_same_bytes_with_their_inventories() {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml -o 0/repo");
    let first = folder.whole_tree("0/repo");
    assert!(first.contains_key(".banlieue/inventory.json"));
    for number in 1..10 {
        let jobs = 1 + number % 3;
        folder.ok(&format!(
            "render -f fleet.yaml --jobs {jobs} -o {number}/repo"
        ));
        assert_eq!(folder.whole_tree(&format!("{number}/repo")), first);
    }
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
