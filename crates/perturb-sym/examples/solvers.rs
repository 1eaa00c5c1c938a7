//! How long known equivalences take: by simplification and our solver, by our solver alone, and by z3 where it is
//! installed. `cargo run --release -p perturb-sym --example solvers`.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Instant;

use perturb_sym::solve::{BitSolver, Budget, Dialect, Program, SatResult, SmtLib, Solver};
use perturb_sym::term::{Rounding, Term, Terms, Variable};

/// Two terms that should be equal.
type Pair = fn(&mut Terms) -> (Term, Term);

const QUESTIONS: &[(&str, Pair)] = &[
    ("~(a & b) == ~a | ~b", de_morgan),
    ("x * 2 == x << 1", double),
    ("(a + b) - b == a", cancel),
    ("(a ^ b) + 2 (a & b) == a + b", carry_save),
    ("(a & b) + (a ^ b) / 2 == average, 33 bits", average),
    ("signed average, floor == 33 bits", signed_average),
    ("min of a sorting network of 8", sorting_min),
    ("max of a sorting network of 8", sorting_max),
    ("population count: loop == SWAR", popcount),
    ("population count: Kernighan (16 bits) == SWAR", popcount_kernighan),
    ("absolute value: branch == shift and xor", absolute),
    ("sign: branch == shifts", sign),
    ("round up to a power of two: smear == steps (16 bits)", power_of_two),
    ("swap by xor", swap),
    ("x / 2 == (x + (x >>> 31)) >> 1", halve),
    ("x % 8 == x & 7 for x >= 0", modulo),
    ("x * 15 == (x << 4) - x", fifteen),
    ("saturating add: overflow == 64 bits", saturating),
    ("byte swap: shifts == slices", byte_swap),
    ("x / 3 == (x * 43691) >> 17, 16 bits", magic),
    ("a * (b + c) == a * b + a * c, 8 bits", distribute),
    ("(x / 10) * 10 + x % 10 == x, 16 bits", quotient_and_rest),
    ("clamp of a float: ifs == min and max", clamp),
    ("a + b == b + a, double", commute),
    ("x * 2.0 == x + x, double", float_double),
    ("x / 2.0 == x * 0.5, double", float_half),
    ("-(a - b) == b - a, double, a != b", float_negate),
    ("floor(x) == -ceil(-x), double", floor_ceil),
    ("(float)(double)x == x", float_round_trip),
    ("(int)(double)i == i", integer_round_trip),
];

fn main() {
    let mut z3 = Installed.run("(check-sat)").map(|_| SmtLib::new(Dialect::Z3, Installed));
    println!("{:55} {:>10} {:>10} {:>10}   (milliseconds; ? = unknown)", "", "simplified", "circuits", "z3");
    for (name, pair) in QUESTIONS {
        let simplified = measured(&mut BitSolver::new(), &mut Terms::new(), *pair);
        let circuits = measured(&mut BitSolver::new(), &mut Terms::plain(), *pair);
        let other = z3.as_mut().map_or("-".to_owned(), |z3| measured(z3, &mut Terms::plain(), *pair));
        println!("{name:55} {simplified:>10} {circuits:>10} {other:>10}");
    }
}

/// The time to build the question and to answer it.
fn measured(solver: &mut impl Solver, terms: &mut Terms, pair: Pair) -> String {
    let start = Instant::now();
    let (a, b) = pair(terms);
    let differ = terms.ne(a, b);
    let answer = solver.check(terms, &[differ], Budget::default());
    let time = start.elapsed().as_secs_f64() * 1000.0;
    match answer {
        SatResult::Unsatisfiable => format!("{time:.2}"),
        SatResult::Satisfiable(model) => format!("WRONG {model:x?}"),
        SatResult::Unknown(_) => format!("? {time:.0}"),
    }
}

struct Installed;

