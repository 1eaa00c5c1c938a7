//! What is read is what the compiler wrote: everything, as often as it is there, with the sizes and values that it
//! says.

use super::bytes::bytes_of;
use super::walk::walk;
use super::{clangs, code_of, module_of, program, LEVELS, PROGRAMS};
use perturb_sym::ir::{Body, Callee, ConstantKind, Function, GlobalKind, Linkage, Module, Operation, Type, Variable};
use std::collections::BTreeMap;
use std::process::Command;

#[test]
fn every_construct_is_read_from_every_compiler_at_every_level() {
    for clang in clangs() {
        for (source, level) in PROGRAMS.iter().flat_map(|source| LEVELS.map(|level| (source, level))) {
            let text = code_of(&clang, &program(source), level);
            let module = Module::parse(&text);
            let context = format!("{clang} {level:?} {source}");
            assert_eq!(module.unsupported, [], "{context}");
            for global in &module.globals {
                assert!(!matches!(global.kind, GlobalKind::Unsupported(_)), "{context}: {global:?}");
            }
            for function in &module.functions {
                assert_eq!(function.unsupported(), None, "{context}: {}", function.name);
            }
            walk(&module);
            assert_eq!(read_counts(&module), written_counts(&text), "{context}");
        }
    }
}

/// Of each function that has code, how many instructions each block has.
fn read_counts(module: &Module) -> BTreeMap<String, Vec<usize>> {
    let counts = |function: &Function| {
        let definition = function.definition()?;
        let counts = definition.blocks.iter().map(|block| block.instructions.len()).collect();
        Some((function.name.to_string(), counts))
    };
    module.functions.iter().filter_map(counts).collect()
}

/// The same, by the look of the lines alone: instructions are indented by two, and labels not at all.
fn written_counts(text: &str) -> BTreeMap<String, Vec<usize>> {
    let mut counts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut open: Option<(String, Vec<usize>)> = None;
    for line in text.lines() {
        if line.starts_with("define ") {
            let name = line.split('@').nth(1).expect("a name").split('(').next().expect("it ends");
            open = Some((name.trim_matches('"').to_string(), Vec::new()));
        } else if line == "}" {
            counts.extend(open.take());
        } else if let Some((_, blocks)) = &mut open {
            let is_label = !line.starts_with(' ') && !line.is_empty();
            let is_instruction = line.starts_with("  ") && !line.starts_with("   ") && !line.starts_with("  ]");
            if is_label {
                blocks.push(0);
            } else if is_instruction {
                if blocks.is_empty() {
                    blocks.push(0);
                }
                *blocks.last_mut().expect("a block") += usize::from(!line.contains("call void @llvm.dbg."));
            }
        }
    }
    counts
}

#[test]
fn sizes_alignments_and_offsets_are_those_that_the_compiler_says() {
    let targets =
        ["x86_64-linux-gnu", "i386-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf", "riscv32-linux-gnu"];
    let others = ["s390x-linux-gnu", "mips-linux-gnu", "powerpc64-linux-gnu", "sparc-linux-gnu", "x86_64-windows-gnu"];
    let mut known = 0;
    for clang in clangs() {
        for target in targets.iter().chain(&others) {
            let module = module_of(&clang, "layouts.c", &["-O0", &format!("--target={target}")]);
            for global in &module.globals {
                let Some(name) = global.name.strip_prefix("value_") else { continue };
                // PowerPC has a format of its own for long double.
                let Some(variable) = global.variable() else {
                    assert!(
                        target.starts_with("powerpc") && name == "long_double",
                        "{clang} {target} {name}: {global:?}"
                    );
                    continue;
                };
                let says = numbers(&module, &format!("says_{name}"));
                assert_eq!(u128::from(variable.alignment) % says[1], 0, "{clang} {target} {name}");
                let mut found = laid_out(&module, variable, says.len());
                if target.starts_with("s390x") && matches!(name, "four" | "vectors") {
                    // Vectors are aligned by what clang writes at each, not by their type.
                    found[1] = says[1];
                }
                assert_eq!(found, says, "{clang} {target} {name}");
                known += 1;
            }
        }
    }
    assert!(known >= 80, "{known}");
}

/// Size, alignment and so many offsets less two.
fn laid_out(module: &Module, variable: &Variable, many: usize) -> Vec<u128> {
    let layout = &module.layout;
    let size = layout.size(&variable.ty).expect("a size");
    let mut numbers = vec![size, layout.alignment(&variable.ty).expect("an alignment")];
    if let Type::Struct(structure) = &variable.ty {
        // Fillers that the compiler adds are arrays of bytes at the end.
        let offsets = (0..).map_while(|field| layout.offset(structure, field));
        numbers.extend(offsets.take(many - 2));
    }
    numbers.into_iter().map(u128::from).collect()
}

/// The numbers in an array.
fn numbers(module: &Module, name: &str) -> Vec<u128> {
    let variable = module.global(name).and_then(|global| global.variable()).expect("it was defined");
    let Some(ConstantKind::Aggregate(parts)) = variable.initialiser.as_ref().map(|value| &value.kind) else {
        panic!("{name} is no list of numbers");
    };
    let number = |kind: &ConstantKind| match kind {
        ConstantKind::Int(number) => *number,
        ConstantKind::Zero => 0,
        other => panic!("{other:?}"),
    };
    parts.iter().map(|part| number(&part.kind)).collect()
}

