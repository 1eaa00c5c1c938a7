//! The definitions at file level that a program needs besides the unit, as C: stubs, and variables of other files.
//!
//! They do not depend on the input, so many tests share them: each test sets what a stub returns, and checks its
//! recorded arguments.

use super::literal::NumberKind;
use super::names::{free, identifier};
use super::types::Types;
use crate::native::heap::is_allocating;
use crate::native::kept::{Behind, KeptParameter, PartKind};
use crate::native::layout::{Layout, Object, ObjectKind};
use crate::native::stub::{Answers, Stub, CALLS, ROOM, TEXT_WORDS};
use perturb_csrc::{Shape, Signature, Signatures, TypeId};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The variable that counts the calls of all stubs.
const TURNS: &str = "stub_turns";
/// Ends the program, even if `exit` and its like are stubs.
const END: &str = "end_program";
/// Maps memory at the address of a hardware register.
pub(super) const MAP_REGISTER: &str = "map_register";
/// Memory that is already mapped, such as for another register, is kept. The flags are MAP_PRIVATE, MAP_ANONYMOUS and
/// MAP_FIXED_NOREPLACE, which standard C does not name.
const MAPPING: &str = "\
#include <sys/mman.h>

/* A register is memory here, at its own address. */
static void map_register(unsigned long address, unsigned long size)
{
    unsigned long start = address & ~4095ul;
    mmap((void *)start, address + size - start, PROT_READ | PROT_WRITE, 0x100022, -1, 0);
    __builtin_memset((void *)address, 0, size);
}
";

/// The stubs of functions that a function calls, and the variables of other files that it uses.
#[derive(Debug)]
pub struct StandIns<'s> {
    pub(super) types: Types<'s>,
    pub(super) signature: &'s Signature,
    layout: &'s Layout,
    /// One for each stub of the layout.
    named: Vec<StandIn>,
    /// The variadic function that builds a `va_list`, if one is needed.
    pub(super) caller: Option<String>,
}

/// The C names of a stub.
#[derive(Debug, Clone)]
pub(super) struct StandIn {
    pub function: String,
    /// The variable with its return values, written values and arguments.
    pub state: String,
    /// A library, or another file, has the real function: only calls of the unit are redirected.
    is_redirected: bool,
}

impl StandIn {
    /// The expression of a record of one call: `sensor_stub.given[0]`.
    pub fn part(&self, part: &str, call: impl std::fmt::Display) -> String {
        format!("{}.{part}[{call}]", self.state)
    }
}

/// The library function behind one of the driver.
fn allocator(symbol: &str) -> Option<&str> {
    symbol.strip_prefix("perturb_").filter(|name| is_allocating(name))
}

impl<'s> StandIns<'s> {
    pub fn new(signatures: &'s Signatures, signature: &'s Signature, layout: &'s Layout) -> Self {
        let mut taken: BTreeSet<String> = signatures.functions.iter().map(|function| function.name.clone()).collect();
        taken.extend(signature.globals.iter().map(|global| global.name.clone()));
        taken.extend(layout.stubs.iter().map(|stub| stub.name.clone()));
        let named = layout.stubs.iter().map(|stub| {
            let own = identifier(&stub.name);
            let function = match stub.is_callback {
                true => free(&format!("{}_{own}", signature.name), &mut taken),
                false => stub.name.clone(),
            };
            let state = free(&format!("{}_stub", function.trim_start_matches('_')), &mut taken);
            let external = signature.externals.iter().find(|external| external.name == stub.name);
            let is_of_system = !stub.is_callback && external.is_some_and(|external| external.is_of_system);
            StandIn { function, state, is_redirected: is_of_system || stub.is_beside }
        });
        let named = named.collect();
        let caller = layout.list.map(|_| free(&format!("call_{}", signature.name), &mut taken));
        Self { types: Types(signatures), signature, layout, named, caller }
    }

    /// The stubs that are C functions, each with its index in the layout.
    fn all(&self) -> impl Iterator<Item = (usize, &Stub, &StandIn)> {
        let all = self.layout.stubs.iter().zip(&self.named).enumerate();
        all.filter(|(_, (stub, _))| !stub.is_errno()).map(|(at, (stub, named))| (at, stub, named))
    }

