//! The one task of a worker. It owns all state; everything else tells it things. One lap of its loop: begin whatever can
//! be begun without waiting, then wait for one thing to happen.

use super::aborts::RecentStops;
use super::board::Board;
use super::calls::Calls;
use super::deadlines::Deadlines;
use super::doubt::Doubt;
use super::handle::{Abandoned, Message};
use super::launch::{Job, Surroundings};
use super::lease::LeaseNews;
use super::options::WorkerOptions;
use super::outage::Outage;
use super::runner::Rest;
use super::session::Session;
use super::slots::Slots;
use super::stop::Stopping;
use super::tenure::Tenure;
use super::turns::Turn;
use super::wait::Alarm;
use crate::event::WorkerEvent;
use crate::executor::{AbortReason, Attempt, AttemptId};
use crate::hub::{Member, Notice};
use pawl_core::flow::Flow;
use pawl_core::{FlowHash, Millis, SessionNo};
use pawl_store::{ClaimFilter, HandBack};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

/// Everything a worker knows.
pub(super) struct Dispatcher {
    pub around: Surroundings,
    pub options: WorkerOptions,
    pub flows: HashMap<FlowHash, Arc<Flow>>,
    pub filter: ClaimFilter,
    pub member: Arc<Member>,
    pub board: Arc<Board>,

    // What is heard.
    pub inbox: mpsc::UnboundedReceiver<Message>,
    pub notices: mpsc::UnboundedReceiver<Notice>,
    pub lease_news: mpsc::UnboundedReceiver<(SessionNo, LeaseNews)>,
    pub lease_news_sender: mpsc::UnboundedSender<(SessionNo, LeaseNews)>,
    pub foreign: watch::Receiver<u64>,
    pub foreign_gone: bool,
    pub alarm: Alarm,

    // What is held and decided.
    pub session: Session,
    /// When the session is over on the store's clock if it is not renewed.
    pub session_ends_at: Millis,
    pub tenure: Arc<Tenure>,
    pub old_sessions: Vec<SessionNo>,
    pub slots: Slots,
    pub deadlines: Deadlines,
    pub turns: Vec<Turn>,
    pub hand_backs: Vec<(HandBack, FlowHash)>,

    // What goes to the executor at the end of a lap.
    pub attempts: Vec<Attempt>,
    pub aborts: Vec<(AttemptId, AbortReason)>,

    // What is asked of the store, and how it goes.
    pub calls: Calls,
    pub outage: Outage,
    pub doubt: Doubt,
    pub recent_stops: RecentStops,
    pub blocked: bool,
    pub backlog: bool,
    pub poll_at: Instant,
    pub poll_interval: Duration,
    pub foreign_check_at: Option<Instant>,
    pub last_foreign_check: Option<Instant>,
    pub reap_at: Option<Millis>,
    /// Until when nobody is taken for dead.
    pub sparing_until: Option<Instant>,
    pub unknown_flows: HashSet<FlowHash>,

    // How it ends.
    pub rest: Rest,
    pub stopping: Option<Stopping>,
    pub abandoned: Vec<Abandoned>,
}

impl Dispatcher {
    pub fn new(
        around: Surroundings,
        options: WorkerOptions,
        job: Job,
        board: Arc<Board>,
    ) -> (Self, mpsc::UnboundedSender<Message>) {
        let (sender, inbox) = mpsc::unbounded_channel();
        let (lease_news_sender, lease_news) = mpsc::unbounded_channel();
        let (member, notices) = around.hub.join(&job.filter);
        let mut foreign = around.store.foreign_changes();
        foreign.mark_unchanged();
        let now = around.clock.now();
        member.due(now);
        let mut dispatcher = Dispatcher {
            flows: options.flows.iter().map(|flow| (flow.hash.clone(), flow.clone())).collect(),
            rest: Rest::new(&job),
            filter: job.filter,
            member,
            board,
            inbox,
            notices,
            lease_news,
            lease_news_sender,
            foreign,
            foreign_gone: false,
            alarm: Alarm::default(),
            session: Session::None,
            session_ends_at: now,
            tenure: Arc::default(),
            old_sessions: Vec::new(),
            slots: Slots::default(),
            deadlines: Deadlines::default(),
            turns: Vec::new(),
            hand_backs: Vec::new(),
            attempts: Vec::new(),
            aborts: Vec::new(),
            calls: Calls::default(),
            outage: Outage::default(),
            doubt: Doubt::None,
            recent_stops: RecentStops::default(),
            blocked: false,
            backlog: false,
            poll_at: Instant::now() + around.polling.interval_min,
            poll_interval: around.polling.interval_min,
            foreign_check_at: None,
            last_foreign_check: None,
            reap_at: Some(now),
            sparing_until: None,
            unknown_flows: HashSet::new(),
            stopping: None,
            abandoned: Vec::new(),
            around,
            options,
        };
        dispatcher.session_opened(job.session, job.session_until);
        if !job.kept.is_empty() {
            // They were granted before this worker could hear of a cancel or a pause.
            dispatcher.check_claims_soon();
        }
        for claimed in job.kept {
            dispatcher.admit(claimed, &[], 0);
        }
        (dispatcher, sender)
    }

    /// Works until it is told to stop, or until a runner has nothing left to do.
    pub async fn run(mut self) -> Vec<Abandoned> {
        loop {
            self.begin_all();
            if self.is_done() {
                break;
            }
            self.wait().await;
        }
        self.leave().await
    }

    pub fn now(&self) -> Millis {
        self.around.clock.now()
    }

    /// How many more claims there is room for.
    pub fn free_slots(&self) -> usize {
        self.options.concurrency.saturating_sub(self.slots.len() + self.calls.reserved())
    }

    pub fn tell(&self, event: WorkerEvent) {
        self.around.executor.event(event);
    }
}
