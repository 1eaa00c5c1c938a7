//! The operators of Milu that the Nequivack study uses, one per file, each under the acronym it has there.
//!
//! Two of them have the acronym of an operator in the `mass` group that does something else: they are named `milu:ABS`
//! and `milu:UOI`.

pub mod abs;
pub mod crcr;
pub mod oaaa;
pub mod oaan;
pub mod obba;
pub mod obbn;
pub mod ocng;
pub mod oido;
pub mod olln;
pub mod olng;
pub mod orrn;
pub mod sbrc;
pub mod uoi;
