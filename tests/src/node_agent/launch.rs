//! Turns a container of a Pod into a process.

use anyhow::{Context, Result, anyhow};
use k8s_openapi::api::core::v1::Container;
use kube::ResourceExt as _;

use super::container_log;
use super::context::PodContext;
use super::environment;
use super::expand::expand;
use super::sandbox::{Process, Sandbox};
use super::volumes::Mount;

/// Starts `container`. An error names what is missing; it may yet come.
pub(super) fn launch(pod: &PodContext, container: &Container) -> Result<Process> {
    let variables = environment::resolve(pod.facts(), container).map_err(|error| anyhow!(error))?;
    let image = image_name(container.image.as_deref().unwrap_or_default());
    let program = pod.node.options.images.get(image);
    let installed = format!("/usr/local/bin/{image}");
    let mut command = container.command.clone().unwrap_or_default();
    if command.is_empty() {
        program.with_context(|| format!("no program is known for image {image}"))?;
        command.push(installed.clone());
    }
    command.extend(container.args.clone().unwrap_or_default());
    for part in &mut command {
        *part = expand(part, &variables);
    }
    let mut mounts = pod.mounts(container)?;
    if let Some(program) = program {
        mounts.push(Mount {
            source: program.clone(),
            target: installed.into(),
            read_only: true,
        });
    }
    let own = container.security_context.clone().unwrap_or_default();
    let spec = pod.pod.spec.as_ref();
    let of_pod = spec.and_then(|spec| spec.security_context.clone());
    let of_pod = of_pod.unwrap_or_default();
    let sandbox = Sandbox {
        root: pod.directory.join("roots").join(&container.name),
        read_only_root: own.read_only_root_filesystem == Some(true),
        user: own.run_as_user.or(of_pod.run_as_user).unwrap_or_default(),
        group: own.run_as_group.or(of_pod.run_as_group).unwrap_or_default(),
        directory: container.working_dir.clone().unwrap_or("/".to_owned()),
        mounts,
        variables,
        command,
    };
    let namespace = pod.pod.namespace().unwrap_or_default();
    let name = pod.pod.name_any();
    sandbox.start(&container_log(
        &pod.node.logs,
        &namespace,
        &name,
        &container.name,
    ))
}

/// `banlieue` of `registry/owner/banlieue:tag@digest`.
fn image_name(image: &str) -> &str {
    let name = image.split('@').next().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default();
    name.split(':').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_known_by_its_last_part() {
        for image in ["banlieue", "a/banlieue", "h:5000/a/banlieue:v1@sha256:ab"] {
            assert_eq!(image_name(image), "banlieue");
        }
    }
}
