//! Filters: each refuses a candidate with a reason, or lets it pass.

use banlieue_schemas::common::Firmware;
use banlieue_schemas::conditions::{ConditionType, Reason};
use banlieue_schemas::platform::{
    AntiAffinityMode, FailureDomain, InstallMode, ProviderClass, ResolvedClass,
};
use kube::ResourceExt;

use super::group::{Distance, Peer, value_of};
use super::reasons::Rejection;
use super::{Placement, Request, ResolvedNetwork, Site, Unschedulable, zone};
use crate::conditions::{bounded, find, is_true};
use crate::selector::{Matcher, SelectorError};

/// Feature that firmware `efi-secure` needs.
const SECURE_BOOT: &str = "efiSecureBoot";
/// Feature that a virtual TPM needs.
const VIRTUAL_TPM: &str = "vtpm";
/// How many names a reason lists.
const NAMES: usize = 3;

/// What a machine asks of a place, read once for all candidates.
#[derive(Debug)]
pub(crate) struct Rules<'a> {
    request: Request<'a>,
    providers: Matcher,
    domains: Matcher,
    pub(super) required: Vec<Distance<'a>>,
    pub(super) preferred: Vec<Distance<'a>>,
}

impl<'a> Rules<'a> {
    /// Reads the selectors. Only a selector that cannot be read is an error.
    pub(crate) fn new(request: &Request<'a>) -> Result<Self, Unschedulable> {
        Self::read(request).map_err(|error| Unschedulable {
            reason: Reason::InvalidSpec,
            message: bounded(&error.line()),
        })
    }

    fn read(request: &Request<'a>) -> Result<Self, SelectorError> {
        let placement = request.vm.spec.placement.as_ref();
        let mut rules = Self {
            request: *request,
            providers: Matcher::new(
                placement.and_then(|placement| placement.provider_selector.as_ref()),
                "spec.placement.providerSelector",
            )?,
            domains: Matcher::new(
                placement.and_then(|placement| placement.failure_domain_selector.as_ref()),
                "spec.placement.failureDomainSelector",
            )?,
            required: Vec::new(),
            preferred: Vec::new(),
        };
        let anti_affinity = placement.iter().flat_map(|p| &p.anti_affinity).enumerate();
        for (index, rule) in anti_affinity {
            let field = format!("spec.placement.antiAffinity[{index}].labelSelector");
            let selector = Matcher::new(Some(&rule.label_selector), &field)?;
            let others = others(request);
            let distance = Distance::new(&rule.topology_key, &selector, others, request.sites);
            match rule.mode() {
                AntiAffinityMode::Required => rules.required.push(distance),
                AntiAffinityMode::Preferred => rules.preferred.push(distance),
            }
        }
        Ok(rules)
    }

    /// A clone shares the keys of its template's TPM, so a machine with a TPM installs itself.
    pub(super) fn image_fits_class(&self) -> Result<(), Unschedulable> {
        let deferred = self.request.image.spec.template().install_mode() == InstallMode::Deferred;
        if !self.request.class.spec.tpm_enabled() || deferred {
            return Ok(());
        }
        Err(Unschedulable {
            reason: Reason::ImageClassMismatch,
            message: format!(
                "class {} has a TPM, and image {} is not installed on first boot: set its \
                 spec.template.installMode to deferred",
                self.request.class.name_any(),
                self.request.image.name_any()
            ),
        })
    }

