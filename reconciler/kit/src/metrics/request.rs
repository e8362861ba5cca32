//! What a request to the API server asks for, read off its method and path.

use http::{Method, Uri};

/// Verb and resource as RBAC has them, such as `patch` and `virtualmachines/status`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Verb, such as `patch`; `watch` for a list that goes on.
    pub verb: &'static str,
    /// Resource, with its subresource.
    pub resource: String,
}

impl Request {
    /// What the request asks for.
    pub fn of(method: &Method, uri: &Uri) -> Self {
        let path: Vec<&str> = uri
            .path()
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        let rest = match path.as_slice() {
            ["api", _, rest @ ..] | ["apis", _, _, rest @ ..] => rest,
            _ => &[],
        };
        let rest = match rest {
            ["namespaces", _, rest @ ..] if !rest.is_empty() => rest,
            whole => whole,
        };
        let (resource, named) = match rest {
            [] => ("none".to_owned(), false),
            [resource] => ((*resource).to_owned(), false),
            [resource, _] => ((*resource).to_owned(), true),
            [resource, _, subresource, ..] => (format!("{resource}/{subresource}"), true),
        };
        let query = uri.query().unwrap_or_default();
        let watches = query
            .split('&')
            .any(|pair| matches!(pair, "watch=true" | "watch=1"));
        let verb = match (method.as_str(), named) {
            ("GET", _) if watches => "watch",
            ("GET", true) => "get",
            ("GET", false) => "list",
            ("POST", _) => "create",
            ("PUT", _) => "update",
            ("PATCH", _) => "patch",
            ("DELETE", true) => "delete",
            ("DELETE", false) => "deletecollection",
            _ => "other",
        };
        Self { verb, resource }
    }

    /// Whether the answer is a stream that lasts.
    pub fn streams(&self) -> bool {
        self.verb == "watch"
    }

    /// Whether it changes anything.
    pub fn writes(&self) -> bool {
        !matches!(self.verb, "get" | "list" | "watch")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn a_path_tells_verb_and_resource() {
        let table = [
            ("GET", "/api/v1/pods?limit=5", "list", "pods"),
            ("GET", "/api/v1/pods?watch=true", "watch", "pods"),
            ("GET", "/api/v1/namespaces/a", "get", "namespaces"),
            ("GET", "/api/v1/namespaces", "list", "namespaces"),
            ("GET", "/api/v1/namespaces/a/secrets/s", "get", "secrets"),
            ("POST", "/apis/g/v1/namespaces/a/things", "create", "things"),
            (
                "PUT",
                "/apis/g/v1/namespaces/a/things/t",
                "update",
                "things",
            ),
            (
                "PATCH",
                "/apis/g/v1/things/t/status?force=true",
                "patch",
                "things/status",
            ),
            ("DELETE", "/apis/g/v1/things/t", "delete", "things"),
            ("DELETE", "/apis/g/v1/things", "deletecollection", "things"),
            ("GET", "/version", "list", "none"),
        ];
        for (method, uri, verb, resource) in table {
            let method = method.parse().unwrap();
            let request = Request::of(&method, &uri.parse().unwrap());
            assert_eq!(
                (request.verb, request.resource.as_str()),
                (verb, resource),
                "{uri}"
            );
        }
    }
}
