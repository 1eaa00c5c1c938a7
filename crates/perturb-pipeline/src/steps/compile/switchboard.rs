//! The switchboard: which switch turns which mutant on, and what the record of a run says about each mutant.

use super::AllLeftOut;
use crate::steps::mutate::FileSchema;
use perturb_csrc::schemata::Instrumented;
use perturb_csrc::{SourceFile, SourceRange};
use perturb_model::{FileCounts, Mutant, MutantIdx, MutantSet, Reach, Recording, StatementCount, TestName};
use perturb_rt::{FileTables, Record, RecordLayout, SheetLayout};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How a mutant is switched on in the instrumented program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switch {
    /// The index of its file in the switchboard's list.
    file: usize,
    function: u32,
    point: u32,
    code: u8,
    /// The mutant's index in the runtime's table.
    index: u32,
    is_cpp: bool,
}

impl Switch {
    /// Whether it may be executed in a copy of the process: that is only safe for C.
    pub fn can_split(self) -> bool {
        !self.is_cpp
    }
}

/// How the record shows which tests execute a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Switch(Switch),
    /// By the count of the statement that contains it, or of its function.
    Statement {
        file: usize,
        statement: u32,
    },
    /// It is outside of all instrumented code: every test may execute it.
    Unknown,
}

/// One instrumented file.
#[derive(Debug)]
struct SwitchFile {
    relative: PathBuf,
    key: u32,
    tables: FileTables,
    /// The line of each statement.
    lines: Vec<u32>,
    /// The names of the functions, for messages.
    functions: Vec<String>,
    first_statement: Vec<u32>,
}

/// All mutants of a project and their locations in its instrumented build.
#[derive(Debug)]
pub struct Switchboard {
    files: Vec<SwitchFile>,
    seen: Vec<Seen>,
    /// Why a mutant has no switch.
    reasons: BTreeMap<MutantIdx, String>,
    layout: RecordLayout,
    sheet: SheetLayout,
}

impl Switchboard {
    pub(super) fn new(
        schemata: &[FileSchema],
        mutants: &[Mutant],
        instrumented: Vec<(usize, u32, Instrumented)>,
        left_out: AllLeftOut,
    ) -> Self {
        let mut builder = SwitchboardBuilder { seen: vec![Seen::Unknown; mutants.len()], reasons: BTreeMap::new() };
        let mut files = Vec::new();
        for (index, key, file) in &instrumented {
            builder.add(files.len(), &schemata[*index], mutants, file);
            builder.explain(*index, &schemata[*index], &left_out);
            files.push(SwitchFile::new(&schemata[*index], *key, file));
        }
        for (&index, reason) in &left_out.files {
            for mutant in schemata[index].mutants.iter().flatten().flatten() {
                builder.reasons.insert(*mutant, format!("its file cannot be instrumented: {reason}"));
            }
        }
        let tables = || files.iter().map(|file| (file.key, file.tables));
        let layout = RecordLayout::new(tables()).expect("the tables of a project take less than 4 GiB");
        let sheet = SheetLayout::new(tables()).expect("the tables of a project take less than 4 GiB");
        Self { files, seen: builder.seen, reasons: builder.reasons, layout, sheet }
    }

    /// A switchboard of one file with a switch for each mutant, without a build.
    #[cfg(test)]
    pub(crate) fn made_up(file: &str, mutants: usize, statements: usize) -> Self {
        let count = mutants as u32;
        let tables = FileTables { functions: 1, statements: statements as u32, points: count, mutants: count };
        let file = SwitchFile {
            relative: file.into(),
            key: 1,
            tables,
            lines: vec![1; statements],
            functions: vec!["f".to_string()],
            first_statement: vec![0],
        };
        let switch = |index| Seen::Switch(Switch { file: 0, function: 0, point: index, code: 0, index, is_cpp: false });
        let layout = RecordLayout::new([(1, tables)]).expect("the tables are small");
        let sheet = SheetLayout::new([(1, tables)]).expect("the tables are small");
        Self { files: vec![file], seen: (0..count).map(switch).collect(), reasons: BTreeMap::new(), layout, sheet }
    }

    /// The switch of a mutant; None if the mutant must be built by itself.
    pub fn switch(&self, mutant: MutantIdx) -> Option<Switch> {
        match self.seen[mutant] {
            Seen::Switch(switch) => Some(switch),
            Seen::Statement { .. } | Seen::Unknown => None,
        }
    }

    /// The value of the variable that turns a mutant on.
    pub fn value(&self, switch: Switch) -> String {
        perturb_rt::mutant_value(self.files[switch.file].key, switch.function, switch.point, switch.code)
    }

    /// Why a mutant has no switch, if something else than the mutant itself is the reason.
    pub fn reason(&self, mutant: MutantIdx) -> Option<&str> {
        self.reasons.get(&mutant).map(String::as_str)
    }

    pub fn switched(&self) -> usize {
        self.seen.iter().filter(|seen| matches!(seen, Seen::Switch(_))).count()
    }

