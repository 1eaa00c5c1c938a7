//! Terms that are the same by construction.

use super::super::{Term, Terms, Variable};

/// Three variables of 32 bits and a truth value.
struct Setting {
    terms: Terms,
    x: Term,
    y: Term,
    z: Term,
    c: Term,
}

fn check(name: &str, both: impl Fn(&mut Setting) -> (Term, Term)) {
    let mut terms = Terms::new();
    let [x, y, z] = [0, 1, 2].map(|number| terms.variable(Variable::Input(number), 32));
    let c = terms.variable(Variable::Fresh(0), 1);
    let mut setting = Setting { terms, x, y, z, c };
    let (one, other) = both(&mut setting);
    let terms = &setting.terms;
    assert_eq!(one, other, "{name}:\n{}\nnot\n{}", terms.smtlib(&[one]), terms.smtlib(&[other]));
}

fn number(s: &mut Setting, value: i128) -> Term {
    s.terms.constant(value as u128, 32)
}

#[test]
fn sums_are_linear_forms() {
    check("x + 5 - x", |s| {
        let five = number(s, 5);
        let sum = s.terms.add(s.x, five);
        (s.terms.sub(sum, s.x), five)
    });
    check("(x + y) - y", |s| {
        let sum = s.terms.add(s.x, s.y);
        (s.terms.sub(sum, s.y), s.x)
    });
    check("x * 2 and x << 1", |s| {
        let (one, two) = (number(s, 1), number(s, 2));
        (s.terms.mul(s.x, two), s.terms.shl(s.x, one))
    });
    check("-(x - y) and y - x", |s| {
        let difference = s.terms.sub(s.x, s.y);
        (s.terms.neg(difference), s.terms.sub(s.y, s.x))
    });
    check("~x + 1 and -x", |s| {
        let (one, not) = (number(s, 1), s.terms.not(s.x));
        (s.terms.add(not, one), s.terms.neg(s.x))
    });
    check("~(x - 1) and -x", |s| {
        let minus_one = number(s, -1);
        let less = s.terms.add(s.x, minus_one);
        (s.terms.not(less), s.terms.neg(s.x))
    });
    check("(x * y) * z and z * (y * x)", |s| {
        let (xy, yx) = (s.terms.mul(s.x, s.y), s.terms.mul(s.y, s.x));
        (s.terms.mul(xy, s.z), s.terms.mul(s.z, yx))
    });
}

#[test]
fn an_address_is_whole_again_after_its_bytes_were_stored() {
    let mut terms = Terms::new();
    let (base, nothing, four) = (terms.variable(Variable::Base(1), 64), terms.constant(0, 64), terms.constant(4, 64));
    let [i, is_null] = [(0, 64), (1, 1)].map(|(number, width)| terms.variable(Variable::Input(number), width));
    let step = terms.mul(i, four);
    let (next, at) = (terms.add(base, four), terms.add(base, step));
    let choice = terms.ite(is_null, nothing, next);
    for address in [base, next, at, choice] {
        let bytes: Vec<Term> = (0..8).map(|byte| terms.extract(address, 8 * byte, 8)).collect();
        let whole = bytes[1..].iter().fold(bytes[0], |whole, byte| terms.concat(*byte, whole));
        assert_eq!(whole, address, "{}", terms.smtlib(&[whole]));
    }
}

#[test]
fn multiples_keep_their_low_zeros() {
    let mut terms = Terms::new();
    let [i, j] = [0, 1].map(|number| terms.variable(Variable::Input(number), 64));
    let four = terms.constant(4, 64);
    let (i, j) = (terms.mul(four, i), terms.mul(four, j));
    let sum = terms.add(i, j);
    assert_eq!(terms.trailing_zeros(sum), 2);
    let low = terms.extract(sum, 0, 2);
    assert_eq!(terms.as_constant(low), Some(0));
}

#[test]
fn logic_has_one_form() {
    check("De Morgan", |s| {
        let (not_x, not_y) = (s.terms.not(s.x), s.terms.not(s.y));
        let and = s.terms.and(s.x, s.y);
        (s.terms.not(and), s.terms.or(not_x, not_y))
    });
    check("absorption", |s| {
        let or = s.terms.or(s.x, s.y);
        (s.terms.and(s.x, or), s.x)
    });
    check("x ^ y ^ x", |s| {
        let xor = s.terms.xor(s.x, s.y);
        (s.terms.xor(xor, s.x), s.y)
    });
    check("bytes that are or-ed and added", |s| {
        let (byte, eight) = (number(s, 255), number(s, 8));
        let (low, high) = (s.terms.and(s.x, byte), s.terms.and(s.y, byte));
        let high = s.terms.shl(high, eight);
        (s.terms.or(low, high), s.terms.add(high, low))
    });
    check("(x >> 8) & 255 and a slice", |s| {
        let (byte, eight) = (number(s, 255), number(s, 8));
        let shifted = s.terms.lshr(s.x, eight);
        let slice = s.terms.extract(s.x, 8, 8);
        (s.terms.and(shifted, byte), s.terms.zext(slice, 32))
    });
}

