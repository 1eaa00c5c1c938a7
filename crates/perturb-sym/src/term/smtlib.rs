//! Terms as SMT-LIB 2 (QF_BVFP), for other solvers. Truth values are bit-vectors of one bit there too.
//!
//! SMT-LIB has no way from a float to its bits. The result of a float operation is a constant of its own, of which is
//! asserted that as a float it is the result, and which NaN it is.

use std::fmt::Write as _;

use super::{FloatFormat, FloatOp, Node, Op, Rounding, Term, Terms, Variable};

impl Variable {
    /// Its name in SMT-LIB.
    pub fn name(self) -> String {
        match self {
            Variable::Input(number) => format!("input{number}"),
            Variable::Fresh(number) => format!("fresh{number}"),
            Variable::Base(number) => format!("base{number}"),
        }
    }
}

impl Terms {
    /// Declarations, definitions and assertions that these truth values hold; without a logic and without a question.
    pub fn smtlib(&self, asserted: &[Term]) -> String {
        let mut script = String::new();
        for term in self.cone(asserted) {
            match self.node(term) {
                Node::Constant(_) => {}
                Node::Variable(variable) => {
                    line(&mut script, format_args!("(declare-const {} {})", variable.name(), self.sort(term)));
                }
                Node::Apply(Op::Float(op), arguments) if !is_integer(op) => {
                    self.define_float(&mut script, term, op, arguments)
                }
                Node::Apply(op, arguments) => {
                    let value = self.expression(term, op, arguments);
                    line(&mut script, format_args!("(define-fun t{} () {} {value})", term.index(), self.sort(term)));
                }
            }
        }
        for term in asserted {
            line(&mut script, format_args!("(assert (= {} #b1))", self.name(*term)));
        }
        script
    }

    fn define_float(&self, script: &mut String, term: Term, op: FloatOp, arguments: [Term; 3]) {
        let (name, sort) = (self.name(term), self.sort(term));
        let format = FloatFormat::of_width(self.width(term));
        let value = self.float_expression(op, format, arguments);
        line(script, format_args!("(declare-const {name} {sort})"));
        line(script, format_args!("(define-fun f{name} () {} {value})", float_sort(format)));
        line(script, format_args!("(assert (= f{name} {}))", as_float(&name, format)));
        let nan = constant(format.nan(), format.width());
        line(script, format_args!("(assert (=> (fp.isNaN f{name}) (= {name} {nan})))"));
    }

    fn expression(&self, term: Term, op: Op, arguments: [Term; 3]) -> String {
        let [a, b, c] = arguments.map(|argument| self.name(argument));
        let width = self.width(term);
        let added = width.saturating_sub(self.width(arguments[0]));
        match op {
            Op::Not => format!("(bvnot {a})"),
            Op::Neg => format!("(bvneg {a})"),
            Op::Eq => format!("(ite (= {a} {b}) #b1 #b0)"),
            Op::Ult | Op::Ule | Op::Slt | Op::Sle => format!("(ite ({} {a} {b}) #b1 #b0)", operator(op)),
            Op::Ite => format!("(ite (= {a} #b1) {b} {c})"),
            Op::Extract { low } => format!("((_ extract {} {low}) {a})", low + width - 1),
            Op::Zext => format!("((_ zero_extend {added}) {a})"),
            Op::Sext => format!("((_ sign_extend {added}) {a})"),
            Op::Float(op) => {
                let format = FloatFormat::of_width(self.width(arguments[0]));
                let convert = if op == FloatOp::ToSigned { "fp.to_sbv" } else { "fp.to_ubv" };
                format!("((_ {convert} {width}) RTZ {})", as_float(&a, format))
            }
            _ => format!("({} {a} {b})", operator(op)),
        }
    }

    /// The float that an operation gives, in `format`.
    fn float_expression(&self, op: FloatOp, format: FloatFormat, arguments: [Term; 3]) -> String {
        let [first, ..] = arguments.map(|argument| self.name(argument));
        let (exponent, significand) = (format.exponent_bits, format.fraction_bits + 1);
        match op {
            FloatOp::FromSigned => return format!("((_ to_fp {exponent} {significand}) RNE {first})"),
            FloatOp::FromUnsigned => return format!("((_ to_fp_unsigned {exponent} {significand}) RNE {first})"),
            _ => {}
        }
        let from = FloatFormat::of_width(self.width(arguments[0]));
        let [a, b, c] = arguments.map(|argument| as_float(&self.name(argument), from));
        match op {
            FloatOp::Add => format!("(fp.add RNE {a} {b})"),
            FloatOp::Mul => format!("(fp.mul RNE {a} {b})"),
            FloatOp::Div => format!("(fp.div RNE {a} {b})"),
            FloatOp::Sqrt => format!("(fp.sqrt RNE {a})"),
            FloatOp::Fma => format!("(fp.fma RNE {a} {b} {c})"),
            FloatOp::Round(rounding) => format!("(fp.roundToIntegral {} {a})", mode(rounding)),
            _ => format!("((_ to_fp {exponent} {significand}) RNE {a})"),
        }
    }

    fn name(&self, term: Term) -> String {
        match self.node(term) {
            Node::Constant(value) => constant(value, self.width(term)),
            Node::Variable(variable) => variable.name(),
            Node::Apply(..) => format!("t{}", term.index()),
        }
    }

    fn sort(&self, term: Term) -> String {
        format!("(_ BitVec {})", self.width(term))
    }
}

/// Whether the result is an integer.
fn is_integer(op: FloatOp) -> bool {
    matches!(op, FloatOp::ToSigned | FloatOp::ToUnsigned)
}

fn operator(op: Op) -> &'static str {
    match op {
        Op::And => "bvand",
        Op::Or => "bvor",
        Op::Xor => "bvxor",
        Op::Add => "bvadd",
        Op::Sub => "bvsub",
        Op::Mul => "bvmul",
        Op::Udiv => "bvudiv",
        Op::Urem => "bvurem",
        Op::Sdiv => "bvsdiv",
        Op::Srem => "bvsrem",
        Op::Shl => "bvshl",
        Op::Lshr => "bvlshr",
        Op::Ashr => "bvashr",
        Op::Ult => "bvult",
        Op::Ule => "bvule",
        Op::Slt => "bvslt",
        Op::Sle => "bvsle",
        _ => "concat",
    }
}

fn mode(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::Floor => "RTN",
        Rounding::Ceil => "RTP",
        Rounding::Trunc => "RTZ",
        Rounding::NearestEven => "RNE",
        Rounding::NearestAway => "RNA",
    }
}

fn constant(value: u128, width: u32) -> String {
    format!("(_ bv{value} {width})")
}

fn float_sort(format: FloatFormat) -> String {
    format!("(_ FloatingPoint {} {})", format.exponent_bits, format.fraction_bits + 1)
}

/// The float of these bits.
fn as_float(bits: &str, format: FloatFormat) -> String {
    format!("((_ to_fp {} {}) {bits})", format.exponent_bits, format.fraction_bits + 1)
}

fn line(script: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(script, "{text}");
}
