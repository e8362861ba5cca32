//! Whether a site says all that its backend needs.

use banlieue_schemas::{
    fleet::{Credentials, Fleet, Site, Zone},
    platform::Backend,
};

use super::{codes, problem::Problem};

/// Reports what a site lacks, and names that it uses and the fleet does not have.
pub fn check(fleet: &Fleet, name: &str, site: &Site, problems: &mut Vec<Problem>) {
    let path = ["sites", name];
    if let Some(class) = &site.provider_class {
        class_exists(fleet, name, class, site.backend, problems);
    }
    if let Some(credentials) = &site.credentials {
        secret_declared(
            fleet,
            &["sites", name, "credentials", "secret"],
            credentials,
            site.backend,
            problems,
        );
    }
    if let Some(reference) = site
        .ca_bundle
        .as_ref()
        .and_then(|bundle| bundle.secret_ref.as_ref())
    {
        declared(
            fleet,
            &["sites", name, "caBundle", "secretRef", "name"],
            &reference.name,
            problems,
        );
    }
    match site.backend {
        Backend::Vsphere => {
            need(
                site.endpoint.is_some(),
                &path,
                "a vSphere site needs an `endpoint`",
                "for example `https://vcenter.example.com/sdk`",
                problems,
            );
            need(
                site.credentials.is_some(),
                &path,
                "a vSphere site needs `credentials`",
                "name a Secret with the keys `username` and `password`",
                problems,
            );
        }
        Backend::Sim => {
            need(
                site.endpoint.is_some(),
                &path,
                "a simulated site needs an `endpoint`",
                "for example `sim://lab`",
                problems,
            );
        }
        Backend::Libvirt => {
            need(
                site.endpoint.is_none(),
                &["sites", name, "endpoint"],
                "at a libvirt site each zone is a host with an `endpoint` of its own",
                "move it to the zones",
                problems,
            );
        }
    }
    for (zone, spec) in &site.zones {
        check_zone(fleet, name, site, zone, spec, problems);
    }
    for (kind, class, zone) in per_zone(site) {
        if !site.zones.contains_key(zone) {
            problems.push(
                Problem::new(
                    &codes::UNKNOWN_REFERENCE,
                    &["sites", name, kind, class],
                    format!("the site has no zone named `{zone}`"),
                )
                .expected(zone, site.zones.keys().map(String::as_str)),
            );
        }
    }
}

/// Reports what a zone lacks.
fn check_zone(
    fleet: &Fleet,
    name: &str,
    site: &Site,
    zone: &str,
    spec: &Zone,
    problems: &mut Vec<Problem>,
) {
    let path = ["sites", name, "zones", zone];
    match site.backend {
        Backend::Vsphere => {
            need(
                spec.datacenter.is_some() && spec.cluster.is_some(),
                &path,
                "a vSphere zone is a compute cluster of a datacenter",
                "set `datacenter` and `cluster`",
                problems,
            );
            need(
                spec.endpoint.is_none(),
                &path,
                "a vSphere zone has no `endpoint`",
                "it belongs to the site",
                problems,
            );
        }
        Backend::Libvirt => {
            need(
                spec.endpoint.is_some(),
                &path,
                "a libvirt zone is a host and needs an `endpoint`",
                "for example `qemu+tls://host.example.com/system`",
                problems,
            );
            need(
                spec.credentials.is_some() || site.credentials.is_some(),
                &path,
                "a libvirt host needs `credentials`",
                "name a Secret with the keys `tls.crt` and `tls.key`, here or at the site",
                problems,
            );
        }
        Backend::Sim => {}
    }
    if let Some(credentials) = &spec.credentials {
        secret_declared(
            fleet,
            &["sites", name, "zones", zone, "credentials", "secret"],
            credentials,
            site.backend,
            problems,
        );
    }
}

/// Every zone that a storage or network class of the site speaks of: section, class, zone.
fn per_zone(site: &Site) -> impl Iterator<Item = (&'static str, &str, &String)> {
    let storage = site.storage_classes.iter().flat_map(|(class, spec)| {
        spec.per_zone
            .keys()
            .map(move |zone| ("storageClasses", class.as_str(), zone))
    });
    let network = site.network_classes.iter().flat_map(|(class, spec)| {
        let zones = spec.per_zone.keys().chain(spec.per_zone_subnet.keys());
        zones.map(move |zone| ("networkClasses", class.as_str(), zone))
    });
    storage.chain(network)
}

fn need(holds: bool, path: &[&str], message: &str, hint: &str, problems: &mut Vec<Problem>) {
    if !holds {
        problems.push(Problem::new(&codes::SITE_INCOMPLETE, path, message).hint(hint));
    }
}

fn class_exists(
    fleet: &Fleet,
    site: &str,
    class: &str,
    backend: Backend,
    problems: &mut Vec<Problem>,
) {
    let path = ["sites", site, "providerClass"];
    match fleet.provider_classes.get(class) {
        Some(spec) if spec.backend != backend => problems.push(
            Problem::new(
                &codes::SITE_INCOMPLETE,
                &path,
                format!(
                    "provider class `{class}` is for {}, the site is {backend}",
                    spec.backend
                ),
            )
            .hint("name a class of the same backend"),
        ),
        Some(_) => {}
        None if class == backend.to_string() => {}
        None => problems.push(
            Problem::new(
                &codes::UNKNOWN_REFERENCE,
                &path,
                format!("the fleet has no provider class named `{class}`"),
            )
            .expected(class, fleet.provider_classes.keys().map(String::as_str)),
        ),
    }
}

/// Reports a Secret that the fleet does not declare; answers whether it does.
pub(super) fn declared(
    fleet: &Fleet,
    path: &[&str],
    name: &str,
    problems: &mut Vec<Problem>,
) -> bool {
    let known = fleet.secrets.contains_key(name);
    if !known {
        problems.push(
            Problem::new(
                &codes::UNDECLARED_SECRET,
                path,
                format!("Secret `{name}` is not declared under `secrets`"),
            )
            .expected(name, fleet.secrets.keys().map(String::as_str)),
        );
    }
    known
}

fn secret_declared(
    fleet: &Fleet,
    path: &[&str],
    credentials: &Credentials,
    backend: Backend,
    problems: &mut Vec<Problem>,
) {
    let name = &credentials.secret;
    if !declared(fleet, path, name, problems) {
        return;
    }
    let needed: &[&str] = match backend {
        Backend::Vsphere => &["username", "password"],
        Backend::Libvirt => &["tls.crt", "tls.key"],
        Backend::Sim => &[],
    };
    let Some(secret) = fleet
        .secrets
        .get(name)
        .filter(|secret| !secret.keys.is_empty())
    else {
        return;
    };
    for key in needed
        .iter()
        .filter(|&&key| !secret.keys.iter().any(|k| k == key))
    {
        problems.push(
            Problem::new(
                &codes::UNDECLARED_SECRET,
                path,
                format!(
                    "Secret `{name}` is declared without the key `{key}`, which {backend} needs"
                ),
            )
            .hint(format!(
                "add the key to the Secret and to `secrets.{name}.keys`"
            )),
        );
    }
}
