//! Small texts, written by hand.

use super::*;

const LAYOUT: &str =
    "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n";

const TYPES: &str = "%pair = type { i8, i64 }\n%deep = type { i32, [3 x %pair] }\n";

/// A module with one function around some lines, which may use its parameters.
fn module_around(lines: &str) -> Module {
    let parameters = "i32 %a, i32 %b, ptr %p, double %d, <4 x i32> %v, i1 %c, %pair %s, i64 %l, float %f";
    Module::parse(&format!(
        "{LAYOUT}{TYPES}define void @f({parameters}) {{\n{lines}\n  ret void\n}}\ndefine i32 @g() {{\n  ret i32 \
         3\n}}\nattributes #7 = {{ nounwind }}\n"
    ))
}

/// What a line does, with the type of its result.
fn operation(line: &str) -> (Operation, Type) {
    let module = module_around(&format!("  {line}"));
    let function = module.function("f").unwrap();
    let definition = function.definition().unwrap_or_else(|| panic!("{line}: {:?}", function.unsupported()));
    let first = &definition.blocks[0].instructions[0];
    (
        first.operation.clone(),
        first.result.map_or(Type::Void, |register| definition.registers[register.index()].clone()),
    )
}

fn computation(line: &str) -> Computation {
    match operation(line).0 {
        Operation::Compute(computation) => computation,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn results_have_the_types_that_their_operations_give_them() {
    for (line, expected) in [
        ("%r = add nsw nuw i32 %a, -1", "i32"),
        ("%r = fadd fast double %d, 1.0e+00", "double"),
        ("%r = fneg <2 x float> zeroinitializer", "<2 x float>"),
        ("%r = icmp ult i32 %a, %b", "i1"),
        ("%r = icmp eq ptr %p, null", "i1"),
        ("%r = icmp sgt <4 x i32> %v, splat (i32 3)", "<4 x i1>"),
        ("%r = fcmp uno double %d, 0x7FF8000000000000", "i1"),
        ("%r = zext nneg i32 %a to i64", "i64"),
        ("%r = trunc nuw i64 %l to i1", "i1"),
        ("%r = bitcast <4 x i32> %v to i128", "i128"),
        ("%r = bitcast i32* @x to i8*", "ptr"),
        ("%r = ptrtoint ptr %p to i64", "i64"),
        ("%r = select i1 %c, i32 %a, i32 undef", "i32"),
        ("%r = freeze i32 %a", "i32"),
        ("%r = extractvalue %pair %s, 1", "i64"),
        ("%r = insertvalue %pair poison, i8 3, 0", "%pair"),
        ("%r = extractelement <4 x i32> %v, i64 2", "i32"),
        ("%r = insertelement <4 x i32> %v, i32 %a, i32 %b", "<4 x i32>"),
        ("%r = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 1, i32 poison>", "<2 x i32>"),
        ("%r = getelementptr inbounds %deep, ptr %p, i64 %l, i32 1, i64 2, i32 1", "ptr"),
        ("%r = getelementptr i8, ptr %p, <4 x i32> %v", "<4 x ptr>"),
        ("%r = alloca [4 x i16], align 16", "ptr"),
        ("%r = alloca i32, i64 %l, align 16", "ptr"),
        ("%r = load volatile i32, ptr %p, align 4", "i32"),
        ("%r = load atomic i32, i32* @x syncscope(\"singlethread\") acquire, align 4", "i32"),
        ("store atomic volatile i32 1, ptr %p seq_cst, align 4", "void"),
        ("%r = atomicrmw volatile umax ptr %p, i32 %a monotonic, align 4", "i32"),
        ("%r = cmpxchg weak ptr %p, i32 %a, i32 %b acq_rel monotonic, align 4", "{ i32, i1 }"),
        ("fence syncscope(\"singlethread\") release", "void"),
        ("%r = va_arg ptr %p, i32", "i32"),
        ("%r = tail call fastcc noundef zeroext i8 @g(i32 noundef signext %a) #7 [ \"deopt\"(i32 1) ]", "i8"),
        ("%r = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %l, i64 3)", "{ i64, i1 }"),
        ("%r = call i32 (ptr, ...) @printf(ptr @x, double %d) nounwind, !dbg !3, !srcloc !{i64 1}", "i32"),
        ("%r = call nnan float @llvm.fabs.f32(float %f)", "float"),
        ("%r = call i64 @llvm.read_register.i64(metadata !0), !range !{i64 0, i64 5}", "i64"),
    ] {
        assert_eq!(operation(line).1.to_string(), expected, "{line}");
    }
}

#[test]
fn flags_and_predicates_are_kept() {
    let Computation::Integer { op, flags, right, .. } = computation("%r = sub nsw i32 %a, -1") else { panic!() };
    assert_eq!((op, flags), (IntegerOp::Sub, IntegerFlags { nsw: true, ..IntegerFlags::default() }));
    assert_eq!(right.as_int(), Some(0xffff_ffff));
    let Computation::Integer { flags, .. } = computation("%r = or disjoint i32 %a, %b") else { panic!() };
    assert!(flags.disjoint && !flags.exact);
    let Computation::Float { fast, .. } = computation("%r = fmul nnan contract float %f, 5.0e-01") else { panic!() };
    assert!(fast.nnan && fast.contract && !fast.ninf);
    let Computation::CompareIntegers { predicate, flags, .. } = computation("%r = icmp samesign ule i32 %a, 3") else {
        panic!()
    };
    assert!(predicate == IntegerPredicate::Ule && flags.samesign);
    let Computation::CompareFloats { predicate, .. } = computation("%r = fcmp fast true double %d, 0.0e+00") else {
        panic!()
    };
    assert_eq!(predicate, FloatPredicate::True);
    let Computation::ShuffleVector { mask, .. } =
        computation("%r = shufflevector <4 x i32> %v, <4 x i32> %v, <3 x i32> <i32 7, i32 undef, i32 0>")
    else {
        panic!()
    };
    assert_eq!(mask, [Some(7), None, Some(0)]);
}

#[test]
fn addresses_come_with_offsets_and_strides() {
    for line in [
        "%r = getelementptr inbounds %deep, %deep* @x, i64 %l, i32 1, i64 %l, i32 1",
        "%r = getelementptr inbounds nuw %deep, ptr @x, i64 %l, i32 1, i64 %l, i32 1",
        "%r = getelementptr inbounds %deep, ptr @x, i64 %l, i32 1, inrange i64 %l, i32 1, !dbg !4",
    ] {
        let Computation::Address(address) = computation(line) else { panic!() };
        let steps: Vec<(bool, u64)> = address
            .indices
            .iter()
            .map(|index| match index {
                Index::Field { offset, .. } => (true, *offset),
                Index::Element { stride, .. } => (false, *stride),
            })
            .collect();
        assert_eq!(steps, [(false, 56), (true, 8), (false, 16), (true, 8)], "{line}");
        assert!(address.flags.inbounds && address.flags.nusw);
    }
}

#[test]
fn what_is_wrong_or_unknown_is_told_and_spoils_nothing_else() {
    for (line, expected) in [
        ("%r = add i32 %a, %l", "%l is of type i64, not i32"),
        ("%r = add i32 %a, %gone", "%gone is not defined"),
        ("%a = add i32 %b, 1", "%a is defined twice"),
        ("%r = add float %f, %f", "an operand of another type"),
        ("%r = fadd i32 %a, %b", "an operand of another type"),
        ("%r = zext i64 %l to i32", "a possible conversion"),
        ("%r = bitcast i32 %a to i64", "a possible conversion"),
        ("%r = bitcast i64 %l to ptr", "a possible conversion"),
        ("%r = select i32 %a, i32 1, i32 2", "an operand of another type"),
        ("%r = select i1 %c, i32 1, i64 2", "two values of one type"),
        ("%r = extractvalue %pair %s, 2", "a value with such a part"),
        ("%r = insertvalue %pair %s, i32 1, 0", "a value with such a part"),
        ("%r = shufflevector <4 x i32> %v, <4 x i32> %v, <1 x i32> <i32 8>", "two vectors of one type and a mask"),
        ("%r = getelementptr %pair, ptr %p, i64 0, i32 2", "an index"),
        ("%r = getelementptr %pair, ptr %p, i64 0, i32 %a", "an index"),
        ("%r = getelementptr i32, ptr %p, i64 0, i32 0", "an index"),
        ("%r = load i32, ptr %p, align 3", "an alignment"),
        ("%r = load void, ptr %p", "a type with values"),
        ("%r = load i32, i64 %l", "a pointer"),
        ("%r = load i32, ptr addrspace(3) %p", "another address space"),
        ("%r = store i32 1, ptr %p", "an instruction expected"),
        ("%r = frobnicate i32 %a", "opcode frobnicate"),
        ("%r = add i32 %a, 4294967296", "a constant of type i32"),
        ("%r = fadd float %f, 0x3FB999999999999A", "a constant of type float"),
        ("%r = add i200 1, 2", "a constant of type i200"),
        ("%r = add i32 %a, %b garbage", "',' expected"),
        ("%r = call i32 (i32) @g(i64 %l)", "a function to call"),
        ("%r = call i32 @g() #9", "attributes #9"),
        ("%r = call i32 @g(ptr inalloca(i32) %p)", "the attribute inalloca"),
        ("%r = atomicrmw fadd ptr %p, i32 %a monotonic", "an update that is known"),
        ("br label %nowhere", "a block of the function"),
        ("br i32 %a, label %0, label %0", "a condition"),
        ("br label %0\n\n1:", "a jump to the first block"),
        ("switch i32 %a, label %0 [ i32 1, label %0 i32 1, label %0 ]", "others that differ"),
        ("%r = phi i32 [ 1, %0 ]", "predecessors"),
        ("ret void", "does not end with its only terminator"),
        ("%r = add <vscale x 4 x i32> %v, %v", "a scalable vector"),
    ] {
        let module = module_around(&format!("  {line}"));
        let Body::Unsupported(unsupported) = &module.function("f").unwrap().body else { panic!("{line} was read") };
        assert!(unsupported.what.contains(expected), "{line}: {unsupported}");
        assert!((4..=5).contains(&unsupported.line), "{line}: {unsupported}");
        assert!(module.function("g").unwrap().definition().is_some(), "{line}");
    }
}

/// The loop that clang makes of a `for`, with pointers as they were written up to version 14, or as later.
fn looped(pointer: &str, slot: &str) -> Module {
    Module::parse(&format!(
        "{LAYOUT}define dso_local i32 @sum({pointer} noundef %0, i32 %1) #0 {{
  %3 = alloca i32, align 4
  store i32 0, {slot} %3, align 4
  br label %4

4:                                                ; preds = %8, %2
  %5 = phi i32 [ 0, %2 ], [ %9, %8 ]
  %6 = phi i32 [ %7, %8 ], [ %1, %2 ]
  %7 = add nsw i32 %6, -1
  switch i32 %5, label %8 [
    i32 7, label %\"the end\"
    i32 -1, label %8
  ]

8:
  %9 = load i32, {slot} %3, align 4
  br label %4

\"the end\":                                        ; preds = %4
  ret i32 %5
}}
attributes #0 = {{ noinline nounwind memory(none) \"frame-pointer\"=\"all\" }}
"
    ))
}

