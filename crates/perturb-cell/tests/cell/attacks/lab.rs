//! Where attacks are played: two cells of one setting, and around them what belongs to others.
//!
//! All of it is the test's own. What belongs to others is open to everybody, but for a secret, so that it is the
//! sandbox which contains an attack and not the permissions of files.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use perturb_cell::{Cell, CellOptions, End, Ended, Job, Layers, Limits, Permits};

use super::answers::{Answer, Guard, Said};
use super::settings::Setting;
use super::victim::Victim;

pub const MIB: u64 = 1 << 20;

/// What each process, all of a job, and its files may take.
pub const PROCESS_BYTES: u64 = 64 * MIB;
pub const JOB_BYTES: u64 = 192 * MIB;
pub const FILES_BYTES: u64 = 64 * MIB;

/// Enough for anything that ends by itself, on a busy machine too.
pub const LIMITS: Limits = Limits {
    cpu: Duration::from_secs(20),
    wall: Duration::from_secs(20),
    memory_bytes: Some(PROCESS_BYTES),
    file_bytes: 16 * MIB,
    processes: 64,
    output_bytes: 1 << 16,
};

/// In files of others, before anybody attacks them.
const TEXT: &str = "as it was\n";

pub struct Lab {
    pub setting: &'static Setting,
    pub folder: PathBuf,
    pub program: PathBuf,
    pub victim: Victim,
    options: CellOptions,
    cell: Cell,
    /// Another cell at the same time, for jobs that look for what jobs of the first one left.
    other: Cell,
    count: u32,
}

impl Lab {
    pub fn open(setting: &'static Setting, folder: &Path, program: &Path) -> Lab {
        let folder = folder.canonicalize().unwrap();
        let open = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for name in ["home", "foreign", "readable", "visible", "project", "project/build", "shared"] {
            fs::create_dir_all(folder.join(name)).unwrap();
            open(&folder.join(name), 0o777);
        }
        let options = CellOptions {
            visible: vec![folder.join("visible"), program.parent().unwrap().to_path_buf()],
            private: vec![folder.join("project/build")],
            shared: vec![folder.join("shared")],
            permits: Permits { readable: vec![folder.join("readable")], ..Permits::default() },
            memory_bytes: Some(FILES_BYTES),
            job_memory: Some(JOB_BYTES),
            sandbox: setting.sandbox,
            ..CellOptions::new(folder.join("cell"))
        };
        let other = CellOptions { scratch: folder.join("other-cell"), ..options.clone() };
        let (cell, other) = (Cell::open(&options).unwrap(), Cell::open(&other).unwrap());
        let victim = Victim::start(program);
        let count = 0;
        Lab { setting, folder, program: program.to_path_buf(), victim, options, cell, other, count }
    }

    pub fn layers(&self) -> &Layers {
        self.cell.layers()
    }

    /// Whether jobs have a root and processes of their own.
    pub fn has_namespaces(&self) -> bool {
        self.setting.sandbox.namespaces
    }

    /// Replaces what the attack before has harmed.
    pub fn make_ready(&mut self) {
        if !self.victim.is_unharmed() {
            self.victim = Victim::start(&self.program);
        }
        empty(&self.build());
        self.cell.folders_changed();
        self.other.folders_changed();
    }

    /// The folder that jobs run in.
    pub fn build(&self) -> PathBuf {
        self.folder.join("project/build")
    }

    /// A path that was not used yet, in one of the folders of the lab.
    pub fn path(&mut self, folder: &str) -> String {
        self.count += 1;
        text(&self.folder.join(folder).join(format!("f{}", self.count)))
    }

    /// A file that everybody may write to.
    pub fn file(&mut self, folder: &str) -> String {
        let path = self.path(folder);
        fs::write(&path, TEXT).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        path
    }

    /// Runs an attack in the first cell.
    pub fn attack(&mut self, words: &[&str]) -> Said {
        let ended = run(&mut self.cell, &self.program, &self.folder, words, LIMITS);
        said(words, &ended)
    }

    pub fn attack_within(&mut self, words: &[&str], limits: Limits) -> Said {
        let ended = run(&mut self.cell, &self.program, &self.folder, words, limits);
        said(words, &ended)
    }

    /// Runs an attack that reports nothing.
    pub fn run(&mut self, words: &[&str]) -> Ended {
        run(&mut self.cell, &self.program, &self.folder, words, LIMITS)
    }

    /// Whether a job can be started and work at all.
    pub fn serves(&mut self) -> bool {
        let arguments = [OsString::from("environment"), OsString::from("PATH")];
        let directory = self.build();
        let ended = self.cell.run(&Job {
            program: &self.program,
            arguments: &arguments,
            directory: &directory,
            environment: &[],
            limits: LIMITS,
        });
        ended.is_ok_and(|ended| ended.how == End::Exited(0))
    }

