//! `banlieue bootstrap operator`.
//!
//! The objects are those that `banlieue-gen render` puts into `infrastructure/00-crds` to
//! `30-classes`, byte for byte, from the same builders.

mod apply;
mod objects;

use std::io::{self, Write};

use banlieue_schemas::manifests::settings::REGISTRY;
use banlieue_schemas::manifests::{Image, Settings, yaml};

use super::{CommandError, asynchronously};
use crate::backends::COMPILED;
use crate::cli::ApiServer;

pub use objects::objects;

/// What to install.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Install definitions, rights, controller, operator, and a ProviderClass for each backend
    /// that this program was built with.
    ///
    /// Applied by server-side apply; running it again brings an installation up to date. With
    /// `--dry-run` the same objects are printed, for a git repository.
    Operator(Args),
}

/// What the installation is like.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Namespace of controller and operator.
    #[arg(
        long,
        env = "BANLIEUE_NAMESPACE",
        default_value = "banlieue-system",
        value_name = "NAMESPACE"
    )]
    pub namespace: String,
    /// Namespace in which images are built and imported. Its Pods are privileged.
    #[arg(
        long,
        env = "BANLIEUE_BUILD_NAMESPACE",
        default_value = "banlieue-imagebuild",
        value_name = "NAMESPACE"
    )]
    pub build_namespace: String,
    /// Tag of the image.
    #[arg(
        long,
        default_value = concat!("v", env!("CARGO_PKG_VERSION")),
        value_name = "TAG"
    )]
    pub version: String,
    /// Registry and path from which the image `banlieue` is pulled.
    #[arg(long, default_value = REGISTRY, value_name = "REGISTRY")]
    pub registry: String,
    /// Digest that pins the image, as `sha256:` and 64 hex digits. The tag then only informs.
    #[arg(long, value_name = "DIGEST", value_parser = digest)]
    pub image_digest: Option<String>,
    /// Install no ProviderClass.
    #[arg(long)]
    pub skip_provider_classes: bool,
    /// Print the objects instead of applying them.
    #[arg(long)]
    pub dry_run: bool,
    /// How the API server is reached.
    #[command(flatten)]
    pub api_server: ApiServer,
}

impl Args {
    fn settings(&self) -> Settings {
        Settings {
            namespace: self.namespace.clone(),
            image_builder_namespace: self.build_namespace.clone(),
            image: Image {
                repository: format!("{}/banlieue", self.registry.trim_end_matches('/')),
                tag: self.version.clone(),
                digest: self.image_digest.clone(),
            },
            ..Settings::default()
        }
    }
}

pub(super) fn run(command: &Command) -> Result<(), CommandError> {
    let Command::Operator(args) = command;
    let backends = if args.skip_provider_classes {
        &[]
    } else {
        COMPILED
    };
    let objects = objects(&args.settings(), backends)?;
    if args.dry_run {
        let mut text = String::new();
        for (_, object) in &objects {
            text.push_str("---\n");
            yaml::write(object, &mut text);
        }
        let printed = io::stdout().write_all(text.as_bytes());
        return printed.map_err(CommandError::Output);
    }
    asynchronously(apply::apply(&args.api_server, &objects))
}

fn digest(text: &str) -> Result<String, String> {
    let digits = text.strip_prefix("sha256:").unwrap_or_default();
    let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    if digits.len() == 64 && digits.chars().all(is_hex) {
        Ok(text.to_owned())
    } else {
        Err("expected sha256: and 64 hexadecimal digits in lower case".to_owned())
    }
}