    pub fn layout(&self) -> &RecordLayout {
        &self.layout
    }

    /// An empty record for a run with these functions on. It asks only about mutants of this run, since a file may
    /// contain others.
    pub fn blank(&self, is_on: &dyn Fn(FunctionSwitch) -> bool) -> Vec<u8> {
        let mut asked: BTreeMap<u32, Vec<bool>> =
            self.files.iter().map(|file| (file.key, vec![false; file.tables.mutants as usize])).collect();
        for mutant in MutantIdx::all(self.seen.len()) {
            if let Some((key, index)) = self.switch(mutant).map(|switch| self.entry(switch)) {
                asked.get_mut(&key).expect("a switch is in a file")[index as usize] = true;
            }
        }
        let index: BTreeMap<u32, usize> =
            self.files.iter().enumerate().map(|(index, file)| (file.key, index)).collect();
        let is_on = |key: u32, function: u32| is_on(FunctionSwitch { file: index[&key], key, function });
        self.layout.blank(&is_on, &|key, mutant| asked[&key][mutant as usize])
    }

    pub fn sheet(&self) -> &SheetLayout {
        &self.sheet
    }

    /// The key of a mutant's file, and the mutant's index in the runtime's table.
    pub fn entry(&self, switch: Switch) -> (u32, u32) {
        (self.files[switch.file].key, switch.index)
    }

    /// All functions, in a fixed order.
    pub fn functions(&self) -> impl Iterator<Item = FunctionSwitch> + '_ {
        let switches_of_file = |(index, file): (usize, &SwitchFile)| {
            let key = file.key;
            (0..file.functions.len()).map(move |function| FunctionSwitch {
                file: index,
                key,
                function: function as u32,
            })
        };
        self.files.iter().enumerate().flat_map(switches_of_file)
    }

    pub fn function_name(&self, function: FunctionSwitch) -> String {
        let file = &self.files[function.file];
        format!("{}: {}", file.relative.display(), file.functions[function.function as usize])
    }

    /// Removes the switches of a function, because a test does not pass when it is instrumented.
    pub fn take_away(&mut self, function: FunctionSwitch, reason: &str) {
        for (mutant, seen) in MutantIdx::enumerate(&mut self.seen) {
            if matches!(seen, Seen::Switch(s) if s.file == function.file && s.function == function.function) {
                *seen = Seen::Unknown;
                self.reasons.insert(mutant, reason.to_string());
            }
        }
    }

    /// For each function, the share of all statement executions of a run that it has.
    pub fn shares(&self, record: &Record) -> FunctionShares {
        let of_file = |file: &SwitchFile| {
            let counts = &record[&file.key].counts;
            let mut sums = vec![0f64; file.functions.len()];
            for (function, sum) in sums.iter_mut().enumerate() {
                let end = file.first_statement.get(function + 1).map_or(counts.len(), |end| *end as usize);
                let counts = &counts[file.first_statement[function] as usize..end];
                *sum = counts.iter().map(|count| f64::from(*count)).sum();
            }
            sums
        };
        let sums: Vec<Vec<f64>> = self.files.iter().map(of_file).collect();
        let all = sums.iter().flatten().sum::<f64>().max(1.0);
        FunctionShares(sums.into_iter().map(|file| file.into_iter().map(|sum| (sum / all) as f32).collect()).collect())
    }

    /// The share of the function that a mutant is in; 1 if that is not known.
    pub fn share(&self, mutant: MutantIdx, shares: Option<&FunctionShares>) -> f64 {
        match (self.switch(mutant), shares) {
            (Some(switch), Some(FunctionShares(shares))) => f64::from(shares[switch.file][switch.function as usize]),
            _ => 1.0,
        }
    }

    /// How often each statement of a mutant's file was executed, in the order of the recording.
    pub fn counts(&self, switch: Switch, record: &Record) -> Vec<u64> {
        let file = &self.files[switch.file];
        file.counts(&record[&file.key].counts).counts.into_iter().map(|count| count.count).collect()
    }

    /// The recording of a test, from the record of its run. All mutants of a function whose instrumented version was
    /// off count as reached.
    pub fn recording(&self, test: TestName, record: &Record) -> Recording {
        let mut reached = MutantSet::default();
        let mut infected = MutantSet::default();
        for (mutant, seen) in MutantIdx::enumerate(&self.seen) {
            let (is_reached, is_infected) = match *seen {
                Seen::Switch(switch) => {
                    let file = &record[&self.files[switch.file].key];
                    (file.reached[switch.point as usize], file.infected[switch.index as usize])
                }
                Seen::Statement { file, statement } => {
                    let is_executed = record[&self.files[file].key].counts[statement as usize] > 0;
                    (is_executed, is_executed)
                }
                Seen::Unknown => (true, true),
            };
            if is_reached {
                reached.insert(mutant);
            }
            if is_infected {
                infected.insert(mutant);
            }
        }
        let statements = self.files.iter().map(|file| file.counts(&record[&file.key].counts));
        Recording { reach: Reach { test, reached, infected }, statements: statements.collect() }
    }
}

