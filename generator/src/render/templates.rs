//! The template engine: strict, without a clock, randomness, environment or file access.
//!
//! A template gets the variables that [`crate::render`] gives it and nothing else. An undefined
//! variable is an error, nothing is escaped unless a filter says so, and work is bounded, so that
//! a template of a user's own can neither differ between two machines nor run for ever.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use minijinja::{
    AutoEscape, Environment, UndefinedBehavior, Value, syntax::SyntaxConfig, value::Serde,
};

/// Instructions that one template may take. The largest built-in one takes some thousands.
const FUEL: u64 = 10_000_000;
/// Bytes that one template file may have.
const MAX_BYTES: u64 = 1 << 20;

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        /// Name and text of every built-in template.
        pub const BUILT_IN: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../templates/", $name)))),*];
    };
}

built_in![
    "capi/k0s/control-plane.yaml.j2",
    "capi/k0s/workers.yaml.j2",
    "capi/k0smotron/control-plane.yaml.j2",
    "capi/k0smotron/workers.yaml.j2",
    "capi/kubeadm/control-plane.yaml.j2",
    "capi/kubeadm/workers.yaml.j2",
    "cloud-init/base.yaml.j2",
    "repository/TOPOLOGY.md.j2",
    "repository/gitattributes.j2",
];

/// Folders in which a template of a user's own may have any name.
const OPEN_FOLDERS: [&str; 2] = ["capi/extra/", "cloud-init/"];

/// Why a template could not be read or rendered.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// A file or folder could not be read.
    #[error("cannot read {path}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A file in a folder of templates replaces nothing and adds nothing.
    #[error("{path} is no template that is ever used{hint}")]
    Unknown {
        /// Name inside the folder.
        path: String,
        /// The nearest name, as a clause.
        hint: String,
    },
    /// A file that is not accepted as a template.
    #[error("{path} is not accepted: {reason}")]
    Refused {
        /// Name inside the folder.
        path: String,
        /// Why.
        reason: &'static str,
    },
    /// A template does not compile, or uses what it does not get.
    #[error("template {name}{}: {detail}", line.map(|l| format!(", line {l}")).unwrap_or_default())]
    Render {
        /// Name of the template.
        name: String,
        /// Line in it.
        line: Option<usize>,
        /// What is wrong.
        detail: String,
        /// The engine's error.
        #[source]
        source: minijinja::Error,
    },
}

/// All templates of a run.
#[derive(Debug)]
pub struct Templates {
    environment: Environment<'static>,
    replaced: BTreeSet<String>,
}

impl Templates {
    /// The built-in templates.
    ///
    /// # Errors
    /// A template that does not compile.
    pub fn built_in() -> Result<Self, TemplateError> {
        Self::with(BTreeMap::new())
    }

    /// The built-in templates, with those of a folder in their place or beside them.
    ///
    /// # Errors
    /// A folder that cannot be read, a file that replaces nothing, a template that does not
    /// compile.
    pub fn with_folder(folder: &Path) -> Result<Self, TemplateError> {
        let mut files = BTreeMap::new();
        read_folder(folder, "", &mut files)?;
        Self::with(files)
    }

    fn with(files: BTreeMap<String, String>) -> Result<Self, TemplateError> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        let syntax = SyntaxConfig::builder().keep_trailing_newline(true).build();
        environment.set_syntax(syntax.map_err(|error| failure("", error))?);
        environment.set_fuel(Some(FUEL));
        environment.add_filter("quote", quote);
        environment.add_filter("json", json);
        environment.add_function("fail", fail);
        for (name, text) in BUILT_IN {
            if !files.contains_key(*name) {
                environment
                    .add_template(name, text)
                    .map_err(|error| failure(name, error))?;
            }
        }
        let replaced = files.keys().cloned().collect();
        for (name, text) in files {
            environment
                .add_template_owned(name.clone(), text)
                .map_err(|error| failure(&name, error))?;
        }
        Ok(Self {
            environment,
            replaced,
        })
    }

    /// Renders a template.
    ///
    /// # Errors
    /// An unknown template, an undefined variable, a call of `fail`, too much work.
    pub fn render(&self, name: &str, variables: &Value) -> Result<String, TemplateError> {
        self.environment
            .get_template(name)
            .and_then(|template| template.render(variables))
            .map_err(|error| failure(name, error))
    }

    /// Names below a folder, sorted.
    pub fn names_in<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        let names: BTreeSet<_> = self.environment.templates().map(|(name, _)| name).collect();
        names
            .into_iter()
            .filter(move |name| name.starts_with(folder))
    }

    /// Names that come from a folder of the user's.
    pub fn replaced(&self) -> &BTreeSet<String> {
        &self.replaced
    }
}

