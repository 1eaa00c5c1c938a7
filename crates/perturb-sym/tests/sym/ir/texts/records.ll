; ModuleID = 'f.c'
source_filename = "f.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.large = type { i32, [4 x double], %struct.point, ptr }
%struct.point = type { i32, i32 }
%struct.list = type { i32, ptr }
%struct.__va_list_tag = type { i32, i32, ptr, ptr }

@factors = dso_local local_unnamed_addr constant [3 x float] [float 5.000000e-01, float 0x3FB99999A0000000, float 0xC6293E5940000000], align 4, !dbg !0
@extended = dso_local local_unnamed_addr global x86_fp80 0xK3FFBCCCCCCCCCCCCCCCD, align 16, !dbg !9
@.str = private unnamed_addr constant [6 x i8] c"na\22me\00", align 1, !dbg !12
@initialised = dso_local local_unnamed_addr global %struct.large { i32 3, [4 x double] [double 1.000000e+00, double 2.000000e+00, double 0.000000e+00, double 0.000000e+00], %struct.point { i32 4, i32 5 }, ptr @.str }, align 8, !dbg !17
@matrix = dso_local global [2 x [3 x i32]] [[3 x i32] [i32 1, i32 2, i32 3], [3 x i32] [i32 4, i32 0, i32 0]], align 16, !dbg !36
@inside = dso_local local_unnamed_addr global ptr getelementptr inbounds (i8, ptr @matrix, i64 20), align 8, !dbg !42
@huge = dso_local local_unnamed_addr global i128 1267650600228229401496703205376, align 16, !dbg !44
@per_thread = dso_local thread_local local_unnamed_addr global i32 4, align 4, !dbg !47
@operation = dso_local local_unnamed_addr global ptr @twice, align 8, !dbg !49
@computed.t = internal unnamed_addr constant [2 x ptr] [ptr blockaddress(@computed, %7), ptr blockaddress(@computed, %6)], align 16, !dbg !54
@plain = dso_local global i32 0, align 4, !dbg !64
@ring = internal global %struct.list { i32 1, ptr @ring }, align 8, !dbg !66

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define internal i32 @twice(i32 noundef %0) #0 !dbg !84 {
    #dbg_value(i32 %0, !86, !DIExpression(), !87)
  %2 = shl nsw i32 %0, 1, !dbg !88
  ret i32 %2, !dbg !89
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) uwtable
define dso_local void @make(ptr dead_on_unwind noalias nocapture writable writeonly sret(%struct.large) align 8 %0, ptr nocapture noundef byval(%struct.large) align 8 %1, i32 noundef %2) local_unnamed_addr #1 !dbg !90 {
    #dbg_declare(ptr %1, !94, !DIExpression(), !96)
    #dbg_value(i32 %2, !95, !DIExpression(), !97)
  %4 = sitofp i32 %2 to double, !dbg !98
  %5 = getelementptr inbounds i8, ptr %1, i64 8, !dbg !99
  %6 = and i32 %2, 3, !dbg !100
  %7 = zext nneg i32 %6 to i64, !dbg !101
  %8 = getelementptr inbounds [4 x double], ptr %5, i64 0, i64 %7, !dbg !101
  store double %4, ptr %8, align 8, !dbg !102, !tbaa !103
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %0, ptr noundef nonnull align 8 dereferenceable(56) %1, i64 56, i1 false), !dbg !107, !tbaa.struct !108
  ret void, !dbg !114
}

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #2

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local noundef range(i32 -8, 3) i32 @switches(i32 noundef %0) local_unnamed_addr #0 !dbg !115 {
    #dbg_value(i32 %0, !117, !DIExpression(), !118)
  %2 = icmp eq i32 %0, -5, !dbg !119
  %3 = select i1 %2, i32 -8, i32 0, !dbg !119
  %4 = icmp eq i32 %0, 1, !dbg !119
  %5 = select i1 %4, i32 2, i32 %3, !dbg !119
  ret i32 %5, !dbg !120
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local range(i32 1, 3) i32 @computed(i32 noundef %0) #0 !dbg !56 {
    #dbg_value(i32 %0, !58, !DIExpression(), !121)
  %2 = and i32 %0, 1, !dbg !122
  %3 = zext nneg i32 %2 to i64, !dbg !123
  %4 = getelementptr inbounds [2 x ptr], ptr @computed.t, i64 0, i64 %3, !dbg !123
  %5 = load ptr, ptr %4, align 8, !dbg !123, !tbaa !112
  indirectbr ptr %5, [label %7, label %6]

