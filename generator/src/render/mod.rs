//! A plan becomes objects, and objects become files.
//!
//! Pure. What has a type in `banlieue-schemas` is built from it; what is another project's API
//! (control planes, bootstrap configuration) and free text come from [`templates`]. Work is cut
//! into [`Unit`]s that know nothing of each other, so that they render in parallel and only the
//! bytes of a large fleet are ever in memory at once.

pub mod access;
pub mod argocd;
pub mod bundle;
pub mod cluster;
pub mod flux;
pub mod health;
pub mod index;
pub mod infrastructure;
pub mod machines;
pub mod object;
pub mod platform;
pub mod providers;
pub mod scopes;
pub mod sets;
pub mod stage;
pub mod templates;
pub mod topology;

use banlieue_schemas::fleet::Fleet;

pub use bundle::{Bundle, bundle};
pub use object::Object;
use templates::{TemplateError, Templates};

use crate::{
    diagnostic::Diagnostic,
    plan::{ClusterPlan, Plan, SetPlan},
};

/// Why something could not be rendered.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// A template failed.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// What a template made is no YAML that can be applied.
    #[error("template {template} made YAML that is refused: {}", .problem.message)]
    Output {
        /// Name of the template.
        template: String,
        /// What is wrong with its output.
        problem: Box<Diagnostic>,
    },
    /// What a template made is no object of the kind that was wanted.
    #[error("template {template} {reason}")]
    Shape {
        /// Name of the template.
        template: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A typed object could not be turned into JSON.
    #[error("{what} cannot be written as JSON")]
    Encode {
        /// The object.
        what: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// A path that no tree may hold.
    #[error(transparent)]
    Path(#[from] crate::tree::PathError),
}

/// What every renderer needs: the whole fleet, and the templates.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The fleet.
    pub fleet: &'a Fleet,
    /// The templates.
    pub templates: &'a Templates,
}

/// A part of the fleet that is rendered by itself.
#[derive(Clone, Copy, Debug)]
pub enum Unit<'a> {
    /// Definitions, access, workloads, classes, Providers, images and the stages' own entries.
    Platform(&'a Plan),
    /// A cluster.
    Cluster(&'a ClusterPlan),
    /// A set of standalone machines.
    Set(&'a SetPlan),
}

/// The units of a plan, in the order in which their objects can be applied.
pub fn units(plan: &Plan) -> Vec<Unit<'_>> {
    let clusters = plan.clusters.iter().map(Unit::Cluster);
    let sets = plan.virtual_machines.iter().map(Unit::Set);
    std::iter::once(Unit::Platform(plan))
        .chain(clusters)
        .chain(sets)
        .collect()
}

/// Renders the objects of a unit, in the order in which they can be applied.
///
/// # Errors
/// A template that fails or makes no acceptable object.
pub fn render(context: Context<'_>, unit: Unit<'_>) -> Result<Vec<Object>, RenderError> {
    match unit {
        Unit::Platform(plan) => platform::objects(context, plan),
        Unit::Cluster(plan) => cluster::objects(context, plan),
        Unit::Set(plan) => sets::objects(context, plan),
    }
}
