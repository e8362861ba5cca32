//! `$(NAME)` in commands, arguments and variables.

use std::collections::BTreeMap;

/// Text with every `$(NAME)` of a known variable replaced. An unknown one stays as
/// it is, and `$$` stands for `$`, as kubelet does it.
pub(super) fn expand(text: &str, variables: &BTreeMap<String, String>) -> String {
    let mut output = String::new();
    let mut rest = text;
    while let Some(position) = rest.find('$') {
        output.push_str(&rest[..position]);
        rest = &rest[position..];
        if let Some(after) = rest.strip_prefix("$$") {
            output.push('$');
            rest = after;
        } else if let Some((name, after)) = rest
            .strip_prefix("$(")
            .and_then(|inner| inner.split_once(')'))
        {
            match variables.get(name) {
                Some(value) => output.push_str(value),
                None => output.push_str(&rest[..name.len() + 3]),
            }
            rest = after;
        } else {
            output.push('$');
            rest = &rest[1..];
        }
    }
    output.push_str(rest);
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_replaced_and_others_stay() {
        let variables = BTreeMap::from([("A".to_owned(), "1".to_owned())]);
        for (text, expected) in [
            ("", ""),
            ("--a=$(A)", "--a=1"),
            ("$(A)$(A)", "11"),
            ("$(B)", "$(B)"),
            ("$$(A)", "$(A)"),
            ("$A $", "$A $"),
            ("$(A", "$(A"),
        ] {
            assert_eq!(expand(text, &variables), expected, "{text}");
        }
    }
}
