//! A module as text again. What it does not print changes no code that is made without optimisation.

use perturb_sym::ir::*;
use std::fmt::Write as _;

pub fn print(module: &Module, datalayout: &str) -> String {
    let mut text = format!("{datalayout}\ntarget triple = \"{}\"\n%unknown = type opaque\n", module.triple);
    for global in &module.globals {
        let head = format!("@{} = {}", quoted(global.name.as_bytes()), linkage(global.linkage));
        let _ = match &global.kind {
            GlobalKind::Variable(variable) => writeln!(text, "{}", variable_line(&head, global.linkage, variable)),
            GlobalKind::Alias { ty: of, aliasee } => {
                writeln!(text, "{head} alias {}, {}", ty(of), typed_constant(aliasee))
            }
            GlobalKind::Unsupported(unsupported) => panic!("{unsupported}"),
        };
    }
    for function in &module.functions {
        text.push_str(&function_text(function));
    }
    text
}

fn variable_line(head: &str, linkage: Linkage, variable: &Variable) -> String {
    let thread = if variable.is_thread_local { "thread_local " } else { "" };
    let kind = if variable.is_constant { "constant" } else { "global" };
    let external = if variable.is_external() && linkage == Linkage::External { "external " } else { "" };
    let value = variable.initialiser.as_ref().map(constant).unwrap_or_default();
    format!("{head} {external}{thread}{kind} {} {value}, align {}", ty(&variable.ty), variable.alignment)
}

fn function_text(function: &Function) -> String {
    let parameters =
        function.parameters.iter().enumerate().map(|(at, parameter)| {
            format!("{} {} %r{at}", ty(&parameter.ty), parameter_attributes(&parameter.attributes))
        });
    let mut parameters: Vec<String> = parameters.collect();
    if function.is_variadic {
        parameters.push("...".to_string());
    }
    let (result, name) = (ty(&function.result), quoted(function.name.as_bytes()));
    let attributes: Vec<&str> = function.attributes.iter().collect();
    let before = parameter_attributes(&function.result_attributes);
    let head = format!("{before} {result} @{name}({}) {}", parameters.join(", "), attributes.join(" "));
    let linkage = linkage(function.linkage);
    match &function.body {
        Body::Declared => format!("declare {linkage} {head}\n"),
        Body::Unsupported(unsupported) => panic!("{unsupported}"),
        Body::Defined(definition) => {
            let blocks = definition.blocks.iter().zip(0..).map(|(block, at)| {
                let lines = block.instructions.iter().map(|line| instruction(line, &function.name));
                format!("b{at}:\n{}", lines.collect::<String>())
            });
            format!("define {linkage} {head} {{\n{}}}\n", blocks.collect::<String>())
        }
    }
}

fn instruction(line: &Instruction, within: &str) -> String {
    let result = line.result.map(|register| format!("%r{} = ", register.0)).unwrap_or_default();
    format!("  {result}{}\n", operation(&line.operation, within))
}

