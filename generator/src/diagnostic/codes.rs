//! The codes of the input side, each with what it means, why it is refused and what to do.
//!
//! | range | about |
//! |---|---|
//! | `BL01xx` | reading files, YAML and JSON |
//! | `BL02xx` | merging layers, parameters |
//! | `BL03xx` | the shape of the fleet: fields, types, ranges |
//!
//! Other parts of the generator declare their own tables of [`Code`]; [`markdown`] makes the
//! reference page out of all of them. A code is never given a second meaning.

use std::fmt::Write;

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// Identifier, such as `BL0107`.
    pub id: &'static str,
    /// One line.
    pub title: &'static str,
    /// Why, and what to do.
    pub explanation: &'static str,
}

/// The reference page of the given codes, in their order.
pub fn markdown<'a>(codes: impl IntoIterator<Item = &'a Code>) -> String {
    let mut page = String::from("# Errors\n");
    for code in codes {
        let Code {
            id,
            title,
            explanation,
        } = code;
        // Writing to a String cannot fail.
        let _ = write!(page, "\n## {id}: {title}\n\n{explanation}\n");
    }
    page
}

/// Declares a constant per code, documented by its title, and a table of all of them.
#[macro_export]
#[doc(hidden)]
macro_rules! codes {
    ($($name:ident = $id:literal, $title:literal, $explanation:literal;)*) => {
        $(
            #[doc = $title]
            pub const $name: $crate::diagnostic::codes::Code = $crate::diagnostic::codes::Code { id: $id, title: $title, explanation: $explanation };
        )*
        /// Every code of this module, in order.
        pub const ALL: &[$crate::diagnostic::codes::Code] = &[$($name),*];
    };
}