    /// Runs an attack in the other cell.
    pub fn attack_from_other_cell(&mut self, words: &[&str]) -> Said {
        let ended = run(&mut self.other, &self.program, &self.folder, words, LIMITS);
        said(words, &ended)
    }

    /// Runs a job in the first cell while `attack` does something with the other, until that is done. Whether the job
    /// was left alone meanwhile.
    pub fn while_a_job_runs<T>(
        &mut self,
        mark: &str,
        attack: impl FnOnce(&mut dyn FnMut(&[&str]) -> Said) -> T,
    ) -> (T, bool) {
        let stopper = self.cell.stopper().unwrap();
        let (cell, other, program, folder) = (&mut self.cell, &mut self.other, &self.program, &self.folder);
        let outcome = std::thread::scope(|scope| {
            let arguments = [OsString::from("wait"), OsString::from(mark)];
            let directory = folder.join("project/build");
            let job = scope.spawn(move || {
                let environment = &[];
                cell.run(&Job { program, arguments: &arguments, directory: &directory, environment, limits: LIMITS })
            });
            while processes_with(mark).is_empty() && !job.is_finished() {
                std::thread::sleep(Duration::from_millis(2));
            }
            let told = attack(&mut |words| said(words, &run(other, program, folder, words, LIMITS)));
            // A moment for what was done to have its effect.
            std::thread::sleep(Duration::from_millis(20));
            stopper.stop();
            (told, job.join().unwrap().is_err())
        });
        // The folder of the old cell goes with it.
        self.count += 1;
        self.options.scratch = self.folder.join(format!("cell-{}", self.count));
        self.cell = Cell::open(&self.options).unwrap();
        outcome
    }

    /// What decides about files of others.
    pub fn guard(&self) -> Guard {
        if self.setting.sandbox.landlock {
            Guard::Landlock
        } else {
            Guard::OtherUser
        }
    }

    /// What decides about processes of others, and about files that only their owner may read.
    pub fn guard_of_owner(&self) -> Guard {
        if self.setting.is_root {
            Guard::OtherUser
        } else {
            self.guard()
        }
    }

    /// What decides about modes and times of files, for which Landlock has no rules.
    pub fn guard_of_modes(&self) -> Guard {
        if self.setting.is_root {
            Guard::OtherUser
        } else {
            Guard::Filter
        }
    }

    /// What decides about the kernel's settings: jobs see those of their own namespaces as files of root.
    pub fn guard_of_settings(&self) -> Guard {
        if self.has_namespaces() {
            Guard::OtherUser
        } else {
            self.guard()
        }
    }

    /// Judges an attack by its effect.
    pub fn judge(&self, said: &Said, is_harmed: bool, guard: Guard) -> Answer {
        match is_harmed {
            true => Answer::NotContained,
            false => Answer::Contained(said.word(guard)),
        }
    }

    /// Judges an attack whose only effect is what the job got.
    pub fn judge_by_job(&self, said: &Said, guard: Guard) -> Answer {
        self.judge(said, matches!(said, Said::Done(_)), guard)
    }
}

fn run(cell: &mut Cell, program: &Path, folder: &Path, words: &[&str], limits: Limits) -> Ended {
    let arguments: Vec<OsString> = words.iter().map(Into::into).collect();
    let directory = folder.join("project/build");
    cell.run(&Job { program, arguments: &arguments, directory: &directory, environment: &[], limits }).unwrap()
}

fn said(words: &[&str], ended: &Ended) -> Said {
    let output = String::from_utf8_lossy(&ended.output);
    match ended.how {
        End::Signalled(signal) => return Said::Signalled(signal),
        End::CpuTimeout | End::WallTimeout => return Said::TimedOut,
        End::Exited(_) => (),
    }
    let line = output.trim_end().lines().last().unwrap_or_default();
    let mut parts = line.split(' ');
    let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    match (first, ended.how) {
        ("done", End::Exited(0)) => Said::Done(second.parse().unwrap_or(0)),
        ("refused", End::Exited(1)) => Said::Refused { errno: second.parse().unwrap() },
        ("nothing", End::Exited(1)) => Said::Nothing(line.split_once(' ').unwrap().1.to_string()),
        _ => panic!("{words:?}: {:?}: {output}", ended.how),
    }
}

/// Empties a folder, closed ones in it included, and opens it to everybody.
fn empty(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => {
                empty(&entry.path());
                fs::remove_dir(entry.path()).unwrap();
            }
            false => fs::remove_file(entry.path()).unwrap(),
        }
    }
}

/// Whether a file of others is as it was.
pub fn is_unchanged(path: &str) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text == TEXT)
}

/// The processes of the machine with a mark among their words.
pub fn processes_with(mark: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let processes = entries.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    let has_mark = |process: &String| {
        let words = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).skip(1).any(|word| word == mark.as_bytes())
    };
    processes.filter(has_mark).collect()
}

pub fn text(path: &Path) -> String {
    path.to_str().unwrap().to_string()
}
