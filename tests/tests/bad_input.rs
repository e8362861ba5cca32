//! What cannot be done is said: by one condition with its reason, in words that name what is wrong;
//! and as long as it stays wrong nothing else is written.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use banlieue_backend::ErrorKind;
use banlieue_core::conditions::MAX_MESSAGE;
use banlieue_core::machine::Identity;
use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::platform::{Provider, ProviderClass, VirtualMachine};
use banlieue_sim::world::call::CallKind;
use banlieue_sim::world::fault::{Fault, Rule};
use banlieue_sim::world::spec::ZoneSpec;
use banlieue_tests::platform::objects::{self, LOGIN};
use banlieue_tests::platform::{Case, Options, Platform, all_hold, at_once};
use banlieue_tests::wait::until;
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{DeleteParams, PostParams};
use kube::{Resource, ResourceExt as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, from_value, json, to_value};

/// Something that a person got wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bad {
    NoClass,
    NoImage,
    NoSecret,
    NoKey,
    LongUserData,
    NoZone,
    SameAddress,
    NoProviderClass,
    WrongPassword,
    Stranger,
}

const ALL: [Bad; 10] = [
    Bad::NoClass,
    Bad::NoImage,
    Bad::NoSecret,
    Bad::NoKey,
    Bad::LongUserData,
    Bad::NoZone,
    Bad::SameAddress,
    Bad::NoProviderClass,
    Bad::WrongPassword,
    Bad::Stranger,
];

/// Most bytes of user data that the hypervisor takes.
const LIMIT: usize = 64 * 1024;

/// Zones of the hypervisor where there is no place. Each lacks something, by turns.
const ZONES: usize = 40;

/// What an object has to say: kind, name, `type status reason` of a condition, a part of its
/// message.
type Said = (&'static str, &'static str, &'static str, &'static str);

impl Bad {
    fn options(self) -> Options {
        let mut options = Options {
            resync: Duration::from_millis(50),
            ..Options::default()
        };
        match self {
            Self::NoZone => {
                options.providers = vec!["a", "b"];
                options.zones = (0..ZONES).map(useless).collect();
            }
            Self::WrongPassword => options.password = Some("right"),
            _ => {}
        }
        options
    }

    /// What of the spec differs from that of a machine that becomes ready.
    fn spec(self) -> Value {
        match self {
            Self::NoClass => json!({"classRef": {"name": "none"}}),
            Self::NoImage => json!({"imageRef": {"name": "none"}}),
            Self::NoSecret => json!({"userData": {"secretRef": {"name": "none"}}}),
            Self::NoKey | Self::LongUserData => {
                json!({"userData": {"secretRef": {"name": "data", "key": "text"}}})
            }
            Self::SameAddress => json!({"networkOverrides": [
                {"name": "eth0", "static": {"address": "10.0.0.7", "prefix": 24}},
            ]}),
            Self::NoZone | Self::NoProviderClass | Self::WrongPassword | Self::Stranger => {
                json!({})
            }
        }
    }

    /// What is wrong around the machine before it is made.
    async fn prepare(self, case: &Case) -> Result<()> {
        match self {
            Self::NoKey => user_data(case, "other", "text").await,
            Self::LongUserData => user_data(case, "text", &"x".repeat(LIMIT + 1)).await,
            Self::SameAddress => {
                create(case, "first", self.spec()).await?;
                case.machine_ready("first", "a").await?;
                Ok(())
            }
            Self::NoProviderClass => {
                let classes = case.shared::<ProviderClass>();
                classes.delete(&case.name, &DeleteParams::default()).await?;
                Ok(())
            }
            Self::WrongPassword => {
                let wrong = json!({"stringData": {"password": "wrong"}});
                case.patch::<Secret>(LOGIN, wrong).await
            }
            Self::Stranger => {
                let never = Rule::new(Fault::Error(ErrorKind::Retry)).on(CallKind::Create);
                case.simulators[0].with(|world| world.script().add(never.times(0)));
                Ok(())
            }
            Self::NoClass | Self::NoImage | Self::NoSecret | Self::NoZone => Ok(()),
        }
    }

