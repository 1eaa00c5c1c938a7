; ModuleID = 'f.c'
source_filename = "f.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.large = type { i32, [4 x double], %struct.point, ptr }
%struct.point = type { i32, i32 }
%struct.list = type { i32, ptr }
%struct.__va_list_tag = type { i32, i32, ptr, ptr }

@factors = dso_local local_unnamed_addr constant [3 x float] [float 5.000000e-01, float 0x3FB99999A0000000, float 0xC6293E5940000000], align 4
@extended = dso_local local_unnamed_addr global x86_fp80 0xK3FFBCCCCCCCCCCCCCCCD, align 16
@.str = private unnamed_addr constant [6 x i8] c"na\22me\00", align 1
@initialised = dso_local local_unnamed_addr global %struct.large { i32 3, [4 x double] [double 1.000000e+00, double 2.000000e+00, double 0.000000e+00, double 0.000000e+00], %struct.point { i32 4, i32 5 }, ptr @.str }, align 8
@matrix = dso_local global [2 x [3 x i32]] [[3 x i32] [i32 1, i32 2, i32 3], [3 x i32] [i32 4, i32 0, i32 0]], align 16
@inside = dso_local local_unnamed_addr global ptr getelementptr inbounds ([2 x [3 x i32]], ptr @matrix, i64 0, i64 1, i64 2), align 8
@huge = dso_local local_unnamed_addr global i128 1267650600228229401496703205376, align 16
@per_thread = dso_local thread_local global i32 4, align 4
@operation = dso_local local_unnamed_addr global ptr @twice, align 8
@computed.t = internal unnamed_addr constant [2 x ptr] [ptr blockaddress(@computed, %7), ptr blockaddress(@computed, %6)], align 16
@plain = dso_local global i32 0, align 4
@ring = internal global %struct.list { i32 1, ptr @ring }, align 8

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define internal i32 @twice(i32 noundef %0) #0 {
  %2 = shl nsw i32 %0, 1
  ret i32 %2
}

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(argmem: readwrite) uwtable
define dso_local void @make(ptr noalias nocapture writeonly sret(%struct.large) align 8 %0, ptr nocapture noundef byval(%struct.large) align 8 %1, i32 noundef %2) local_unnamed_addr #1 {
  %4 = sitofp i32 %2 to double
  %5 = and i32 %2, 3
  %6 = zext i32 %5 to i64
  %7 = getelementptr inbounds %struct.large, ptr %1, i64 0, i32 1, i64 %6
  store double %4, ptr %7, align 8, !tbaa !5
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %0, ptr noundef nonnull align 8 dereferenceable(56) %1, i64 56, i1 false), !tbaa.struct !9
  ret void
}

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #2

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local i32 @switches(i32 noundef %0) local_unnamed_addr #0 {
  switch i32 %0, label %2 [
    i32 1, label %5
    i32 -5, label %3
  ]

2:                                                ; preds = %1
  br label %3

3:                                                ; preds = %1, %2
  %4 = phi i32 [ 0, %2 ], [ -8, %1 ]
  br label %5

5:                                                ; preds = %1, %3
  %6 = phi i32 [ %4, %3 ], [ 2, %1 ]
  ret i32 %6
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local i32 @computed(i32 noundef %0) #0 {
  %2 = and i32 %0, 1
  %3 = zext i32 %2 to i64
  %4 = getelementptr inbounds [2 x ptr], ptr @computed.t, i64 0, i64 %3
  %5 = load ptr, ptr %4, align 8, !tbaa !13
  indirectbr ptr %5, [label %7, label %6]

6:                                                ; preds = %1
  br label %7

7:                                                ; preds = %1, %6
  %8 = phi i32 [ 2, %6 ], [ 1, %1 ]
  ret i32 %8
}

; Function Attrs: mustprogress nofree nosync nounwind willreturn uwtable
define dso_local i32 @variadic(i32 noundef %0, ...) local_unnamed_addr #3 {
  %2 = alloca [1 x %struct.__va_list_tag], align 16
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %2) #12
  call void @llvm.va_start(ptr nonnull %2)
  %3 = load i32, ptr %2, align 16
  %4 = icmp ult i32 %3, 41
  br i1 %4, label %5, label %11

