//! Tells the linker what a Node addon needs; does nothing for the rest.

fn main() {
    napi_build::setup();
}