    /// What is wrong once the machine was asked for.
    async fn spoil(self, case: &Case) -> Result<()> {
        if self != Self::Stranger {
            return Ok(());
        }
        let machine: SimMachine = until(&case.api(), "vm", "to exist", |_| true).await?;
        let uuid = Identity::of(machine.uid().context("no UID")?).uuid();
        let placed = case.simulators[0].with(|world| {
            let placed = world.place_stranger("theirs", 0, Some(uuid));
            world.script().clear();
            placed
        });
        ensure!(placed, "no stranger");
        Ok(())
    }

    fn says(self) -> &'static [Said] {
        const VM: &str = "VirtualMachine";
        match self {
            Self::NoClass => &[
                (
                    VM,
                    "vm",
                    "Ready False ClassNotFound",
                    "VMClass none does not exist",
                ),
                (VM, "vm", "Reconciling True ClassNotFound", "VMClass none"),
                (VM, "vm", "Scheduled False ClassNotFound", "VMClass none"),
            ],
            Self::NoImage => &[
                (
                    VM,
                    "vm",
                    "Ready False ImageNotFound",
                    "VMImage none does not exist",
                ),
                (VM, "vm", "Reconciling True ImageNotFound", "VMImage none"),
            ],
            Self::NoSecret => &[
                (
                    VM,
                    "vm",
                    "Ready False UserDataNotFound",
                    "Secret none does not exist",
                ),
                (VM, "vm", "Reconciling True UserDataNotFound", "Secret none"),
            ],
            Self::NoKey => &[
                (
                    VM,
                    "vm",
                    "Ready False UserDataNotFound",
                    "Secret data has no key text",
                ),
                (VM, "vm", "Reconciling True UserDataNotFound", "key text"),
            ],
            Self::LongUserData => {
                const WORDS: &str = "user data has 65537 bytes, this backend takes at most 65536";
                &[
                    ("SimMachine", "vm", "Ready False UserDataTooLarge", WORDS),
                    ("SimMachine", "vm", "Stalled True UserDataTooLarge", WORDS),
                    (VM, "vm", "Ready False InfrastructureNotReady", WORDS),
                    (
                        VM,
                        "vm",
                        "InfrastructureReady False UserDataTooLarge",
                        WORDS,
                    ),
                    (VM, "vm", "Stalled True UserDataTooLarge", WORDS),
                ]
            }
            Self::NoZone => {
                const SIGN: &str = "Ready False NetworkClassUnavailable";
                &[
                    (
                        VM,
                        "vm",
                        SIGN,
                        "no place for the machine: has no network class lan (a/",
                    ),
                    (
                        VM,
                        "vm",
                        SIGN,
                        " and 16 more); has no storage class fast (a/",
                    ),
                    (VM, "vm", SIGN, " and 16 more); "),
                    (VM, "vm", SIGN, "(b)"),
                    (
                        VM,
                        "vm",
                        "Scheduled False NetworkClassUnavailable",
                        "network class lan",
                    ),
                ]
            }
            Self::SameAddress => &[
                (VM, "first", "Ready True Reconciled", ""),
                (
                    VM,
                    "vm",
                    "Ready False DuplicateAddress",
                    "VirtualMachine first has the address 10.0.0.7",
                ),
                (VM, "vm", "Reconciling True DuplicateAddress", "10.0.0.7"),
            ],
            Self::NoProviderClass => &[(
                VM,
                "vm",
                "Ready False ProviderClassNotFound",
                " does not exist (a)",
            )],
            Self::WrongPassword => {
                const WORDS: &str = "sim://a: the password is missing or wrong";
                &[
                    (
                        "Provider",
                        "a",
                        "ProviderReachable False Unauthorized",
                        WORDS,
                    ),
                    ("Provider", "a", "Ready False Unauthorized", WORDS),
                    ("Provider", "a", "Stalled True Unauthorized", WORDS),
                    (
                        VM,
                        "vm",
                        "Ready False NoProviderMatched",
                        "is not ready: Unauthorized (a)",
                    ),
                ]
            }
            Self::Stranger => {
                const WORDS: &str = "not made for this object has its identity on the backend";
                &[
                    ("SimMachine", "vm", "Ready False BackendForeign", WORDS),
                    ("SimMachine", "vm", "Stalled True BackendForeign", WORDS),
                    (VM, "vm", "InfrastructureReady False BackendForeign", WORDS),
                    (VM, "vm", "Stalled True BackendForeign", WORDS),
                ]
            }
        }
    }
}

