use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use banlieue_gen::tree::{TreeError, inspect, lock};

use crate::support::{assert_consistent, content, render};

const FILES: [(&str, &str, &str); 2] = [("s", "a/x.yaml", "x"), ("s", "y.yaml", "y")];

#[test]
fn a_second_run_fails_at_once_and_names_the_lock() {
    let dir = tempfile::tempdir().unwrap();
    let (held, _) = lock(dir.path(), None).unwrap();
    let message = lock(dir.path(), None).unwrap_err().to_string();
    assert!(message.contains(".banlieue/lock"), "{message}");
    assert!(inspect(dir.path(), None).is_ok(), "a dry run needs no lock");
    drop(held);
    render(dir.path(), &FILES).unwrap();
    assert!(dir.path().join(".banlieue/lock").exists());
}

#[test]
fn many_runs_at_once_never_interleave() {
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..20).map(|index| format!("f{index}.yaml")).collect();
    let files = |content: &'static str| {
        names
            .iter()
            .map(|name| ("s", name.as_str(), content))
            .collect::<Vec<_>>()
    };
    let outcomes: Vec<_> = thread::scope(|scope| {
        let runs: Vec<_> = ["one", "two", "three", "four"]
            .map(|content| {
                let files = files(content);
                scope.spawn(|| {
                    let files = files;
                    (0..20)
                        .map(|_| render(dir.path(), &files))
                        .collect::<Vec<_>>()
                })
            })
            .into_iter()
            .collect();
        runs.into_iter()
            .flat_map(|run| run.join().unwrap())
            .collect()
    });
    assert!(outcomes.iter().any(Result::is_ok));
    for outcome in outcomes {
        assert!(
            matches!(outcome, Ok(_) | Err(TreeError::Locked { .. })),
            "{outcome:?}"
        );
    }
    let contents = content(dir.path());
    let first = contents.values().next().unwrap();
    assert!(
        contents.values().all(|content| content == first),
        "two runs interleaved: {contents:?}"
    );
    assert_consistent(dir.path());
}

#[test]
fn runs_that_take_their_lock_file_along_never_let_two_in() {
    let dir = tempfile::tempdir().unwrap();
    let inside = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..2000 {
                    match lock(dir.path(), None) {
                        Ok((held, _)) => {
                            assert_eq!(
                                inside.fetch_add(1, Ordering::SeqCst),
                                0,
                                "two runs at once"
                            );
                            thread::yield_now();
                            inside.fetch_sub(1, Ordering::SeqCst);
                            drop(held);
                        }
                        Err(error) => assert!(matches!(error, TreeError::Locked { .. }), "{error}"),
                    }
                }
            });
        }
    });
}

#[test]
fn a_process_started_meanwhile_does_not_keep_the_lock() {
    let dir = tempfile::tempdir().unwrap();
    render(dir.path(), &FILES).unwrap();
    let done = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..50 {
                Command::new("true").status().unwrap();
            }
            done.store(1, Ordering::SeqCst);
        });
        while done.load(Ordering::SeqCst) == 0 {
            render(dir.path(), &FILES).unwrap();
        }
    });
}