#[test]
fn blocks_and_registers_are_numbered_in_the_order_of_the_text() {
    let module = looped("ptr", "ptr");
    let function = module.function("sum").unwrap();
    let Body::Defined(definition) = &function.body else { panic!("{:?}", function.body) };
    let names: Vec<&str> = definition.blocks.iter().map(|block| &*block.name).collect();
    assert_eq!(names, ["2", "4", "8", "\"the end\""]);
    let switch = &definition.blocks[1].instructions[3].operation;
    let Operation::Switch { default, cases, .. } = switch else { panic!("{switch:?}") };
    assert_eq!((*default, &cases[..]), (BlockId(2), &[(7, BlockId(3)), (0xffff_ffff, BlockId(2))][..]));
    assert_eq!(definition.registers.len(), 7);
    assert!(function.attributes.has("nounwind") && function.attributes.has("memory(none)"));
    assert!(!function.attributes.has("noreturn"));
}

#[test]
fn typed_and_opaque_pointers_are_read_alike() {
    let (opaque, typed) = (looped("ptr", "ptr"), looped("i32*", "i32*"));
    assert_eq!(opaque.functions, typed.functions);
    assert!(opaque.functions[0].definition().is_some());
}

#[test]
fn a_phi_must_have_a_value_for_every_way_in() {
    // The switch comes to block 8 twice, so a phi there has two entries, with one value.
    for (entries, is_right) in
        [("[ 1, %0 ], [ 1, %0 ]", true), ("[ 1, %0 ]", false), ("[ 1, %0 ], [ 2, %0 ]", false), ("[ 1, %8 ]", false)]
    {
        let lines = format!("  switch i32 %a, label %8 [ i32 1, label %8 ]\n\n8:\n  %r = phi i32 {entries}");
        let module = module_around(&lines);
        assert_eq!(module.function("f").unwrap().definition().is_some(), is_right, "{entries}");
    }
}