6:                                                ; preds = %1
    #dbg_label(!60, !124)
  br label %7, !dbg !125

7:                                                ; preds = %1, %6
  %8 = phi i32 [ 2, %6 ], [ 1, %1 ], !dbg !126
  ret i32 %8, !dbg !127
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn uwtable
define dso_local i32 @variadic(i32 noundef %0, ...) local_unnamed_addr #3 !dbg !128 {
  %2 = alloca [1 x %struct.__va_list_tag], align 16, !DIAssignID !146
    #dbg_assign(i1 undef, !133, !DIExpression(), !146, ptr %2, !DIExpression(), !147)
    #dbg_value(i32 %0, !132, !DIExpression(), !147)
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %2) #11, !dbg !148
  call void @llvm.va_start.p0(ptr nonnull %2), !dbg !149
  %3 = load i32, ptr %2, align 16, !dbg !150
  %4 = icmp ult i32 %3, 41, !dbg !150
  br i1 %4, label %5, label %11, !dbg !150

5:                                                ; preds = %1
  %6 = getelementptr inbounds i8, ptr %2, i64 16, !dbg !150
  %7 = load ptr, ptr %6, align 16, !dbg !150
  %8 = zext nneg i32 %3 to i64, !dbg !150
  %9 = getelementptr i8, ptr %7, i64 %8, !dbg !150
  %10 = add nuw nsw i32 %3, 8, !dbg !150
  store i32 %10, ptr %2, align 16, !dbg !150, !DIAssignID !151
    #dbg_assign(i32 %10, !133, !DIExpression(DW_OP_LLVM_fragment, 0, 32), !151, ptr %2, !DIExpression(), !147)
  br label %15, !dbg !150

11:                                               ; preds = %1
  %12 = getelementptr inbounds i8, ptr %2, i64 8, !dbg !150
  %13 = load ptr, ptr %12, align 8, !dbg !150
  %14 = getelementptr i8, ptr %13, i64 8, !dbg !150
  store ptr %14, ptr %12, align 8, !dbg !150, !DIAssignID !152
    #dbg_assign(ptr %14, !133, !DIExpression(DW_OP_LLVM_fragment, 64, 64), !152, ptr %12, !DIExpression(), !147)
  br label %15, !dbg !150

15:                                               ; preds = %11, %5
  %16 = phi ptr [ %9, %5 ], [ %13, %11 ], !dbg !150
  %17 = load i32, ptr %16, align 4, !dbg !150, !tbaa !109
  %18 = add nsw i32 %17, %0, !dbg !153
    #dbg_value(i32 %18, !132, !DIExpression(), !147)
  call void @llvm.va_end.p0(ptr %2), !dbg !154
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %2) #11, !dbg !155
  ret i32 %18, !dbg !156
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn
declare void @llvm.va_start.p0(ptr) #5

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn
declare void @llvm.va_end.p0(ptr) #5

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #4

