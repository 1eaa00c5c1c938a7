//! Order abstraction. A function that only copies array elements and compares them with each other behaves the same on
//! all arrays whose elements have the same order. So all arrangements of the values 0 to n-1 decide for arrays of n
//! elements.
//!
//! This requires that nothing else touches an element: no constant, no arithmetic, no index, no conversion. The
//! analysis follows every value of a function and of all functions that it calls. It is conservative: when in doubt, it
//! says no.

use crate::native::{Layout, LeafKind, ObjectKind};
use perturb_sym::ir::{
    Body, Call, Callee, Computation, Definition, Function, Index, IntegerPredicate, Module, Operand, Operation, Type,
};
use std::collections::{BTreeMap, BTreeSet};

/// The number of elements and the bits of each, if a layout permits the abstraction: arrays of integers of one size,
/// and everything else constant.
pub fn elements(layout: &Layout) -> Option<(u64, u32)> {
    // The elements of allocated memory are not counted.
    if layout.heap.as_ref().is_some_and(|heap| heap.allocates) {
        return None;
    }
    let pointed = |object: usize| layout.objects[object].kind == ObjectKind::Pointed;
    let (mut count, mut size) = (0, None);
    for leaf in &layout.leaves {
        let is_fixed = leaf.range.is_some_and(|(low, high)| low == high);
        if is_fixed && !pointed(leaf.object) {
            continue;
        }
        let is_integer = matches!(leaf.kind, LeafKind::Signed | LeafKind::Unsigned);
        if !pointed(leaf.object) || !leaf.is_element || !is_integer || leaf.range.is_some() {
            return None;
        }
        if *size.get_or_insert(leaf.size) != leaf.size {
            return None;
        }
        count += 1;
    }
    let is_other = |kind: &ObjectKind| !matches!(kind, ObjectKind::Argument(_) | ObjectKind::Pointed);
    let has_others = layout.objects.iter().any(|object| is_other(&object.kind));
    let is_argument = |object: usize| matches!(layout.objects[object].kind, ObjectKind::Argument(_));
    let is_flat = layout.links.iter().all(|link| is_argument(link.object) && link.alias.is_none());
    size.filter(|_| !has_others && is_flat).map(|size| (count, size * 8))
}

/// Whether functions only copy and compare elements of this width, all with the same signedness. Calls of `own` are
/// recursive calls.
pub fn only_orders(module: &Module, names: &[&str], own: &str, bits: u32) -> bool {
    // Equality does not depend on signedness, but order does.
    let mut signs = BTreeSet::new();
    names.iter().all(|name| {
        orders(module, name, own, bits).is_some_and(|own| {
            signs.extend(own);
            signs.len() <= 1
        })
    })
}

/// How a function compares elements, as signed numbers or not, if it does nothing else with them but copy.
fn orders(module: &Module, name: &str, own: &str, bits: u32) -> Option<BTreeSet<bool>> {
    let function = module.function(name)?;
    let mut checker =
        Checker { module, root: name, own, bits, signs: BTreeSet::new(), open: Vec::new(), known: BTreeMap::new() };
    let kinds = function.parameters.iter().map(|parameter| match parameter.ty {
        Type::Pointer => AbstractValue::Elements,
        _ => AbstractValue::Plain,
    });
    let kinds: Vec<AbstractValue> = kinds.collect();
    checker.function(function, &kinds)?;
    Some(checker.signs)
}

/// The abstract value of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AbstractValue {
    /// Independent of elements.
    Plain,
    Element,
    /// A pointer to elements.
    Elements,
    /// A pointer to a local variable, by its number.
    Local(usize),
}

struct Checker<'c> {
    module: &'c Module,
    root: &'c str,
    own: &'c str,
    bits: u32,
    /// The signedness with which elements are compared.
    signs: BTreeSet<bool>,
    open: Vec<(String, Vec<AbstractValue>)>,
    /// Results of functions, by name and arguments.
    known: BTreeMap<(String, Vec<AbstractValue>), AbstractValue>,
}

/// The abstract values of one function.
struct Values<'v> {
    definition: &'v Definition,
    registers: Vec<Option<AbstractValue>>,
    /// The value of each local variable.
    locals: Vec<Option<AbstractValue>>,
    /// The local variable that an instruction allocates, by its register.
    made: BTreeMap<usize, usize>,
    returned: Option<AbstractValue>,
    has_changed: bool,
}

