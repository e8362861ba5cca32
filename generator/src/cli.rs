//! The command line as it is typed. Nothing is resolved here.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

/// Describe a fleet of virtual machines once, render every manifest of it.
///
/// banlieue-gen turns a typed fleet description (YAML or JSON) into a git tree that Flux or Argo CD
/// syncs: CRDs, RBAC, classes, Providers, images, and Cluster API clusters spread over failure
/// domains by tier. Without a fleet file it uses a built-in example.
#[derive(Debug, Parser)]
#[command(name = "banlieue-gen", version, max_term_width = 100)]
#[command(after_help = "Start with `banlieue-gen init fleet.yaml`, then \
                        `banlieue-gen plan -f fleet.yaml` and \
                        `banlieue-gen render -f fleet.yaml -o repo/`.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Colour,
    /// How messages and diagnostics are written to standard error.
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORMAT"
    )]
    pub log_format: LogFormat,
    /// Say only what is wrong.
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How messages are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Render manifests into a directory, or as one YAML stream.
    Render(Render),
    /// Show where everything goes, and what each cluster survives.
    Plan(Plan),
    /// Check the rendered objects without a cluster.
    Check(Check),
    /// Compare what would be rendered with a directory.
    Diff(Diff),
    /// Write a fleet to start from.
    Init(Init),
    /// Print the schemas of the fleet and of the CRDs.
    Schema(Schema),
    /// Explain an error code.
    Explain(Explain),
    /// Print a completion script for a shell.
    Completion(Completion),
}

/// The fleet, the selection and the parameters.
#[derive(Clone, Debug, Default, Args)]
pub struct Input {
    /// `tier`, `cluster` and `site` select, several values separated by commas; every other key
    /// sets a parameter that the fleet declares.
    #[arg(value_name = "KEY=VALUE", value_parser = key_value)]
    pub arguments: Vec<(String, String)>,
    /// Fleet file, folder of fleet files, or `-` for standard input. Several are merged in this
    /// order: maps key by key, everything else is replaced, `null` removes.
    #[arg(short, long = "file", value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
    /// Number of threads. Default: one per core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
}

/// Where templates come from.
#[derive(Clone, Debug, Default, Args)]
pub struct Templates {
    /// Folder with templates of your own, in place of the built-in ones of the same name.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub templates: Option<PathBuf>,
}

/// Render manifests into a directory, or as one YAML stream.
///
/// With `-o DIR` the tree in DIR is brought up to date: files are replaced one by one and
/// atomically, only files that an earlier run wrote are removed, and a file that somebody edited
/// since stops the run. A selection renders, and removes, only its own part of the tree.
///
/// Without `-o` the objects are written to standard output, in an order in which they can be
/// applied. A shell cannot redirect into a directory, so `> repo/` becomes `-o repo/`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    banlieue-gen render tier=platinum -o repo/\n  \
    banlieue-gen render -f base.yaml -f production.yaml -o repo/ --dry-run\n  \
    banlieue-gen render --stage crds | kubectl apply --server-side -f -\n  \
    banlieue-gen render tier=gold | kubectl apply --server-side -f -")]
pub struct Render {
    /// The fleet, the selection and the parameters.
    #[command(flatten)]
    pub input: Input,
    /// Templates.
    #[command(flatten)]
    pub templates: Templates,
    /// Directory of the tree.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
    /// Say what would change, and change nothing.
    #[arg(long, requires = "output")]
    pub dry_run: bool,
    /// Overwrite files that somebody edited, after saving them under `.banlieue/edited/`.
    #[arg(long, requires = "output")]
    pub replace_edited: bool,
    /// Write only objects of these stages to standard output.
    #[arg(long, value_enum, value_name = "STAGE", conflicts_with = "output")]
    pub stage: Vec<StageName>,
}

/// A stage of delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StageName {
    /// Definitions.
    Crds,
    /// Namespaces and access rules.
    Rbac,
    /// Workloads.
    System,
    /// Classes.
    Classes,
    /// Providers.
    Providers,
    /// Images.
    Images,
    /// Clusters.
    Clusters,
    /// Standalone machines.
    Machines,
}

/// Show where everything goes, and what each cluster survives.
///
/// Replicas per failure domain, control planes, names, and for each cluster what is left after
/// the worst loss of a failure domain and of a site.
#[derive(Debug, Args)]
pub struct Plan {
    /// The fleet, the selection and the parameters.
    #[command(flatten)]
    pub input: Input,
    /// How to write it.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

/// How data is written to standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// JSON.
    Json,
}

/// Check the rendered objects without a cluster.
///
/// Every object against the schema and the CEL rules of its CRD, references, names and label
/// lengths, duplicates, sizes, and the promises of tiers. Each finding has a code, the place in
/// your file that it comes from, and what to do.
#[derive(Debug, Args)]
pub struct Check {
    /// The fleet, the selection and the parameters.
    #[command(flatten)]
    pub input: Input,
    /// Templates.
    #[command(flatten)]
    pub templates: Templates,
    /// How to write the findings.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

/// Compare what would be rendered with a directory.
///
/// Exit code 0 when they are equal, 1 when they differ.
#[derive(Debug, Args)]
pub struct Diff {
    /// Directory of the tree.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// The fleet, the selection and the parameters.
    #[command(flatten)]
    pub input: Input,
    /// Templates.
    #[command(flatten)]
    pub templates: Templates,
    /// How to write the differences.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

/// Write a fleet to start from.
///
/// The file has comments, and a first line that gives editors the schema.
#[derive(Debug, Args)]
pub struct Init {
    /// File to write; it must not exist yet. The schema is written beside it.
    #[arg(value_name = "FILE", default_value = "fleet.yaml", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
}

/// Print the schemas of the fleet and of the CRDs.
#[derive(Debug, Args)]
pub struct Schema {
    /// Which form.
    #[arg(value_enum)]
    pub form: SchemaForm,
    /// Write one file each into this directory instead of standard output.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
}

/// A form of schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaForm {
    /// JSON Schema of the fleet, for editors.
    Json,
    /// KCL schemas of the fleet.
    Kcl,
    /// CustomResourceDefinitions.
    Crds,
}

/// Explain an error code.
#[derive(Debug, Args)]
pub struct Explain {
    /// The code, such as BL0301. Without one, all are listed.
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}

/// Print a completion script for a shell.
#[derive(Debug, Args)]
pub struct Completion {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected KEY=VALUE, such as tier=platinum".to_owned()),
    }
}
