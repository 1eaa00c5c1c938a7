; ModuleID = 'f.c'
source_filename = "f.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.large = type { i32, [4 x double], %struct.point, i8* }
%struct.point = type { i32, i32 }
%struct.list = type { i32, %struct.list* }
%struct.__va_list_tag = type { i32, i32, i8*, i8* }

@factors = dso_local constant [3 x float] [float 5.000000e-01, float 0x3FB99999A0000000, float 0xC6293E5940000000], align 4
@extended = dso_local global x86_fp80 0xK3FFBCCCCCCCCCCCCCCCD, align 16
@.str = private unnamed_addr constant [6 x i8] c"na\22me\00", align 1
@initialised = dso_local global %struct.large { i32 3, [4 x double] [double 1.000000e+00, double 2.000000e+00, double 0.000000e+00, double 0.000000e+00], %struct.point { i32 4, i32 5 }, i8* getelementptr inbounds ([6 x i8], [6 x i8]* @.str, i32 0, i32 0) }, align 8
@matrix = dso_local global [2 x [3 x i32]] [[3 x i32] [i32 1, i32 2, i32 3], [3 x i32] [i32 4, i32 0, i32 0]], align 16
@inside = dso_local global i8* getelementptr (i8, i8* bitcast ([2 x [3 x i32]]* @matrix to i8*), i64 20), align 8
@huge = dso_local global i128 1267650600228229401496703205376, align 16
@per_thread = dso_local thread_local global i32 4, align 4
@operation = dso_local global i32 (i32)* @twice, align 8
@computed.t = internal global [2 x i8*] [i8* blockaddress(@computed, %9), i8* blockaddress(@computed, %10)], align 16
@plain = dso_local global i32 0, align 4
@ring = internal global %struct.list { i32 1, %struct.list* @ring }, align 8

; Function Attrs: noinline nounwind uwtable
define internal i32 @twice(i32 noundef %0) #0 !dbg !10 {
  %2 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  %3 = load i32, i32* %2, align 4, !dbg !13
  %4 = mul nsw i32 2, %3, !dbg !14
  ret i32 %4, !dbg !15
}

; Function Attrs: noinline nounwind uwtable
define dso_local void @make(%struct.large* noalias sret(%struct.large) align 8 %0, %struct.large* noundef byval(%struct.large) align 8 %1, i32 noundef %2) #0 !dbg !16 {
  %4 = alloca i32, align 4
  store i32 %2, i32* %4, align 4
  %5 = load i32, i32* %4, align 4, !dbg !17
  %6 = sitofp i32 %5 to double, !dbg !17
  %7 = getelementptr inbounds %struct.large, %struct.large* %1, i32 0, i32 1, !dbg !18
  %8 = load i32, i32* %4, align 4, !dbg !19
  %9 = and i32 %8, 3, !dbg !20
  %10 = sext i32 %9 to i64, !dbg !21
  %11 = getelementptr inbounds [4 x double], [4 x double]* %7, i64 0, i64 %10, !dbg !21
  store double %6, double* %11, align 8, !dbg !22
  %12 = bitcast %struct.large* %0 to i8*, !dbg !23
  %13 = bitcast %struct.large* %1 to i8*, !dbg !23
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 8 %12, i8* align 8 %13, i64 56, i1 false), !dbg !23
  ret void, !dbg !24
}

; Function Attrs: argmemonly nofree nounwind willreturn
declare void @llvm.memcpy.p0i8.p0i8.i64(i8* noalias nocapture writeonly, i8* noalias nocapture readonly, i64, i1 immarg) #1

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @switches(i32 noundef %0) #0 !dbg !25 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  store i32 %0, i32* %3, align 4
  %4 = load i32, i32* %3, align 4, !dbg !26
  switch i32 %4, label %9 [
    i32 1, label %5
    i32 -5, label %6
  ], !dbg !27

5:                                                ; preds = %1
  store i32 2, i32* %2, align 4, !dbg !28
  br label %13, !dbg !28

6:                                                ; preds = %1
  %7 = load i32, i32* %3, align 4, !dbg !29
  %8 = add nsw i32 %7, 1, !dbg !29
  store i32 %8, i32* %3, align 4, !dbg !29
  br label %10, !dbg !30

9:                                                ; preds = %1
  store i32 0, i32* %3, align 4, !dbg !31
  br label %10, !dbg !32

