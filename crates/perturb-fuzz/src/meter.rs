//! What a case takes: memory of its own thread, counted by the allocator, and time. Memory that C code takes for itself
//! is not seen.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Inputs are some kilobytes: nobody needs as much for one.
const MOST_BYTES: isize = 64 << 20;

/// A machine may be busy and a build unoptimised; a parser that hangs takes longer.
const LONGEST: Duration = Duration::from_secs(20);

#[global_allocator]
static ALLOCATOR: Metered = Metered;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// Panics if it takes more memory or time than any document can be worth.
pub(crate) fn within_reason(work: impl FnOnce()) {
    let (held, begun) = (HELD.get(), Instant::now());
    PEAK.set(held);
    work();
    let (taken, time) = (PEAK.get() - held, begun.elapsed());
    assert!(taken <= MOST_BYTES, "{} MiB of memory for one input", taken >> 20);
    assert!(time <= LONGEST, "{time:?} for one input");
}

/// The system's allocator, with a count for each thread.
struct Metered;

fn count(bytes: isize) {
    // A thread that ends has no counters any more.
    let _ = HELD.try_with(|held| {
        let now = held.get() + bytes;
        held.set(now);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(now)));
    });
}

// SAFETY: every call is passed on to the system's allocator as it is; the counters neither allocate nor unwind.
unsafe impl GlobalAlloc for Metered {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