impl Program for Installed {
    fn run(&mut self, script: &str) -> Option<String> {
        let mut command = Command::new("z3");
        // No question is to take longer than a minute.
        command.args(["-in", "-T:60"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().ok()?;
        child.stdin.take()?.write_all(script.as_bytes()).ok()?;
        String::from_utf8(child.wait_with_output().ok()?.stdout).ok()
    }
}

fn inputs<const N: usize>(t: &mut Terms, width: u32) -> [Term; N] {
    std::array::from_fn(|number| t.variable(Variable::Input(number as u32), width))
}

/// A constant as wide as another term.
fn number(t: &mut Terms, like: Term, value: i128) -> Term {
    t.constant(value as u128, t.width(like))
}

fn shl(t: &mut Terms, a: Term, by: u32) -> Term {
    let by = number(t, a, by.into());
    t.shl(a, by)
}

fn lshr(t: &mut Terms, a: Term, by: u32) -> Term {
    let by = number(t, a, by.into());
    t.lshr(a, by)
}

fn ashr(t: &mut Terms, a: Term, by: u32) -> Term {
    let by = number(t, a, by.into());
    t.ashr(a, by)
}

fn masked(t: &mut Terms, a: Term, mask: i128) -> Term {
    let mask = number(t, a, mask);
    t.and(a, mask)
}

fn de_morgan(t: &mut Terms) -> (Term, Term) {
    let [a, b] = inputs(t, 32);
    let (and, not_a, not_b) = (t.and(a, b), t.not(a), t.not(b));
    (t.not(and), t.or(not_a, not_b))
}

fn double(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 32);
    let two = number(t, x, 2);
    (t.mul(x, two), shl(t, x, 1))
}

fn cancel(t: &mut Terms) -> (Term, Term) {
    let [a, b] = inputs(t, 32);
    let sum = t.add(a, b);
    (t.sub(sum, b), a)
}

fn carry_save(t: &mut Terms) -> (Term, Term) {
    let [a, b] = inputs(t, 32);
    let (xor, and) = (t.xor(a, b), t.and(a, b));
    let carries = shl(t, and, 1);
    (t.add(xor, carries), t.add(a, b))
}

fn average(t: &mut Terms) -> (Term, Term) {
    let [a, b] = inputs(t, 32);
    let (xor, and) = (t.xor(a, b), t.and(a, b));
    let half = lshr(t, xor, 1);
    let (long_a, long_b) = (t.zext(a, 33), t.zext(b, 33));
    let sum = t.add(long_a, long_b);
    (t.add(and, half), t.extract(sum, 1, 32))
}

fn signed_average(t: &mut Terms) -> (Term, Term) {
    let [a, b] = inputs(t, 32);
    let (xor, and) = (t.xor(a, b), t.and(a, b));
    let half = ashr(t, xor, 1);
    let (long_a, long_b) = (t.sext(a, 33), t.sext(b, 33));
    let sum = t.add(long_a, long_b);
    (t.add(and, half), t.extract(sum, 1, 32))
}

fn sorted(t: &mut Terms) -> (Vec<Term>, Vec<Term>) {
    // Batcher's odd-even merge sort.
    const NETWORK: [(usize, usize); 19] = [
        (0, 1),
        (2, 3),
        (4, 5),
        (6, 7),
        (0, 2),
        (1, 3),
        (4, 6),
        (5, 7),
        (1, 2),
        (5, 6),
        (0, 4),
        (1, 5),
        (2, 6),
        (3, 7),
        (2, 4),
        (3, 5),
        (1, 2),
        (3, 4),
        (5, 6),
    ];
    let values: [Term; 8] = inputs(t, 32);
    let mut row = values.to_vec();
    for (i, j) in NETWORK {
        let is_less = t.slt(row[j], row[i]);
        let (low, high) = (t.ite(is_less, row[j], row[i]), t.ite(is_less, row[i], row[j]));
        (row[i], row[j]) = (low, high);
    }
    (values.to_vec(), row)
}

fn sorting_min(t: &mut Terms) -> (Term, Term) {
    let (values, sorted) = sorted(t);
    let min = values[1..].iter().fold(values[0], |min, value| {
        let is_less = t.slt(*value, min);
        t.ite(is_less, *value, min)
    });
    (sorted[0], min)
}

fn sorting_max(t: &mut Terms) -> (Term, Term) {
    let (values, sorted) = sorted(t);
    let max = values[1..].iter().fold(values[0], |max, value| {
        let is_less = t.slt(max, *value);
        t.ite(is_less, *value, max)
    });
    (sorted[7], max)
}

/// The population count that adds fields of growing size side by side.
fn swar(t: &mut Terms, x: Term) -> Term {
    let mut sum = x;
    for (by, mask) in [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f), (8, 0x00ff_00ff), (16, 0xffff)] {
        if by < t.width(x) {
            let (low, shifted) = (masked(t, sum, mask), lshr(t, sum, by));
            let high = masked(t, shifted, mask);
            sum = t.add(low, high);
        }
    }
    sum
}