10:                                               ; preds = %9, %6
  %11 = load i32, i32* %3, align 4, !dbg !33
  %12 = mul nsw i32 %11, 2, !dbg !34
  store i32 %12, i32* %2, align 4, !dbg !35
  br label %13, !dbg !35

13:                                               ; preds = %10, %5
  %14 = load i32, i32* %2, align 4, !dbg !36
  ret i32 %14, !dbg !36
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @computed(i32 noundef %0) #0 !dbg !37 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  store i32 %0, i32* %3, align 4
  %4 = load i32, i32* %3, align 4, !dbg !38
  %5 = and i32 %4, 1, !dbg !39
  %6 = sext i32 %5 to i64, !dbg !40
  %7 = getelementptr inbounds [2 x i8*], [2 x i8*]* @computed.t, i64 0, i64 %6, !dbg !40
  %8 = load i8*, i8** %7, align 8, !dbg !40
  br label %13, !dbg !41

9:                                                ; preds = %13
  store i32 1, i32* %2, align 4, !dbg !42
  br label %11, !dbg !42

10:                                               ; preds = %13
  store i32 2, i32* %2, align 4, !dbg !43
  br label %11, !dbg !43

11:                                               ; preds = %10, %9
  %12 = load i32, i32* %2, align 4, !dbg !44
  ret i32 %12, !dbg !44

13:                                               ; preds = %1
  %14 = phi i8* [ %8, %1 ]
  indirectbr i8* %14, [label %9, label %10]
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @variadic(i32 noundef %0, ...) #0 !dbg !45 {
  %2 = alloca i32, align 4
  %3 = alloca [1 x %struct.__va_list_tag], align 16
  store i32 %0, i32* %2, align 4
  %4 = getelementptr inbounds [1 x %struct.__va_list_tag], [1 x %struct.__va_list_tag]* %3, i64 0, i64 0, !dbg !46
  %5 = bitcast %struct.__va_list_tag* %4 to i8*, !dbg !46
  call void @llvm.va_start(i8* %5), !dbg !46
  %6 = getelementptr inbounds [1 x %struct.__va_list_tag], [1 x %struct.__va_list_tag]* %3, i64 0, i64 0, !dbg !47
  %7 = getelementptr inbounds %struct.__va_list_tag, %struct.__va_list_tag* %6, i32 0, i32 0, !dbg !47
  %8 = load i32, i32* %7, align 16, !dbg !47
  %9 = icmp ule i32 %8, 40, !dbg !47
  br i1 %9, label %10, label %16, !dbg !47

10:                                               ; preds = %1
  %11 = getelementptr inbounds %struct.__va_list_tag, %struct.__va_list_tag* %6, i32 0, i32 3, !dbg !47
  %12 = load i8*, i8** %11, align 16, !dbg !47
  %13 = getelementptr i8, i8* %12, i32 %8, !dbg !47
  %14 = bitcast i8* %13 to i32*, !dbg !47
  %15 = add i32 %8, 8, !dbg !47
  store i32 %15, i32* %7, align 16, !dbg !47
  br label %21, !dbg !47

16:                                               ; preds = %1
  %17 = getelementptr inbounds %struct.__va_list_tag, %struct.__va_list_tag* %6, i32 0, i32 2, !dbg !47
  %18 = load i8*, i8** %17, align 8, !dbg !47
  %19 = bitcast i8* %18 to i32*, !dbg !47
  %20 = getelementptr i8, i8* %18, i32 8, !dbg !47
  store i8* %20, i8** %17, align 8, !dbg !47
  br label %21, !dbg !47

21:                                               ; preds = %16, %10
  %22 = phi i32* [ %14, %10 ], [ %19, %16 ], !dbg !47
  %23 = load i32, i32* %22, align 4, !dbg !47
  %24 = load i32, i32* %2, align 4, !dbg !48
  %25 = add nsw i32 %24, %23, !dbg !48
  store i32 %25, i32* %2, align 4, !dbg !48
  %26 = getelementptr inbounds [1 x %struct.__va_list_tag], [1 x %struct.__va_list_tag]* %3, i64 0, i64 0, !dbg !49
  %27 = bitcast %struct.__va_list_tag* %26 to i8*, !dbg !49
  call void @llvm.va_end(i8* %27), !dbg !49
  %28 = load i32, i32* %2, align 4, !dbg !50
  ret i32 %28, !dbg !51
}

; Function Attrs: nofree nosync nounwind willreturn
declare void @llvm.va_start(i8*) #2