fn operation(operation: &Operation, within: &str) -> String {
    match operation {
        Operation::Compute(computation) => computed(computation, false),
        Operation::Phi { ty: of, fast, incoming } => {
            let incoming = incoming.iter().map(|(from, value)| format!("[ {}, %b{} ]", plain(value), from.0));
            format!("phi {}{} {}", fast_math(fast), ty(of), incoming.collect::<Vec<_>>().join(", "))
        }
        Operation::Allocate { ty: of, count, alignment } => {
            format!("alloca {}, {}, align {alignment}", ty(of), typed(count))
        }
        Operation::Load { ty: of, address, access } => {
            format!("load {}{}, {}{}", before(access), ty(of), typed(address), after(access))
        }
        Operation::Store { value, address, access } => {
            format!("store {}{}, {}{}", before(access), typed(value), typed(address), after(access))
        }
        Operation::Fence(ordering) => format!("fence {}", order(*ordering)),
        Operation::ReadModifyWrite { op, address, value, access } => {
            let volatile = if access.is_volatile { "volatile " } else { "" };
            format!("atomicrmw {volatile}{} {}, {}{}", update(*op), typed(address), typed(value), after(access))
        }
        Operation::CompareExchange { address, expected, new, is_weak, access, on_failure } => {
            let flags = [(*is_weak, "weak "), (access.is_volatile, "volatile ")];
            let success = access.ordering.map(order).unwrap_or_default();
            let operands = [address, expected, new].map(typed).join(", ");
            let align = access.alignment;
            format!("cmpxchg {}{operands} {success} {}, align {align}", words(&flags), order(*on_failure))
        }
        Operation::Call(call) => called(call),
        Operation::VariadicArgument { list, ty: of } => format!("va_arg {}, {}", typed(list), ty(of)),
        Operation::Jump(target) => format!("br {}", label(*target)),
        Operation::Branch { condition, if_true, if_false } => {
            format!("br {}, {}, {}", typed(condition), label(*if_true), label(*if_false))
        }
        Operation::Switch { value, default, cases } => {
            let cases = cases.iter().map(|(case, to)| format!("{} {case}, {}", ty(value.ty()), label(*to)));
            format!("switch {}, {} [ {} ]", typed(value), label(*default), cases.collect::<Vec<_>>().join(" "))
        }
        Operation::IndirectBranch { address, targets } => {
            let targets: Vec<String> = targets.iter().copied().map(label).collect();
            format!("indirectbr {}, [{}]", typed(address), targets.join(", "))
        }
        Operation::Return(value) => format!("ret {}", value.as_ref().map_or("void".to_string(), typed)),
        Operation::Unreachable => "unreachable".to_string(),
        Operation::Other { text, .. } => panic!("{within}: {text}"),
    }
}

fn called(call: &Call) -> String {
    let arguments = call.arguments.iter().map(|argument| {
        let value = &argument.value;
        format!("{} {} {}", ty(value.ty()), parameter_attributes(&argument.attributes), plain(value))
    });
    let arguments: Vec<String> = arguments.collect();
    let of: Vec<String> = call.arguments.iter().map(|argument| ty(argument.value.ty())).collect();
    let signature = match call.fixed {
        Some(fixed) => {
            let parameters: Vec<String> = of[..fixed].iter().cloned().chain(["...".to_string()]).collect();
            format!("{} ({})", ty(&call.result), parameters.join(", "))
        }
        None => ty(&call.result),
    };
    let callee = match &call.callee {
        Callee::Direct(name) | Callee::Intrinsic(name) => format!("@{}", quoted(name.as_bytes())),
        Callee::Indirect(operand) => plain(operand),
        Callee::Assembly(assembly) => {
            let effect = if assembly.has_side_effect { "sideeffect " } else { "" };
            format!("asm {effect}{}, {}", quoted(&assembly.template), quoted(&assembly.constraints))
        }
    };
    let attributes: Vec<&str> = call.attributes.iter().collect();
    let before = format!("{}{}", fast_math(&call.fast), parameter_attributes(&call.result_attributes));
    format!("call {before} {signature} {callee}({}) {}", arguments.join(", "), attributes.join(" "))
}

