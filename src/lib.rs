//! The addon: what lies between JavaScript and the engine.
//!
//! `node` is the only place that knows napi, and only `napi build` turns it on. Everything else is plain Rust and is
//! tested without Node. No engine rule lives in this crate.

// Without `node` nobody outside of the tests calls in here, and under test nobody calls what JavaScript calls.
#![cfg_attr(any(test, not(feature = "node")), allow(dead_code))]

mod client;
mod doorbell;
mod dto;
mod error;
mod event;
mod executor;
mod message;
mod ops;
mod threads;

#[cfg(feature = "node")]
mod node;