#[test]
fn choices_have_one_form() {
    check("nested by the same condition", |s| {
        let inner = s.terms.ite(s.c, s.x, s.y);
        (s.terms.ite(s.c, inner, s.z), s.terms.ite(s.c, s.x, s.z))
    });
    check("by the negated condition", |s| {
        let not = s.terms.not(s.c);
        (s.terms.ite(not, s.x, s.y), s.terms.ite(s.c, s.y, s.x))
    });
    check("a choice of constants is compared", |s| {
        let (one, two) = (number(s, 1), number(s, 2));
        let choice = s.terms.ite(s.c, one, two);
        (s.terms.eq(choice, one), s.c)
    });
    check("a truth value as an integer is compared with zero", |s| {
        let (long, zero) = (s.terms.zext(s.c, 32), number(s, 0));
        (s.terms.ne(long, zero), s.c)
    });
}

#[test]
fn slices_join_again() {
    check("bytes of a word", |s| {
        let bytes = [24, 16, 8, 0].map(|low| s.terms.extract(s.x, low, 8));
        let (high, low) = (s.terms.concat(bytes[0], bytes[1]), s.terms.concat(bytes[2], bytes[3]));
        (s.terms.concat(high, low), s.x)
    });
    check("bytes of a word, one by one", |s| {
        let bytes = [24, 16, 8, 0].map(|low| s.terms.extract(s.x, low, 8));
        let joined = bytes[1..].iter().fold(bytes[0], |high, low| s.terms.concat(high, *low));
        (joined, s.x)
    });
}

#[test]
fn comparisons_know_the_ends_and_common_parts() {
    check("x + 1 == y + 1", |s| {
        let one = number(s, 1);
        let (x, y) = (s.terms.add(s.x, one), s.terms.add(s.y, one));
        (s.terms.eq(x, y), s.terms.eq(s.x, s.y))
    });
    check("x < 1 and x == 0", |s| {
        let (zero, one) = (number(s, 0), number(s, 1));
        (s.terms.ult(s.x, one), s.terms.eq(s.x, zero))
    });
    check("3 * x == 6 and x == 2", |s| {
        let (two, three, six) = (number(s, 2), number(s, 3), number(s, 6));
        let multiple = s.terms.mul(three, s.x);
        (s.terms.eq(multiple, six), s.terms.eq(s.x, two))
    });
    check("x + 4 * y == x + 8 and the low bits of y", |s| {
        let (four, eight, two) = (number(s, 4), number(s, 8), s.terms.constant(2, 30));
        let multiple = s.terms.mul(four, s.y);
        let (one, other) = (s.terms.add(s.x, multiple), s.terms.add(s.x, eight));
        let low = s.terms.extract(s.y, 0, 30);
        (s.terms.eq(one, other), s.terms.eq(low, two))
    });
    check("!(x <= y) and y < x", |s| {
        let less = s.terms.sle(s.x, s.y);
        (s.terms.not(less), s.terms.slt(s.y, s.x))
    });
}

#[test]
fn products_of_sums_are_compared_multiplied_out() {
    check("a * (b + c) and a * b + a * c", |s| {
        let (sum, xy, xz) = (s.terms.add(s.y, s.z), s.terms.mul(s.x, s.y), s.terms.mul(s.x, s.z));
        let (left, right) = (s.terms.mul(s.x, sum), s.terms.add(xy, xz));
        (s.terms.eq(left, right), s.terms.truth(true))
    });
    check("(x + y) * (x - y) and x * x - y * y + 1", |s| {
        let (sum, difference, one) = (s.terms.add(s.x, s.y), s.terms.sub(s.x, s.y), number(s, 1));
        let (xx, yy) = (s.terms.mul(s.x, s.x), s.terms.mul(s.y, s.y));
        let (left, squares) = (s.terms.mul(sum, difference), s.terms.sub(xx, yy));
        let right = s.terms.add(squares, one);
        (s.terms.eq(left, right), s.terms.truth(false))
    });
}

#[test]
fn floats_are_the_same_where_their_exact_values_are() {
    let float = |s: &mut Setting, value: f32| s.terms.constant(u128::from(value.to_bits()), 32);
    check("a + b and b + a", |s| (s.terms.fadd(s.x, s.y), s.terms.fadd(s.y, s.x)));
    check("a * 1 is a, but for which NaN", |s| {
        let one = float(s, 1.0);
        (s.terms.fmul(s.x, one), s.terms.canonical(s.x))
    });
    check("a - 0 is a, but for which NaN", |s| {
        let zero = float(s, 0.0);
        (s.terms.fsub(s.x, zero), s.terms.canonical(s.x))
    });
    check("a / -4 and a * -0.25", |s| {
        let (four, quarter) = (float(s, -4.0), float(s, -0.25));
        (s.terms.fdiv(s.x, four), s.terms.fmul(s.x, quarter))
    });
    check("a + a and 2 * a", |s| {
        let two = float(s, 2.0);
        (s.terms.fadd(s.x, s.x), s.terms.fmul(two, s.x))
    });
    check("an integer as a double and back", |s| {
        let double = s.terms.from_signed(s.x, 64);
        (s.terms.to_signed(double, 32), s.x)
    });
}