fn popcount(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 32);
    let mut count = number(t, x, 0);
    for bit in 0..32 {
        let shifted = lshr(t, x, bit);
        let one = masked(t, shifted, 1);
        count = t.add(count, one);
    }
    (count, swar(t, x))
}

fn popcount_kernighan(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 16);
    let (zero, one) = (number(t, x, 0), number(t, x, 1));
    let (mut rest, mut count) = (x, zero);
    for _ in 0..16 {
        let (is_done, more) = (t.eq(rest, zero), t.add(count, one));
        count = t.ite(is_done, count, more);
        let less = t.sub(rest, one);
        rest = t.and(rest, less);
    }
    (count, swar(t, x))
}

fn absolute(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 32);
    let (zero, negated) = (number(t, x, 0), t.neg(x));
    let is_negative = t.slt(x, zero);
    let mask = ashr(t, x, 31);
    let flipped = t.xor(x, mask);
    (t.ite(is_negative, negated, x), t.sub(flipped, mask))
}

fn sign(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 32);
    let (zero, one, minus_one) = (number(t, x, 0), number(t, x, 1), number(t, x, -1));
    let (is_negative, is_positive) = (t.slt(x, zero), t.slt(zero, x));
    let not_negative = t.ite(is_positive, one, zero);
    let (high, negated) = (ashr(t, x, 31), t.neg(x));
    let low = lshr(t, negated, 31);
    (t.ite(is_negative, minus_one, not_negative), t.or(high, low))
}

fn power_of_two(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 16);
    let (zero, one) = (number(t, x, 0), number(t, x, 1));
    let mut smeared = t.sub(x, one);
    for by in [1, 2, 4, 8] {
        let shifted = lshr(t, smeared, by);
        smeared = t.or(smeared, shifted);
    }
    // Beyond the greatest power both are zero.
    let mut least = zero;
    for exponent in (0..16).rev() {
        let power = number(t, x, 1 << exponent);
        let fits = t.ule(x, power);
        least = t.ite(fits, power, least);
    }
    let is_zero = t.eq(x, zero);
    (t.add(smeared, one), t.ite(is_zero, zero, least))
}

fn swap(t: &mut Terms) -> (Term, Term) {
    let [a, b] = inputs(t, 32);
    let x = t.xor(a, b);
    let y = t.xor(x, b);
    let z = t.xor(x, y);
    (t.sub(y, z), t.sub(a, b))
}

fn halve(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 32);
    let (two, sign) = (number(t, x, 2), lshr(t, x, 31));
    let corrected = t.add(x, sign);
    (t.sdiv(x, two), ashr(t, corrected, 1))
}

fn modulo(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 32);
    let (zero, eight) = (number(t, x, 0), number(t, x, 8));
    let is_negative = t.slt(x, zero);
    let (rest, low) = (t.srem(x, eight), masked(t, x, 7));
    (t.ite(is_negative, zero, rest), t.ite(is_negative, zero, low))
}

fn fifteen(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 32);
    let (fifteen, sixteen) = (number(t, x, 15), shl(t, x, 4));
    (t.mul(x, fifteen), t.sub(sixteen, x))
}

