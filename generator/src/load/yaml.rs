//! Reads the documents of a YAML text.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};

use super::builder::{Anchor, Budget, Builder, Container, Fatal, File, too_deep, unknown_anchor};
use super::node::Node;
use super::problems::Problems;
use super::scalar::Scalar;
use crate::diagnostic::{Diagnostic, Position, codes, shown};

/// The roots of all documents that are not empty, in order.
///
/// Reading stops at the first syntax error; the documents before it are returned.
pub fn documents(
    file: &File,
    text: &str,
    budget: &mut Budget,
    problems: &mut Problems,
) -> Vec<Node> {
    let mut parser = Parser::new_from_str(text);
    let mut roots = Vec::new();
    while let Some(event) = parser.next_event() {
        let read = match event {
            Ok((Event::DocumentStart(_), _)) => document(file, &mut parser, budget, problems),
            Ok(_) => continue,
            Err(error) => Err(Box::new(syntax(file, &error))),
        };
        match read {
            Ok(root) => roots.extend(root.filter(|root| !root.is_null())),
            Err(fatal) => {
                problems.push(*fatal);
                break;
            }
        }
    }
    roots
}

fn document<I: saphyr_parser::Input>(
    file: &File,
    parser: &mut Parser<'_, I>,
    budget: &mut Budget,
    problems: &mut Problems,
) -> Result<Option<Node>, Fatal> {
    let mut builder = Builder::new(budget, problems);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| Box::new(syntax(file, &error)))?;
        let at = position(file, span.start);
        match event {
            Event::DocumentEnd | Event::StreamEnd => break,
            Event::Scalar(text, style, id, tag) => {
                refuse_tag(&mut builder, &at, tag.as_deref());
                let scalar = match style {
                    ScalarStyle::Plain => Scalar::Plain(text.into_owned()),
                    _ => Scalar::Text(text.into_owned()),
                };
                if builder.expects_key() {
                    builder.key(&at, scalar);
                    continue;
                }
                // An empty value starts nowhere in particular; its key is what people look for.
                let empty = matches!(&scalar, Scalar::Plain(text) if text.is_empty());
                let at = match builder.key_position() {
                    Some(key_at) if empty => key_at.clone(),
                    _ => at,
                };
                builder.scalar(at, scalar, anchor(id))?;
            }
            Event::Alias(id) => {
                refuse_as_key(&builder, &at)?;
                builder.alias(&at, id)?;
            }
            Event::SequenceStart(id, tag) => {
                refuse_as_key(&builder, &at)?;
                refuse_tag(&mut builder, &at, tag.as_deref());
                builder.open(at, Container::List, anchor(id))?;
            }
            Event::MappingStart(id, tag) => {
                refuse_as_key(&builder, &at)?;
                refuse_tag(&mut builder, &at, tag.as_deref());
                builder.open(at, Container::Map, anchor(id))?;
            }
            Event::SequenceEnd | Event::MappingEnd => builder.close()?,
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => {}
        }
    }
    Ok(builder.finish())
}

/// The parser numbers anchors from 1 and uses 0 for none.
fn anchor(id: usize) -> Option<Anchor> {
    (id != 0).then_some(id)
}

/// The parser counts lines from 1 and columns from 0.
fn position(file: &File, marker: Marker) -> Position {
    file.position(marker.line(), marker.col() + 1)
}

fn refuse_tag(builder: &mut Builder<'_>, at: &Position, tag: Option<&Tag>) {
    let Some(tag) = tag else { return };
    let written = match tag.handle.as_str() {
        "tag:yaml.org,2002:" => format!("!!{}", tag.suffix),
        handle => format!("{handle}{}", tag.suffix),
    };
    builder.report(
        Diagnostic::error(
            &codes::TAG,
            format!("the tag {} is not supported", shown(&written)),
        )
        .at(at.clone())
        .hint("remove it; put quotes around a value to make it text"),
    );
}

fn refuse_as_key(builder: &Builder<'_>, at: &Position) -> Result<(), Fatal> {
    if builder.expects_key() {
        return Err(Box::new(
            Diagnostic::error(&codes::KEY_NOT_TEXT, "a key is a map, a list or an alias")
                .at(at.clone())
                .hint("write the key as text; a value that starts with `{` or `[` needs quotes"),
        ));
    }
    Ok(())
}

/// What to do about the commonest messages of the parser.
const SYNTAX_HINTS: [(&str, &str); 6] = [
    (
        "mapping values are not allowed",
        "check the indentation; put quotes around a text that contains `: `",
    ),
    ("tabs disallowed", "indent with spaces"),
    ("tab", "indent with spaces"),
    (
        "unexpected character",
        "put quotes around a text that starts with a special character",
    ),
    (
        "quoted scalar",
        "is the closing quote missing? in double quotes a backslash is written `\\\\`",
    ),
    (
        "expected ',' or",
        "put quotes around a text with braces, brackets or commas; is a closing one missing?",
    ),
];

fn syntax(file: &File, error: &ScanError) -> Diagnostic {
    let at = position(file, *error.marker());
    if error.info().contains("unknown anchor") {
        return unknown_anchor(at);
    }
    // The parser reads ahead, and has a limit of its own for `[` and `{`.
    if error.info().contains("recursion limit") {
        return too_deep(at);
    }
    let problem = Diagnostic::error(
        &codes::YAML_SYNTAX,
        format!("not valid YAML: {}", error.info()),
    )
    .at(at);
    let hint = SYNTAX_HINTS
        .iter()
        .find(|(part, _)| error.info().contains(part));
    match hint {
        Some((_, hint)) => problem.hint(*hint),
        None => problem.hint("check indentation and quotes on this line and the one before"),
    }
}