#[test]
fn initialisers_are_the_bytes_that_a_program_finds() {
    for clang in clangs() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let executable = folder.path().join("values");
        let made = Command::new(&clang).arg("-w").arg(program("values.c")).arg("-o").arg(&executable).status();
        assert!(made.expect("the compiler can be started").success());
        let printed = Command::new(&executable).output().expect("it runs").stdout;
        let printed = String::from_utf8(printed).expect("it prints names and digits");
        let module = module_of(&clang, "values.c", &["-O0"]);
        assert_eq!(printed.lines().count(), 25);
        for line in printed.lines() {
            let (name, digits) = line.split_once(' ').expect("a name and bytes");
            let variable = module.global(name).and_then(|global| global.variable()).expect("it was defined");
            let bytes = bytes_of(&module.layout, variable.initialiser.as_ref().expect("it has a value"));
            assert_eq!(digits.len(), bytes.len() * 2, "{clang} {name}");
            for (at, byte) in bytes.iter().enumerate() {
                let found = u8::from_str_radix(&digits[at * 2..][..2], 16).expect("two digits");
                assert!(byte.is_none_or(|byte| byte == found), "{clang}: {name} is {digits}, byte {at} is {byte:x?}");
            }
            let known = bytes.iter().flatten().count();
            assert!(known * 2 > bytes.len(), "{clang} {name}: {known} bytes known");
        }
    }
}

#[test]
fn what_calls_and_parameters_say_about_values_is_kept() {
    for clang in clangs() {
        let module = module_of(&clang, "language.c", LEVELS[0]);
        let function = |name: &str| module.function(name).unwrap_or_else(|| panic!("{clang}: {name}"));
        let make_large = function("make_large");
        let is_large = |ty: &Option<Type>| ty.as_ref().is_some_and(|ty| ty.to_string() == "%struct.large");
        assert!(is_large(&make_large.parameters[0].attributes.sret), "{make_large:?}");
        assert!(is_large(&make_large.parameters[1].attributes.byval), "{make_large:?}");
        assert_eq!(make_large.result, Type::Void);
        let narrow = function("narrow");
        assert!(narrow.result_attributes.is_signext && narrow.parameters[2].attributes.is_zeroext, "{narrow:?}");
        assert!(function("swap").parameters.iter().all(|parameter| parameter.attributes.is_noalias));
        assert!(function("variadic").is_variadic && !function("sum").is_variadic);
        assert!(function("stop").attributes.has("noreturn") && !function("sum").attributes.has("noreturn"));
        assert_eq!((function("twice").linkage, function("sum").linkage), (Linkage::Internal, Linkage::External));
        assert_eq!(function("puts").body, Body::Declared);
        let fixed: Vec<_> =
            calls(function("via_pointer")).iter().map(|call| (call.fixed, call.arguments.len())).collect();
        assert_eq!(fixed, [(Some(1), 4)]);
        let assembly = calls(function("assembly"));
        let Callee::Assembly(assembly) = &assembly[0].callee else { panic!("{assembly:?}") };
        assert_eq!((&*assembly.template, assembly.has_side_effect), (&b"# \"$0\"\n\tnop"[..], true));
    }
}

fn calls(function: &Function) -> Vec<&perturb_sym::ir::Call> {
    let blocks = &function.definition().expect("it is defined").blocks;
    let operations = blocks.iter().flat_map(|block| &block.instructions).map(|instruction| &instruction.operation);
    operations.filter_map(|operation| if let Operation::Call(call) = operation { Some(call) } else { None }).collect()
}

#[test]
fn places_are_where_the_source_has_them() {
    let source = std::fs::read_to_string(program("language.c")).expect("it can be read");
    let lines: Vec<&str> = source.lines().collect();
    for clang in clangs() {
        let module = module_of(&clang, "language.c", LEVELS[0]);
        for function in module.functions.iter().filter(|function| function.definition().is_some()) {
            let position = function.position.unwrap_or_else(|| panic!("{clang}: {} has no position", function.name));
            assert!(
                lines[position.line as usize - 1].contains(&*function.name),
                "{clang}: {} at {position:?}",
                function.name
            );
            assert!(module.file(position).is_some_and(|file| file.name.ends_with("language.c")));
        }
        let divide = places(&module, "arithmetic", "SDiv");
        assert_eq!(divide.len(), 1);
        let (line, column) = divide[0];
        assert!(lines[line as usize - 1][column as usize - 1..].starts_with("/ b"), "{clang}: {divide:?}");
    }
}

/// Lines and columns of a function's computations of a kind.
fn places(module: &Module, function: &str, kind: &str) -> Vec<(u32, u32)> {
    let blocks = &module.function(function).and_then(Function::definition).expect("it is defined").blocks;
    let all = blocks.iter().flat_map(|block| &block.instructions);
    let those = all.filter(|instruction| format!("{:?}", instruction.operation).contains(kind));
    those.filter_map(|instruction| instruction.position).map(|position| (position.line, position.column)).collect()
}
