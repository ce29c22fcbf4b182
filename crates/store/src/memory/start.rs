//! New runs, and the decision about an id that is in use.

use super::run::{Mailbox, Run};
use super::world::World;
use crate::rules::{Handing, replaced};
use crate::{NewRun, OnConflict, StartRefusal, Started};
use pawl_core::{Millis, OpenBranches, Path, RunNo, RunState, Scope};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

impl World {
    pub fn start(&mut self, new: NewRun, now: Millis) -> Result<Started, StartRefusal> {
        let flow_name: Arc<str> = self.flows.name_of(&new.flow).ok_or(StartRefusal::FlowUnknown)?.into();
        let mut replaced = None;
        if let Some(existing) = self.runs.number_of(&new.id) {
            match self.conflict(existing, &flow_name, new.on_conflict)? {
                Room::Taken => return Ok(Started::Existing { run: existing }),
                Room::Made => replaced = self.replace(existing, now),
            }
        }
        let NewRun { id, flow, input, branches, deadline_at, keep, .. } = new;
        let mut handing = Handing::new(self.living(keep), false, now);
        let run = self.runs.add(|number| Run {
            number,
            id,
            flow,
            flow_name,
            state: RunState::Running,
            version: 1,
            held: false,
            created_at: now,
            ended_at: None,
            deadline_at,
            branches: BTreeMap::new(),
            results: HashMap::new(),
            history: Vec::new(),
            mailbox: Mailbox::default(),
        });
        run.record(Path::run_input(), input, 0, now);
        let number = run.number;
        let scopes: Vec<Scope> = branches.iter().map(|branch| branch.scope.clone()).collect();
        branches.into_iter().for_each(|branch| run.open(branch));
        let kept = scopes.iter().filter_map(|scope| self.hand_out(number, scope, &mut handing, now)).collect();
        Ok(Started::New { run: number, kept, replaced })
    }

    fn conflict(&self, existing: RunNo, flow: &str, on_conflict: OnConflict) -> Result<Room, StartRefusal> {
        let Some(run) = self.runs.get(existing) else { return Ok(Room::Made) };
        if *run.flow_name != *flow {
            return Err(StartRefusal::OtherFlow { flow: run.flow_name.to_string() });
        }
        match on_conflict {
            OnConflict::Fail => Err(StartRefusal::Exists { state: run.state.clone() }),
            OnConflict::UseExisting => Ok(Room::Taken),
            OnConflict::TerminateExisting => Ok(Room::Made),
        }
    }

    /// Ends the older life of an id; `None` if it is over already.
    fn replace(&mut self, existing: RunNo, now: Millis) -> Option<RunNo> {
        let run = self.runs.get_mut(existing)?;
        let (state, event) = replaced(&run.state)?;
        run.note(event, now);
        self.set_state(existing, state, OpenBranches::Remove, now);
        Some(existing)
    }
}

/// Whether the id of a new run is free for it.
enum Room {
    Taken,
    Made,
}
