//! A working directory with fleets in it, and the binary run there.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::SystemTime;

use banlieue_gen::load::parse_value;
use serde_json::Value;

/// The built-in example. `Folder::new` writes it to `fleet.yaml`.
pub const FLEET: &str = include_str!("../../../examples/fleet/fleet.yaml");

/// Every file below a directory, by path.
pub type Tree = BTreeMap<String, String>;

/// How a run ended and what it said.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("ended by a signal"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A working directory that holds `fleet.yaml`.
pub struct Folder {
    dir: tempfile::TempDir,
}

impl Folder {
    pub fn new() -> Self {
        let folder = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        folder.write("fleet.yaml", FLEET);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a fleet file with only these fields.
    pub fn layer(&self, name: &str, fields: &str) {
        let header = "apiVersion: gen.banlieue.io/v1alpha1\nkind: Fleet\n";
        self.write(name, format!("{header}{fields}"));
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The object in a file.
    pub fn object(&self, name: &str) -> Value {
        parse_value(name, &self.read(name)).unwrap()
    }

    /// The binary, in this directory, with nothing of the caller's that changes how it talks.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_banlieue-gen"));
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
            .current_dir(self.dir.path())
            .env("HOME", self.path("home"))
            .stdin(Stdio::null());
        command
    }

    /// Runs the binary with arguments that are separated by spaces.
    pub fn run(&self, arguments: &str) -> Ran {
        self.command()
            .args(arguments.split_whitespace())
            .output()
            .unwrap()
            .into()
    }

    /// As [`Folder::run`], where all must go well.
    pub fn ok(&self, arguments: &str) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
        ran
    }

    /// As [`Folder::run`], with standard input.
    pub fn feed(&self, arguments: &str, input: &str) -> Ran {
        let mut child = self
            .command()
            .args(arguments.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        child.wait_with_output().unwrap().into()
    }

    /// The rendered files of a tree: all but our own in `.banlieue`.
    pub fn tree(&self, name: &str) -> Tree {
        let mut tree = self.whole_tree(name);
        tree.retain(|path, _| !path.starts_with(".banlieue/"));
        tree
    }

    /// Every file of a tree.
    pub fn whole_tree(&self, name: &str) -> Tree {
        let root = self.path(name);
        let mut tree = Tree::new();
        walk(&root, &mut |path| {
            tree.insert(relative(&root, path), fs::read_to_string(path).unwrap());
        });
        tree
    }

    /// When each file of a tree was last written.
    pub fn times(&self, name: &str) -> BTreeMap<String, SystemTime> {
        let root = self.path(name);
        let mut times = BTreeMap::new();
        walk(&root, &mut |path| {
            let modified = fs::metadata(path).unwrap().modified().unwrap();
            times.insert(relative(&root, path), modified);
        });
        times
    }
}

fn walk(dir: &Path, found: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else {
            found(&path);
        }
    }
}

fn relative(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The documents of a stream, as text.
pub fn documents(stream: &str) -> Vec<&str> {
    let first = stream
        .strip_prefix("---\n")
        .expect("a stream starts with a separator");
    let mut documents: Vec<&str> = first.split_inclusive("\n---\n").collect();
    for document in &mut documents {
        *document = document.strip_suffix("---\n").unwrap_or(document);
    }
    documents
}

/// The objects of a stream.
pub fn objects(stream: &str) -> Vec<Value> {
    documents(stream)
        .into_iter()
        .map(|text| parse_value("stream", text).unwrap())
        .collect()
}

/// A text field of an object, or nothing.
pub fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Whether a file of a tree holds an object of its own.
pub fn is_manifest(path: &str) -> bool {
    let (_, file) = path.rsplit_once('/').unwrap_or_default();
    file != "kustomization.yaml" && file.rsplit_once('.').is_some_and(|(_, end)| end == "yaml")
}

/// The paths that begin so.
pub fn paths<'a>(tree: &'a Tree, start: &str) -> Vec<&'a str> {
    tree.keys()
        .map(String::as_str)
        .filter(|path| path.starts_with(start))
        .collect()
}

/// The paths that two trees do not have alike.
pub fn differing(one: &Tree, other: &Tree) -> Vec<String> {
    let mut paths: Vec<String> = one.keys().chain(other.keys()).cloned().collect();
    paths.sort();
    paths.dedup();
    paths.retain(|path| one.get(path) != other.get(path));
    paths
}
