//! The keywords of LLVM's text, and what they mean.

use super::cursor::{Cursor, Read, Token};
use crate::ir::function::Linkage;
use crate::ir::instruction::{Ordering, UpdateOp};
use crate::ir::value::computation::*;

pub(super) fn integer_op(word: &str) -> Option<IntegerOp> {
    Some(match word {
        "add" => IntegerOp::Add,
        "sub" => IntegerOp::Sub,
        "mul" => IntegerOp::Mul,
        "udiv" => IntegerOp::UDiv,
        "sdiv" => IntegerOp::SDiv,
        "urem" => IntegerOp::URem,
        "srem" => IntegerOp::SRem,
        "shl" => IntegerOp::Shl,
        "lshr" => IntegerOp::LShr,
        "ashr" => IntegerOp::AShr,
        "and" => IntegerOp::And,
        "or" => IntegerOp::Or,
        "xor" => IntegerOp::Xor,
        _ => return None,
    })
}

pub(super) fn float_op(word: &str) -> Option<FloatOp> {
    Some(match word {
        "fadd" => FloatOp::Add,
        "fsub" => FloatOp::Sub,
        "fmul" => FloatOp::Mul,
        "fdiv" => FloatOp::Div,
        "frem" => FloatOp::Rem,
        _ => return None,
    })
}

pub(super) fn cast(word: &str) -> Option<Cast> {
    Some(match word {
        "trunc" => Cast::Trunc,
        "zext" => Cast::ZExt,
        "sext" => Cast::SExt,
        "fptrunc" => Cast::FpTrunc,
        "fpext" => Cast::FpExt,
        "fptoui" => Cast::FpToUi,
        "fptosi" => Cast::FpToSi,
        "uitofp" => Cast::UiToFp,
        "sitofp" => Cast::SiToFp,
        "ptrtoint" => Cast::PtrToInt,
        "inttoptr" => Cast::IntToPtr,
        "bitcast" => Cast::BitCast,
        _ => return None,
    })
}

pub(super) fn integer_predicate(word: &str) -> Option<IntegerPredicate> {
    Some(match word {
        "eq" => IntegerPredicate::Eq,
        "ne" => IntegerPredicate::Ne,
        "ugt" => IntegerPredicate::Ugt,
        "uge" => IntegerPredicate::Uge,
        "ult" => IntegerPredicate::Ult,
        "ule" => IntegerPredicate::Ule,
        "sgt" => IntegerPredicate::Sgt,
        "sge" => IntegerPredicate::Sge,
        "slt" => IntegerPredicate::Slt,
        "sle" => IntegerPredicate::Sle,
        _ => return None,
    })
}

pub(super) fn float_predicate(word: &str) -> Option<FloatPredicate> {
    Some(match word {
        "false" => FloatPredicate::False,
        "oeq" => FloatPredicate::Oeq,
        "ogt" => FloatPredicate::Ogt,
        "oge" => FloatPredicate::Oge,
        "olt" => FloatPredicate::Olt,
        "ole" => FloatPredicate::Ole,
        "one" => FloatPredicate::One,
        "ord" => FloatPredicate::Ord,
        "ueq" => FloatPredicate::Ueq,
        "ugt" => FloatPredicate::Ugt,
        "uge" => FloatPredicate::Uge,
        "ult" => FloatPredicate::Ult,
        "ule" => FloatPredicate::Ule,
        "une" => FloatPredicate::Une,
        "uno" => FloatPredicate::Uno,
        "true" => FloatPredicate::True,
        _ => return None,
    })
}

pub(super) fn ordering(word: &str) -> Option<Ordering> {
    Some(match word {
        "unordered" => Ordering::Unordered,
        "monotonic" => Ordering::Monotonic,
        "acquire" => Ordering::Acquire,
        "release" => Ordering::Release,
        "acq_rel" => Ordering::AcquireRelease,
        "seq_cst" => Ordering::SequentiallyConsistent,
        _ => return None,
    })
}

pub(super) fn update_op(word: &str) -> Option<UpdateOp> {
    Some(match word {
        "xchg" => UpdateOp::Exchange,
        "add" => UpdateOp::Add,
        "sub" => UpdateOp::Sub,
        "and" => UpdateOp::And,
        "nand" => UpdateOp::Nand,
        "or" => UpdateOp::Or,
        "xor" => UpdateOp::Xor,
        "max" => UpdateOp::Max,
        "min" => UpdateOp::Min,
        "umax" => UpdateOp::UMax,
        "umin" => UpdateOp::UMin,
        "fadd" => UpdateOp::FAdd,
        "fsub" => UpdateOp::FSub,
        "fmax" => UpdateOp::FMax,
        "fmin" => UpdateOp::FMin,
        _ => return None,
    })
}