    /// The stubs that return, and so have answers and record their arguments.
    pub(super) fn answering(&self) -> impl Iterator<Item = (usize, &Stub, &StandIn)> {
        self.all().filter(|(_, stub, _)| stub.returns)
    }

    /// The target of a function pointer, by the function's symbol in the layout.
    pub(super) fn callback<'a>(&'a self, symbol: &'a str) -> Option<&'a str> {
        let own = self.all().find(|(_, stub, _)| stub.symbol == symbol).map(|(_, _, named)| named.function.as_str());
        own.or_else(|| allocator(symbol))
    }

    /// The names that a local variable must not hide.
    pub(super) fn names(&self) -> impl Iterator<Item = String> + '_ {
        let own = self.all().flat_map(|(_, _, named)| [named.function.clone(), named.state.clone()]);
        own.chain(self.caller.clone()).chain([TURNS, END, MAP_REGISTER, "errno"].map(String::from))
    }

    /// The lines before the unit: they redirect its calls of a library function, or of a function in a linked file, to
    /// the stub; calls of other units are unchanged.
    pub fn redirections(&self) -> Vec<String> {
        let redirected = self.all().filter(|(_, _, named)| named.is_redirected);
        let line = |(_, _, named): (usize, &Stub, &StandIn)| {
            format!("#pragma redefine_extname {0} {0}_stand_in", named.function)
        };
        redirected.map(line).collect()
    }

    /// The definitions after the unit: one text for each variable and function. Several functions of a unit that need
    /// the same definition get the same text.
    pub fn definitions(&self) -> Vec<String> {
        let variables = self.layout.elsewhere.iter().filter_map(|name| {
            let global = self.signature.globals.iter().find(|global| global.name == *name)?;
            Some(format!("{};\n", self.types.declared(global.ty, name)))
        });
        // Pointers may point to the library's own allocators.
        let is_allocating = self.layout.objects.iter().any(|object| allocator(&object.name).is_some());
        let headers = [("stdlib.h", is_allocating), ("stdarg.h", self.layout.has_lists())];
        let headers = headers.iter().filter(|(_, is_needed)| *is_needed);
        let mut found: Vec<String> = headers.map(|(name, _)| format!("#include <{name}>\n")).collect();
        let is_register = |object: &Object| matches!(object.kind, ObjectKind::Register { .. });
        found.extend(self.layout.objects.iter().any(is_register).then(|| MAPPING.to_string()));
        found.extend(variables.chain(fmemopen_declaration(self.layout)));
        if self.answering().next().is_some() {
            found.push(format!("/* The calls of all stand-ins so far. */\nstatic unsigned {TURNS};\n"));
        }
        if self.all().any(|(_, stub, _)| !stub.returns) {
            let attribute = "__attribute__((noreturn))";
            found.push(format!("extern void {END}(int status) __asm__(\"exit\") {attribute};\n"));
        }
        found.extend(self.all().map(|(at, stub, named)| match stub.returns {
            true => format!("{}\n{}", self.state(at, stub, named), self.function(at, stub, named)),
            false => self.end(at, stub, named),
        }));
        if let (Some(caller), Some(list)) = (&self.caller, self.layout.list) {
            found.push(self.caller_definition(caller, list));
        }
        found
    }

    /// The statements that reset everything to its initial state.
    pub fn resets(&self) -> Vec<String> {
        let states = self.answering().map(|(_, _, named)| &named.state);
        let resets = states.map(|state| format!("__builtin_memset(&{state}, 0, sizeof {state});"));
        resets.chain(self.answering().next().map(|_| format!("{TURNS} = 0;"))).collect()
    }

    /// The variable with the return values, written values and arguments of a stub, call by call.
    fn state(&self, at: usize, stub: &Stub, named: &StandIn) -> String {
        let mut text = format!("{}static struct {{\n    unsigned calls;\n", comment(stub));
        if stub.answers.is_some() {
            let _ = writeln!(text, "    {};", self.types.declared(stub.result, &format!("answers[{CALLS}]")));
        }
        let mut record = |name: &str, members: Vec<String>| {
            let members: String = members.iter().map(|member| format!("        {member};\n")).collect();
            let _ = writeln!(text, "    struct {{\n{members}    }} {name}[{CALLS}];");
        };
        let parameters = &self.layout.kept[at];
        if !stub.writes.is_empty() {
            let written = stub.writes.iter().filter_map(|(parameter, _)| {
                let to = self.types.pointee(stub.parameters[*parameter])?;
                Some(self.types.declared(to, &parameters[*parameter].name))
            });
            record("writes", written.collect());
        }
        let mut members = vec!["unsigned turn".to_string()];
        for (ty, kept) in stub.parameters.iter().zip(parameters).filter(|(_, kept)| !kept.parts.is_empty()) {
            members.push(self.types.declared(*ty, &member(kept)));
            match copied(kept) {
                Some(Copied::Text | Copied::Message(_)) => {
                    members.push(format!("char {}[{}]", copy(kept), 8 * TEXT_WORDS + 1))
                }
                Some(Copied::Value) => {
                    members.extend(self.types.pointee(*ty).map(|to| self.types.declared(to, &copy(kept))));
                }
                None => {}
            }
        }
        record("given", members);
        text + &format!("}} {};\n", named.state)
    }

    fn head(&self, at: usize, stub: &Stub, named: &StandIn) -> String {
        let parameters = stub.parameters.iter().zip(&self.layout.kept[at]);
        let mut parameters: Vec<String> = parameters.map(|(ty, kept)| self.types.declared(*ty, &kept.name)).collect();
        parameters.extend(stub.is_variadic.then(|| "...".to_string()));
        let parameters = if parameters.is_empty() { "void".to_string() } else { parameters.join(", ") };
        // Library functions may be macros, too.
        let name = if named.is_redirected { format!("({})", named.function) } else { named.function.clone() };
        let head = self.types.declared(stub.result, &format!("{name}({parameters})"));
        format!("{}{head}", if stub.is_callback { "static " } else { "" })
    }

    fn function(&self, at: usize, stub: &Stub, named: &StandIn) -> String {
        let parameters = &self.layout.kept[at];
        let is_taken = parameters.iter().any(|kept| kept.name == "call");
        let call = if is_taken { "this_call" } else { "call" };
        let StandIn { state, .. } = named;
        let mut lines = vec![
            format!("unsigned {call} = {state}.calls++;"),
            String::new(),
            format!("if ({call} > {last})\n        {call} = {last};", last = CALLS - 1),
            format!("{}.turn = ++{TURNS};", named.part("given", call)),
        ];
        for (ty, kept) in stub.parameters.iter().zip(parameters).filter(|(_, kept)| !kept.parts.is_empty()) {
            lines.extend(self.keeping(*ty, kept, parameters, &named.part("given", call)));
        }
        for (parameter, _) in &stub.writes {
            let name = &parameters[*parameter].name;
            lines.push(format!("if ({name})\n        *{name} = {}.{name};", named.part("writes", call)));
        }
        if stub.answers.is_some() {
            lines.extend(self.refusing(stub, parameters));
            lines.push(format!("return {};", named.part("answers", call)));
        }
        let body: String = lines.iter().map(|line| format!("    {line}").trim_end().to_string() + "\n").collect();
        format!("{}\n{{\n{body}}}\n", self.head(at, stub, named))
    }

    /// Returns null if more memory is requested than there is for each call.
    fn refusing(&self, stub: &Stub, parameters: &[KeptParameter]) -> Option<String> {
        let is_memory = matches!(stub.answers, Some(Answers::Memory { .. }));
        let is_number = |ty: &TypeId| matches!(self.types.shape(*ty), Shape::Integer { .. });
        let numbers = stub.parameters.iter().zip(parameters).filter(|(ty, _)| is_memory && is_number(ty));
        let numbers: Vec<String> = numbers.map(|(_, kept)| format!("(__SIZE_TYPE__){}", kept.name)).collect();
        let product = (numbers.len() > 1).then(|| numbers.join(" * "));
        let beyond: Vec<String> = numbers.iter().chain(&product).map(|asked| format!("{asked} > {ROOM}")).collect();
        (!beyond.is_empty()).then(|| format!("if ({})\n        return 0;", beyond.join(" || ")))
    }

    /// The statements that record one of the parameters.
    fn keeping(&self, ty: TypeId, kept: &KeptParameter, parameters: &[KeptParameter], record: &str) -> Vec<String> {
        let name = &kept.name;
        let assigned = |ty: TypeId, to: &str, from: &str| match self.types.is_assignable(ty) {
            true => format!("{to} = {from};"),
            false => format!("__builtin_memcpy((void *)&{to}, &{from}, sizeof {from});"),
        };
        let mut lines = vec![assigned(ty, &format!("{record}.{}", member(kept)), name)];
        let (Some(copied), Some(to)) = (copied(kept), self.types.pointee(ty)) else { return lines };
        let copy = format!("{record}.{}", copy(kept));
        let is_plain = matches!(self.types.number(to), Some(NumberKind::Letter { .. }));
        let cast = if is_plain { "" } else { "(const char *)" };
        let keeping = match copied {
            Copied::Message(behind) => {
                lines.push(message(parameters, name, &copy, behind));
                return lines;
            }
            Copied::Text => format!("__builtin_strncpy({copy}, {cast}{name}, {});", 8 * TEXT_WORDS),
            Copied::Value => assigned(to, &copy, &format!("*{name}")),
        };
        lines.push(format!("if ({name})\n        {keeping}"));
        lines
    }

    /// A stub that ends the program. This is reported, whatever the exit status would be.
    fn end(&self, at: usize, stub: &Stub, named: &StandIn) -> String {
        let StandIn { function, .. } = named;
        let print = format!("__builtin_printf(\"not as in the original: %s() is called\\n\", \"{function}\");");
        format!("{}{}\n{{\n    {print}\n    {END}(1);\n}}\n", comment(stub), self.head(at, stub, named))
    }
}

