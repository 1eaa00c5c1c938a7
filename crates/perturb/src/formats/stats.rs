//! The table of counts per operator and file.

use crate::page::{Page, Style};
use crate::visible;
use perturb_csrc::Operator;
use perturb_model::Mutant;
use std::collections::BTreeMap;
use std::io::Result;

const HEAD: Style = Style::BOLD;

#[derive(Debug, Default, Clone, Copy)]
struct Row {
    by_operator: [usize; Operator::ALL.len()],
    constant: usize,
    suppressed: usize,
}

impl Row {
    fn add(&mut self, mutant: &Mutant) {
        let column = Operator::ALL.iter().position(|operator| *operator == mutant.operator);
        self.by_operator[column.expect("every operator is in the list of all")] += 1;
        self.constant += usize::from(!mutant.is_switchable());
        self.suppressed += usize::from(mutant.suppression.is_some());
    }

    /// The columns to show: all operators of each group that is used.
    fn columns(&self) -> Vec<usize> {
        let is_used = |group: &[Operator]| {
            (0..Operator::ALL.len()).any(|at| self.by_operator[at] > 0 && group.contains(&Operator::ALL[at]))
        };
        let (mass, milu) = (Operator::mass(), Operator::milu());
        let is_shown = |operator: &Operator| match milu.contains(operator) {
            true => is_used(milu),
            false => is_used(mass) || !is_used(milu),
        };
        (0..Operator::ALL.len()).filter(|at| is_shown(&Operator::ALL[*at])).collect()
    }

    fn total(&self) -> usize {
        self.by_operator.iter().sum()
    }
}

pub fn write(mutants: &[Mutant], out: &mut Page) -> Result<()> {
    let mut files: BTreeMap<String, Row> = BTreeMap::new();
    let mut all = Row::default();
    for mutant in mutants {
        files.entry(visible::path(&mutant.file.relative)).or_default().add(mutant);
        all.add(mutant);
    }
    let widest = files.keys().map(|file| file.chars().count()).chain([5]).max().unwrap_or_default();
    write!(out, "{HEAD}{:widest$}", "file")?;
    let columns = all.columns();
    for column in &columns {
        let operator = Operator::ALL[*column];
        let width = width(*column);
        write!(out, " {operator:>width$}")?;
    }
    writeln!(out, " {:>7} {:>8} {:>10}{HEAD:#}", "total", "constant", "suppressed")?;
    for (file, row) in &files {
        write_row(file, row, &columns, widest, Style::PLAIN, out)?;
    }
    write_row("total", &all, &columns, widest, HEAD, out)
}

fn width(column: usize) -> usize {
    Operator::ALL[column].acronym().len().max(6)
}

fn write_row(name: &str, row: &Row, columns: &[usize], widest: usize, style: Style, out: &mut Page) -> Result<()> {
    write!(out, "{style}{name:widest$}")?;
    for &column in columns {
        let count = row.by_operator[column];
        let width = width(column);
        write!(out, " {count:>width$}")?;
    }
    writeln!(out, " {:>7} {:>8} {:>10}{style:#}", row.total(), row.constant, row.suppressed)
}
