//! The store: what is told comes back, whatever happens in between.

mod round_trip;