pub(super) fn linkage(word: &str) -> Option<Linkage> {
    Some(match word {
        "external" => Linkage::External,
        "private" => Linkage::Private,
        "internal" => Linkage::Internal,
        "available_externally" => Linkage::AvailableExternally,
        "linkonce" => Linkage::LinkOnce,
        "linkonce_odr" => Linkage::LinkOnceOdr,
        "weak" => Linkage::Weak,
        "weak_odr" => Linkage::WeakOdr,
        "common" => Linkage::Common,
        "appending" => Linkage::Appending,
        "extern_weak" => Linkage::ExternWeak,
        _ => return None,
    })
}

/// Takes words as long as they are flags.
fn flags<F: Default>(cursor: &mut Cursor<'_>, set: impl Fn(&mut F, &str) -> bool) -> F {
    let mut flags = F::default();
    while let Token::Word(word) = cursor.peek() {
        if !set(&mut flags, word) {
            break;
        }
        cursor.take();
    }
    flags
}

pub(super) fn integer_flags(cursor: &mut Cursor<'_>) -> IntegerFlags {
    flags(cursor, |flags: &mut IntegerFlags, word| {
        let flag = match word {
            "nuw" => &mut flags.nuw,
            "nsw" => &mut flags.nsw,
            "exact" => &mut flags.exact,
            "disjoint" => &mut flags.disjoint,
            "nneg" => &mut flags.nneg,
            "samesign" => &mut flags.samesign,
            _ => return false,
        };
        *flag = true;
        true
    })
}

pub(super) fn fast_math(cursor: &mut Cursor<'_>) -> FastMath {
    flags(cursor, |flags: &mut FastMath, word| {
        let flag = match word {
            "nnan" => &mut flags.nnan,
            "ninf" => &mut flags.ninf,
            "nsz" => &mut flags.nsz,
            "arcp" => &mut flags.arcp,
            "contract" => &mut flags.contract,
            "afn" => &mut flags.afn,
            "reassoc" => &mut flags.reassoc,
            "fast" => {
                let all = true;
                *flags = FastMath { nnan: all, ninf: all, nsz: all, arcp: all, contract: all, afn: all, reassoc: all };
                return true;
            }
            _ => return false,
        };
        *flag = true;
        true
    })
}

pub(super) fn address_flags(cursor: &mut Cursor<'_>) -> Read<AddressFlags> {
    let mut all = AddressFlags::default();
    while let Token::Word(word) = cursor.peek() {
        match word {
            "inbounds" => all.inbounds = true,
            "nusw" => all.nusw = true,
            "nuw" => all.nuw = true,
            // A promise about the uses of the result.
            "inrange" => {
                cursor.take();
                cursor.skip_bracket()?;
                continue;
            }
            _ => break,
        }
        cursor.take();
    }
    all.nusw |= all.inbounds;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    /// Each keyword names the variant like it.
    fn check<T: Debug>(words: &str, meaning: fn(&str) -> Option<T>, prefix: &str) {
        for word in words.split(' ') {
            let name = meaning(word).map(|meaning| format!("{prefix}{meaning:?}").to_lowercase());
            assert_eq!(name.as_deref(), Some(word));
        }
        assert!(meaning("").is_none() && meaning("other").is_none());
    }

    #[test]
    fn words_stand_for_what_they_say() {
        check("add sub mul udiv sdiv urem srem shl lshr ashr and or xor", integer_op, "");
        check("fadd fsub fmul fdiv frem", float_op, "f");
        check("eq ne ugt uge ult ule sgt sge slt sle", integer_predicate, "");
        check("false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true", float_predicate, "");
        check("trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast", cast, "");
        check("add sub and nand or xor max min umax umin fadd fsub fmax fmin", update_op, "");
        check("unordered monotonic acquire release", ordering, "");
        check("external private internal weak common appending", linkage, "");
    }

    #[test]
    fn every_flag_is_set_by_its_word_alone() {
        let flags = |word: &str| {
            let mut cursors = [Cursor::new(word, 1), Cursor::new(word, 1), Cursor::new(word, 1)];
            let [integer, fast, address] = &mut cursors;
            let (integer, fast, address) = (integer_flags(integer), fast_math(fast), address_flags(address).unwrap());
            format!("{integer:?} {fast:?} {address:?}")
        };
        let none = flags("nothing");
        for word in "nsw exact disjoint nneg samesign nnan ninf nsz arcp contract afn reassoc nusw".split(' ') {
            assert_eq!(flags(word), none.replace(&format!("{word}: false"), &format!("{word}: true")), "{word}");
        }
        let wraps = none.replace("nuw: false", "nuw: true");
        assert_eq!(flags("nuw"), wraps);
        assert_eq!(flags("fast").matches("true").count(), 7);
        assert_eq!(flags("inbounds").matches("true").count(), 2);
    }
}