fn comment(stub: &Stub) -> String {
    match stub.is_callback {
        true => format!("/* Stands in for what {} leads to. */\n", stub.name),
        false => format!("/* Stands in for {}(). */\n", stub.name),
    }
}

/// What is copied of a pointer's target.
enum Copied {
    Text,
    /// Formatted with the variadic arguments.
    Message(Behind),
    Value,
}

fn copied(kept: &KeptParameter) -> Option<Copied> {
    kept.parts
        .iter()
        .find_map(|part| match &part.kind {
            PartKind::Pointer { behind } if part.steps.is_empty() => behind.first(),
            _ => None,
        })
        .map(|first| match first.kind {
            PartKind::Text => Copied::Text,
            PartKind::Message(behind) => Copied::Message(behind),
            _ => Copied::Value,
        })
}

/// The member that records a parameter, beside `turn`.
pub(super) fn member(kept: &KeptParameter) -> String {
    if kept.name == "turn" {
        "turn_given".to_string()
    } else {
        kept.name.clone()
    }
}

/// The member that records its target.
pub(super) fn copy(kept: &KeptParameter) -> String {
    format!("{}_copy", kept.name)
}

/// The statements that record a format string with its variadic arguments.
fn message(parameters: &[KeptParameter], name: &str, copy: &str, behind: Behind) -> String {
    let own = free("arguments", &mut parameters.iter().map(|parameter| parameter.name.clone()).collect());
    let start = match behind {
        Behind::Parameters => format!("va_start({own}, {name})"),
        Behind::List(list) => format!("va_copy({own}, {})", parameters[list].name),
    };
    let lines = [
        format!("if ({name}) {{"),
        format!("    va_list {own};\n"),
        format!("    {start};"),
        format!("    __builtin_vsnprintf({copy}, {}, {name}, {own});", 8 * TEXT_WORDS + 1),
        format!("    va_end({own});"),
        "}".to_string(),
    ];
    lines.join("\n    ")
}

/// A declaration that strict C modes lack, for programs with streams.
fn fmemopen_declaration(layout: &Layout) -> Option<String> {
    let is_stream = |kind: &ObjectKind| matches!(kind, ObjectKind::Stream { .. });
    let has_streams = layout.objects.iter().any(|object| is_stream(&object.kind));
    has_streams.then(|| "FILE *fmemopen(void *bytes, __SIZE_TYPE__ size, const char *mode);\n".to_string())
}
