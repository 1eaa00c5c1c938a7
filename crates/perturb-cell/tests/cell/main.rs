//! Programs in a cell: how they end, what they see, what they leave behind.

mod attacks;
mod confined;
mod ends;
mod files;
mod limits;
mod outliving;
mod pristine;
mod support;
mod users;