; Function Attrs: nofree nosync nounwind willreturn
declare void @llvm.va_end(i8*) #2

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @call(i32 (i32, ...)* noundef %0, i32 noundef %1) #0 !dbg !52 {
  %3 = alloca i32 (i32, ...)*, align 8
  %4 = alloca i32, align 4
  %5 = alloca %struct.large, align 8
  store i32 (i32, ...)* %0, i32 (i32, ...)** %3, align 8
  store i32 %1, i32* %4, align 4
  %6 = load i32 (i32, ...)*, i32 (i32, ...)** %3, align 8, !dbg !53
  %7 = load i32, i32* %4, align 4, !dbg !54
  %8 = call i32 (i32, ...) %6(i32 noundef 1, i32 noundef %7, double noundef 2.000000e+00), !dbg !53
  %9 = load i32 (i32)*, i32 (i32)** @operation, align 8, !dbg !55
  %10 = load i32, i32* %4, align 4, !dbg !56
  %11 = call i32 %9(i32 noundef %10), !dbg !55
  %12 = add nsw i32 %8, %11, !dbg !57
  %13 = load i32, i32* %4, align 4, !dbg !58
  call void @make(%struct.large* sret(%struct.large) align 8 %5, %struct.large* noundef byval(%struct.large) align 8 @initialised, i32 noundef %13), !dbg !59
  %14 = getelementptr inbounds %struct.large, %struct.large* %5, i32 0, i32 0, !dbg !60
  %15 = load i32, i32* %14, align 8, !dbg !60
  %16 = add nsw i32 %12, %15, !dbg !61
  ret i32 %16, !dbg !62
}

; Function Attrs: noinline nounwind uwtable
define dso_local <4 x i32> @shuffle(<4 x i32> noundef %0, <4 x i32> noundef %1) #3 !dbg !63 {
  %3 = alloca <4 x i32>, align 16
  %4 = alloca <4 x i32>, align 16
  store <4 x i32> %0, <4 x i32>* %3, align 16
  store <4 x i32> %1, <4 x i32>* %4, align 16
  %5 = load <4 x i32>, <4 x i32>* %3, align 16, !dbg !64
  %6 = insertelement <4 x i32> %5, i32 3, i32 1, !dbg !64
  store <4 x i32> %6, <4 x i32>* %3, align 16, !dbg !64
  %7 = load <4 x i32>, <4 x i32>* %3, align 16, !dbg !65
  %8 = load <4 x i32>, <4 x i32>* %4, align 16, !dbg !66
  %9 = shufflevector <4 x i32> %7, <4 x i32> %8, <4 x i32> <i32 0, i32 4, i32 undef, i32 7>, !dbg !67
  %10 = load <4 x i32>, <4 x i32>* %3, align 16, !dbg !68
  %11 = load <4 x i32>, <4 x i32>* %4, align 16, !dbg !69
  %12 = icmp slt <4 x i32> %10, %11, !dbg !70
  %13 = sext <4 x i1> %12 to <4 x i32>, !dbg !70
  %14 = add <4 x i32> %9, %13, !dbg !71
  ret <4 x i32> %14, !dbg !72
}

; Function Attrs: noinline nounwind uwtable
define dso_local void @assembly(i32* noundef %0) #0 !dbg !73 {
  %2 = alloca i32*, align 8
  store i32* %0, i32** %2, align 8
  %3 = load i32*, i32** %2, align 8, !dbg !74
  %4 = load i32, i32* %3, align 4, !dbg !75
  %5 = call i32 asm sideeffect "nop", "=r,0,~{memory},~{dirflag},~{fpsr},~{flags}"(i32 %4) #4, !dbg !75, !srcloc !76
  store i32 %5, i32* %3, align 4, !dbg !75
  ret void, !dbg !77
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @atomics(i32 noundef %0) #0 !dbg !78 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca i8, align 1
  store i32 %0, i32* %2, align 4
  store i32 1, i32* %3, align 4, !dbg !79
  %6 = load i32, i32* %2, align 4, !dbg !80
  store i32 %6, i32* %4, align 4, !dbg !81
  %7 = load i32, i32* %3, align 4, !dbg !81
  %8 = load i32, i32* %4, align 4, !dbg !81
  %9 = cmpxchg weak i32* @plain, i32 %7, i32 %8 seq_cst monotonic, align 4, !dbg !81
  %10 = extractvalue { i32, i1 } %9, 0, !dbg !81
  %11 = extractvalue { i32, i1 } %9, 1, !dbg !81
  br i1 %11, label %13, label %12, !dbg !81

