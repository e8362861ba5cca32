//! One set of standalone machines.

use banlieue_schemas::fleet::{Fleet, VirtualMachines};
use serde::Serialize;

use super::{codes, names, problem::Problem, sites};

/// Everything that is decided about one set of standalone machines. Which failure domain each
/// gets is the scheduler's decision, in the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetPlan {
    /// Key in the fleet.
    pub key: String,
    /// Namespace of the objects.
    pub namespace: String,
    /// Names of the machines, in order.
    pub machines: Vec<String>,
    /// Sites that they may run at. Empty: any.
    pub sites: Vec<String>,
}

/// Plans one set.
///
/// # Errors
/// Unknown classes, images, sites and Secrets, and overrides for machines that there are none of.
pub fn plan(fleet: &Fleet, key: &str, set: &VirtualMachines) -> Result<SetPlan, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut unknown = |path: &[&str], what: &str, name: &str, known: Vec<&str>| {
        problems.extend(Problem::unknown_name(path, what, name, &known));
    };
    let of = "virtualMachines";
    unknown(
        &[of, key, "class"],
        "class",
        &set.class,
        fleet.classes.keys().map(String::as_str).collect(),
    );
    unknown(
        &[of, key, "image"],
        "image",
        &set.image,
        fleet.images.keys().map(String::as_str).collect(),
    );
    for (index, site) in set.sites.iter().enumerate() {
        let known = fleet.sites.keys().map(String::as_str).collect();
        unknown(&[of, key, "sites", &index.to_string()], "site", site, known);
    }
    if let Some(reference) = set
        .user_data
        .as_ref()
        .and_then(|data| data.secret_ref.as_ref())
    {
        let path = [of, key, "userData", "secretRef", "name"];
        sites::declared(fleet, &path, &reference.name, &mut problems);
    }
    for index in set.network_overrides.keys() {
        if index
            .parse::<u32>()
            .map_or(true, |number| number >= set.replicas)
        {
            problems.push(
                Problem::new(
                    &codes::NO_SUCH_MACHINE,
                    &[of, key, "networkOverrides", index],
                    format!(
                        "there is no machine number `{index}` in a set of {}",
                        set.replicas
                    ),
                )
                .hint("machines are numbered from 0"),
            );
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(SetPlan {
        key: key.to_owned(),
        namespace: set
            .namespace
            .clone()
            .unwrap_or_else(|| fleet.platform.fleet_namespace.clone()),
        machines: (0..set.replicas)
            .map(|index| names::machine(key, index))
            .collect(),
        sites: set.sites.clone(),
    })
}
