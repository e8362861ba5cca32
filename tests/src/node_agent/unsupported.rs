//! What a Pod may not ask of the node. Refused, so that no test passes because
//! something was left out.

use k8s_openapi::api::core::v1::{Container, Pod, Probe, Volume};

/// The first thing that the node cannot do for `pod`, if any.
pub(super) fn unsupported(pod: &Pod) -> Option<String> {
    let spec = pod.spec.as_ref()?;
    let init = spec.init_containers.iter().flatten();
    let containers = || init.clone().chain(&spec.containers);
    let of_pod = [
        (
            spec.active_deadline_seconds.is_some(),
            "activeDeadlineSeconds",
        ),
        (spec.readiness_gates.is_some(), "readinessGates"),
        (
            spec.share_process_namespace == Some(true),
            "shareProcessNamespace",
        ),
        (
            init.clone().any(|it| it.restart_policy.is_some()),
            "sidecar containers",
        ),
    ];
    of_pod
        .into_iter()
        .find_map(|(used, what)| used.then(|| what.to_owned()))
        .or_else(|| containers().find_map(of_container))
        .or_else(|| spec.volumes.iter().flatten().find_map(of_volume))
}

fn of_container(container: &Container) -> Option<String> {
    let probes = [
        &container.readiness_probe,
        &container.liveness_probe,
        &container.startup_probe,
    ];
    let mut mounts = container.volume_mounts.iter().flatten();
    let problem = if container.lifecycle.is_some() {
        "lifecycle"
    } else if container.volume_devices.is_some() {
        "volumeDevices"
    } else if mounts.any(|mount| mount.sub_path_expr.is_some()) {
        "subPathExpr"
    } else if probes.into_iter().flatten().any(other_than_http) {
        "probes other than HTTP"
    } else {
        return None;
    };
    Some(format!("container {}: {problem}", container.name))
}

fn other_than_http(probe: &Probe) -> bool {
    let scheme = probe.http_get.as_ref().map(|get| get.scheme.as_deref());
    !matches!(scheme, Some(None | Some("HTTP")))
}

fn of_volume(volume: &Volume) -> Option<String> {
    let known = volume.config_map.is_some()
        || volume.downward_api.is_some()
        || volume.empty_dir.is_some()
        || volume.host_path.is_some()
        || volume.persistent_volume_claim.is_some()
        || volume.projected.is_some()
        || volume.secret.is_some();
    (!known).then(|| format!("volume {}: its type", volume.name))
}