    /// Whether machines may be made on a Provider now.
    pub(super) fn open(&self, site: &Site<'a>) -> Result<&'a ProviderClass, Rejection> {
        self.selects_provider(site)?;
        let refuse = |detail: String| Err(Rejection::new(Reason::NoProviderMatched, detail));
        let Some(class) = site.class else {
            return Err(Rejection::new(
                Reason::ProviderClassNotFound,
                format!(
                    "its ProviderClass {} does not exist",
                    site.provider.spec.provider_class_ref.name
                ),
            ));
        };
        if site.provider.metadata.deletion_timestamp.is_some() {
            return refuse("is being deleted".into());
        }
        if site.provider.spec.paused == Some(true) {
            return refuse("is paused".into());
        }
        let status = site.provider.status.as_ref();
        let conditions = status.map_or(&[][..], |status| &status.conditions);
        if is_true(conditions, ConditionType::Ready) {
            return Ok(class);
        }
        match find(conditions, ConditionType::Ready) {
            Some(ready) => refuse(format!("is not ready: {}", ready.reason)),
            None => refuse("is not ready yet".into()),
        }
    }

    /// Runs the filters on a failure domain of a Provider that is [`open`](Self::open).
    pub(super) fn place(
        &self,
        site: &Site<'a>,
        class: &ProviderClass,
        domain: &FailureDomain,
    ) -> Result<Placement, Rejection> {
        self.selects_domain(domain)?;
        let image = zone::image(site.provider, domain, self.request.image)
            .map_err(|detail| Rejection::new(Reason::ImageNotReady, detail))?;
        let (storage, networks) = self.supports(site, domain)?;
        self.keeps_distance(domain)?;
        Ok(Placement {
            provider: site.provider.name_any(),
            provider_class: class.name_any(),
            backend: class.spec.backend,
            failure_domain: domain.name.clone(),
            storage,
            networks,
            image,
        })
    }

    /// Whether the selector of Providers matches.
    pub(crate) fn selects_provider(&self, site: &Site<'_>) -> Result<(), Rejection> {
        check(self.providers.matches(site.provider.labels()), || {
            Rejection::new(
                Reason::NoProviderMatched,
                "does not match providerSelector".into(),
            )
        })
    }

    /// Whether the selector of failure domains matches.
    pub(crate) fn selects_domain(&self, domain: &FailureDomain) -> Result<(), Rejection> {
        check(self.domains.matches(&domain.labels), || {
            Rejection::new(
                Reason::NoFailureDomainMatched,
                "does not match failureDomainSelector".into(),
            )
        })
    }

    /// Whether no machine that must be away is near. A failure domain without the label is
    /// refused: nothing says that it is far enough.
    pub(crate) fn keeps_distance(&self, domain: &FailureDomain) -> Result<(), Rejection> {
        for distance in &self.required {
            let key = distance.topology_key;
            let refuse = |detail| Err(Rejection::new(Reason::AntiAffinityUnsatisfied, detail));
            let Some(value) = value_of(domain, key) else {
                return refuse(format!("has no label {key}, which antiAffinity needs"));
            };
            let near = distance.too_close(value);
            if !near.is_empty() {
                let names = super::reasons::listed(near.iter().map(|peer| peer.name), NAMES);
                return refuse(format!("too close by {key} to {names}"));
            }
        }
        Ok(())
    }

    /// What the classes of the machine are in a failure domain, if it has all that they ask for.
    pub(crate) fn supports(
        &self,
        site: &Site<'_>,
        domain: &FailureDomain,
    ) -> Result<(Vec<ResolvedClass>, Vec<ResolvedNetwork>), Rejection> {
        let class = &self.request.class.spec;
        let storage = zone::storage_names(self.request.class)
            .into_iter()
            .map(|name| {
                zone::storage(site.provider, domain, name).ok_or_else(|| {
                    let detail = format!("has no storage class {name}");
                    Rejection::new(Reason::StorageClassUnavailable, detail)
                })
            })
            .collect::<Result<_, _>>()?;
        let networks = zone::network_names(self.request.class)
            .into_iter()
            .map(|name| {
                zone::network(site.provider, domain, name).ok_or_else(|| {
                    let detail = format!("has no network class {name}");
                    Rejection::new(Reason::NetworkClassUnavailable, detail)
                })
            })
            .collect::<Result<_, _>>()?;
        let features = &domain.attributes.features;
        let has = |feature: &str| features.iter().any(|offered| offered == feature);
        if let Some(missing) = class.features.iter().find(|feature| !has(feature)) {
            let detail = format!("lacks feature {missing}");
            return Err(Rejection::new(Reason::FeatureUnsupported, detail));
        }
        check(
            class.firmware() != Firmware::EfiSecure || has(SECURE_BOOT),
            || {
                let detail = format!("firmware efi-secure needs feature {SECURE_BOOT}");
                Rejection::new(Reason::FirmwareUnsupported, detail)
            },
        )?;
        check(!class.tpm_enabled() || has(VIRTUAL_TPM), || {
            let detail = format!("a TPM needs feature {VIRTUAL_TPM}");
            Rejection::new(Reason::TpmUnsupported, detail)
        })?;
        Ok((storage, networks))
    }
}

/// The machines of the namespace without the machine itself.
pub(super) fn others<'a>(request: &Request<'a>) -> impl Iterator<Item = &'a Peer<'a>> {
    let own = request.vm.metadata.uid.as_deref().unwrap_or_default();
    let name = request.vm.metadata.name.as_deref().unwrap_or_default();
    let peers = request.peers.iter();
    peers.filter(move |peer| peer.uid != own && peer.name != name)
}

fn check(passes: bool, rejection: impl FnOnce() -> Rejection) -> Result<(), Rejection> {
    if passes { Ok(()) } else { Err(rejection()) }
}
