//! Whether a site has what is demanded of it.

use std::collections::BTreeMap;

use banlieue_schemas::{
    common::Firmware,
    fleet::{Fleet, Site},
    platform::VmClassSpec,
};

use super::demands::Demand;
use crate::{
    check::codes,
    diagnostic::{Code, nearest},
    plan::Problem,
};

/// What a class means in some zones.
type PerZone = BTreeMap<String, BTreeMap<String, String>>;

/// Feature of failure domains whose machines can have Secure Boot.
const SECURE_BOOT: &str = "efiSecureBoot";
/// Feature of failure domains whose machines can have a TPM.
const TPM: &str = "vtpm";

/// What the sites of a demand lack. A site that does not exist is reported by the plan.
pub fn lacks(fleet: &Fleet, demand: &Demand<'_>) -> Vec<Problem> {
    let any = demand.sites.is_empty();
    let sites: Vec<&String> = if any {
        fleet.sites.keys().collect()
    } else {
        demand.sites.iter().collect()
    };
    let mut all = Vec::new();
    for name in sites {
        let Some(site) = fleet.sites.get(name) else {
            continue;
        };
        let lacks = Offer { name, site, demand }.lacks(fleet);
        if any && lacks.is_empty() {
            return Vec::new();
        }
        all.extend(lacks);
    }
    all
}

/// One site, asked for one demand.
struct Offer<'a> {
    name: &'a str,
    site: &'a Site,
    demand: &'a Demand<'a>,
}

impl Offer<'_> {
    fn lacks(&self, fleet: &Fleet) -> Vec<Problem> {
        let mut problems = Vec::new();
        self.image_source(fleet, &mut problems);
        if let Some(class) = fleet.classes.get(self.demand.class) {
            self.storage(class, &mut problems);
            self.networks(class, &mut problems);
            self.features(class, &mut problems);
        }
        problems
    }

    fn problem(&self, code: &'static Code, path: &[&str], what: &str, hint: String) -> Problem {
        let Self { name, demand, .. } = self;
        let message = format!("site `{name}`, where {} uses it, {what}", demand.by);
        Problem::new(code, path, message).hint(hint)
    }

    fn image_source(&self, fleet: &Fleet, problems: &mut Vec<Problem>) {
        let image = self.demand.image;
        let Some(spec) = fleet.images.get(image) else {
            return;
        };
        let own = self.site.provider_class.clone();
        let class = own.unwrap_or_else(|| self.site.backend.to_string());
        if spec
            .sources
            .iter()
            .any(|source| source.provider_class == class)
        {
            return;
        }
        problems.push(self.problem(
            &codes::IMAGE_SOURCE,
            &["images", image, "sources"],
            &format!("has providers of class `{class}`, for which image `{image}` has no source"),
            format!("add a source with `providerClass: {class}`"),
        ));
    }

    fn storage(&self, class: &VmClassSpec, problems: &mut Vec<Problem>) {
        let known = &self.site.storage_classes;
        for (index, disk) in class.hardware.disks.iter().enumerate() {
            let wanted = disk.storage_class.as_str();
            let offered = known
                .get(wanted)
                .map(|c| (!c.target.is_empty(), &c.per_zone));
            let place =
                ["hardware", "disks", &index.to_string(), "storageClass"].map(str::to_owned);
            let kind = ("storage class", "storageClasses");
            problems.extend(self.class(kind, wanted, offered, known.keys(), &place));
        }
    }

    fn networks(&self, class: &VmClassSpec, problems: &mut Vec<Problem>) {
        let known = &self.site.network_classes;
        for (index, interface) in class.network.interfaces.iter().enumerate() {
            let wanted = interface.network_class.as_str();
            let offered = known
                .get(wanted)
                .map(|c| (!c.target.is_empty(), &c.per_zone));
            let place =
                ["network", "interfaces", &index.to_string(), "networkClass"].map(str::to_owned);
            let kind = ("network class", "networkClasses");
            problems.extend(self.class(kind, wanted, offered, known.keys(), &place));
        }
    }

    /// A storage or network class that is not there, or means nothing in some zone.
    fn class<'k>(
        &self,
        (what, section): (&str, &str),
        wanted: &str,
        offered: Option<(bool, &PerZone)>,
        known: impl Iterator<Item = &'k String>,
        place: &[String],
    ) -> Option<Problem> {
        let site = self.name;
        let Some((everywhere, per_zone)) = offered else {
            let path: Vec<&str> = ["classes", self.demand.class]
                .into_iter()
                .chain(place.iter().map(String::as_str))
                .collect();
            let hint = nearest(wanted, known.map(String::as_str)).map_or_else(
                || format!("say under `sites.{site}.{section}` what `{wanted}` is there"),
                |name| format!("did you mean `{name}`?"),
            );
            let lack = format!("has no {what} `{wanted}`");
            return Some(self.problem(&codes::SITE_CLASS, &path, &lack, hint));
        };
        let mut zones = self.site.zones.keys();
        let zone = zones.find(|zone| !everywhere && !per_zone.contains_key(*zone))?;
        let lack = format!("does not say what {what} `{wanted}` is in zone `{zone}`");
        let hint = format!("add a `target`, or an entry `{zone}` under `perZone`");
        Some(self.problem(
            &codes::SITE_CLASS,
            &["sites", site, section, wanted],
            &lack,
            hint,
        ))
    }

    fn features(&self, class: &VmClassSpec, problems: &mut Vec<Problem>) {
        let name = self.demand.class;
        let site = self.name;
        let mut need = |feature: &str, path: &[&str], otherwise: &str| {
            if !self.site.features.iter().any(|known| known == feature) {
                let path = [&["classes", name][..], path].concat();
                problems.push(self.problem(
                    &codes::FEATURE,
                    &path,
                    &format!("does not list the feature `{feature}`"),
                    format!("add `{feature}` to `sites.{site}.features` if every zone has it, {otherwise}"),
                ));
            }
        };
        if class.firmware() == Firmware::EfiSecure {
            need(SECURE_BOOT, &["firmware"], "or use the firmware `efi`");
        }
        if class.tpm_enabled() {
            need(TPM, &["tpmEnabled"], "or leave out `tpmEnabled`");
        }
        for (index, feature) in class.features.iter().enumerate() {
            need(
                feature,
                &["features", &index.to_string()],
                "or use another class",
            );
        }
    }
}
