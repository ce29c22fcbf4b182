//! A user's value as JavaScript wrote it. Rust stores and returns the bytes and never looks inside, but for one act:
//! putting the outputs of a fork's branches together into one object.

use bytes::Bytes;

/// Plain JSON: `JSON.parse` gives the value back.
pub const CODEC_JSON: u8 = 0;
/// Tagged JSON: objects with a `$t` member stand for values that JSON cannot say. Every plain document is also a
/// valid tagged one, because a user's key that starts with `$` is escaped and forces this codec.
pub const CODEC_TAGGED: u8 = 1;

/// A serialised value and the codec that wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// Which codec wrote the bytes. Numbers are append-only; see docs/FORMATS.md.
    pub codec: u8,
    /// The bytes, verbatim.
    pub bytes: Bytes,
}

impl Payload {
    /// A payload of plain JSON.
    pub fn json(text: impl Into<Bytes>) -> Payload {
        Payload { codec: CODEC_JSON, bytes: text.into() }
    }

    /// One object out of named parts, in the order given: `{"email":…,"ship":…}`. The parts are not parsed.
    pub fn object<'a>(parts: impl IntoIterator<Item = (&'a str, &'a Payload)>) -> Payload {
        let mut text = Vec::from(b"{");
        let mut codec = CODEC_JSON;
        for (at, (name, part)) in parts.into_iter().enumerate() {
            if at > 0 {
                text.push(b',');
            }
            text.extend_from_slice(serde_json::Value::from(name).to_string().as_bytes());
            text.push(b':');
            text.extend_from_slice(&part.bytes);
            codec = codec.max(part.codec);
        }
        text.push(b'}');
        Payload { codec, bytes: text.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_keeps_the_order_and_the_bytes_of_its_parts() {
        let (a, b) =
            (Payload::json(r#"{"x": 1}"#), Payload { codec: CODEC_TAGGED, bytes: r#"{"$t":"undefined"}"#.into() });
        let both = Payload::object([("b", &b), ("a", &a)]);
        assert_eq!(both.bytes, r#"{"b":{"$t":"undefined"},"a":{"x": 1}}"#);
        assert_eq!(both.codec, CODEC_TAGGED);
    }

    #[test]
    fn branch_names_are_escaped() {
        assert_eq!(Payload::object([("a\"b", &Payload::json("1"))]).bytes, r#"{"a\"b":1}"#);
    }
}
