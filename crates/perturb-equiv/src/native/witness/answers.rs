//! The statements that set what stubs return.

use super::declared::{DeclaredObject, Room};
use super::stage::Stage;
use super::stand_ins::StandIn;
use super::types::Atom;
use crate::native::stub::{Answers, Stub, CALLS};
use perturb_csrc::{Shape, TypeId};
use perturb_model::Difference;

impl Stage<'_> {
    /// Sets the answers for the calls that happen.
    pub(super) fn fill_stand_ins(&mut self, by: &Difference) {
        self.fill_errno();
        let all: Vec<(usize, Stub, StandIn)> =
            self.stand_ins.answering().map(|(at, stub, named)| (at, stub.clone(), named.clone())).collect();
        for (at, stub, named) in all {
            let calls = Calls::of(self, by, at);
            match stub.answers {
                Some(Answers::Values(object)) => {
                    let path = |call| named.part("answers", call);
                    self.fill_calls(stub.result, object, calls, path);
                }
                Some(Answers::Pointers { nulls, to }) => self.fill_pointers(&stub, &named, nulls, to, calls),
                Some(Answers::Memory { nulls, fills, to }) => self.fill_memory(&named, [nulls, fills, to], calls),
                Some(Answers::Errno(_)) | None => {}
            }
            for (parameter, object) in &stub.writes {
                let Some(ty) = self.types.pointee(stub.parameters[*parameter]) else { continue };
                let name = self.layout.kept[at][*parameter].name.clone();
                self.fill_calls(ty, *object, calls, |call| format!("{}.{name}", named.part("writes", call)));
            }
        }
    }

    fn fill_errno(&mut self) {
        for stub in &self.layout.stubs {
            let (Some(Answers::Errno(object)), Some(ty)) = (stub.answers, self.types.pointee(stub.result)) else {
                continue;
            };
            self.reached[object] = Some(DeclaredObject { name: "errno".to_string(), ty: Some(ty), count: 1 });
            let value = self.value(ty, object, 0).unwrap_or_else(|| "0".to_string());
            self.statements.push(format!("errno = {value};"));
        }
    }

    /// Sets the values for each call. Zeros are the default, and are written only if the original reads a number.
    fn fill_calls(&mut self, ty: TypeId, object: usize, calls: Calls, path: impl Fn(u64) -> String) {
        let size = self.types.size(ty);
        let is_record = matches!(self.types.shape(ty), Shape::Struct { .. } | Shape::Union { .. });
        for call in 0..calls.most {
            let offset = call * size;
            let is_told = !is_record && call < calls.of_original;
            if !is_told && self.is_zero(object, offset, size) {
                continue;
            }
            let Some(value) = self.value(ty, object, offset) else { continue };
            let value = match is_record {
                true => format!("({}){value}", self.types.declared(ty, "").trim_end()),
                false => value,
            };
            self.statements.push(format!("{} = {value};", path(call)));
            for (place, atom) in self.types.atoms(ty, &path(call), offset) {
                if atom == Atom::Raw {
                    self.copy_bytes(object, &place);
                }
            }
        }
    }

    /// Declares the targets of returned pointers. Null is the default.
    fn fill_pointers(&mut self, stub: &Stub, named: &StandIn, nulls: usize, to: usize, calls: Calls) {
        let Some(pointee) = self.types.pointee(stub.result) else { return };
        let used = self.answered(nulls, calls);
        let Some(last) = used.last() else { return };
        let size = self.types.size(pointee);
        // The number of values behind each returned pointer.
        let each = (self.layout.objects[to].size / CALLS / size.max(1)).max(1);
        let (ty, count) = match (size, self.types.shape(pointee)) {
            (0, _) => (None, CALLS),
            // A function that takes it for a string reads up to a zero.
            (1, Shape::Integer { .. }) if each == 1 => (Some(pointee), CALLS + 1),
            _ => (Some(pointee), (last + 1) * each),
        };
        let name = self.fresh(&format!("{}_answer", named.function.trim_start_matches('_')));
        let reached = DeclaredObject { name, ty, count };
        let address = |call: u64| match (call, reached.address()) {
            (0, address) => address,
            (_, address) => format!("{address} + {}", call * each),
        };
        let addresses: Vec<(u64, String)> = used.iter().map(|call| (*call, address(*call))).collect();
        let is_opaque = ty.is_none();
        self.declare(to, reached);
        for (call, address) in addresses {
            let address = if is_opaque { format!("(void *)({address})") } else { address };
            self.statements.push(format!("{} = {address};", named.part("answers", call)));
        }
    }

    /// The calls that do not return null.
    fn answered(&self, nulls: usize, calls: Calls) -> Vec<u64> {
        let is_null = |call: &u64| self.input.bits(nulls, *call, 1).is_none_or(|bits| bits & 1 == 1);
        (0..calls.most).filter(|call| !is_null(call)).collect()
    }

    /// Declares untyped memory that is returned, filled with one byte value for each call.
    fn fill_memory(&mut self, named: &StandIn, [nulls, fills, to]: [usize; 3], calls: Calls) {
        let used = self.answered(nulls, calls);
        let Some(last) = used.last() else { return };
        let room = self.layout.objects[to].size / CALLS;
        let name = self.fresh(&format!("{}_memory", named.function.trim_start_matches('_')));
        self.statements.push(format!("unsigned char {name}[{}][{room}] = {{{{0}}}};", last + 1));
        self.rooms.push(Room { name: name.clone(), object: to, calls: used.clone() });
        for call in used {
            let with = self.input.bits(fills, call, 1).unwrap_or(0);
            if with != 0 {
                self.statements.push(format!("__builtin_memset({name}[{call}], {with}, {room});"));
            }
            self.statements.push(format!("{} = {name}[{call}];", named.part("answers", call)));
        }
    }

    /// Whether the input is zero there, and no pointer has a target.
    fn is_zero(&self, object: usize, offset: u64, size: u64) -> bool {
        let is_zero = |at: u64| self.input.bits(object, at, 1).is_none_or(|bits| bits == 0);
        let is_inside = |at: u64| at >= offset && at < offset + size;
        let mut links = self.layout.links.iter().filter(|link| link.object == object && is_inside(link.offset));
        (offset..offset + size).all(is_zero) && links.all(|link| self.target(link).is_none())
    }
}

/// How often a stub is called.
#[derive(Debug, Clone, Copy)]
struct Calls {
    of_original: u64,
    /// By the one of the two that calls it more often; the maximum where that is unknown.
    most: u64,
}

impl Calls {
    fn of(stage: &Stage<'_>, by: &Difference, stub: usize) -> Self {
        let count = |seen: &[u8]| stage.layout.stub_call_count(seen, stub).unwrap_or(CALLS).min(CALLS);
        let of_original = count(&by.original);
        Self { of_original, most: of_original.max(count(&by.other)) }
    }
}