codes! {
    UNREADABLE = "BL0101", "An input cannot be read",
        "The path does not exist, is not readable, or is a folder without any `*.yaml`, `*.yml` \
         or `*.json` file directly in it. Files whose name starts with a dot are not read.";
    TOO_LARGE = "BL0102", "An input is too large",
        "A file may have 8 MiB and all files together 64 MiB, so that a wrong path cannot use up \
         the memory of the machine. Split the fleet over several files.";
    NOT_UTF8 = "BL0103", "A file is not UTF-8",
        "Convert the file, for example with `iconv -t utf-8`. UTF-16 as written by some Windows \
         editors is the usual cause.";
    CONTROL_CHARACTER = "BL0104", "A file holds a control character",
        "YAML forbids control characters other than tab and line break, and readers that meet a \
         NUL stop there without a word. Remove it, or write it as an escape (`\"\\u0007\"`) in a \
         double-quoted text.";
    YAML_SYNTAX = "BL0105", "A file is not valid YAML",
        "Often an indentation that does not line up, a tab used as indentation, a missing closing \
         quote, or an unquoted text that contains `: ` or starts with one of `@ % { [ & * ! |`.";
    JSON_SYNTAX = "BL0106", "A file is not valid JSON",
        "A file named `*.json` is read as strict JSON: no comments, no trailing commas, no \
         single quotes. Name it `*.yaml` if it is meant to be YAML.";
    DUPLICATE_KEY = "BL0107", "A key is written twice in one map",
        "Readers silently keep the first or the last of the two. Keep one. To change a value that \
         another file sets, write it in a later layer.";
    KEY_NOT_TEXT = "BL0108", "A key is not text",
        "Keys are names. A key such as `no`, `1` or `1.30` without quotes is a boolean or a \
         number for some readers; quote it.";
    TAG = "BL0109", "A YAML tag is used",
        "Tags (`!!str`, `!custom`) change the type of a value by means that JSON, editors and \
         reviewers do not see. Quote a value to make it text; the schema decides the other types.";
    MERGE_KEY = "BL0110", "The merge key `<<` is used",
        "`<<` is not part of YAML 1.2: some readers merge, others keep a key of that name. Use a \
         class or a tier for what several clusters share, or a second layer.";
    TOO_DEEP = "BL0111", "Maps and lists are nested too deeply",
        "The limit is 64 levels. A fleet needs about ten.";
    TOO_MANY_VALUES = "BL0112", "The input holds too many values",
        "All layers together may hold 2,000,000 values, counted after aliases are expanded; a \
         long text counts once per 64 bytes. Usually an alias refers to aliases that refer to \
         aliases.";
    ALIAS = "BL0113", "An alias refers to nothing",
        "`*name` needs an earlier `&name` in the same document, and may not be inside the value \
         that carries the anchor.";
    NO_FLEET = "BL0114", "An input is not a fleet",
        "Every document is a map that starts with `apiVersion` and `kind`. Input that holds no \
         document at all is refused, because it would render an empty tree.";

    WRONG_KIND = "BL0201", "A document is not of the expected apiVersion and kind",
        "Every layer says `apiVersion: gen.banlieue.io/v1alpha1` and `kind: Fleet`, so that a \
         file given by mistake is not merged into the fleet.";
    LAYER_CLASH = "BL0202", "A layer changes the kind of a value",
        "A layer writes text, a number or a list where an earlier layer has a map, or the other \
         way round. Maps merge; everything else replaces. To replace a map as a whole, remove it \
         with `null` in one layer and write it in the next.";
    REMOVES_NOTHING = "BL0203", "A null removes nothing",
        "`null`, `~` and an empty value remove the key that an earlier layer has set. There is no \
         such key: it is misspelt, already removed, or the value was forgotten. Write `{}` for an \
         empty map, `[]` for an empty list and `\"\"` for an empty text.";
    NULL_IN_LIST = "BL0204", "A null stands in a list",
        "A list is replaced as a whole, so a null in it has nothing to remove. Delete the entry or \
         write its value.";
    PARAMETER_DECLARATION = "BL0205", "A parameter is declared wrongly",
        "A parameter has a `type` (string, integer or boolean) and may have a `default`, an \
         `enum`, a `pattern` (for strings) and a `description`. Default and enum are of the type. \
         The names `tier`, `cluster` and `site` are taken by the selection of what to render.";
    UNKNOWN_PARAMETER = "BL0206", "A reference names no parameter",
        "`${{ name }}` refers to an entry of `parameters`. Write `$${{` for a literal `${{`.";
    REFERENCE_SYNTAX = "BL0207", "A reference is not well formed",
        "A reference is `${{ name }}`, where the name is made of letters, digits, `-` and `_`. \
         There are no expressions. Write `$${{` for a literal `${{`.";
    REFERENCE_PLACE = "BL0208", "A reference stands where it is not replaced",
        "References are replaced in values, not in keys, and not in the declarations under \
         `parameters`.";
    UNKNOWN_ARGUMENT = "BL0209", "An argument names no parameter",
        "`KEY=VALUE` takes `tier`, `cluster`, `site` or a name that `parameters` declares.";
    ARGUMENT_VALUE = "BL0210", "The value of an argument does not fit its parameter",
        "The value is read by the declared type, and must be in the `enum` and match the \
         `pattern` if there is one.";
    MISSING_ARGUMENT = "BL0211", "A parameter has no value",
        "The parameter has no default, so the command line must give one: `NAME=VALUE`.";
    UNUSED_PARAMETER = "BL0212", "A parameter is never used",
        "A warning: no value refers to it, so giving it a value changes nothing.";

    UNKNOWN_FIELD = "BL0301", "A field does not exist",
        "An unknown field is refused, because ignoring it would render something else than what \
         is written.";
    MISSING_FIELD = "BL0302", "A field is missing",
        "The field is required and has no default.";
    WRONG_TYPE = "BL0303", "A value has the wrong type",
        "For example text where a number is needed, or a list where a map is needed.";
    AMBIGUOUS = "BL0304", "A value without quotes means different things to different readers",
        "`no`, `on`, `017`, `1_000`, `1:30`, `2001-01-01` or `1e3` is text for one YAML reader and \
         a boolean, number or date for another; `1.30` is the number 1.3 for all. Put quotes \
         around text, and write numbers and booleans in the plain form.";
    NOT_ALLOWED = "BL0305", "A value is not one of those allowed",
        "The message lists the allowed values.";
    PATTERN = "BL0306", "A text does not have the required form",
        "The text must match the regular expression in the message.";
    SIZE = "BL0307", "A text, list or map is too short or too long",
        "Text is counted in characters, lists and maps in entries.";
    RANGE = "BL0308", "A number is out of range",
        "The message has the smallest or largest allowed value.";
    ONE_OF = "BL0309", "Not exactly one of several alternatives is given",
        "The alternatives exclude each other: write exactly one of the fields in the message.";
    REJECTED = "BL0310", "A value is rejected by its type",
        "The value has the right shape, but its type sets a further rule, which is in the message.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_unique_and_in_order() {
        for pair in ALL.windows(2) {
            assert!(pair[0].id < pair[1].id, "{} {}", pair[0].id, pair[1].id);
        }
    }

    #[test]
    fn the_page_has_every_code() {
        let page = markdown(ALL);
        for code in ALL {
            assert!(page.contains(&format!("\n## {}: {}\n", code.id, code.title)));
        }
    }
}