#[test]
fn definitions_come_before_uses_on_every_path() {
    let branch =
        "  br i1 %c, label %1, label %2\n\n1:\n  %x = add i32 %a, 1\n  br label %3\n\n2:\n  br label %3\n\n3:\n";
    let never =
        "  br label %1\n\n1:\n  br label %3\n\n2:\n  %y = add i32 %x, 1\n  %x = add i32 %y, 1\n  br label %3\n\n3:\n";
    let twice = "  br label %1\n\n1:\n  %p1 = phi i32 [ 0, %0 ], [ %x, %2 ]\n  br i1 %c, label %2, label %3\n\n2:\n  \
                 %x = add i32 %p1, 1\n  br label %1\n\n3:\n";
    for (lines, is_right) in [
        ("  %y = add i32 %x, 1\n  %x = add i32 %a, 1".to_string(), false),
        ("  %x = add i32 %a, 1\n  %y = add i32 %x, 1".to_string(), true),
        ("  %x = add i32 %x, 1".to_string(), false),
        (format!("{branch}  %y = add i32 %x, 1"), false),
        (format!("{branch}  %y = phi i32 [ %x, %1 ], [ 0, %2 ]"), true),
        (format!("{branch}  %y = phi i32 [ 0, %1 ], [ %x, %2 ]"), false),
        (format!("{never}  %z = add i32 %a, 1"), true),
        (format!("{never}  %z = add i32 %x, 1"), false),
        (format!("{twice}  %z = add i32 %p1, 1"), true),
        (format!("{twice}  %z = add i32 %x, 1"), false),
    ] {
        let module = module_around(&lines);
        let function = module.function("f").unwrap();
        assert_eq!(function.definition().is_some(), is_right, "{lines}: {:?}", function.unsupported());
        assert!(is_right || function.unsupported().is_some_and(|wrong| wrong.what.contains("before it is defined")));
    }
}