/// Constant expressions have parentheses, and types at all operands.
fn computed(computation: &Computation, is_constant: bool) -> String {
    let in_brackets = |text: String| if is_constant { format!("({text})") } else { text };
    let two = |left: &Operand, right: &Operand| {
        in_brackets(format!("{}, {}", typed(left), if is_constant { typed(right) } else { plain(right) }))
    };
    let list = |operands: &[&Operand]| operands.iter().copied().map(typed).collect::<Vec<_>>().join(", ");
    let numbers = |indices: &[u32]| indices.iter().map(|index| format!(", {index}")).collect::<String>();
    match computation {
        Computation::Integer { op, flags, left, right } => {
            format!("{} {}{}", format!("{op:?}").to_lowercase(), integer_flags(flags), two(left, right))
        }
        Computation::Float { op, fast, left, right } => {
            format!("f{} {}{}", format!("{op:?}").to_lowercase(), fast_math(fast), two(left, right))
        }
        Computation::Negate { fast, operand } => format!("fneg {}{}", fast_math(fast), typed(operand)),
        Computation::CompareIntegers { predicate, flags, left, right } => {
            let predicate = format!("{predicate:?}").to_lowercase();
            format!("icmp {}{predicate} {}", integer_flags(flags), two(left, right))
        }
        Computation::CompareFloats { predicate, fast, left, right } => {
            format!("fcmp {}{} {}", fast_math(fast), format!("{predicate:?}").to_lowercase(), two(left, right))
        }
        Computation::Cast { cast, flags, fast, operand, to } => {
            let of = in_brackets(format!("{} to {}", typed(operand), ty(to)));
            format!("{} {}{}{of}", format!("{cast:?}").to_lowercase(), integer_flags(flags), fast_math(fast))
        }
        Computation::Address(address) => {
            let indices = address.indices.iter().map(|index| match index {
                Index::Field { number, .. } => format!(", i32 {number}"),
                Index::Element { index, .. } => format!(", {}", typed(index)),
            });
            let inbounds = if address.flags.inbounds { "inbounds " } else { "" };
            let nuw = if address.flags.nuw { "nuw " } else { "" };
            let rest = format!("{}, {}{}", ty(&address.source), typed(&address.base), indices.collect::<String>());
            format!("getelementptr {inbounds}{nuw}{}", in_brackets(rest))
        }
        Computation::Select { fast, condition, if_true, if_false } => {
            format!("select {}{}", fast_math(fast), in_brackets(list(&[condition, if_true, if_false])))
        }
        Computation::Freeze(operand) => format!("freeze {}", typed(operand)),
        Computation::ExtractValue { aggregate, indices } => {
            format!("extractvalue {}{}", typed(aggregate), numbers(indices))
        }
        Computation::InsertValue { aggregate, element, indices } => {
            format!("insertvalue {}{}", list(&[aggregate, element]), numbers(indices))
        }
        Computation::ExtractElement { vector, index } => {
            format!("extractelement {}", in_brackets(list(&[vector, index])))
        }
        Computation::InsertElement { vector, element, index } => {
            format!("insertelement {}", in_brackets(list(&[vector, element, index])))
        }
        Computation::ShuffleVector { left, right, mask } => {
            let lanes = mask.iter().map(|lane| lane.map_or("i32 undef".to_string(), |lane| format!("i32 {lane}")));
            let mask = format!("<{} x i32> <{}>", mask.len(), lanes.collect::<Vec<_>>().join(", "));
            format!("shufflevector {}", in_brackets(format!("{}, {mask}", list(&[left, right]))))
        }
    }
}

fn typed(operand: &Operand) -> String {
    format!("{} {}", ty(operand.ty()), plain(operand))
}

fn typed_constant(value: &Constant) -> String {
    format!("{} {}", ty(&value.ty), constant(value))
}

fn plain(operand: &Operand) -> String {
    match operand {
        Operand::Register { register, .. } => format!("%r{}", register.0),
        Operand::Constant(value) => constant(value),
    }
}

fn constant(value: &Constant) -> String {
    match &value.kind {
        ConstantKind::Int(number) => number.to_string(),
        ConstantKind::Float(bits) => float(*bits, &value.ty),
        ConstantKind::Null => "null".to_string(),
        ConstantKind::Undef => "undef".to_string(),
        ConstantKind::Poison => "poison".to_string(),
        ConstantKind::Zero => "zeroinitializer".to_string(),
        ConstantKind::Bytes(bytes) => format!("c{}", quoted(bytes)),
        ConstantKind::Global(name) => format!("@{}", quoted(name.as_bytes())),
        ConstantKind::Expression(computation) => computed(computation, true),
        ConstantKind::Metadata(text) => text.to_string(),
        ConstantKind::NoToken => "none".to_string(),
        ConstantKind::Block { .. } => panic!("blocks have other names here"),
        ConstantKind::Aggregate(parts) => {
            let parts: Vec<String> = parts.iter().map(typed_constant).collect();
            let (open, close) = match &value.ty {
                Type::Array(_) => ("[", "]"),
                Type::Vector(_) => ("<", ">"),
                Type::Struct(structure) if structure.is_packed => ("<{", "}>"),
                _ => ("{", "}"),
            };
            format!("{open} {} {close}", parts.join(", "))
        }
    }
}

fn float(bits: u128, of: &Type) -> String {
    let Type::Float(kind) = of else { panic!("a float of type {of}") };
    match kind {
        FloatKind::Half => format!("0xH{bits:04X}"),
        FloatKind::BFloat => format!("0xR{bits:04X}"),
        FloatKind::Single => {
            let narrow = bits as u32;
            let wide = f64::from(f32::from_bits(narrow)).to_bits();
            // Conversion makes NaNs quiet, and this is about the bits.
            let nan = u64::from(narrow >> 31) << 63 | 0x7ff << 52 | u64::from(narrow & 0x7f_ffff) << 29;
            format!("0x{:016X}", if f32::from_bits(narrow).is_nan() { nan } else { wide })
        }
        FloatKind::Double => format!("0x{bits:016X}"),
        FloatKind::X87 => format!("0xK{bits:020X}"),
        FloatKind::Quad => format!("0xL{:016X}{:016X}", bits as u64, bits >> 64),
    }
}