/// The share of each function in all statement executions of a run, by file.
#[derive(Debug, Clone, Default)]
pub struct FunctionShares(Vec<Vec<f32>>);

/// A function that can be switched between its plain and its instrumented version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionSwitch {
    file: usize,
    pub key: u32,
    pub function: u32,
}

impl SwitchFile {
    fn new(schema: &FileSchema, key: u32, file: &Instrumented) -> Self {
        let source = &schema.file.source;
        let statements = schema.functions.iter().flat_map(|function| &function.schema.statements);
        let lines = statements.map(|range| source.line_column(range.start).line).collect();
        let name = |range: SourceRange| name_of(source, range);
        Self {
            relative: schema.file.relative.clone(),
            key,
            tables: FileTables {
                functions: file.functions.max(1),
                statements: file.statements.max(1),
                points: file.points.max(1),
                mutants: file.switches.len() as u32,
            },
            lines,
            functions: schema.functions.iter().map(|function| name(function.schema.range)).collect(),
            first_statement: file.first_statement.clone(),
        }
    }

    fn counts(&self, counts: &[u32]) -> FileCounts {
        let mut counts: Vec<StatementCount> = self
            .lines
            .iter()
            .zip(counts)
            .map(|(&line, &count)| StatementCount { line, count: u64::from(count) })
            .collect();
        counts.sort_by_key(|statement| statement.line);
        FileCounts { file: self.relative.clone(), counts }
    }
}

/// The first line of a function, for people.
fn name_of(source: &SourceFile, range: SourceRange) -> String {
    let text = source.lossy(range);
    let head = text.split(['{', ';']).next().unwrap_or_default();
    head.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The parts of a switchboard while it is made.
struct SwitchboardBuilder {
    seen: Vec<Seen>,
    reasons: BTreeMap<MutantIdx, String>,
}

impl SwitchboardBuilder {
    fn add(&mut self, at: usize, schema: &FileSchema, mutants: &[Mutant], file: &Instrumented) {
        // First the statements of all mutants in functions, then the switches of those that have one.
        for (function, own) in schema.mutants.iter().enumerate() {
            let first = file.first_statement[function];
            let statements = &schema.functions[function].schema.statements;
            for mutant in own.iter().flatten() {
                let range = mutants[*mutant].range;
                let inside = (0..statements.len()).filter(|&s| statements[s].contains(range));
                let smallest = inside.min_by_key(|&s| statements[s].len()).unwrap_or(0);
                self.seen[*mutant] = Seen::Statement { file: at, statement: first + smallest as u32 };
            }
        }
        for (index, switch) in file.switches.iter().enumerate() {
            if let Some(mutant) = schema.mutants[switch.function][switch.mutation] {
                self.seen[mutant] = Seen::Switch(Switch {
                    file: at,
                    function: switch.function as u32,
                    point: switch.point,
                    code: switch.code,
                    index: index as u32,
                    is_cpp: schema.functions[switch.function].schema.is_cpp,
                });
            }
        }
    }

    /// Explains why mutants of a file have no switch. The record says nothing about mutants of functions that are left
    /// out.
    fn explain(&mut self, index: usize, schema: &FileSchema, left_out: &AllLeftOut) {
        let parts = left_out.parts.get(&index);
        for (function, own) in schema.mutants.iter().enumerate() {
            let of = &schema.functions[function];
            for (mutation, why) in &of.schema.unswitchable {
                if let Some(mutant) = own[*mutation] {
                    self.reasons.insert(mutant, why.reason().to_string());
                }
            }
            let Some(parts) = parts else { continue };
            let is_out = parts.functions.contains(&function);
            for (number, (range, alternatives)) in of.schema.points.iter().enumerate() {
                let is_point_out = is_out || parts.points.contains(&(function, number as u32));
                let is_left_out =
                    |code: u8| is_point_out || parts.alternatives.contains(&(function, number as u32, code));
                let reason = left_out.reason(index, schema, *range);
                let out = alternatives.iter().filter(|alternative| is_left_out(alternative.code()));
                for mutant in out.filter_map(|alternative| own[alternative.mutation]) {
                    self.reasons.insert(mutant, format!("it does not compile beside the others: {reason}"));
                }
            }
            if is_out {
                own.iter().flatten().for_each(|mutant| self.seen[*mutant] = Seen::Unknown);
            }
        }
    }
}

impl AllLeftOut {
    /// The compiler's message closest to a position.
    fn reason(&self, index: usize, schema: &FileSchema, range: SourceRange) -> &str {
        let line = schema.file.source.line_column(range.start).line;
        let of_file = self.reasons.range((index, 0)..=(index, u32::MAX));
        let nearest = of_file.min_by_key(|((_, at), _)| at.abs_diff(line));
        nearest.map_or("the compiler refuses it", |(_, reason)| reason.as_str())
    }
}