impl<'c> Checker<'c> {
    /// The value it returns; `Plain` for nothing. `None` if it uses elements in any other way.
    fn function(&mut self, function: &'c Function, arguments: &[AbstractValue]) -> Option<AbstractValue> {
        let key = (function.name.to_string(), arguments.to_vec());
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        if self.open.contains(&key) {
            // Assumes that a recursive call returns no element.
            return (!matches!(function.result, Type::Pointer)).then_some(AbstractValue::Plain);
        }
        let Body::Defined(definition) = &function.body else { return None };
        if function.is_variadic || arguments.iter().any(|kind| matches!(kind, AbstractValue::Local(_))) {
            return None;
        }
        self.open.push(key.clone());
        let mut values = Values {
            definition,
            registers: vec![None; definition.registers.len()],
            locals: Vec::new(),
            made: BTreeMap::new(),
            returned: None,
            has_changed: true,
        };
        for (register, kind) in values.registers.iter_mut().zip(arguments) {
            *register = Some(*kind);
        }
        let is_fine = self.settle(&mut values).is_some();
        self.open.pop();
        let returned = values.returned.unwrap_or(AbstractValue::Plain);
        // The assumption about recursive calls must hold.
        let is_expected = returned == AbstractValue::Plain || !self.calls_itself(definition);
        if !is_fine || !is_expected || matches!(returned, AbstractValue::Local(_)) {
            return None;
        }
        self.known.insert(key, returned);
        Some(returned)
    }

    fn calls_itself(&self, definition: &Definition) -> bool {
        let calls =
            |operation: &Operation| matches!(operation, Operation::Call(Call { callee: Callee::Direct(_), .. }));
        definition.blocks.iter().flat_map(|block| &block.instructions).any(|instruction| calls(&instruction.operation))
    }

    /// Iterates over the code up to a fixed point.
    fn settle(&mut self, values: &mut Values<'c>) -> Option<()> {
        let definition = values.definition;
        while std::mem::take(&mut values.has_changed) {
            for instruction in definition.blocks.iter().flat_map(|block| &block.instructions) {
                let result = instruction.result.map(|register| register.index());
                let kind = self.operation(values, &instruction.operation, result)?;
                if let (Some(register), Some(kind)) = (result, kind) {
                    values.set(register, kind)?;
                }
            }
        }
        Some(())
    }

    /// The value of the result; `Some(None)` while it is unknown. `None` if elements are used in any other way.
    fn operation(
        &mut self,
        values: &mut Values<'c>,
        operation: &'c Operation,
        result: Option<usize>,
    ) -> Option<Option<AbstractValue>> {
        match operation {
            Operation::Compute(computation) => self.compute(values, computation),
            Operation::Phi { incoming, .. } => {
                let mut kind = None;
                for (_, operand) in incoming {
                    kind = join(kind, values.operand(operand))?;
                }
                Some(kind)
            }
            Operation::Allocate { .. } => Some(Some(AbstractValue::Local(values.local(result?)))),
            Operation::Load { ty, address, access } if !access.is_volatile => match values.operand(address) {
                None => Some(None),
                Some(AbstractValue::Elements) => (*ty == Type::Int(self.bits)).then_some(Some(AbstractValue::Element)),
                Some(AbstractValue::Local(local)) => {
                    let kind = values.locals[local];
                    // Never part of an element.
                    (kind != Some(AbstractValue::Element) || *ty == Type::Int(self.bits)).then_some(kind)
                }
                Some(AbstractValue::Plain | AbstractValue::Element) => None,
            },
            Operation::Store { value, address, access } if !access.is_volatile => {
                match (values.operand(address), values.operand(value)) {
                    (None, _) | (_, None) => {}
                    (Some(AbstractValue::Elements), Some(AbstractValue::Element)) => {}
                    (Some(AbstractValue::Local(_)), Some(AbstractValue::Local(_))) => return None,
                    (Some(AbstractValue::Local(local)), Some(kind)) => values.keep(local, kind)?,
                    _ => return None,
                }
                Some(None)
            }
            Operation::Call(call) => self.call(values, call),
            Operation::Branch { condition: operand, .. } | Operation::Switch { value: operand, .. } => {
                matches!(values.operand(operand), None | Some(AbstractValue::Plain)).then_some(None)
            }
            Operation::Return(value) => {
                let kind = value.as_ref().map_or(Some(AbstractValue::Plain), |value| values.operand(value));
                values.returned = join(values.returned, kind)?;
                Some(None)
            }
            Operation::Jump(_) | Operation::Unreachable => Some(None),
            _ => None,
        }
    }