5:                                                ; preds = %1
  %6 = getelementptr inbounds %struct.__va_list_tag, ptr %2, i64 0, i32 3
  %7 = load ptr, ptr %6, align 16
  %8 = zext i32 %3 to i64
  %9 = getelementptr i8, ptr %7, i64 %8
  %10 = add nuw nsw i32 %3, 8
  store i32 %10, ptr %2, align 16
  br label %15

11:                                               ; preds = %1
  %12 = getelementptr inbounds %struct.__va_list_tag, ptr %2, i64 0, i32 2
  %13 = load ptr, ptr %12, align 8
  %14 = getelementptr i8, ptr %13, i64 8
  store ptr %14, ptr %12, align 8
  br label %15

15:                                               ; preds = %11, %5
  %16 = phi ptr [ %9, %5 ], [ %13, %11 ]
  %17 = load i32, ptr %16, align 4
  %18 = add nsw i32 %17, %0
  call void @llvm.va_end(ptr nonnull %2)
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %2) #12
  ret i32 %18
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn
declare void @llvm.va_start(ptr) #5

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn
declare void @llvm.va_end(ptr) #5

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #4

; Function Attrs: nounwind uwtable
define dso_local i32 @call(ptr nocapture noundef readonly %0, i32 noundef %1) local_unnamed_addr #6 {
  %3 = tail call i32 (i32, ...) %0(i32 noundef 1, i32 noundef %1, double noundef 2.000000e+00) #12
  %4 = load ptr, ptr @operation, align 8, !tbaa !13
  %5 = tail call i32 %4(i32 noundef %1) #12
  %6 = add nsw i32 %5, %3
  %7 = load i32, ptr @initialised, align 8
  %8 = add nsw i32 %6, %7
  ret i32 %8
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local <4 x i32> @shuffle(<4 x i32> noundef %0, <4 x i32> noundef %1) local_unnamed_addr #7 {
  %3 = insertelement <4 x i32> %0, i32 3, i64 1
  %4 = shufflevector <4 x i32> %0, <4 x i32> %1, <4 x i32> <i32 0, i32 4, i32 undef, i32 7>
  %5 = icmp slt <4 x i32> %3, %1
  %6 = sext <4 x i1> %5 to <4 x i32>
  %7 = add <4 x i32> %4, %6
  ret <4 x i32> %7
}

; Function Attrs: nounwind uwtable
define dso_local void @assembly(ptr nocapture noundef %0) local_unnamed_addr #6 {
  %2 = load i32, ptr %0, align 4, !tbaa !10
  %3 = tail call i32 asm sideeffect "nop", "=r,0,~{memory},~{dirflag},~{fpsr},~{flags}"(i32 %2) #12, !srcloc !15
  store i32 %3, ptr %0, align 4, !tbaa !10
  ret void
}

; Function Attrs: mustprogress nofree nounwind willreturn memory(readwrite, argmem: read, inaccessiblemem: none) uwtable
define dso_local i32 @atomics(i32 noundef %0) local_unnamed_addr #8 {
  %2 = cmpxchg weak ptr @plain, i32 1, i32 %0 seq_cst monotonic, align 4
  %3 = atomicrmw add ptr @plain, i32 %0 seq_cst, align 4
  %4 = tail call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @per_thread)
  %5 = load i32, ptr %4, align 4, !tbaa !10
  %6 = add nsw i32 %5, %3
  ret i32 %6
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull) #9

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local float @floats(float noundef %0, double noundef %1) local_unnamed_addr #0 {
  %3 = fpext float %0 to double
  %4 = fcmp olt double %3, %1
  %5 = fmul float %0, 0xBFB99999A0000000
  %6 = fptrunc double %1 to float
  %7 = select i1 %4, float %5, float %6
  ret float %7
}

; Function Attrs: nofree norecurse nosync nounwind memory(read, inaccessiblemem: none) uwtable
define dso_local i32 @sum(ptr nocapture noundef readonly %0, i64 noundef %1) local_unnamed_addr #10 {
  %3 = icmp sgt i64 %1, 0
  br i1 %3, label %4, label %36

4:                                                ; preds = %2
  %5 = load i32, ptr @ring, align 8
  %6 = icmp ult i64 %1, 8
  br i1 %6, label %33, label %7

