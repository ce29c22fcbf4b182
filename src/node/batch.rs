//! Messages as one flat JavaScript array. Flat, because one array of strings and numbers is cheaper to make and to read
//! than thousands of objects.

use crate::message::Message;
use napi::bindgen_prelude::ToNapiValue;
use napi::{Result, check_status, sys};
use pawl_core::Payload;
use std::ptr;

/// What one ring of the bell delivers.
pub struct Batch(pub Vec<Message>);

impl ToNapiValue for Batch {
    unsafe fn to_napi_value(env: sys::napi_env, batch: Batch) -> Result<sys::napi_value> {
        let length: u32 = batch.0.iter().map(Message::length).sum();
        let mut array = ptr::null_mut();
        // SAFETY: `env` is the environment this conversion was called for, on its thread.
        check_status!(unsafe { sys::napi_create_array_with_length(env, length as usize, &mut array) })?;
        let mut out = Out { env, array, at: 0 };
        for message in batch.0 {
            out.message(message)?;
        }
        Ok(array)
    }
}

/// Writes the elements of an array one after the other.
struct Out {
    env: sys::napi_env,
    array: sys::napi_value,
    at: u32,
}

impl Out {
    fn message(&mut self, message: Message) -> Result<()> {
        self.number(f64::from(message.kind()))?;
        match message {
            Message::Run { worker, flow_index, attempt } => {
                self.number(f64::from(worker))?;
                self.number(attempt.id.0 as f64)?;
                self.number(f64::from(flow_index))?;
                self.number(attempt.node.0 as f64)?;
                self.number(attempt.run.0 as f64)?;
                self.text(attempt.run_id.as_str().as_bytes())?;
                self.text(attempt.path.as_str().as_bytes())?;
                self.number(f64::from(attempt.attempt))?;
                match attempt.deadline_at {
                    Some(at) => self.number(at.0 as f64)?,
                    None => self.null()?,
                }
                self.payload(Some(&attempt.input))
            }
            Message::Abort { attempt, code, message } => {
                self.number(attempt.0 as f64)?;
                self.text(code.as_str().as_bytes())?;
                self.text(message.as_bytes())
            }
            Message::Reply { call, ok, json, payload } => {
                self.number(call as f64)?;
                self.boolean(ok)?;
                self.text(json.as_bytes())?;
                self.payload(payload.as_ref())
            }
            Message::Event { worker, name, json } => {
                self.number(f64::from(worker))?;
                self.text(name.as_bytes())?;
                self.text(json.as_bytes())
            }
        }
    }

    /// Two elements: the codec and the text.
    fn payload(&mut self, payload: Option<&Payload>) -> Result<()> {
        match payload {
            Some(payload) => {
                self.number(f64::from(payload.codec))?;
                self.text(&payload.bytes)
            }
            None => {
                self.number(0.0)?;
                self.null()
            }
        }
    }

    fn number(&mut self, number: f64) -> Result<()> {
        let mut value = ptr::null_mut();
        // SAFETY: the environment is alive for as long as `self` is; see `to_napi_value`.
        check_status!(unsafe { sys::napi_create_double(self.env, number, &mut value) })?;
        self.set(value)
    }

    fn boolean(&mut self, boolean: bool) -> Result<()> {
        let mut value = ptr::null_mut();
        // SAFETY: the environment is alive for as long as `self` is; see `to_napi_value`.
        check_status!(unsafe { sys::napi_get_boolean(self.env, boolean, &mut value) })?;
        self.set(value)
    }

    fn null(&mut self) -> Result<()> {
        let mut value = ptr::null_mut();
        // SAFETY: the environment is alive for as long as `self` is; see `to_napi_value`.
        check_status!(unsafe { sys::napi_get_null(self.env, &mut value) })?;
        self.set(value)
    }

    /// ASCII is copied as it is; decoding UTF-8 costs V8 several times as much.
    fn text(&mut self, text: &[u8]) -> Result<()> {
        let mut value = ptr::null_mut();
        let (start, length) = (text.as_ptr().cast(), text.len() as isize);
        let create = if text.is_ascii() { sys::napi_create_string_latin1 } else { sys::napi_create_string_utf8 };
        // SAFETY: as above, and the text outlives the call, which copies it.
        check_status!(unsafe { create(self.env, start, length, &mut value) })?;
        self.set(value)
    }

    fn set(&mut self, value: sys::napi_value) -> Result<()> {
        // SAFETY: as above, and the array was made in this environment.
        check_status!(unsafe { sys::napi_set_element(self.env, self.array, self.at, value) })?;
        self.at += 1;
        Ok(())
    }
}
