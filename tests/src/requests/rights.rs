//! What RBAC grants, one verb of one resource at a time, and what is asked of it.

use std::fmt;

use k8s_openapi::api::rbac::v1::PolicyRule;

/// Something that RBAC has to allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// What is to be done.
    pub verb: String,
    /// API group, empty for the core group.
    pub group: String,
    /// Plural, with `/status` where the subresource is meant.
    pub resource: String,
    /// `None` for cluster-scoped objects and for all namespaces.
    pub namespace: Option<String>,
    /// `None` for all objects, and for one that is created.
    pub name: Option<String>,
}

/// A ClusterRole, or a Role of a namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RoleName {
    /// `None` for a ClusterRole.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

impl RoleName {
    /// A ClusterRole.
    pub fn cluster(name: &str) -> Self {
        let name = name.to_owned();
        Self {
            namespace: None,
            name,
        }
    }

    /// A Role.
    pub fn of(namespace: &str, name: &str) -> Self {
        Self {
            namespace: Some(namespace.to_owned()),
            name: name.to_owned(),
        }
    }
}

impl fmt::Display for RoleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "Role {namespace}/{}", self.name),
            None => write!(f, "ClusterRole {}", self.name),
        }
    }
}

/// One verb on one resource, as a rule of a role grants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Right {
    /// Where it is granted, and for which namespace.
    pub role: RoleName,
    /// What may be done.
    pub verb: String,
    /// API group.
    pub group: String,
    /// Plural, with the subresource.
    pub resource: String,
    /// To which objects; empty for all.
    pub names: Vec<String>,
}

impl Right {
    /// Whether it allows what is asked, as RBAC decides.
    pub fn allows(&self, ask: &Ask) -> bool {
        let here = self.role.namespace.is_none() || self.role.namespace == ask.namespace;
        let named = || ask.name.as_ref().is_some_and(|it| self.names.contains(it));
        here && self.verb == ask.verb
            && self.group == ask.group
            && self.resource == ask.resource
            && (self.names.is_empty() || named())
    }

    /// The rule that grants this and nothing else.
    pub fn rule(&self) -> PolicyRule {
        PolicyRule {
            api_groups: Some(vec![self.group.clone()]),
            resources: Some(vec![self.resource.clone()]),
            verbs: vec![self.verb.clone()],
            resource_names: (!self.names.is_empty()).then(|| self.names.clone()),
            non_resource_urls: None,
        }
    }
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {:?} {:?} ({})",
            self.verb, self.resource, self.group, self.names, self.role
        )
    }
}

/// Every right that the rules of a role grant.
pub(super) fn expanded(role: &RoleName, rules: &[PolicyRule]) -> Vec<Right> {
    let mut rights = Vec::new();
    for rule in rules {
        for group in rule.api_groups.iter().flatten() {
            for resource in rule.resources.iter().flatten() {
                rights.extend(rule.verbs.iter().map(|verb| Right {
                    role: role.clone(),
                    verb: verb.clone(),
                    group: group.clone(),
                    resource: resource.clone(),
                    names: rule.resource_names.clone().unwrap_or_default(),
                }));
            }
        }
    }
    rights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right(role: RoleName, names: &[&str]) -> Right {
        Right {
            role,
            verb: "get".into(),
            group: String::new(),
            resource: "secrets".into(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    fn ask(namespace: Option<&str>, name: Option<&str>) -> Ask {
        Ask {
            verb: "get".into(),
            group: String::new(),
            resource: "secrets".into(),
            namespace: namespace.map(str::to_owned),
            name: name.map(str::to_owned),
        }
    }

    #[test]
    fn a_right_of_a_namespace_allows_nothing_elsewhere() {
        let here = right(RoleName::of("a", "r"), &[]);
        assert!(here.allows(&ask(Some("a"), Some("x"))));
        assert!(!here.allows(&ask(Some("b"), Some("x"))));
        assert!(!here.allows(&ask(None, None)));
        assert!(right(RoleName::cluster("r"), &[]).allows(&ask(Some("b"), None)));
    }

    #[test]
    fn a_right_to_one_object_allows_neither_another_nor_all() {
        let one = right(RoleName::cluster("r"), &["x"]);
        assert!(one.allows(&ask(Some("a"), Some("x"))));
        assert!(!one.allows(&ask(Some("a"), Some("y"))));
        assert!(!one.allows(&ask(Some("a"), None)));
    }

    #[test]
    fn the_verb_the_group_and_the_subresource_have_to_be_the_same() {
        let all = right(RoleName::cluster("r"), &[]);
        let asked = ask(None, None);
        let others = [
            Ask {
                verb: "list".into(),
                ..asked.clone()
            },
            Ask {
                group: "x".into(),
                ..asked.clone()
            },
            Ask {
                resource: "secrets/status".into(),
                ..asked.clone()
            },
        ];
        assert!(all.allows(&asked));
        assert!(!others.iter().any(|other| all.allows(other)));
    }
}