#[test]
fn globals_have_their_values_and_properties() {
    let module = Module::parse(&format!(
        "{LAYOUT}{TYPES}@a = internal unnamed_addr constant [3 x i8] c\"x\\00\\FF\", align 1
@b = external thread_local(initialexec) global i32, align 4
@c = common dso_local global %pair zeroinitializer, section \".x\", align 16, !dbg !4
@d = weak hidden global ptr getelementptr inbounds (%pair, ptr @c, i64 0, i32 1), comdat, align 8
@e = global <{{ i8, i64 }}> <{{ i8 1, i64 ptrtoint (ptr @d to i64) }}>
@f = alias i32, i32* bitcast (%pair* @c to i32*)
@g = alias void (...), bitcast (%pair* @c to void (...)*)
@h = global i64 sub (i64 ptrtoint (ptr @c to i64), i64 ptrtoint (ptr @d to i64))
@i = addrspace(2) global i32 0
@j = global [2 x i8] [i8 1]
@k = global i32 0
@k = global i32 1
@l = external global %none
%none = type opaque
"
    ));
    let variable = |name: &str| module.global(name).and_then(Global::variable).unwrap_or_else(|| panic!("{name}"));
    let a = variable("a");
    assert!(a.is_constant && !a.is_external());
    assert_eq!(a.initialiser.as_ref().unwrap().kind, ConstantKind::Bytes(b"x\0\xff".as_slice().into()));
    assert!(variable("b").is_external() && variable("b").is_thread_local);
    assert_eq!((variable("c").alignment, variable("e").alignment), (16, 1));
    assert_eq!(module.global("d").unwrap().linkage, Linkage::Weak);
    let ConstantKind::Expression(expression) = &variable("h").initialiser.as_ref().unwrap().kind else { panic!() };
    assert!(matches!(&**expression, Computation::Integer { op: IntegerOp::Sub, .. }));
    for alias in ["f", "g"] {
        let kind = &module.global(alias).unwrap().kind;
        assert!(matches!(kind, GlobalKind::Alias { aliasee, .. } if aliasee.ty == Type::Pointer), "{kind:?}");
    }
    for (wrong, expected) in [("i", "another address space"), ("j", "','"), ("k", "@k is there twice")] {
        let GlobalKind::Unsupported(unsupported) = &module.global(wrong).unwrap().kind else { panic!("{wrong}") };
        assert!(unsupported.what.contains(expected), "{unsupported}");
    }
    assert!(variable("l").is_external());
    assert_eq!(module.unsupported, []);
}

