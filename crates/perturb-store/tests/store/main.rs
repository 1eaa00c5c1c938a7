//! The store: what is recorded is read again, whatever happens in between.

mod damaged;
mod durable;
mod fuzzed;
mod refusals;
mod round_trip;
mod synthetic;

use perturb_store::{RunWriter, Store, StoreReader, StoredRun};
use std::path::Path;

fn begin(work: &Path) -> RunWriter {
    Store::open(work).unwrap().begin(&synthetic::new_run()).unwrap()
}

fn latest(work: &Path) -> (StoreReader, StoredRun) {
    let reader = StoreReader::open(work).unwrap();
    let id = reader.latest().unwrap().unwrap();
    let run = reader.run(id).unwrap();
    (reader, run)
}
