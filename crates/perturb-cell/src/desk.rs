//! The desk: memory that a cell's owner and its server share, at the same address in both.
//!
//! The owner writes an order with the pointers that `execve` takes, so that the server parses and allocates nothing;
//! the server writes its answer there. The messages on the socket (see `wire`) decide whose turn it is to write. The
//! program under test never sees the desk: executing it ends its access to our memory.

use std::ffi::{c_char, CString, OsStr};
use std::io;
use std::mem;
use std::os::unix::ffi::OsStrExt;
use std::ptr;

use crate::sys::SysError;

/// More than the kernel takes for arguments and environment with the usual limit on the stack, which is 2 MiB. Memory
/// that is not written costs nothing.
const BYTES: usize = 8 << 20;

/// The job that the server is to run.
#[derive(Clone, Copy)]
pub(crate) struct JobOrder {
    pub program: *const c_char,
    pub directory: *const c_char,
    pub arguments: *const *const c_char,
    pub environment: *const *const c_char,
    pub bounds: Bounds,
    /// The folders that views show were changed since the last order.
    pub renew: bool,
}

/// The limits of a job, as the kernel takes them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub cpu_ns: u64,
    pub wall_ns: u64,
    pub data_bytes: u64,
    pub file_bytes: u64,
    pub processes: u64,
}

/// The server's answer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ServerAnswer {
    /// Nothing yet: what is found here when a server ended without a word.
    None,
    /// It is ready for orders, with these layers.
    Ready(SetUp),
    Ended(Finish),
    /// The program could not be executed.
    NotExecuted {
        errno: i32,
    },
    /// The program was never come to.
    NotStarted(SysError),
}

/// The layers that could be set up.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SetUp {
    pub own_proc: bool,
    pub in_memory: bool,
    pub has_rules: bool,
    pub read_only: Option<SysError>,
    pub views: Option<SysError>,
    /// Why what belongs to others is not read through views.
    pub sealed: Option<SysError>,
    pub group: Option<SysError>,
}

/// How a job ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finish {
    pub status: i32,
    pub cause: Cause,
    pub wall_ns: u64,
    pub cpu_ns: u64,
}

/// Why it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    Itself,
    CpuLimit,
    WallLimit,
}

struct DeskContent {
    order: JobOrder,
    answer: ServerAnswer,
    /// Why the server can do nothing more.
    broken: Option<SysError>,
}

#[derive(Debug)]
pub(crate) struct Desk {
    base: *mut u8,
}

// SAFETY: the pointer names memory that belongs to this value alone in our process.
unsafe impl Send for Desk {}

/// A job whose arguments and environment do not fit, or hold a zero byte.
#[derive(Debug)]
pub(crate) struct Unfit;

impl Desk {
    pub fn new() -> io::Result<Desk> {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: asks for new memory wherever there is room.
        let base = unsafe { libc::mmap(ptr::null_mut(), BYTES, access, kind | libc::MAP_NORESERVE, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let desk = Desk { base: base.cast() };
        desk.clear();
        Ok(desk)
    }

    /// Takes away what another server left.
    pub fn clear(&self) {
        self.answer(ServerAnswer::None);
        self.set_broken(None);
    }

    fn sheet(&self) -> *mut DeskContent {
        self.base.cast()
    }

    pub fn order(&self) -> JobOrder {
        // SAFETY: the sheet is at the start of the desk, aligned to a page; the owner wrote the order before it sent
        // the message that made us read it.
        unsafe { ptr::read_volatile(ptr::addr_of!((*self.sheet()).order)) }
    }

    pub fn answer(&self, answer: ServerAnswer) {
        // SAFETY: as above; the owner reads it only after a message of ours.
        unsafe { ptr::write_volatile(ptr::addr_of_mut!((*self.sheet()).answer), answer) }
    }

    pub fn answered(&self) -> ServerAnswer {
        // SAFETY: as above; the desk started with an answer on it.
        unsafe { ptr::read_volatile(ptr::addr_of!((*self.sheet()).answer)) }
    }

    pub fn set_broken(&self, broken: Option<SysError>) {
        // SAFETY: as above; the owner reads it only when the server has ended.
        unsafe { ptr::write_volatile(ptr::addr_of_mut!((*self.sheet()).broken), broken) }
    }

    pub fn broken(&self) -> Option<SysError> {
        // SAFETY: as above; the desk started with a value there.
        unsafe { ptr::read_volatile(ptr::addr_of!((*self.sheet()).broken)) }
    }

    /// Writes an order: `words` are the program and its arguments.
    pub fn put_order(
        &mut self,
        bounds: Bounds,
        renew: bool,
        words: &[&OsStr],
        directory: &OsStr,
        environment: &[(&OsStr, &OsStr)],
    ) -> Result<(), Unfit> {
        let mut writer = DeskWriter { at: self.base, used: mem::size_of::<DeskContent>() };
        let arguments = words.iter().map(|word| writer.text(&[word])).collect::<Result<Vec<_>, _>>()?;
        let settings = environment
            .iter()
            .map(|(name, value)| writer.text(&[name, OsStr::new("="), value]))
            .collect::<Result<Vec<_>, _>>()?;
        let order = JobOrder {
            program: arguments.first().copied().unwrap_or(ptr::null()),
            directory: writer.text(&[directory])?,
            arguments: writer.pointers(&arguments)?,
            environment: writer.pointers(&settings)?,
            bounds,
            renew,
        };
        // SAFETY: the sheet is at the start of the desk, and the server reads it only after a message of ours.
        unsafe { ptr::write_volatile(ptr::addr_of_mut!((*self.sheet()).order), order) };
        Ok(())
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // SAFETY: this memory is ours, and no pointer into it outlives the desk in this process.
        unsafe { libc::munmap(self.base.cast(), BYTES) };
    }
}

/// Fills the desk from the sheet on.
struct DeskWriter {
    at: *mut u8,
    used: usize,
}

impl DeskWriter {
    fn room(&mut self, bytes: usize, align: usize) -> Result<*mut u8, Unfit> {
        let start = self.used.next_multiple_of(align);
        let end = start.checked_add(bytes).filter(|end| *end <= BYTES).ok_or(Unfit)?;
        self.used = end;
        // SAFETY: within the desk, as was just checked.
        Ok(unsafe { self.at.add(start) })
    }

    fn text(&mut self, parts: &[&OsStr]) -> Result<*const c_char, Unfit> {
        let bytes: Vec<u8> = parts.iter().flat_map(|part| part.as_bytes()).copied().collect();
        let text = CString::new(bytes).map_err(|_| Unfit)?;
        let bytes = text.as_bytes_with_nul();
        let to = self.room(bytes.len(), 1)?;
        // SAFETY: there is room for so many bytes, and the text is not on the desk.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
        Ok(to.cast_const().cast())
    }

    /// The pointers with a null behind them.
    fn pointers(&mut self, pointers: &[*const c_char]) -> Result<*const *const c_char, Unfit> {
        let size = mem::size_of::<*const c_char>();
        let to: *mut *const c_char = self.room((pointers.len() + 1) * size, size)?.cast();
        // SAFETY: there is room for one more pointer than there are, aligned.
        unsafe {
            ptr::copy_nonoverlapping(pointers.as_ptr(), to, pointers.len());
            to.add(pointers.len()).write(ptr::null());
        }
        Ok(to.cast_const())
    }
}
