//! The vocabulary of mutation analysis: mutants, tests, outcomes, scores, events, and the plain results of every step.
//!
//! Values only: nothing here starts a process, and the only file that is read is the review file.

mod audit;
mod code;
mod contradiction;
mod coverage;
mod event;
mod execution;
mod generated;
mod hash;
mod index;
mod interval;
mod judgement;
mod mutant;
mod mutant_set;
mod notice;
mod outcome;
mod review;
mod sample;
mod select;
mod step;
mod test;
mod trace;

/// The parts of a mutant that come from the text of the program.
pub use perturb_csrc::{ConstantContext, Operator, Scope, SourceFile, SourceRange};

pub use audit::{AuditCount, Disagreement};
pub use code::{Assumption, Code, CodeHash, Level, UnknownLevel};
pub use contradiction::Contradiction;
pub use coverage::CoverageGap;
pub use event::Event;
pub use execution::{Forecast, PairCount, StepTime};
pub use generated::{ChosenInput, Framework, InputSearchResult, MutantJudgement, TestgenOutcome};
pub use hash::ContentHash;
pub use index::{MutantIdx, TestIdx};
pub use interval::{Confidence, Interval, Share};
pub use judgement::{Change, Comparisons, Difference, Judgement, Kind, Proof, Tier, Witness};
pub use mutant::{CopyableFile, Identities, Mutant, MutantId, MutatedFile, NotAnId, Suppression};
pub use mutant_set::MutantSet;
pub use notice::Notice;
pub use outcome::{Clock, Engine, Kill, Kills, Outcome, Projected, ProvedBy, Score, Skip, Skips, Tally, Verdict};
pub use review::{Decision, Disposition, Review, ReviewError};
pub use sample::{
    Calibration, Estimate, Method, Rule, SampleOptions, Sampled, SamplingStrategy, SamplingStrategyError,
};
pub use select::{LinesByFile, Selection};
pub use step::Step;
pub use test::{Baseline, Covered, FileCounts, Reach, Recording, StatementCount, Test, TestName};
pub use trace::{DiscardResult, Trace};
