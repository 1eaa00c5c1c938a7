//! Every operation, one at a time, against the processor: the same values go through the compiler's own code, through
//! terms that are executed on inputs nobody knows yet and evaluated afterwards, through terms that are constants from
//! the start, and through circuits.

mod cases;
mod native;
mod values;

use super::ir::clangs;
use cases::Case;
use native::Native;
use perturb_sym::execute::{ExecutionError, ExecutionLimits, Machine};
use perturb_sym::ir::Module;
use perturb_sym::solve::{Budget, SatResult};
use perturb_sym::term::{Term, Variable};
use std::path::Path;
use std::process::Command;

/// How many pairs of values each way gets.
const EVALUATED: usize = 1000;
const FOLDED: usize = 40;
const SOLVED: usize = 2;

/// As the engine has the code written, with what is undefined trapping in it.
const FLAGS: [&str; 11] = [
    "-S",
    "-emit-llvm",
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-w",
    "-ffp-contract=off",
    "-fno-stack-protector",
    "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero,float-cast-overflow,bounds,unreachable,vla-bound",
    "-fsanitize-trap=all",
    "-o",
];

/// What a call comes to: none where it does something undefined.
type Outcome = Option<u64>;

#[test]
fn operations_of_c_are_those_of_the_processor() {
    let Some(clang) = clangs().pop() else { return };
    let cases = cases::of_c();
    let folder = tempfile::tempdir().unwrap();
    let (source, code) = (folder.path().join("cases.c"), folder.path().join("cases.ll"));
    std::fs::write(&source, cases::program(&cases)).unwrap();
    let compiled = Command::new(&clang).args(FLAGS).arg(&code).arg(&source).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let module = Module::parse(&std::fs::read_to_string(&code).unwrap());
    all_agree(&module, &cases, folder.path(), true);
}

#[test]
fn instructions_of_every_width_are_those_of_the_processor() {
    let cases = cases::of_code();
    let module = Module::parse(&cases::module(&cases));
    let folder = tempfile::tempdir().unwrap();
    all_agree(&module, &cases, folder.path(), false);
}

#[test]
fn what_is_not_done_is_an_error_and_no_guess() {
    let text = "target datalayout = \"e-p:64:64\"\n\
                define void @remainder(double %a, double %b, ptr %out) {\n  %r = frem double %a, %b\n  \
                store double %r, ptr %out\n  ret void\n}\n";
    let module = Module::parse(text);
    let case = Case::new("remainder", ["double", "double"], "double", "0", "");
    let trouble = Execution::new(&module, &case).map(drop).unwrap_err();
    assert_eq!(trouble.to_string(), "the remainder of floats");
}

/// With `says_undefined`, code says itself what is undefined; otherwise such values are no inputs.
fn all_agree(module: &Module, cases: &[Case], folder: &Path, says_undefined: bool) {
    let pairs: Vec<Vec<[u64; 2]>> = cases.iter().map(|case| values::pairs(case, EVALUATED)).collect();
    let native = Native::new(folder, cases).run(&pairs);
    let mut defined = 0;
    for ((case, pairs), expected) in cases.iter().zip(&pairs).zip(&native) {
        let known = pairs.iter().zip(expected).filter(|(_, expected)| says_undefined || expected.is_some());
        let known: Vec<([u64; 2], Outcome)> = known.map(|(pair, expected)| (*pair, *expected)).collect();
        defined += known.iter().filter(|(_, expected)| expected.is_some()).count();
        let mut execution = Execution::new(module, case).unwrap_or_else(|trouble| panic!("{case:?}: {trouble}"));
        for (pair, expected) in &known {
            assert_eq!(execution.evaluated(*pair), *expected, "{case:?} of {pair:x?}, evaluated");
        }
        for (pair, expected) in known.iter().step_by((known.len() / FOLDED).max(1)) {
            assert_eq!(execution.folded(*pair), *expected, "{case:?} of {pair:x?}, as constants");
        }
        for (pair, expected) in known.iter().step_by((known.len() / SOLVED).max(1)) {
            execution.assert_solved(*pair, *expected);
        }
        assert!(known.len() * 10 > EVALUATED, "{case:?}: only {} inputs", known.len());
    }
    assert!(defined * 2 > cases.len() * EVALUATED, "{defined} of {} cases", cases.len());
}