/// A zone in which no machine of the class can be.
fn useless(number: usize) -> ZoneSpec {
    let mut zone = ZoneSpec::new("dc1", &format!("z{number}"), &[]);
    if number.is_multiple_of(2) {
        zone.storage.retain(|pool| pool.pool != "ssd");
    } else {
        zone.networks.retain(|network| network != "lan");
    }
    zone
}

async fn user_data(case: &Case, key: &str, text: &str) -> Result<()> {
    let secret = json!({"metadata": {"name": "data"}, "stringData": {key: text}});
    let secret: Secret = from_value(secret)?;
    case.api().create(&PostParams::default(), &secret).await?;
    Ok(())
}

async fn create(case: &Case, name: &str, spec: Value) -> Result<()> {
    let mut vm = to_value(objects::virtual_machine(&case.name, name, "a")?)?;
    let own = vm["spec"].as_object_mut().context("no spec")?;
    own.extend(spec.as_object().cloned().unwrap_or_default());
    let vm: VirtualMachine = from_value(vm)?;
    case.api().create(&PostParams::default(), &vm).await?;
    Ok(())
}

/// Waits until an object says it.
async fn says<K>(case: &Case, (kind, name, sign, words): Said) -> Result<()>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Clone + Debug + DeserializeOwned + Serialize + Send + 'static,
{
    let what = format!("{kind} to say {sign}: {words}");
    until(&case.api::<K>(), name, &what, |object| {
        let object = to_value(object).unwrap_or_default();
        let conditions = object["status"]["conditions"].as_array();
        conditions.into_iter().flatten().any(|condition| {
            let text = |field: &str| condition[field].as_str().unwrap_or_default();
            let message = text("message");
            sign == format!("{} {} {}", text("type"), text("status"), text("reason"))
                && message.contains(words)
                && message.len() <= MAX_MESSAGE
        })
    })
    .await?;
    Ok(())
}

async fn is_said(platform: Arc<Platform>, bad: Bad) -> Result<()> {
    let case = Case::start(&platform, bad.options()).await?;
    bad.prepare(&case).await?;
    case.settled().await?;
    create(&case, "vm", bad.spec()).await?;
    bad.spoil(&case).await?;
    for said in bad.says() {
        match said.0 {
            "Provider" => says::<Provider>(&case, *said).await?,
            "SimMachine" => says::<SimMachine>(&case, *said).await?,
            _ => says::<VirtualMachine>(&case, *said).await?,
        }
    }
    let looks = case.stays_quiet(&["controller", "a"]).await?;
    let made = case.audit.stamps().len();
    let wanted = usize::from(bad == Bad::SameAddress);
    ensure!(made == wanted, "{made} machines were made");
    case.never_wrong()?;
    println!("{bad:?}: {looks} looks, no write");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_wrong_has_its_reason_and_its_words_and_costs_no_further_write() -> Result<()> {
    let platform = Platform::start().await?;
    let cases = ALL.map(|bad| (format!("{bad:?}"), is_said(Arc::clone(&platform), bad)));
    all_hold(at_once(ALL.len(), cases).await)
}