12:                                               ; preds = %1
  store i32 %10, i32* %3, align 4, !dbg !81
  br label %13, !dbg !81

13:                                               ; preds = %12, %1
  %14 = zext i1 %11 to i8, !dbg !81
  store i8 %14, i8* %5, align 1, !dbg !81
  %15 = load i8, i8* %5, align 1, !dbg !81
  %16 = trunc i8 %15 to i1, !dbg !81
  %17 = load i32, i32* %2, align 4, !dbg !82
  %18 = atomicrmw add i32* @plain, i32 %17 seq_cst, align 4, !dbg !83
  %19 = load i32, i32* @per_thread, align 4, !dbg !84
  %20 = add nsw i32 %18, %19, !dbg !85
  ret i32 %20, !dbg !86
}

; Function Attrs: noinline nounwind uwtable
define dso_local float @floats(float noundef %0, double noundef %1) #0 !dbg !87 {
  %3 = alloca float, align 4
  %4 = alloca double, align 8
  store float %0, float* %3, align 4
  store double %1, double* %4, align 8
  %5 = load float, float* %3, align 4, !dbg !88
  %6 = fpext float %5 to double, !dbg !88
  %7 = load double, double* %4, align 8, !dbg !89
  %8 = fcmp olt double %6, %7, !dbg !90
  br i1 %8, label %9, label %13, !dbg !88

9:                                                ; preds = %2
  %10 = load float, float* %3, align 4, !dbg !91
  %11 = fneg float %10, !dbg !92
  %12 = fmul float %11, 0x3FB99999A0000000, !dbg !93
  br label %16, !dbg !88

13:                                               ; preds = %2
  %14 = load double, double* %4, align 8, !dbg !94
  %15 = fptrunc double %14 to float, !dbg !95
  br label %16, !dbg !88

16:                                               ; preds = %13, %9
  %17 = phi float [ %12, %9 ], [ %15, %13 ], !dbg !88
  ret float %17, !dbg !96
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @sum(i32* noundef %0, i64 noundef %1) #0 !dbg !97 {
  %3 = alloca i32*, align 8
  %4 = alloca i64, align 8
  %5 = alloca i32, align 4
  %6 = alloca i64, align 8
  store i32* %0, i32** %3, align 8
  store i64 %1, i64* %4, align 8
  store i32 0, i32* %5, align 4, !dbg !98
  store i64 0, i64* %6, align 8, !dbg !99
  br label %7, !dbg !100

7:                                                ; preds = %28, %2
  %8 = load i64, i64* %6, align 8, !dbg !101
  %9 = load i64, i64* %4, align 8, !dbg !102
  %10 = icmp slt i64 %8, %9, !dbg !103
  br i1 %10, label %11, label %31, !dbg !104

11:                                               ; preds = %7
  %12 = load i32*, i32** %3, align 8, !dbg !105
  %13 = load i64, i64* %6, align 8, !dbg !106
  %14 = getelementptr inbounds i32, i32* %12, i64 %13, !dbg !105
  %15 = load i32, i32* %14, align 4, !dbg !105
  %16 = icmp sgt i32 %15, 3, !dbg !107
  br i1 %16, label %17, label %22, !dbg !105

17:                                               ; preds = %11
  %18 = load i32*, i32** %3, align 8, !dbg !108
  %19 = load i64, i64* %6, align 8, !dbg !109
  %20 = getelementptr inbounds i32, i32* %18, i64 %19, !dbg !108
  %21 = load i32, i32* %20, align 4, !dbg !108
  br label %24, !dbg !105

22:                                               ; preds = %11
  %23 = load i32, i32* getelementptr inbounds (%struct.list, %struct.list* @ring, i32 0, i32 0), align 8, !dbg !110
  br label %24, !dbg !105

24:                                               ; preds = %22, %17
  %25 = phi i32 [ %21, %17 ], [ %23, %22 ], !dbg !105
  %26 = load i32, i32* %5, align 4, !dbg !111
  %27 = add nsw i32 %26, %25, !dbg !111
  store i32 %27, i32* %5, align 4, !dbg !111
  br label %28, !dbg !112

28:                                               ; preds = %24
  %29 = load i64, i64* %6, align 8, !dbg !113
  %30 = add nsw i64 %29, 1, !dbg !113
  store i64 %30, i64* %6, align 8, !dbg !113
  br label %7, !dbg !104, !llvm.loop !114