    fn compute(&mut self, values: &Values<'c>, computation: &Computation) -> Option<Option<AbstractValue>> {
        let kinds: Vec<Option<AbstractValue>> =
            computation.operands().into_iter().map(|operand| values.operand(operand)).collect();
        if kinds.contains(&None) {
            return Some(None);
        }
        let are_plain = kinds.iter().all(|kind| *kind == Some(AbstractValue::Plain));
        match computation {
            _ if are_plain => Some(Some(AbstractValue::Plain)),
            Computation::CompareIntegers { predicate, .. } => match kinds.as_slice() {
                [Some(AbstractValue::Element), Some(AbstractValue::Element)] => {
                    self.signs.extend(sign(*predicate));
                    Some(Some(AbstractValue::Plain))
                }
                [Some(AbstractValue::Elements), Some(AbstractValue::Elements)] => Some(Some(AbstractValue::Plain)),
                _ => None,
            },
            Computation::Address(address) => {
                // From one element to another.
                let whole = u64::from(self.bits / 8);
                let is_plain = |index: &Index| match index {
                    Index::Element { index, stride } => {
                        values.operand(index) == Some(AbstractValue::Plain) && stride.is_multiple_of(whole)
                    }
                    Index::Field { offset, .. } => offset.is_multiple_of(whole),
                };
                match values.operand(&address.base) {
                    Some(kind @ (AbstractValue::Elements | AbstractValue::Local(_)))
                        if address.indices.iter().all(is_plain) =>
                    {
                        Some(Some(kind))
                    }
                    _ => None,
                }
            }
            Computation::Select { .. } => match kinds.as_slice() {
                [Some(AbstractValue::Plain), one, other] => Some(join(*one, *other)?),
                _ => None,
            },
            Computation::Freeze(_) => Some(kinds[0]),
            _ => None,
        }
    }

    fn call(&mut self, values: &Values<'c>, call: &'c Call) -> Option<Option<AbstractValue>> {
        let kinds: Vec<Option<AbstractValue>> =
            call.arguments.iter().map(|argument| values.operand(&argument.value)).collect();
        let name = match &call.callee {
            Callee::Intrinsic(name) if name.starts_with("llvm.dbg") || name.contains("trap") => return Some(None),
            Callee::Intrinsic(_) => {
                let are_plain = kinds.iter().all(|kind| matches!(kind, None | Some(AbstractValue::Plain)));
                return are_plain.then_some((!kinds.contains(&None)).then_some(AbstractValue::Plain));
            }
            Callee::Direct(name) => name,
            Callee::Indirect(_) | Callee::Assembly(_) => return None,
        };
        let Some(kinds) = kinds.into_iter().collect::<Option<Vec<AbstractValue>>>() else { return Some(None) };
        if call.arguments.iter().any(|argument| argument.attributes.byval.is_some()) {
            return None;
        }
        let name = if &**name == self.own { self.root } else { name };
        let function = self.module.function(name)?;
        self.function(function, &kinds).map(Some)
    }
}

impl Values<'_> {
    fn operand(&self, operand: &Operand) -> Option<AbstractValue> {
        match operand {
            Operand::Register { register, .. } => self.registers[register.index()],
            Operand::Constant(_) => Some(AbstractValue::Plain),
        }
    }

    fn set(&mut self, register: usize, kind: AbstractValue) -> Option<()> {
        let joined = join(self.registers[register], Some(kind))?;
        self.has_changed |= joined != self.registers[register];
        self.registers[register] = joined;
        Some(())
    }

    fn local(&mut self, register: usize) -> usize {
        let next = self.locals.len();
        let local = *self.made.entry(register).or_insert(next);
        if local == next {
            self.locals.push(None);
        }
        local
    }

    fn keep(&mut self, local: usize, kind: AbstractValue) -> Option<()> {
        let joined = join(self.locals[local], Some(kind))?;
        self.has_changed |= joined != self.locals[local];
        self.locals[local] = joined;
        Some(())
    }
}

/// The join of two values. `None` if they cannot be joined.
fn join(one: Option<AbstractValue>, other: Option<AbstractValue>) -> Option<Option<AbstractValue>> {
    match (one, other) {
        (None, kind) | (kind, None) => Some(kind),
        (Some(one), Some(other)) => (one == other).then_some(Some(one)),
    }
}

