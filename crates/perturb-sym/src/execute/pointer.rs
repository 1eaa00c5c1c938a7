//! Pointers: the address of an object, which is a variable, plus an offset. A choice of pointers is a choice of
//! objects.

use super::memory::ObjectId;
use super::ExecutionError;
use crate::term::{Node, Op, Term, Terms, Variable};

/// A possible target of a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointerTarget {
    /// The condition for this target.
    pub when: Term,
    /// `None`: no object; the pointer is a plain number.
    pub object: Option<ObjectId>,
    pub offset: Term,
}

/// The greatest number of targets.
const MOST_TARGETS: usize = 64;

/// All targets of a pointer; their conditions exclude each other.
pub fn resolve(terms: &mut Terms, pointer: Term) -> Result<Vec<PointerTarget>, ExecutionError> {
    let when = terms.truth(true);
    let zero = terms.constant(0, 64);
    let mut found = Vec::new();
    walk(terms, pointer, when, zero, &mut found, 0)?;
    Ok(found)
}

fn walk(
    terms: &mut Terms,
    pointer: Term,
    when: Term,
    offset: Term,
    found: &mut Vec<PointerTarget>,
    depth: u32,
) -> Result<(), ExecutionError> {
    if found.len() > MOST_TARGETS || depth > 200 {
        return Err(ExecutionError::Limit("choices of a pointer"));
    }
    if terms.as_constant(when) == Some(0) {
        return Ok(());
    }
    match terms.node(pointer) {
        Node::Variable(Variable::Base(object)) => {
            found.push(PointerTarget { when, object: Some(ObjectId(object)), offset });
            Ok(())
        }
        Node::Constant(_) => {
            let offset = terms.add(pointer, offset);
            found.push(PointerTarget { when, object: None, offset });
            Ok(())
        }
        Node::Apply(Op::Ite, [condition, one, other]) => {
            let (yes, not) = (terms.and(when, condition), terms.not(condition));
            let no = terms.and(when, not);
            walk(terms, one, yes, offset, found, depth + 1)?;
            walk(terms, other, no, offset, found, depth + 1)
        }
        Node::Apply(Op::Add, [one, other, _]) => {
            let (base, rest) = if terms.is_address(one) { (one, other) } else { (other, one) };
            if !terms.is_address(base) || terms.is_address(rest) {
                return Err(number());
            }
            let offset = terms.add(offset, rest);
            walk(terms, base, when, offset, found, depth + 1)
        }
        Node::Apply(Op::Sub, [base, rest, _]) if terms.is_address(base) && !terms.is_address(rest) => {
            let offset = terms.sub(offset, rest);
            walk(terms, base, when, offset, found, depth + 1)
        }
        _ => Err(number()),
    }
}

fn number() -> ExecutionError {
    ExecutionError::unsupported("a pointer that is made of a number")
}