7:                                                ; preds = %4
  %8 = and i64 %1, -8
  %9 = insertelement <4 x i32> poison, i32 %5, i64 0
  %10 = shufflevector <4 x i32> %9, <4 x i32> poison, <4 x i32> zeroinitializer
  %11 = insertelement <4 x i32> poison, i32 %5, i64 0
  %12 = shufflevector <4 x i32> %11, <4 x i32> poison, <4 x i32> zeroinitializer
  br label %13

13:                                               ; preds = %13, %7
  %14 = phi i64 [ 0, %7 ], [ %27, %13 ]
  %15 = phi <4 x i32> [ zeroinitializer, %7 ], [ %25, %13 ]
  %16 = phi <4 x i32> [ zeroinitializer, %7 ], [ %26, %13 ]
  %17 = getelementptr inbounds i32, ptr %0, i64 %14
  %18 = load <4 x i32>, ptr %17, align 4, !tbaa !10
  %19 = getelementptr inbounds i32, ptr %17, i64 4
  %20 = load <4 x i32>, ptr %19, align 4, !tbaa !10
  %21 = icmp sgt <4 x i32> %18, <i32 3, i32 3, i32 3, i32 3>
  %22 = icmp sgt <4 x i32> %20, <i32 3, i32 3, i32 3, i32 3>
  %23 = select <4 x i1> %21, <4 x i32> %18, <4 x i32> %10
  %24 = select <4 x i1> %22, <4 x i32> %20, <4 x i32> %12
  %25 = add <4 x i32> %23, %15
  %26 = add <4 x i32> %24, %16
  %27 = add nuw i64 %14, 8
  %28 = icmp eq i64 %27, %8
  br i1 %28, label %29, label %13, !llvm.loop !16

29:                                               ; preds = %13
  %30 = add <4 x i32> %26, %25
  %31 = tail call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %30)
  %32 = icmp eq i64 %8, %1
  br i1 %32, label %36, label %33

33:                                               ; preds = %4, %29
  %34 = phi i64 [ 0, %4 ], [ %8, %29 ]
  %35 = phi i32 [ 0, %4 ], [ %31, %29 ]
  br label %38

36:                                               ; preds = %38, %29, %2
  %37 = phi i32 [ 0, %2 ], [ %31, %29 ], [ %45, %38 ]
  ret i32 %37

38:                                               ; preds = %33, %38
  %39 = phi i64 [ %46, %38 ], [ %34, %33 ]
  %40 = phi i32 [ %45, %38 ], [ %35, %33 ]
  %41 = getelementptr inbounds i32, ptr %0, i64 %39
  %42 = load i32, ptr %41, align 4, !tbaa !10
  %43 = icmp sgt i32 %42, 3
  %44 = select i1 %43, i32 %42, i32 %5
  %45 = add nsw i32 %44, %40
  %46 = add nuw nsw i64 %39, 1
  %47 = icmp eq i64 %46, %1
  br i1 %47, label %36, label %38, !llvm.loop !20
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>) #11

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nofree nosync nounwind willreturn memory(argmem: readwrite) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { mustprogress nofree nosync nounwind willreturn uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #5 = { mustprogress nocallback nofree nosync nounwind willreturn }
attributes #6 = { nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #7 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "min-legal-vector-width"="128" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #8 = { mustprogress nofree nounwind willreturn memory(readwrite, argmem: read, inaccessiblemem: none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #9 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #10 = { nofree norecurse nosync nounwind memory(read, inaccessiblemem: none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #11 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #12 = { nounwind }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{!"Debian clang version 16.0.6 (15~deb12u1)"}
!5 = !{!6, !6, i64 0}
!6 = !{!"double", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C/C++ TBAA"}
!9 = !{i64 0, i64 4, !10, i64 8, i64 32, !12, i64 40, i64 4, !10, i64 44, i64 4, !10, i64 48, i64 8, !13}
!10 = !{!11, !11, i64 0}
!11 = !{!"int", !7, i64 0}
!12 = !{!7, !7, i64 0}
!13 = !{!14, !14, i64 0}
!14 = !{!"any pointer", !7, i64 0}
!15 = !{i64 1321}
!16 = distinct !{!16, !17, !18, !19}
!17 = !{!"llvm.loop.mustprogress"}
!18 = !{!"llvm.loop.isvectorized", i32 1}
!19 = !{!"llvm.loop.unroll.runtime.disable"}
!20 = distinct !{!20, !17, !19, !18}