; Function Attrs: nounwind uwtable
define dso_local i32 @call(ptr nocapture noundef readonly %0, i32 noundef %1) local_unnamed_addr #6 !dbg !157 {
  %3 = alloca %struct.large, align 8
    #dbg_value(ptr %0, !162, !DIExpression(), !164)
    #dbg_value(i32 %1, !163, !DIExpression(), !164)
  %4 = tail call i32 (i32, ...) %0(i32 noundef 1, i32 noundef %1, double noundef 2.000000e+00) #11, !dbg !165
  %5 = load ptr, ptr @operation, align 8, !dbg !166, !tbaa !112
  %6 = tail call i32 %5(i32 noundef %1) #11, !dbg !166
  %7 = add nsw i32 %6, %4, !dbg !167
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %3), !dbg !168
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %3, ptr noundef nonnull align 8 dereferenceable(56) @initialised, i64 56, i1 false), !dbg !168
    #dbg_declare(ptr %3, !94, !DIExpression(), !170)
    #dbg_value(i32 %1, !95, !DIExpression(), !171)
  %8 = sitofp i32 %1 to double, !dbg !168
  %9 = getelementptr inbounds i8, ptr %3, i64 8, !dbg !172
  %10 = and i32 %1, 3, !dbg !173
  %11 = zext nneg i32 %10 to i64, !dbg !174
  %12 = getelementptr inbounds [4 x double], ptr %9, i64 0, i64 %11, !dbg !174
  store double %8, ptr %12, align 8, !dbg !175, !tbaa !103, !noalias !176
  %13 = load i32, ptr %3, align 8, !dbg !179, !tbaa !109
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %3), !dbg !180
  %14 = add nsw i32 %7, %13, !dbg !181
  ret i32 %14, !dbg !182
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local <4 x i32> @shuffle(<4 x i32> noundef %0, <4 x i32> noundef %1) local_unnamed_addr #7 !dbg !183 {
    #dbg_value(<4 x i32> %0, !189, !DIExpression(), !191)
    #dbg_value(<4 x i32> %1, !190, !DIExpression(), !191)
  %3 = insertelement <4 x i32> %0, i32 3, i64 1, !dbg !192
    #dbg_value(<4 x i32> %3, !189, !DIExpression(), !191)
  %4 = shufflevector <4 x i32> %0, <4 x i32> %1, <4 x i32> <i32 0, i32 4, i32 poison, i32 7>, !dbg !193
  %5 = icmp slt <4 x i32> %3, %1, !dbg !194
  %6 = sext <4 x i1> %5 to <4 x i32>, !dbg !194
  %7 = add <4 x i32> %4, %6, !dbg !195
  ret <4 x i32> %7, !dbg !196
}

; Function Attrs: nounwind uwtable
define dso_local void @assembly(ptr nocapture noundef %0) local_unnamed_addr #6 !dbg !197 {
    #dbg_value(ptr %0, !202, !DIExpression(), !203)
  %2 = load i32, ptr %0, align 4, !dbg !204, !tbaa !109
  %3 = tail call i32 asm sideeffect "nop", "=r,0,~{memory},~{dirflag},~{fpsr},~{flags}"(i32 %2) #11, !dbg !204, !srcloc !205
  store i32 %3, ptr %0, align 4, !dbg !204, !tbaa !109
  ret void, !dbg !206
}

; Function Attrs: mustprogress nofree norecurse nounwind willreturn memory(readwrite, argmem: none, inaccessiblemem: none) uwtable
define dso_local i32 @atomics(i32 noundef %0) local_unnamed_addr #8 !dbg !207 {
    #dbg_value(i32 %0, !209, !DIExpression(), !211)
    #dbg_value(i32 1, !210, !DIExpression(), !211)
  %2 = cmpxchg weak ptr @plain, i32 1, i32 %0 seq_cst monotonic, align 4, !dbg !212
  %3 = atomicrmw add ptr @plain, i32 %0 seq_cst, align 4, !dbg !213
  %4 = tail call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @per_thread), !dbg !214
  %5 = load i32, ptr %4, align 4, !dbg !214, !tbaa !109
  %6 = add nsw i32 %5, %3, !dbg !215
  ret i32 %6, !dbg !216
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull) #9

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local noundef float @floats(float noundef %0, double noundef %1) local_unnamed_addr #0 !dbg !217 {
    #dbg_value(float %0, !221, !DIExpression(), !223)
    #dbg_value(double %1, !222, !DIExpression(), !223)
  %3 = fpext float %0 to double, !dbg !224
  %4 = fcmp olt double %3, %1, !dbg !225
  %5 = fmul float %0, 0xBFB99999A0000000, !dbg !224
  %6 = fptrunc double %1 to float, !dbg !224
  %7 = select i1 %4, float %5, float %6, !dbg !224
  ret float %7, !dbg !226
}

; Function Attrs: nofree norecurse nosync nounwind memory(read, inaccessiblemem: none) uwtable
define dso_local i32 @sum(ptr nocapture noundef readonly %0, i64 noundef %1) local_unnamed_addr #10 !dbg !227 {
    #dbg_value(ptr %0, !234, !DIExpression(), !239)
    #dbg_value(i64 %1, !235, !DIExpression(), !239)
    #dbg_value(i32 0, !236, !DIExpression(), !239)
    #dbg_value(i64 0, !237, !DIExpression(), !240)
  %3 = icmp sgt i64 %1, 0, !dbg !241
  br i1 %3, label %4, label %6, !dbg !243