/// A function that was executed on inputs that nobody knows.
struct Execution<'e> {
    machine: Machine<'e>,
    case: &'e Case,
    inputs: [Term; 2],
    value: Term,
    undefined: Term,
}

impl<'e> Execution<'e> {
    fn new(module: &'e Module, case: &'e Case) -> Result<Self, ExecutionError> {
        let mut machine = Machine::new(module, ExecutionLimits::default(), &|| false);
        let inputs = [0, 1].map(|index| {
            let width = case.parameters[index].width;
            machine.terms.variable(Variable::Input(index as u32), width)
        });
        let (value, undefined) = call(&mut machine, case, inputs)?;
        Ok(Self { machine, case, inputs, value, undefined })
    }

    fn outcome(&self, value: u128, undefined: u128) -> Outcome {
        (undefined == 0).then(|| self.case.result.canonical(value as u64))
    }

    /// The terms with these values in place of the inputs.
    fn evaluated(&self, pair: [u64; 2]) -> Outcome {
        let values = self.machine.terms.evaluate(&[self.value, self.undefined], |variable| match variable {
            Variable::Input(index) => u128::from(pair[index as usize]),
            _ => 0,
        });
        self.outcome(values[0], values[1])
    }

    /// The terms that come of these values, which are constants.
    fn folded(&mut self, pair: [u64; 2]) -> Outcome {
        let constant = |machine: &mut Machine<'_>, at: usize| {
            machine.terms.constant(u128::from(pair[at]), self.case.parameters[at].width)
        };
        let inputs = [constant(&mut self.machine, 0), constant(&mut self.machine, 1)];
        let (value, undefined) = call(&mut self.machine, self.case, inputs).unwrap();
        let constant = |term| self.machine.terms.as_constant(term);
        let undefined = constant(undefined).unwrap_or_else(|| panic!("{:?} of {pair:x?} is no constant", self.case));
        let value = if undefined == 0 { constant(value) } else { Some(0) };
        self.outcome(value.unwrap_or_else(|| panic!("{:?} of {pair:x?} is no constant", self.case)), undefined)
    }

    /// With inputs that have these values, the solver finds what is expected, and nothing else.
    fn assert_solved(&mut self, pair: [u64; 2], expected: Outcome) {
        let terms = &mut self.machine.terms;
        let mut asserted: Vec<Term> = Vec::new();
        for (at, input) in self.inputs.into_iter().enumerate() {
            let known = terms.constant(u128::from(pair[at]), self.case.parameters[at].width);
            asserted.push(terms.eq(input, known));
        }
        let holds = match expected {
            None => self.undefined,
            Some(expected) => {
                let value = if self.case.result.is_float { terms.canonical(self.value) } else { self.value };
                let expected = terms.constant(u128::from(expected), self.case.result.width);
                let (is_same, is_fine) = (terms.eq(value, expected), terms.not(self.undefined));
                terms.and(is_same, is_fine)
            }
        };
        let fails = terms.not(holds);
        for (asked, is_possible) in [(holds, true), (fails, false)] {
            let question: Vec<Term> = asserted.iter().copied().chain([asked]).collect();
            let answer = self.machine.ask(&question, Budget::default());
            let is_right =
                matches!((&answer, is_possible), (SatResult::Satisfiable(_), true) | (SatResult::Unsatisfiable, false));
            assert!(is_right, "{:?} of {pair:x?} is {expected:x?}: {answer:?}", self.case);
        }
    }
}

/// What a function leaves where its last argument points, and whether it did something undefined.
fn call(machine: &mut Machine<'_>, case: &Case, inputs: [Term; 2]) -> Result<(Term, Term), ExecutionError> {
    let mut memory = machine.globals()?;
    let out = machine.new_object();
    let made = machine.unwritten(u64::from(case.result.width / 8));
    memory.add(out, made);
    let address = machine.address(out);
    let executed = machine.call(&case.name, &[inputs[0], inputs[1], address], memory)?;
    let cells = executed.memory.object(out).expect("it is there").cells.clone();
    let value = machine.whole(&cells);
    Ok((value, machine.terms.or(executed.undefined, executed.unfinished)))
}