#[test]
fn places_come_from_the_innermost_scope_that_has_a_file() {
    let module = Module::parse(
        "define void @f() !dbg !1 {
  call void @g(), !dbg !4
  call void @llvm.dbg.value(metadata i32 1, metadata !9, metadata !DIExpression()), !dbg !4
    #dbg_value(i32 1, !9, !DIExpression(), !4)
  call void @g(), !dbg !5
  ret void
}
!1 = distinct !DISubprogram(name: \"f\", scope: !2, file: !2, line: 7, scopeLine: 7, unit: !8)
!2 = !DIFile(filename: \"a.c\", directory: \"/tmp/\\22x\")
!3 = distinct !DILexicalBlock(scope: !1, line: 8)
!4 = !DILocation(line: 9, column: 3, scope: !3)
!5 = !DILocation(line: 10, scope: !6, inlinedAt: !4)
!6 = !DILexicalBlockFile(scope: !3, file: !7, discriminator: 0)
!7 = !DIFile(filename: \"b.h\", directory: \"/tmp\")
",
    );
    let function = module.function("f").unwrap();
    let told = |position: Option<SourcePosition>| {
        let position = position?;
        let file = module.file(position)?;
        Some(format!("{}/{}:{}:{}", file.folder, file.name, position.line, position.column))
    };
    assert_eq!(told(function.position).unwrap(), "/tmp/\"x/a.c:7:0");
    let instructions = &function.definition().unwrap().blocks[0].instructions;
    let places: Vec<_> = instructions.iter().map(|instruction| told(instruction.position)).collect();
    assert_eq!(places, [Some("/tmp/\"x/a.c:9:3".to_string()), Some("/tmp/b.h:10:0".to_string()), None]);
}

#[test]
fn exceptions_are_kept_as_text_with_their_results() {
    let module = Module::parse(
        "define i32 @f() personality ptr @p {
  %1 = invoke noundef i32 @g(i32 1)
          to label %2 unwind label %3, !dbg !4

2:
  ret i32 %1

3:
  %4 = landingpad { ptr, i32 }
          cleanup
          catch ptr null
  resume { ptr, i32 } %4
}
",
    );
    let function = module.function("f").unwrap();
    let Body::Defined(definition) = &function.body else { panic!("{:?}", function.body) };
    let counts: Vec<usize> = definition.blocks.iter().map(|block| block.instructions.len()).collect();
    assert_eq!(counts, [1, 1, 2]);
    let types: Vec<String> = definition.registers.iter().map(ToString::to_string).collect();
    assert_eq!(types, ["i32", "{ ptr, i32 }"]);
}

#[test]
fn without_a_layout_that_is_understood_nothing_is() {
    let module = Module::parse("target datalayout = \"e-q:1\"\n@x = global i32 0\ndefine void @f() {\n  ret void\n}\n");
    let unsupported = module.function("f").and_then(Function::unsupported).unwrap();
    assert_eq!((unsupported.what.as_str(), unsupported.line), ("target datalayout: q:1", 3));
    assert!(module.global("x").unwrap().variable().is_none());
}

#[test]
fn constants_in_one_another_end_somewhere() {
    let nested =
        |depth: usize| format!("@x = global ptr {}@y{}", "bitcast (ptr ".repeat(depth), " to ptr)".repeat(depth));
    let module = Module::parse(&nested(50));
    assert!(module.global("x").unwrap().variable().is_some());
    let module = Module::parse(&nested(100_000));
    let GlobalKind::Unsupported(unsupported) = &module.global("x").unwrap().kind else { panic!() };
    assert_eq!(unsupported.what, "constants nested too deep");
}

#[test]
fn modules_can_be_shared_between_threads() {
    fn is_shared<T: Send + Sync>(_: &T) {}
    is_shared(&Module::parse(""));
}

#[test]
fn strange_lines_are_told() {
    let module = Module::parse("what is this\nmodule asm \".globl x\"\ndefine void f() {\n}\n\n$c = comdat any\n");
    assert!(module.has_assembly);
    let lines: Vec<u32> = module.unsupported.iter().map(|unsupported| unsupported.line).collect();
    assert_eq!(lines, [1, 3]);
}