/// With all structs written out.
fn ty(of: &Type) -> String {
    match of {
        Type::Array(array) => format!("[{} x {}]", array.count, ty(&array.element)),
        Type::Struct(structure) if structure.is_opaque() => "%unknown".to_string(),
        Type::Struct(structure) => {
            let fields: Vec<String> = structure.fields.iter().map(ty).collect();
            let (open, close) = if structure.is_packed { ("<{", "}>") } else { ("{", "}") };
            format!("{open} {} {close}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

fn parameter_attributes(attributes: &ParameterAttributes) -> String {
    let mut text = words(&[
        (attributes.is_signext, "signext "),
        (attributes.is_zeroext, "zeroext "),
        (attributes.is_nonnull, "nonnull "),
        (attributes.is_noalias, "noalias "),
        (attributes.is_noundef, "noundef "),
    ]);
    for (name, of) in [("byval", &attributes.byval), ("sret", &attributes.sret), ("elementtype", &attributes.element)] {
        text += &of.as_ref().map(|of| format!("{name}({}) ", ty(of))).unwrap_or_default();
    }
    text + &attributes.alignment.map(|alignment| format!("align {alignment} ")).unwrap_or_default()
}

fn words(flags: &[(bool, &str)]) -> String {
    flags.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| *word).collect()
}

fn integer_flags(flags: &IntegerFlags) -> String {
    let IntegerFlags { nuw, nsw, exact, disjoint, nneg, samesign } = *flags;
    let first = words(&[(nuw, "nuw "), (nsw, "nsw "), (exact, "exact ")]);
    first + &words(&[(disjoint, "disjoint "), (nneg, "nneg "), (samesign, "samesign ")])
}

fn fast_math(fast: &FastMath) -> String {
    let FastMath { nnan, ninf, nsz, arcp, contract, afn, reassoc } = *fast;
    let first = words(&[(nnan, "nnan "), (ninf, "ninf "), (nsz, "nsz "), (arcp, "arcp ")]);
    first + &words(&[(contract, "contract "), (afn, "afn "), (reassoc, "reassoc ")])
}

fn before(access: &Access) -> String {
    words(&[(access.ordering.is_some(), "atomic "), (access.is_volatile, "volatile ")])
}

fn after(access: &Access) -> String {
    let ordering = access.ordering.map(|ordering| format!(" {}", order(ordering))).unwrap_or_default();
    format!("{ordering}, align {}", access.alignment)
}

fn order(ordering: Ordering) -> &'static str {
    match ordering {
        Ordering::Unordered => "unordered",
        Ordering::Monotonic => "monotonic",
        Ordering::Acquire => "acquire",
        Ordering::Release => "release",
        Ordering::AcquireRelease => "acq_rel",
        Ordering::SequentiallyConsistent => "seq_cst",
    }
}

fn update(op: UpdateOp) -> String {
    if op == UpdateOp::Exchange {
        "xchg".to_string()
    } else {
        format!("{op:?}").to_lowercase()
    }
}

fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::External => "",
        Linkage::Private => "private",
        Linkage::Internal => "internal",
        Linkage::AvailableExternally => "available_externally",
        Linkage::LinkOnce => "linkonce",
        Linkage::LinkOnceOdr => "linkonce_odr",
        Linkage::Weak => "weak",
        Linkage::WeakOdr => "weak_odr",
        Linkage::Common => "common",
        Linkage::Appending => "appending",
        Linkage::ExternWeak => "extern_weak",
    }
}

fn label(block: BlockId) -> String {
    format!("label %b{}", block.0)
}

fn quoted(bytes: &[u8]) -> String {
    let escaped = bytes.iter().map(|byte| match byte {
        b' '..=b'~' if !b"\"\\".contains(byte) => char::from(*byte).to_string(),
        _ => format!("\\{byte:02X}"),
    });
    format!("\"{}\"", escaped.collect::<String>())
}
