//! Hostile input costs no more memory than the limits of the loader allow.

use std::fs;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use crate::support::Folder;

/// Most that a refusal may take: the largest input that is read, with its values.
const LIMIT_KIB: u64 = 640 << 10;

/// The highest resident set that was seen before the end, in KiB. The kernel keeps the peak, so
/// only what comes after the last look is missed.
fn peak(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next());
        peak = kib.map_or(peak, |kib| kib.parse().unwrap());
        thread::sleep(Duration::from_millis(1));
    }
    peak
}

#[test]
fn what_is_refused_is_refused_with_bounded_memory() {
    let levels: Vec<String> = (1..40)
        .map(|level| {
            let aliases = format!("*a{},", level - 1).repeat(9);
            format!("  b{level}: &a{level} [{aliases}]\n")
        })
        .collect();
    let bomb = format!("clusters:\n  a: &a0 {{x: y}}\n{}", levels.concat());
    let extra = |value: String| format!("clusters:\n  web:\n    extra: {value}\n");
    let inputs = [
        ("aliases", bomb, "BL0112"),
        (
            "keys",
            extra(format!("[{}]", "{a: b},".repeat(1_000_000))),
            "BL0112",
        ),
        ("depth", extra("[".repeat(7 << 20)), "BL0111"),
        ("size", extra("x".repeat(50 << 20)), "BL0102"),
    ];
    let folder = Folder::new();
    for (name, body, code) in inputs {
        let file = format!("{name}.yaml");
        folder.layer(&file, &body);
        let mut command = folder.command();
        command.args(["check", "-f", &file]);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let peak = peak(&mut child);
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stdout);
        println!("{name}: {} MiB", peak >> 10);
        assert_eq!(output.status.code(), Some(1), "{name}: {errors}");
        assert!(errors.contains(code), "{name}: {errors}");
        assert!(peak > 0, "{name}: it ended before it was looked at");
        assert!(peak < LIMIT_KIB, "{name}: {} MiB", peak >> 10);
    }
}
