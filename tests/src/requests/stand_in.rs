//! Somebody who has all rights of a process but one, and makes its requests again.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec,
};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
use kube::api::PostParams;
use kube::client::Body;
use kube::{Api, Client};
use serde::de::DeserializeOwned;
use serde_json::{Value, json, to_value};

use super::{Ask, Right, RoleName, Roles, Use};
use crate::workload::create;

const USER: &str = "stand-in";
const RBAC: &str = "rbac.authorization.k8s.io";

/// Makes stand-ins: a group for each role that somebody has, and one for each of its rights, of
/// those who have the others only.
pub struct StandIns<'a> {
    client: Client,
    roles: &'a Roles,
    /// The group of each role, as far as there is one.
    whole: BTreeMap<RoleName, String>,
    made: usize,
}

impl<'a> StandIns<'a> {
    /// None yet. `client` is an administrator's.
    pub fn new(client: Client, roles: &'a Roles) -> Self {
        Self {
            client,
            roles,
            whole: BTreeMap::new(),
            made: 0,
        }
    }

    /// Groups of somebody who has the roles whole.
    pub async fn whole(&mut self, held: &[RoleName]) -> Result<Vec<String>> {
        let mut groups = Vec::new();
        for role in held {
            let group = match self.whole.get(role) {
                Some(group) => group.clone(),
                None => {
                    let group = format!("whole-{}", self.whole.len());
                    self.bind(role, &role.name, &group).await?;
                    self.whole.insert(role.clone(), group.clone());
                    group
                }
            };
            groups.push(group);
        }
        Ok(groups)
    }

    /// Groups of somebody who has the roles without the right.
    pub async fn without(&mut self, held: &[RoleName], right: &Right) -> Result<Vec<String>> {
        let others: Vec<_> = held
            .iter()
            .filter(|it| **it != right.role)
            .cloned()
            .collect();
        let mut groups = self.whole(&others).await?;
        let group = format!("without-{}", self.made);
        self.made += 1;
        let rights = self.roles.rights(&right.role).iter();
        let rules: Vec<_> = rights.filter(|it| *it != right).map(Right::rule).collect();
        let role = json!({"metadata": {"name": group}, "rules": to_value(rules)?});
        match &right.role.namespace {
            Some(namespace) => {
                create::<Role>(&self.client, namespace, role).await?;
            }
            None => {
                self.create_shared::<ClusterRole>(role).await?;
            }
        }
        self.bind(&right.role, &group, &group).await?;
        groups.push(group);
        Ok(groups)
    }

    /// Binds the role of that name, where `place` is, to a group of the same name.
    async fn bind(&self, place: &RoleName, role: &str, group: &str) -> Result<()> {
        let kind = if place.namespace.is_some() {
            "Role"
        } else {
            "ClusterRole"
        };
        let binding = json!({
            "metadata": {"name": format!("stand-in-{group}")},
            "roleRef": {"apiGroup": RBAC, "kind": kind, "name": role},
            "subjects": [{"apiGroup": RBAC, "kind": "Group", "name": group}],
        });
        match &place.namespace {
            Some(namespace) => {
                create::<RoleBinding>(&self.client, namespace, binding).await?;
            }
            None => {
                self.create_shared::<ClusterRoleBinding>(binding).await?;
            }
        }
        Ok(())
    }

    async fn create_shared<K>(&self, object: Value) -> Result<()>
    where
        K: kube::Resource<DynamicType = ()> + Clone + std::fmt::Debug + serde::Serialize,
        K: DeserializeOwned,
    {
        let object: K = serde_json::from_value(object)?;
        let api: Api<K> = Api::all(self.client.clone());
        api.create(&PostParams::default(), &object).await?;
        Ok(())
    }

    /// Whether RBAC lets members of the groups do it.
    pub async fn may(&self, groups: &[String], ask: &Ask) -> Result<bool> {
        let (resource, subresource) = match ask.resource.split_once('/') {
            Some((resource, subresource)) => (resource, Some(subresource.to_owned())),
            None => (&*ask.resource, None),
        };
        let review = SubjectAccessReview {
            spec: SubjectAccessReviewSpec {
                user: Some(USER.to_owned()),
                groups: Some(groups.to_vec()),
                resource_attributes: Some(ResourceAttributes {
                    verb: Some(ask.verb.clone()),
                    group: Some(ask.group.clone()),
                    resource: Some(resource.to_owned()),
                    subresource,
                    namespace: ask.namespace.clone(),
                    name: ask.name.clone(),
                    ..ResourceAttributes::default()
                }),
                ..SubjectAccessReviewSpec::default()
            },
            ..SubjectAccessReview::default()
        };
        let reviews: Api<SubjectAccessReview> = Api::all(self.client.clone());
        let answer = reviews.create(&PostParams::default(), &review).await?;
        Ok(answer.status.context("no answer")?.allowed)
    }

    /// Makes a request again as a member of the groups, and returns the HTTP status. Nothing is
    /// written by it. What made an object tries to make another like it.
    pub async fn repeat(&self, groups: &[String], need: &Use<'_>) -> Result<u16> {
        let request = need.request;
        let (path, query) = request.uri.split_once('?').unwrap_or((&request.uri, ""));
        let mut path = path.to_owned();
        let mut body = request.body.clone();
        if let (true, Some(body)) = (request.made(), &mut body) {
            path.push_str("-again");
            let name = body["metadata"]["name"].as_str().context("no name")?;
            body["metadata"]["name"] = format!("{name}-again").into();
        }
        let method = match &*request.ask.verb {
            "create" => "POST",
            "update" => "PUT",
            "patch" => "PATCH",
            "delete" => "DELETE",
            _ => "GET",
        };
        let dry = if method == "GET" { "" } else { "dryRun=All" };
        let joint = if query.is_empty() || dry.is_empty() {
            ""
        } else {
            "&"
        };
        let kind = match &body {
            Some(Value::Array(_)) => "application/json-patch+json",
            Some(_) if method == "PATCH" => "application/apply-patch+yaml",
            _ => "application/json",
        };
        let mut again = http::Request::builder()
            .method(method)
            .uri(format!("{path}?{query}{joint}{dry}"))
            .header("Content-Type", kind)
            .header("Impersonate-User", USER);
        for group in groups {
            again = again.header("Impersonate-Group", group);
        }
        let body = body.map_or_else(String::new, |body| body.to_string());
        let answer = self
            .client
            .send(again.body(Body::from(body.into_bytes()))?)
            .await?;
        Ok(answer.status().as_u16())
    }
}