/// Whether a comparison is signed. `None` for one that does not depend on the sign.
fn sign(predicate: IntegerPredicate) -> Option<bool> {
    match predicate {
        IntegerPredicate::Eq | IntegerPredicate::Ne => None,
        IntegerPredicate::Sgt | IntegerPredicate::Sge | IntegerPredicate::Slt | IntegerPredicate::Sle => Some(true),
        IntegerPredicate::Ugt | IntegerPredicate::Uge | IntegerPredicate::Ult | IntegerPredicate::Ule => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function `f(ptr, i32)` with this body.
    fn check(body: &str, expected: bool) {
        let line = |line: &str| if line.ends_with(':') { format!("{line}\n") } else { format!("  {line}\n") };
        let body: String = body.lines().map(line).collect();
        let text = format!(
            "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128\"\n\
             define i32 @f(ptr %v, i32 %n) {{\n{body}\n}}\n"
        );
        let module = Module::parse(&text);
        assert!(
            module.function("f").unwrap().unsupported().is_none(),
            "{body}: {:?}",
            module.function("f").unwrap().unsupported()
        );
        assert_eq!(only_orders(&module, &["f"], "f", 32), expected, "{body}");
    }

    const TWO: &str = "%p = getelementptr i32, ptr %v, i32 %n\n%a = load i32, ptr %v\n%b = load i32, ptr %p\n";

    #[test]
    fn elements_may_be_copied_and_compared_with_each_other() {
        check(
            &format!("{TWO}%c = icmp sgt i32 %a, %b\nstore i32 %a, ptr %p\n%z = zext i1 %c to i32\nret i32 %z"),
            true,
        );
        check(
            &format!(
                "%l = alloca i32\n{TWO}store i32 %a, ptr %l\n%x = load i32, ptr %l\nstore i32 %x, ptr %p\nret i32 0"
            ),
            true,
        );
        check(&format!("{TWO}%c = icmp slt i32 %a, %b\n%s = select i1 %c, i32 %a, i32 %b\nret i32 %s"), true);
    }

    #[test]
    fn two_functions_have_the_same_order_only_if_both_think_the_same_of_signs() {
        let function = |name: &str, order: &str| {
            format!(
                "define i1 @{name}(ptr %v, i32 %n) {{\n  %a = load i32, ptr %v\n  %p = getelementptr i32, ptr %v, i32 \
                 %n\n  \
                 %b = load i32, ptr %p\n  %c = icmp {order} i32 %a, %b\n  ret i1 %c\n}}\n"
            )
        };
        let layout = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128\"\n";
        let functions = [function("f", "slt"), function("g", "ult"), function("h", "sgt"), function("e", "eq")];
        let module = Module::parse(&format!("{layout}{}", functions.concat()));
        for (names, expected) in [(["f", "h"], true), (["f", "g"], false), (["f", "e"], true), (["g", "e"], true)] {
            assert_eq!(only_orders(&module, &names, "f", 32), expected, "{names:?}");
        }
    }

    #[test]
    fn whatever_else_touches_them_is_refused() {
        let uses = [
            // A constant, in a comparison and as a stored value.
            "%c = icmp sgt i32 %a, 0\n%z = zext i1 %c to i32\nret i32 %z",
            "store i32 7, ptr %p\nret i32 0",
            "store i32 %n, ptr %p\nret i32 0",
            "%c = icmp eq i32 %a, %n\n%z = zext i1 %c to i32\nret i32 %z",
            // Arithmetic, conversions, indices, control.
            "%s = add i32 %a, %b\nret i32 %s",
            "%w = sext i32 %a to i64\n%t = trunc i64 %w to i32\nret i32 %t",
            "%q = getelementptr i32, ptr %v, i32 %a\nstore i32 %b, ptr %q\nret i32 0",
            "switch i32 %a, label %x [ i32 1, label %x ]\nx:\nret i32 0",
            // Both signednesses.
            "%c = icmp sgt i32 %a, %b\n%d = icmp ugt i32 %a, %b\n%e = xor i1 %c, %d\n%z = zext i1 %e to i32\nret i32 \
             %z",
            // A part of an element, and a call of an unknown function.
            "%q = getelementptr i8, ptr %p, i32 %n\n%x = load i32, ptr %q\nstore i32 %x, ptr %v\nret i32 0",
            "%h = load i16, ptr %p\n%z = zext i16 %h to i32\nret i32 %z",
            "%r = call i32 @g(i32 %a)\nret i32 %r",
        ];
        for used in uses {
            check(&format!("{TWO}{used}"), false);
        }
        check(&format!("%l = alloca i32\n{TWO}store i32 %a, ptr %l\nstore i32 %n, ptr %l\nret i32 0"), false);
    }

    #[test]
    fn it_may_call_itself() {
        check(
            &format!(
                "{TWO}%c = icmp sgt i32 %a, %b\nbr i1 %c, label %x, label %y\nx:\n%r = call i32 @f(ptr %p, i32 \
                 %n)\nret i32 %r\ny:\nret i32 0"
            ),
            true,
        );
        check(
            &format!(
                "{TWO}%c = icmp sgt i32 %a, %b\nbr i1 %c, label %x, label %y\nx:\n%r = call i32 @f(ptr %p, i32 \
                 %a)\nret i32 %r\ny:\nret i32 0"
            ),
            false,
        );
    }
}
