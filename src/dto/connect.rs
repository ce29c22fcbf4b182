//! Which store to connect to.

use crate::error::OpError;
use pawl_core::ErrorCode;
use serde::Deserialize;
use std::path::PathBuf;

/// Arguments of `connect`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectArgs {
    /// Where the runs live.
    pub url: String,
    /// How this connection calls itself where people see it.
    pub client_name: Option<String>,
}

/// A store by its address.
#[derive(Debug, PartialEq, Eq)]
pub enum StoreUrl {
    /// `memory:` - gone with the process.
    Memory,
    /// `sqlite:FILE`.
    Sqlite(PathBuf),
}

impl StoreUrl {
    /// Reads an address.
    ///
    /// # Errors
    /// `PAWL_OPTION` with what is allowed.
    pub fn parse(url: &str) -> Result<StoreUrl, OpError> {
        match url.split_once(':') {
            Some(("memory", "")) => Ok(StoreUrl::Memory),
            Some(("sqlite", "")) => Err(refuse("\"sqlite:\" names no file; write for example \"sqlite:orders.db\"")),
            Some(("sqlite", file)) if file.contains('\0') => {
                Err(refuse("The file name after \"sqlite:\" contains a NUL character, which no file system allows"))
            }
            Some(("sqlite", ":memory:")) => Err(refuse("\"sqlite::memory:\" is no file; write \"memory:\"")),
            Some(("sqlite", file)) if is_host(file) => Err(refuse(&format!(
                "The store url {url:?} names a host and no file; write \"sqlite:orders.db\" or \"sqlite:/data/orders.db\""
            ))),
            Some(("sqlite", file)) => Ok(StoreUrl::Sqlite(PathBuf::from(file))),
            Some(("postgres" | "postgresql", _)) => {
                Err(refuse("PostgreSQL is not available in this version; use \"sqlite:FILE\" or \"memory:\""))
            }
            _ => Err(refuse(&format!("The store url {url:?} is unknown; use \"sqlite:FILE\" or \"memory:\""))),
        }
    }
}

/// `//orders.db`: meant as a file beside the program, it would be one at the root of the disk. `///orders.db` is that file.
fn is_host(file: &str) -> bool {
    file.starts_with("//") && !file.starts_with("///")
}

fn refuse(message: &str) -> OpError {
    OpError::new(ErrorCode::Option, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_sqlite_are_known() {
        assert_eq!(StoreUrl::parse("memory:"), Ok(StoreUrl::Memory));
        assert_eq!(StoreUrl::parse("sqlite:orders.db"), Ok(StoreUrl::Sqlite("orders.db".into())));
        assert_eq!(StoreUrl::parse("sqlite:C:\\data\\a b.db"), Ok(StoreUrl::Sqlite("C:\\data\\a b.db".into())));
        assert_eq!(StoreUrl::parse("sqlite:///data/a.db"), Ok(StoreUrl::Sqlite("///data/a.db".into())));
    }

    #[test]
    fn everything_else_is_refused_and_says_what_is_allowed() {
        for url in [
            "",
            "memory",
            "memory:x",
            "sqlite:",
            "sqlite:a\0b",
            "sqlite::memory:",
            "sqlite://orders.db",
            "postgres://h/d",
            "mysql://h",
            "orders.db",
        ] {
            let error = StoreUrl::parse(url).unwrap_err();
            assert_eq!(error.code, ErrorCode::Option, "{url:?}");
            assert!(error.message.contains("sqlite:"), "{error}");
        }
    }
}
