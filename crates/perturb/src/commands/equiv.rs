//! `perturb equiv`: which mutants are equivalent, and which are not, without any test.

use super::comparing::Compared;
use crate::args::{Equiv, EquivFormat, Global};
use crate::console::Console;
use crate::exit::Failure;
use crate::formats::equivalence::{write, write_array, write_lines};
use std::io::{BufWriter, Write};

pub fn run(global: &Global, arguments: &Equiv, console: &Console) -> Result<(), Failure> {
    if arguments.annotate {
        return super::annotate::run(global, arguments, console);
    }
    if let Some(files) = &arguments.pair {
        return super::pair::run(global, arguments, files, console);
    }
    let compared = Compared::new(global, &arguments.select, &arguments.comparing, console)?;
    let Compared { mutants, judged, .. } = &compared;
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout());
    match arguments.format {
        EquivFormat::Text => {
            let mut out = BufWriter::with_capacity(1 << 16, anstream::stdout());
            write(mutants, judged, &mut out)?;
            out.flush()?;
        }
        EquivFormat::Json => write_array(mutants, judged, &mut out)?,
        EquivFormat::Jsonl => write_lines(mutants, judged, &mut out)?,
    }
    out.flush()?;
    compared.expect_whole()
}
