//! Starting, signalling and controlling runs.

use pawl_core::{FlowHash, RunId, RunNo};
use pawl_store::OnConflict;
use serde::{Deserialize, Serialize};

/// Arguments of `start`; the input comes as the payload.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartArgs {
    /// The flow's name.
    pub flow: String,
    /// Its shape; unset: the one registered last.
    pub hash: Option<FlowHash>,
    /// The run's id.
    pub id: RunId,
    /// What to do when the id is in use.
    pub on_conflict: OnConflictDto,
}

/// What to do when an id is in use.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OnConflictDto {
    /// See [`OnConflict::Fail`].
    Fail,
    /// See [`OnConflict::UseExisting`].
    UseExisting,
    /// See [`OnConflict::TerminateExisting`].
    TerminateExisting,
}

impl From<OnConflictDto> for OnConflict {
    fn from(dto: OnConflictDto) -> OnConflict {
        match dto {
            OnConflictDto::Fail => OnConflict::Fail,
            OnConflictDto::UseExisting => OnConflict::UseExisting,
            OnConflictDto::TerminateExisting => OnConflict::TerminateExisting,
        }
    }
}

/// Answer of `start`.
#[derive(Debug, Serialize)]
pub struct StartDto {
    /// The run's id.
    pub id: RunId,
    /// The run's number.
    pub run: RunNo,
    /// Whether it was there before.
    pub existing: bool,
    /// The shape asked for.
    pub hash: FlowHash,
}

/// Arguments of `signal`; the message comes as the payload.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SignalArgs {
    /// The run's id.
    pub id: RunId,
    /// The name of the message.
    pub name: String,
    /// Tells repeated deliveries of one message.
    pub key: Option<String>,
}

/// Answer of `signal`.
#[derive(Debug, Serialize)]
pub struct SignalDto {
    /// Whether a message with this key had been stored before.
    pub duplicate: bool,
}

/// Arguments of `cancel` and `pause`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopArgs {
    /// The run's id.
    pub id: RunId,
    /// Why.
    pub reason: Option<String>,
    /// Who asks.
    pub by: Option<String>,
}

/// Arguments of `resume`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResumeArgs {
    /// The run's id.
    pub id: RunId,
    /// Who asks.
    pub by: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dto::parse;

    #[test]
    fn null_is_unset_and_a_misspelt_member_is_refused() {
        let args: StartArgs =
            parse("start", r#"{"flow":"checkout","hash":null,"id":"order-1","onConflict":"useExisting"}"#).unwrap();
        assert_eq!((args.hash, args.id.as_str()), (None, "order-1"));
        assert_eq!(OnConflict::from(args.on_conflict), OnConflict::UseExisting);

        let wrong = parse::<StopArgs>("cancel", r#"{"id":"order-1","why":"x","by":null}"#).unwrap_err();
        assert!(wrong.message.contains("\"cancel\"") && wrong.message.contains("why"), "{wrong}");
    }
}
