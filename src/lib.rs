//! The Node boundary.