/// The variables of a template.
pub fn variables<T: serde::Serialize>(values: T) -> Value {
    Value::from(Serde(values))
}

fn failure(name: &str, error: minijinja::Error) -> TemplateError {
    let mut detail = error
        .detail()
        .map_or_else(|| error.kind().to_string(), str::to_owned);
    if error.kind() == minijinja::ErrorKind::TemplateNotFound {
        detail.push_str("; name one in the folder of templates, by its path from there");
    }
    TemplateError::Render {
        name: error.name().unwrap_or(name).to_owned(),
        line: error.line(),
        detail,
        source: error,
    }
}

/// A YAML double-quoted scalar. JSON's escapes are a subset of YAML's.
fn quote(value: &Value) -> Result<String, minijinja::Error> {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    to_json(&text)
}

/// A value in YAML's flow style.
fn json(value: &Value) -> Result<String, minijinja::Error> {
    to_json(value)
}

fn to_json<T: serde::Serialize + ?Sized>(value: &T) -> Result<String, minijinja::Error> {
    serde_json::to_string(value).map_err(|error| {
        minijinja::Error::new(minijinja::ErrorKind::BadSerialization, error.to_string())
    })
}

/// Ends the run with a message of the template's own.
#[allow(clippy::needless_pass_by_value)]
fn fail(message: String) -> Result<String, minijinja::Error> {
    Err(minijinja::Error::new(
        minijinja::ErrorKind::InvalidOperation,
        message,
    ))
}

/// Reads a folder of templates. Links are refused: a name must not lead out of the folder.
fn read_folder(
    folder: &Path,
    prefix: &str,
    files: &mut BTreeMap<String, String>,
) -> Result<(), TemplateError> {
    let read = |source| TemplateError::Read {
        path: folder.to_owned(),
        source,
    };
    let mut entries: Vec<_> = fs::read_dir(folder)
        .map_err(read)?
        .collect::<Result<_, _>>()
        .map_err(read)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(read)?;
        if kind.is_symlink() {
            return Err(TemplateError::Refused {
                path: name,
                reason: "it is a symbolic link",
            });
        } else if kind.is_dir() {
            read_folder(&entry.path(), &format!("{name}/"), files)?;
        } else if Path::new(&name)
            .extension()
            .is_some_and(|extension| extension == "j2")
        {
            check_name(&name)?;
            let path = entry.path();
            let read = |source| TemplateError::Read {
                path: path.clone(),
                source,
            };
            if entry.metadata().map_err(read)?.len() > MAX_BYTES {
                return Err(TemplateError::Refused {
                    path: name,
                    reason: "it is larger than 1 MiB",
                });
            }
            files.insert(name, fs::read_to_string(&path).map_err(read)?);
        }
    }
    Ok(())
}

/// Refuses a name that replaces nothing and adds nothing: most likely a typing error, which
/// would otherwise change nothing and say nothing.
fn check_name(name: &str) -> Result<(), TemplateError> {
    let known = BUILT_IN.iter().map(|(known, _)| *known);
    if known.clone().any(|known| known == name) || OPEN_FOLDERS.iter().any(|f| name.starts_with(f))
    {
        return Ok(());
    }
    let hint = crate::diagnostic::nearest(name, known)
        .map(|nearest| format!("; did you mean {nearest}?"))
        .unwrap_or_default();
    Err(TemplateError::Unknown {
        path: name.to_owned(),
        hint,
    })
}