31:                                               ; preds = %7
  %32 = load i32, i32* %5, align 4, !dbg !116
  ret i32 %32, !dbg !117
}

attributes #0 = { noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { argmemonly nofree nounwind willreturn }
attributes #2 = { nofree nosync nounwind willreturn }
attributes #3 = { noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="128" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5, !6, !7, !8}
!llvm.ident = !{!9}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "Debian clang version 14.0.6", isOptimized: false, runtimeVersion: 0, emissionKind: LineTablesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "f.c", directory: "/source", checksumkind: CSK_MD5, checksum: "662a7ef2f3bef136f0db841930852cd0")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 7, !"PIC Level", i32 2}
!6 = !{i32 7, !"PIE Level", i32 2}
!7 = !{i32 7, !"uwtable", i32 1}
!8 = !{i32 7, !"frame-pointer", i32 2}
!9 = !{!"Debian clang version 14.0.6"}
!10 = distinct !DISubprogram(name: "twice", scope: !1, file: !1, line: 13, type: !11, scopeLine: 13, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !0, retainedNodes: !12)
!11 = !DISubroutineType(types: !12)
!12 = !{}
!13 = !DILocation(line: 13, column: 38, scope: !10)
!14 = !DILocation(line: 13, column: 36, scope: !10)
!15 = !DILocation(line: 13, column: 27, scope: !10)
!16 = distinct !DISubprogram(name: "make", scope: !1, file: !1, line: 15, type: !11, scopeLine: 15, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !12)
!17 = !DILocation(line: 15, column: 62, scope: !16)
!18 = !DILocation(line: 15, column: 46, scope: !16)
!19 = !DILocation(line: 15, column: 53, scope: !16)
!20 = !DILocation(line: 15, column: 55, scope: !16)
!21 = !DILocation(line: 15, column: 44, scope: !16)
!22 = !DILocation(line: 15, column: 60, scope: !16)
!23 = !DILocation(line: 15, column: 72, scope: !16)
!24 = !DILocation(line: 15, column: 65, scope: !16)
!25 = distinct !DISubprogram(name: "switches", scope: !1, file: !1, line: 16, type: !11, scopeLine: 16, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !12)
!26 = !DILocation(line: 16, column: 31, scope: !25)
!27 = !DILocation(line: 16, column: 23, scope: !25)
!28 = !DILocation(line: 16, column: 44, scope: !25)
!29 = !DILocation(line: 16, column: 64, scope: !25)
!30 = !DILocation(line: 16, column: 68, scope: !25)
!31 = !DILocation(line: 16, column: 86, scope: !25)
!32 = !DILocation(line: 16, column: 91, scope: !25)
!33 = !DILocation(line: 16, column: 100, scope: !25)
!34 = !DILocation(line: 16, column: 102, scope: !25)
!35 = !DILocation(line: 16, column: 93, scope: !25)
!36 = !DILocation(line: 16, column: 107, scope: !25)
!37 = distinct !DISubprogram(name: "computed", scope: !1, file: !1, line: 17, type: !11, scopeLine: 17, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !12)
!38 = !DILocation(line: 17, column: 64, scope: !37)
!39 = !DILocation(line: 17, column: 66, scope: !37)
!40 = !DILocation(line: 17, column: 62, scope: !37)
!41 = !DILocation(line: 17, column: 56, scope: !37)
!42 = !DILocation(line: 17, column: 75, scope: !37)
!43 = !DILocation(line: 17, column: 88, scope: !37)
!44 = !DILocation(line: 17, column: 98, scope: !37)
!45 = distinct !DISubprogram(name: "variadic", scope: !1, file: !1, line: 18, type: !11, scopeLine: 18, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !12)
!46 = !DILocation(line: 18, column: 39, scope: !45)
!47 = !DILocation(line: 18, column: 70, scope: !45)
!48 = !DILocation(line: 18, column: 67, scope: !45)
!49 = !DILocation(line: 18, column: 96, scope: !45)
!50 = !DILocation(line: 18, column: 124, scope: !45)
!51 = !DILocation(line: 18, column: 117, scope: !45)
!52 = distinct !DISubprogram(name: "call", scope: !1, file: !1, line: 19, type: !11, scopeLine: 19, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !12)
!53 = !DILocation(line: 19, column: 46, scope: !52)
!54 = !DILocation(line: 19, column: 51, scope: !52)
!55 = !DILocation(line: 19, column: 61, scope: !52)
!56 = !DILocation(line: 19, column: 71, scope: !52)
!57 = !DILocation(line: 19, column: 59, scope: !52)
!58 = !DILocation(line: 19, column: 94, scope: !52)
!59 = !DILocation(line: 19, column: 76, scope: !52)
!60 = !DILocation(line: 19, column: 97, scope: !52)
!61 = !DILocation(line: 19, column: 74, scope: !52)
!62 = !DILocation(line: 19, column: 39, scope: !52)
!63 = distinct !DISubprogram(name: "shuffle", scope: !1, file: !1, line: 21, type: !11, scopeLine: 21, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !12)
!64 = !DILocation(line: 21, column: 43, scope: !63)
!65 = !DILocation(line: 21, column: 79, scope: !63)
!66 = !DILocation(line: 21, column: 82, scope: !63)
!67 = !DILocation(line: 21, column: 55, scope: !63)
!68 = !DILocation(line: 21, column: 101, scope: !63)
!69 = !DILocation(line: 21, column: 105, scope: !63)
!70 = !DILocation(line: 21, column: 103, scope: !63)
!71 = !DILocation(line: 21, column: 98, scope: !63)
!72 = !DILocation(line: 21, column: 48, scope: !63)
!73 = distinct !DISubprogram(name: "assembly", scope: !1, file: !1, line: 22, type: !11, scopeLine: 22, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !12)
!74 = !DILocation(line: 22, column: 56, scope: !73)
!75 = !DILocation(line: 22, column: 25, scope: !73)
!76 = !{i64 1321}
!77 = !DILocation(line: 22, column: 74, scope: !73)
!78 = distinct !DISubprogram(name: "atomics", scope: !1, file: !1, line: 24, type: !11, scopeLine: 24, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !12)
!79 = !DILocation(line: 24, column: 26, scope: !78)
!80 = !DILocation(line: 24, column: 73, scope: !78)
!81 = !DILocation(line: 24, column: 33, scope: !78)
!82 = !DILocation(line: 24, column: 122, scope: !78)
!83 = !DILocation(line: 24, column: 93, scope: !78)
!84 = !DILocation(line: 24, column: 127, scope: !78)
!85 = !DILocation(line: 24, column: 125, scope: !78)
!86 = !DILocation(line: 24, column: 86, scope: !78)
!87 = distinct !DISubprogram(name: "floats", scope: !1, file: !1, line: 25, type: !11, scopeLine: 25, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !12)
!88 = !DILocation(line: 25, column: 42, scope: !87)
!89 = !DILocation(line: 25, column: 46, scope: !87)
!90 = !DILocation(line: 25, column: 44, scope: !87)
!91 = !DILocation(line: 25, column: 51, scope: !87)
!92 = !DILocation(line: 25, column: 50, scope: !87)
!93 = !DILocation(line: 25, column: 53, scope: !87)
!94 = !DILocation(line: 25, column: 69, scope: !87)
!95 = !DILocation(line: 25, column: 62, scope: !87)
!96 = !DILocation(line: 25, column: 35, scope: !87)
!97 = distinct !DISubprogram(name: "sum", scope: !1, file: !1, line: 26, type: !11, scopeLine: 26, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !12)
!98 = !DILocation(line: 26, column: 37, scope: !97)
!99 = !DILocation(line: 26, column: 54, scope: !97)
!100 = !DILocation(line: 26, column: 49, scope: !97)
!101 = !DILocation(line: 26, column: 61, scope: !97)
!102 = !DILocation(line: 26, column: 65, scope: !97)
!103 = !DILocation(line: 26, column: 63, scope: !97)
!104 = !DILocation(line: 26, column: 44, scope: !97)
!105 = !DILocation(line: 26, column: 78, scope: !97)
!106 = !DILocation(line: 26, column: 80, scope: !97)
!107 = !DILocation(line: 26, column: 83, scope: !97)
!108 = !DILocation(line: 26, column: 89, scope: !97)
!109 = !DILocation(line: 26, column: 91, scope: !97)
!110 = !DILocation(line: 26, column: 101, scope: !97)
!111 = !DILocation(line: 26, column: 75, scope: !97)
!112 = !DILocation(line: 26, column: 73, scope: !97)
!113 = !DILocation(line: 26, column: 69, scope: !97)
!114 = distinct !{!114, !104, !110, !115}
!115 = !{!"llvm.loop.mustprogress"}
!116 = !DILocation(line: 26, column: 115, scope: !97)
!117 = !DILocation(line: 26, column: 108, scope: !97)
