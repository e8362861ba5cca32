//! Who has which rights, and which requests need them.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use k8s_openapi::api::rbac::v1::{
    ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject,
};
use kube::api::ListParams;
use kube::{Api, Client, ResourceExt as _};
use serde_json::Value;

use super::Request;
use super::rights::{Ask, Right, RoleName, expanded};

const RBAC: &str = "rbac.authorization.k8s.io";

/// The roles of an API server, and who has them.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    rights: BTreeMap<RoleName, Vec<Right>>,
    held: BTreeMap<String, Vec<RoleName>>,
}

impl Roles {
    /// The roles as they are now. Groups are left out: every ServiceAccount is in the same ones.
    pub async fn load(client: &Client) -> Result<Self> {
        let all = ListParams::default();
        let mut roles = Self::default();
        for role in Api::<ClusterRole>::all(client.clone()).list(&all).await? {
            roles.learn(RoleName::cluster(&role.name_any()), role.rules);
        }
        for role in Api::<Role>::all(client.clone()).list(&all).await? {
            let name = RoleName::of(&role.namespace().unwrap_or_default(), &role.name_any());
            roles.learn(name, role.rules);
        }
        let bindings: Api<ClusterRoleBinding> = Api::all(client.clone());
        for binding in bindings.list(&all).await? {
            roles.grant(&binding.role_ref, None, binding.subjects)?;
        }
        for binding in Api::<RoleBinding>::all(client.clone()).list(&all).await? {
            let namespace = binding.namespace();
            roles.grant(&binding.role_ref, namespace, binding.subjects)?;
        }
        Ok(roles)
    }

    fn learn(&mut self, role: RoleName, rules: Option<Vec<PolicyRule>>) {
        let rights = expanded(&role, rules.as_deref().unwrap_or_default());
        self.rights.insert(role, rights);
    }

    fn grant(
        &mut self,
        reference: &RoleRef,
        namespace: Option<String>,
        subjects: Option<Vec<Subject>>,
    ) -> Result<()> {
        for subject in subjects.into_iter().flatten() {
            let home = subject.namespace.unwrap_or_default();
            // Those of Kubernetes itself are nobody's business here.
            if subject.kind != "ServiceAccount" || home == "kube-system" {
                continue;
            }
            let role = role_of(reference, namespace.clone());
            let same = role.namespace == namespace;
            ensure!(same, "{role} is bound in {namespace:?} only");
            let user = format!("system:serviceaccount:{home}:{}", subject.name);
            self.held.entry(user).or_default().push(role);
        }
        Ok(())
    }

    /// The roles that a user has.
    pub fn held_by(&self, user: &str) -> Vec<RoleName> {
        self.held.get(user).cloned().unwrap_or_default()
    }

    /// What a role grants.
    pub fn rights(&self, role: &RoleName) -> &[Right] {
        self.rights.get(role).map_or(&[], Vec::as_slice)
    }

    /// All that a user may do.
    pub fn rights_of(&self, user: &str) -> Vec<Right> {
        let held = self.held_by(user);
        held.iter()
            .flat_map(|role| self.rights(role).to_vec())
            .collect()
    }

    /// All that had to be allowed for a request to pass. Beyond its path that is
    ///
    /// - `create`, where an apply made the object,
    /// - everything that a new Role holds or a new binding grants, for nobody may hand out what
    ///   they do not have.
    pub fn asks(&self, request: &Request) -> Vec<Ask> {
        let mut asks = vec![request.ask.clone()];
        if !request.made() {
            return asks;
        }
        asks.push(Ask {
            verb: "create".into(),
            ..request.ask.clone()
        });
        let body = request.body.as_ref().unwrap_or(&Value::Null);
        let namespace = &request.ask.namespace;
        let given = match (&*request.ask.group, &*request.ask.resource) {
            (RBAC, "roles") => {
                let rules: Vec<PolicyRule> =
                    serde_json::from_value(body["rules"].clone()).unwrap_or_default();
                expanded(&RoleName::of("", ""), &rules)
            }
            (RBAC, "rolebindings" | "clusterrolebindings") => {
                let reference = serde_json::from_value(body["roleRef"].clone());
                let role = reference.map(|reference| role_of(&reference, namespace.clone()));
                match role.ok().and_then(|role| self.rights.get(&role)) {
                    Some(rights) => rights.clone(),
                    // The role went with its Provider: what was granted is not known any more.
                    None => return Vec::new(),
                }
            }
            _ => Vec::new(),
        };
        for right in given {
            let names: Vec<_> = match &*right.names {
                [] => vec![None],
                names => names.iter().cloned().map(Some).collect(),
            };
            asks.extend(names.into_iter().map(|name| Ask {
                verb: right.verb.clone(),
                group: right.group.clone(),
                resource: right.resource.clone(),
                namespace: namespace.clone(),
                name,
            }));
        }
        asks
    }
}

impl Request {
    /// Whether it is an apply that made an object.
    pub fn made(&self) -> bool {
        self.ask.verb == "patch" && self.status == 201
    }
}

/// A right without which a request would have been refused.
#[derive(Clone, Debug)]
pub struct Use<'a> {
    /// The right.
    pub right: Right,
    /// Of all that the request asks, what this right alone allows.
    pub ask: Ask,
    /// The request.
    pub request: &'a Request,
}

/// For each of the rights of one user a request that needed it, and the rights that none needed.
pub fn uses<'a>(roles: &Roles, user: &str, requests: &'a [Request]) -> (Vec<Use<'a>>, Vec<Right>) {
    let rights = roles.rights_of(user);
    let mut found: Vec<Option<Use<'a>>> = vec![None; rights.len()];
    for request in requests.iter().filter(|request| request.user == user) {
        for ask in roles.asks(request) {
            let mut allowing = rights.iter().enumerate().filter(|(_, it)| it.allows(&ask));
            if let (Some((at, right)), None) = (allowing.next(), allowing.next()) {
                found[at].get_or_insert_with(|| Use {
                    right: right.clone(),
                    ask,
                    request,
                });
            }
        }
    }
    let idle = rights.iter().zip(&found);
    let idle = idle.filter(|(_, found)| found.is_none());
    let idle = idle.map(|(right, _)| right.clone()).collect();
    (found.into_iter().flatten().collect(), idle)
}

fn role_of(reference: &RoleRef, namespace: Option<String>) -> RoleName {
    RoleName {
        namespace: namespace.filter(|_| reference.kind == "Role"),
        name: reference.name.clone(),
    }
}
