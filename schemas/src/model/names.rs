//! Names of records that the schema leaves without one.

/// Name of a record that is the value of `field`, or of each of its entries if `many`.
///
/// With an empty `parent`, `classes` holds a `Class`; with that as the parent, `hardware` holds a
/// `ClassHardware`.
pub fn of_field(parent: &str, field: &str, many: bool) -> String {
    let field = if many {
        singular(field)
    } else {
        field.to_owned()
    };
    let mut name = parent.to_owned();
    let mut characters = field.chars();
    name.extend(characters.next().map(|first| first.to_ascii_uppercase()));
    name.extend(characters);
    name
}

fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    if let Some(stem) = word.strip_suffix("sses") {
        return format!("{stem}ss");
    }
    match word.strip_suffix('s') {
        Some(stem) if !stem.ends_with(['s', 'u']) => stem.to_owned(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_named_after_one_of_its_kind() {
        assert_eq!(of_field("", "providerClasses", true), "ProviderClass");
        assert_eq!(of_field("VmImage", "policies", true), "VmImagePolicy");
        assert_eq!(of_field("Class", "disks", true), "ClassDisk");
        assert_eq!(of_field("Machine", "addresses", true), "MachineAddress");
        assert_eq!(of_field("Provider", "status", true), "ProviderStatus");
    }

    #[test]
    fn a_single_object_is_named_after_its_field() {
        assert_eq!(of_field("Class", "hardware", false), "ClassHardware");
    }
}