fn saturating(t: &mut Terms) -> (Term, Term) {
    let [a, b] = inputs(t, 32);
    let (least, greatest, zero) = (number(t, a, -(1 << 31)), number(t, a, (1 << 31) - 1), number(t, a, 0));
    let (overflows, is_negative, sum) = (t.sadd_overflows(a, b), t.slt(a, zero), t.add(a, b));
    let end = t.ite(is_negative, least, greatest);
    let one = t.ite(overflows, end, sum);
    let (long_a, long_b) = (t.sext(a, 64), t.sext(b, 64));
    let (long, low, high) = (t.add(long_a, long_b), t.sext(least, 64), t.sext(greatest, 64));
    let (is_low, is_high) = (t.slt(long, low), t.slt(high, long));
    let below = t.ite(is_high, high, long);
    let clamped = t.ite(is_low, low, below);
    (one, t.extract(clamped, 0, 32))
}

fn byte_swap(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 32);
    let (high, low) = (shl(t, x, 8), lshr(t, x, 8));
    let (high, low) = (masked(t, high, 0xff00_ff00), masked(t, low, 0x00ff_00ff));
    let pairs = t.or(high, low);
    let (left, right) = (shl(t, pairs, 16), lshr(t, pairs, 16));
    let bytes = [0, 8, 16, 24].map(|low| t.extract(x, low, 8));
    let joined = bytes[1..].iter().fold(bytes[0], |high, low| t.concat(high, *low));
    (t.or(left, right), joined)
}

fn magic(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 16);
    let three = number(t, x, 3);
    let long = t.zext(x, 32);
    let factor = number(t, long, 43691);
    let product = t.mul(long, factor);
    let shifted = lshr(t, product, 17);
    (t.udiv(x, three), t.extract(shifted, 0, 16))
}

fn distribute(t: &mut Terms) -> (Term, Term) {
    let [a, b, c] = inputs(t, 8);
    let (sum, ab, ac) = (t.add(b, c), t.mul(a, b), t.mul(a, c));
    (t.mul(a, sum), t.add(ab, ac))
}

fn quotient_and_rest(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 16);
    let ten = number(t, x, 10);
    let (quotient, rest) = (t.udiv(x, ten), t.urem(x, ten));
    let product = t.mul(quotient, ten);
    (t.add(product, rest), x)
}

fn float(t: &mut Terms, value: f64) -> Term {
    t.constant(value.to_bits().into(), 64)
}

fn clamp(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 64);
    let (low, high) = (float(t, -1.0), float(t, 1.0));
    let (is_low, is_high) = (t.flt(x, low), t.flt(high, x));
    let below = t.ite(is_high, high, x);
    let ifs = t.ite(is_low, low, below);
    // A NaN goes through the ifs, and is dropped by max.
    let (at_least, is_nan) = (t.fmax(x, low), t.is_nan(x));
    let clamped = t.fmin(at_least, high);
    (ifs, t.ite(is_nan, x, clamped))
}

fn commute(t: &mut Terms) -> (Term, Term) {
    let [a, b] = inputs(t, 64);
    (t.fadd(a, b), t.fadd(b, a))
}

fn float_double(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 64);
    let two = float(t, 2.0);
    (t.fmul(x, two), t.fadd(x, x))
}

fn float_half(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 64);
    let (two, half) = (float(t, 2.0), float(t, 0.5));
    (t.fdiv(x, two), t.fmul(x, half))
}

fn float_negate(t: &mut Terms) -> (Term, Term) {
    let [a, b] = inputs(t, 64);
    let (one, other) = (t.fsub(a, b), t.fsub(b, a));
    let negated = t.fneg(one);
    let negated = t.canonical(negated);
    let equal = t.feq(a, b);
    (t.ite(equal, other, negated), other)
}

fn floor_ceil(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 64);
    let negated = t.fneg(x);
    let ceil = t.fround(Rounding::Ceil, negated);
    let negated = t.fneg(ceil);
    (t.fround(Rounding::Floor, x), t.canonical(negated))
}

fn float_round_trip(t: &mut Terms) -> (Term, Term) {
    let [x] = inputs(t, 32);
    let double = t.fconvert(x, 64);
    (t.fconvert(double, 32), t.canonical(x))
}

fn integer_round_trip(t: &mut Terms) -> (Term, Term) {
    let [i] = inputs(t, 32);
    let double = t.from_signed(i, 64);
    (t.to_signed(double, 32), i)
}