4:                                                ; preds = %2
  %5 = load i32, ptr @ring, align 8
  br label %8, !dbg !243

6:                                                ; preds = %8, %2
  %7 = phi i32 [ 0, %2 ], [ %15, %8 ], !dbg !244
  ret i32 %7, !dbg !245

8:                                                ; preds = %4, %8
  %9 = phi i64 [ 0, %4 ], [ %16, %8 ]
  %10 = phi i32 [ 0, %4 ], [ %15, %8 ]
    #dbg_value(i64 %9, !237, !DIExpression(), !240)
    #dbg_value(i32 %10, !236, !DIExpression(), !239)
  %11 = getelementptr inbounds i32, ptr %0, i64 %9, !dbg !246
  %12 = load i32, ptr %11, align 4, !dbg !246, !tbaa !109
  %13 = icmp sgt i32 %12, 3, !dbg !247
  %14 = select i1 %13, i32 %12, i32 %5, !dbg !246
  %15 = add nsw i32 %14, %10, !dbg !248
    #dbg_value(i32 %15, !236, !DIExpression(), !239)
  %16 = add nuw nsw i64 %9, 1, !dbg !249
    #dbg_value(i64 %16, !237, !DIExpression(), !240)
  %17 = icmp eq i64 %16, %1, !dbg !241
  br i1 %17, label %6, label %8, !dbg !243, !llvm.loop !250
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { mustprogress nofree norecurse nosync nounwind willreturn uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #5 = { mustprogress nocallback nofree nosync nounwind willreturn }
attributes #6 = { nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #7 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "min-legal-vector-width"="128" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #8 = { mustprogress nofree norecurse nounwind willreturn memory(readwrite, argmem: none, inaccessiblemem: none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #9 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #10 = { nofree norecurse nosync nounwind memory(read, inaccessiblemem: none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #11 = { nounwind }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!76, !77, !78, !79, !80, !81, !82}
!llvm.ident = !{!83}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "factors", scope: !2, file: !3, line: 5, type: !73, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !4, globals: !8, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "f.c", directory: "/source", checksumkind: CSK_MD5, checksum: "662a7ef2f3bef136f0db841930852cd0")
!4 = !{!5, !7}
!5 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !6, size: 64)
!6 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!7 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!8 = !{!0, !9, !12, !17, !36, !42, !44, !47, !49, !54, !64, !66}
!9 = !DIGlobalVariableExpression(var: !10, expr: !DIExpression())
!10 = distinct !DIGlobalVariable(name: "extended", scope: !2, file: !3, line: 6, type: !11, isLocal: false, isDefinition: true)
!11 = !DIBasicType(name: "long double", size: 128, encoding: DW_ATE_float)
!12 = !DIGlobalVariableExpression(var: !13, expr: !DIExpression())
!13 = distinct !DIGlobalVariable(scope: null, file: !3, line: 8, type: !14, isLocal: true, isDefinition: true)
!14 = !DICompositeType(tag: DW_TAG_array_type, baseType: !6, size: 48, elements: !15)
!15 = !{!16}
!16 = !DISubrange(count: 6)
!17 = !DIGlobalVariableExpression(var: !18, expr: !DIExpression())
!18 = distinct !DIGlobalVariable(name: "initialised", scope: !2, file: !3, line: 8, type: !19, isLocal: false, isDefinition: true)
!19 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "large", file: !3, line: 3, size: 448, elements: !20)
!20 = !{!21, !23, !28, !33}
!21 = !DIDerivedType(tag: DW_TAG_member, name: "head", scope: !19, file: !3, line: 3, baseType: !22, size: 32)
!22 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!23 = !DIDerivedType(tag: DW_TAG_member, name: "values", scope: !19, file: !3, line: 3, baseType: !24, size: 256, offset: 64)
!24 = !DICompositeType(tag: DW_TAG_array_type, baseType: !25, size: 256, elements: !26)
!25 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!26 = !{!27}
!27 = !DISubrange(count: 4)
!28 = !DIDerivedType(tag: DW_TAG_member, name: "at", scope: !19, file: !3, line: 3, baseType: !29, size: 64, offset: 320)
!29 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "point", file: !3, line: 2, size: 64, elements: !30)
!30 = !{!31, !32}
!31 = !DIDerivedType(tag: DW_TAG_member, name: "x", scope: !29, file: !3, line: 2, baseType: !22, size: 32)
!32 = !DIDerivedType(tag: DW_TAG_member, name: "y", scope: !29, file: !3, line: 2, baseType: !22, size: 32, offset: 32)
!33 = !DIDerivedType(tag: DW_TAG_member, name: "name", scope: !19, file: !3, line: 3, baseType: !34, size: 64, offset: 384)
!34 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !35, size: 64)
!35 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !6)
!36 = !DIGlobalVariableExpression(var: !37, expr: !DIExpression())
!37 = distinct !DIGlobalVariable(name: "matrix", scope: !2, file: !3, line: 9, type: !38, isLocal: false, isDefinition: true)
!38 = !DICompositeType(tag: DW_TAG_array_type, baseType: !22, size: 192, elements: !39)
!39 = !{!40, !41}
!40 = !DISubrange(count: 2)
!41 = !DISubrange(count: 3)
!42 = !DIGlobalVariableExpression(var: !43, expr: !DIExpression())
!43 = distinct !DIGlobalVariable(name: "inside", scope: !2, file: !3, line: 10, type: !5, isLocal: false, isDefinition: true)
!44 = !DIGlobalVariableExpression(var: !45, expr: !DIExpression())
!45 = distinct !DIGlobalVariable(name: "huge", scope: !2, file: !3, line: 11, type: !46, isLocal: false, isDefinition: true)
!46 = !DIBasicType(name: "__int128", size: 128, encoding: DW_ATE_signed)
!47 = !DIGlobalVariableExpression(var: !48, expr: !DIExpression())
!48 = distinct !DIGlobalVariable(name: "per_thread", scope: !2, file: !3, line: 12, type: !22, isLocal: false, isDefinition: true)
!49 = !DIGlobalVariableExpression(var: !50, expr: !DIExpression())
!50 = distinct !DIGlobalVariable(name: "operation", scope: !2, file: !3, line: 14, type: !51, isLocal: false, isDefinition: true)
!51 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !52, size: 64)
!52 = !DISubroutineType(types: !53)
!53 = !{!22, !22}
!54 = !DIGlobalVariableExpression(var: !55, expr: !DIExpression())
!55 = distinct !DIGlobalVariable(name: "t", scope: !56, file: !3, line: 17, type: !61, isLocal: true, isDefinition: true)
!56 = distinct !DISubprogram(name: "computed", scope: !3, file: !3, line: 17, type: !52, scopeLine: 17, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !57)
!57 = !{!58, !59, !60}
!58 = !DILocalVariable(name: "n", arg: 1, scope: !56, file: !3, line: 17, type: !22)
!59 = !DILabel(scope: !56, name: "a", file: !3, line: 17)
!60 = !DILabel(scope: !56, name: "b", file: !3, line: 17)
!61 = !DICompositeType(tag: DW_TAG_array_type, baseType: !62, size: 128, elements: !63)
!62 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!63 = !{!40}
!64 = !DIGlobalVariableExpression(var: !65, expr: !DIExpression())
!65 = distinct !DIGlobalVariable(name: "plain", scope: !2, file: !3, line: 23, type: !22, isLocal: false, isDefinition: true)
!66 = !DIGlobalVariableExpression(var: !67, expr: !DIExpression())
!67 = distinct !DIGlobalVariable(name: "ring", scope: !2, file: !3, line: 7, type: !68, isLocal: true, isDefinition: true)
!68 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "list", file: !3, line: 4, size: 128, elements: !69)
!69 = !{!70, !71}
!70 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !68, file: !3, line: 4, baseType: !22, size: 32)
!71 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !68, file: !3, line: 4, baseType: !72, size: 64, offset: 64)
!72 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !68, size: 64)
!73 = !DICompositeType(tag: DW_TAG_array_type, baseType: !74, size: 96, elements: !75)
!74 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !7)
!75 = !{!41}
!76 = !{i32 7, !"Dwarf Version", i32 5}
!77 = !{i32 2, !"Debug Info Version", i32 3}
!78 = !{i32 1, !"wchar_size", i32 4}
!79 = !{i32 8, !"PIC Level", i32 2}
!80 = !{i32 7, !"PIE Level", i32 2}
!81 = !{i32 7, !"uwtable", i32 2}
!82 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
!83 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!84 = distinct !DISubprogram(name: "twice", scope: !3, file: !3, line: 13, type: !52, scopeLine: 13, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !85)
!85 = !{!86}
!86 = !DILocalVariable(name: "x", arg: 1, scope: !84, file: !3, line: 13, type: !22)
!87 = !DILocation(line: 0, scope: !84)
!88 = !DILocation(line: 13, column: 36, scope: !84)
!89 = !DILocation(line: 13, column: 27, scope: !84)
!90 = distinct !DISubprogram(name: "make", scope: !3, file: !3, line: 15, type: !91, scopeLine: 15, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !93)
!91 = !DISubroutineType(types: !92)
!92 = !{!19, !19, !22}
!93 = !{!94, !95}
!94 = !DILocalVariable(name: "l", arg: 1, scope: !90, file: !3, line: 15, type: !19)
!95 = !DILocalVariable(name: "i", arg: 2, scope: !90, file: !3, line: 15, type: !22)
!96 = !DILocation(line: 15, column: 32, scope: !90)
!97 = !DILocation(line: 0, scope: !90)
!98 = !DILocation(line: 15, column: 62, scope: !90)
!99 = !DILocation(line: 15, column: 46, scope: !90)
!100 = !DILocation(line: 15, column: 55, scope: !90)
!101 = !DILocation(line: 15, column: 44, scope: !90)
!102 = !DILocation(line: 15, column: 60, scope: !90)
!103 = !{!104, !104, i64 0}
!104 = !{!"double", !105, i64 0}
!105 = !{!"omnipotent char", !106, i64 0}
!106 = !{!"Simple C/C++ TBAA"}
!107 = !DILocation(line: 15, column: 72, scope: !90)
!108 = !{i64 0, i64 4, !109, i64 8, i64 32, !111, i64 40, i64 4, !109, i64 44, i64 4, !109, i64 48, i64 8, !112}
!109 = !{!110, !110, i64 0}
!110 = !{!"int", !105, i64 0}
!111 = !{!105, !105, i64 0}
!112 = !{!113, !113, i64 0}
!113 = !{!"any pointer", !105, i64 0}
!114 = !DILocation(line: 15, column: 65, scope: !90)
!115 = distinct !DISubprogram(name: "switches", scope: !3, file: !3, line: 16, type: !52, scopeLine: 16, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !116)
!116 = !{!117}
!117 = !DILocalVariable(name: "x", arg: 1, scope: !115, file: !3, line: 16, type: !22)
!118 = !DILocation(line: 0, scope: !115)
!119 = !DILocation(line: 16, column: 23, scope: !115)
!120 = !DILocation(line: 16, column: 107, scope: !115)
!121 = !DILocation(line: 0, scope: !56)
!122 = !DILocation(line: 17, column: 66, scope: !56)
!123 = !DILocation(line: 17, column: 62, scope: !56)
!124 = !DILocation(line: 17, column: 85, scope: !56)
!125 = !DILocation(line: 17, column: 88, scope: !56)
!126 = !DILocation(line: 17, scope: !56)
!127 = !DILocation(line: 17, column: 98, scope: !56)
!128 = distinct !DISubprogram(name: "variadic", scope: !3, file: !3, line: 18, type: !129, scopeLine: 18, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !131)
!129 = !DISubroutineType(types: !130)
!130 = !{!22, !22, null}
!131 = !{!132, !133}
!132 = !DILocalVariable(name: "n", arg: 1, scope: !128, file: !3, line: 18, type: !22)
!133 = !DILocalVariable(name: "l", scope: !128, file: !3, line: 18, type: !134)
!134 = !DIDerivedType(tag: DW_TAG_typedef, name: "va_list", file: !3, line: 1, baseType: !135)
!135 = !DIDerivedType(tag: DW_TAG_typedef, name: "__builtin_va_list", file: !3, baseType: !136)
!136 = !DICompositeType(tag: DW_TAG_array_type, baseType: !137, size: 192, elements: !144)
!137 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "__va_list_tag", size: 192, elements: !138)
!138 = !{!139, !141, !142, !143}
!139 = !DIDerivedType(tag: DW_TAG_member, name: "gp_offset", scope: !137, file: !3, line: 18, baseType: !140, size: 32)
!140 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!141 = !DIDerivedType(tag: DW_TAG_member, name: "fp_offset", scope: !137, file: !3, line: 18, baseType: !140, size: 32, offset: 32)
!142 = !DIDerivedType(tag: DW_TAG_member, name: "overflow_arg_area", scope: !137, file: !3, line: 18, baseType: !62, size: 64, offset: 64)
!143 = !DIDerivedType(tag: DW_TAG_member, name: "reg_save_area", scope: !137, file: !3, line: 18, baseType: !62, size: 64, offset: 128)
!144 = !{!145}
!145 = !DISubrange(count: 1)
!146 = distinct !DIAssignID()
!147 = !DILocation(line: 0, scope: !128)
!148 = !DILocation(line: 18, column: 28, scope: !128)
!149 = !DILocation(line: 18, column: 39, scope: !128)
!150 = !DILocation(line: 18, column: 70, scope: !128)
!151 = distinct !DIAssignID()
!152 = distinct !DIAssignID()
!153 = !DILocation(line: 18, column: 67, scope: !128)
!154 = !DILocation(line: 18, column: 96, scope: !128)
!155 = !DILocation(line: 18, column: 127, scope: !128)
!156 = !DILocation(line: 18, column: 117, scope: !128)
!157 = distinct !DISubprogram(name: "call", scope: !3, file: !3, line: 19, type: !158, scopeLine: 19, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !161)
!158 = !DISubroutineType(types: !159)
!159 = !{!22, !160, !22}
!160 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !129, size: 64)
!161 = !{!162, !163}
!162 = !DILocalVariable(name: "f", arg: 1, scope: !157, file: !3, line: 19, type: !160)
!163 = !DILocalVariable(name: "x", arg: 2, scope: !157, file: !3, line: 19, type: !22)
!164 = !DILocation(line: 0, scope: !157)
!165 = !DILocation(line: 19, column: 46, scope: !157)
!166 = !DILocation(line: 19, column: 61, scope: !157)
!167 = !DILocation(line: 19, column: 59, scope: !157)
!168 = !DILocation(line: 15, column: 62, scope: !90, inlinedAt: !169)
!169 = distinct !DILocation(line: 19, column: 76, scope: !157)
!170 = !DILocation(line: 15, column: 32, scope: !90, inlinedAt: !169)
!171 = !DILocation(line: 0, scope: !90, inlinedAt: !169)
!172 = !DILocation(line: 15, column: 46, scope: !90, inlinedAt: !169)
!173 = !DILocation(line: 15, column: 55, scope: !90, inlinedAt: !169)
!174 = !DILocation(line: 15, column: 44, scope: !90, inlinedAt: !169)
!175 = !DILocation(line: 15, column: 60, scope: !90, inlinedAt: !169)
!176 = !{!177}
!177 = distinct !{!177, !178, !"make: argument 0"}
!178 = distinct !{!178, !"make"}
!179 = !DILocation(line: 15, column: 72, scope: !90, inlinedAt: !169)
!180 = !DILocation(line: 15, column: 65, scope: !90, inlinedAt: !169)
!181 = !DILocation(line: 19, column: 74, scope: !157)
!182 = !DILocation(line: 19, column: 39, scope: !157)
!183 = distinct !DISubprogram(name: "shuffle", scope: !3, file: !3, line: 21, type: !184, scopeLine: 21, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !188)
!184 = !DISubroutineType(types: !185)
!185 = !{!186, !186, !186}
!186 = !DIDerivedType(tag: DW_TAG_typedef, name: "vector", file: !3, line: 20, baseType: !187)
!187 = !DICompositeType(tag: DW_TAG_array_type, baseType: !22, size: 128, flags: DIFlagVector, elements: !26)
!188 = !{!189, !190}
!189 = !DILocalVariable(name: "a", arg: 1, scope: !183, file: !3, line: 21, type: !186)
!190 = !DILocalVariable(name: "b", arg: 2, scope: !183, file: !3, line: 21, type: !186)
!191 = !DILocation(line: 0, scope: !183)
!192 = !DILocation(line: 21, column: 43, scope: !183)
!193 = !DILocation(line: 21, column: 55, scope: !183)
!194 = !DILocation(line: 21, column: 103, scope: !183)
!195 = !DILocation(line: 21, column: 98, scope: !183)
!196 = !DILocation(line: 21, column: 48, scope: !183)
!197 = distinct !DISubprogram(name: "assembly", scope: !3, file: !3, line: 22, type: !198, scopeLine: 22, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !201)
!198 = !DISubroutineType(types: !199)
!199 = !{null, !200}
!200 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !22, size: 64)
!201 = !{!202}
!202 = !DILocalVariable(name: "x", arg: 1, scope: !197, file: !3, line: 22, type: !200)
!203 = !DILocation(line: 0, scope: !197)
!204 = !DILocation(line: 22, column: 25, scope: !197)
!205 = !{i64 1321}
!206 = !DILocation(line: 22, column: 74, scope: !197)
!207 = distinct !DISubprogram(name: "atomics", scope: !3, file: !3, line: 24, type: !52, scopeLine: 24, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !208)
!208 = !{!209, !210}
!209 = !DILocalVariable(name: "x", arg: 1, scope: !207, file: !3, line: 24, type: !22)
!210 = !DILocalVariable(name: "e", scope: !207, file: !3, line: 24, type: !22)
!211 = !DILocation(line: 0, scope: !207)
!212 = !DILocation(line: 24, column: 33, scope: !207)
!213 = !DILocation(line: 24, column: 93, scope: !207)
!214 = !DILocation(line: 24, column: 127, scope: !207)
!215 = !DILocation(line: 24, column: 125, scope: !207)
!216 = !DILocation(line: 24, column: 86, scope: !207)
!217 = distinct !DISubprogram(name: "floats", scope: !3, file: !3, line: 25, type: !218, scopeLine: 25, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !220)
!218 = !DISubroutineType(types: !219)
!219 = !{!7, !7, !25}
!220 = !{!221, !222}
!221 = !DILocalVariable(name: "a", arg: 1, scope: !217, file: !3, line: 25, type: !7)
!222 = !DILocalVariable(name: "b", arg: 2, scope: !217, file: !3, line: 25, type: !25)
!223 = !DILocation(line: 0, scope: !217)
!224 = !DILocation(line: 25, column: 42, scope: !217)
!225 = !DILocation(line: 25, column: 44, scope: !217)
!226 = !DILocation(line: 25, column: 35, scope: !217)
!227 = distinct !DISubprogram(name: "sum", scope: !3, file: !3, line: 26, type: !228, scopeLine: 26, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !233)
!228 = !DISubroutineType(types: !229)
!229 = !{!22, !230, !232}
!230 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !231, size: 64)
!231 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !22)
!232 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!233 = !{!234, !235, !236, !237}
!234 = !DILocalVariable(name: "v", arg: 1, scope: !227, file: !3, line: 26, type: !230)
!235 = !DILocalVariable(name: "n", arg: 2, scope: !227, file: !3, line: 26, type: !232)
!236 = !DILocalVariable(name: "s", scope: !227, file: !3, line: 26, type: !22)
!237 = !DILocalVariable(name: "i", scope: !238, file: !3, line: 26, type: !232)
!238 = distinct !DILexicalBlock(scope: !227, file: !3, line: 26, column: 44)
!239 = !DILocation(line: 0, scope: !227)
!240 = !DILocation(line: 0, scope: !238)
!241 = !DILocation(line: 26, column: 63, scope: !242)
!242 = distinct !DILexicalBlock(scope: !238, file: !3, line: 26, column: 44)
!243 = !DILocation(line: 26, column: 44, scope: !238)
!244 = !DILocation(line: 26, scope: !227)
!245 = !DILocation(line: 26, column: 108, scope: !227)
!246 = !DILocation(line: 26, column: 78, scope: !242)
!247 = !DILocation(line: 26, column: 83, scope: !242)
!248 = !DILocation(line: 26, column: 75, scope: !242)
!249 = !DILocation(line: 26, column: 69, scope: !242)
!250 = distinct !{!250, !243, !251, !252, !253}
!251 = !DILocation(line: 26, column: 101, scope: !238)
!252 = !{!"llvm.loop.mustprogress"}
!253 = !{!"llvm.loop.unroll.disable"}
