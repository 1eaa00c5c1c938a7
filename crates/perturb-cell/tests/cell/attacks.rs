//! What the sandbox contains: a list of attacks, each tried in cells of several settings, and the book's table of it.
//!
//! Each attack is a small piece of C (`attacks/*.c`), run as a job in a cell and never bare. It is harmless even if it
//! succeeds: its victims are made by the test, its sizes are bounded. Whether harm was done is decided from outside:
//! the victim lives, the file is as it was, the listener got nothing. The job only reports what refused it.
//!
//! Each setting is played by a process of its own, which this test starts: it has a home and a secret, and is an
//! ordinary user where the setting says so. After a change that is meant, `scripts/bless` writes the table anew: read
//! the difference. With `PERTURB_SHOW=1` and `-- --nocapture` every attack is told with its time.

mod answers;
mod book;
mod calls;
mod files;
mod lab;
mod lasting;
mod limits;
mod processes;
mod settings;
mod sockets;
mod victim;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{chown, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use answers::Answer;
use lab::Lab;
use settings::{Setting, SETTINGS, USER};

use crate::support::{has, is_root};

/// One attack: a row of the table.
struct Attack {
    name: &'static str,
    play: Box<dyn Fn(&mut Lab) -> Answer>,
}

impl Attack {
    fn new(name: &'static str, play: impl Fn(&mut Lab) -> Answer + 'static) -> Attack {
        Attack { name, play: Box::new(play) }
    }
}

/// All attacks, by topic.
fn topics() -> Vec<(&'static str, Vec<Attack>)> {
    vec![
        ("Sockets and the network", sockets::attacks()),
        ("Files of others", files::of_others()),
        ("Ways around paths", files::ways_around()),
        ("Devices and the kernel's files", files::of_the_machine()),
        ("Processes of others", processes::on_others()),
        ("System calls", calls::attacks()),
        ("What could be left behind", lasting::attacks()),
        ("Using too much", limits::attacks()),
    ]
}

/// Tells the process that plays a setting which one that is, and where its folders are.
const SETTING: &str = "PERTURB_TEST_ATTACKS";
const FOLDER: &str = "PERTURB_TEST_ATTACKS_FOLDER";
const PROGRAM: &str = "PERTURB_TEST_ATTACKS_PROGRAM";

/// In the environment of that process, and not for jobs.
const SECRET: &str = "PERTURB_TEST_SECRET";

/// What an attack came to in each setting that was played; by the names of both.
type Results = BTreeMap<(String, String), String>;

#[test]
fn attacks_are_contained_as_the_golden_table_of_the_book_says() {
    if !has("cc") {
        return;
    }
    let place = place();
    let program = compile(place.path());
    let mut results = Results::new();
    // Two at a time: more would make each other wait, and some attacks are stopped by looks at a clock.
    for pair in SETTINGS.chunks(2) {
        let played: Vec<_> = std::thread::scope(|scope| {
            let (folder, program) = (place.path(), program.as_path());
            let start = |setting| scope.spawn(move || (setting, play_apart(setting, folder, program)));
            let running: Vec<_> = pair.iter().map(start).collect();
            running.into_iter().map(|one| one.join().unwrap()).collect()
        });
        for (setting, answers) in played {
            match answers {
                Ok(answers) => {
                    results.extend(answers.into_iter().map(|(name, word)| ((name, setting.name.into()), word)))
                }
                Err(reason) => eprintln!("skipped: {}: {reason}", setting.title),
            }
        }
    }
    book::check(&topics(), &results, is_covered(place.path()));
}

/// Whether a folder lies below one that each cell has of its own.
fn is_covered(folder: &Path) -> bool {
    ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|own| folder.starts_with(own))
}

/// A folder that every user may enter; not below one for temporary files if that can be, as those are covered in a cell
/// anyway.
fn place() -> tempfile::TempDir {
    let is_open = |folder: &Path| {
        folder.ancestors().all(|one| fs::metadata(one).is_ok_and(|data| data.permissions().mode() & 0o005 == 0o005))
    };
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let parent = if is_open(target) { target.to_path_buf() } else { std::env::temp_dir() };
    let place = tempfile::tempdir_in(parent).unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    place
}

/// Compiles the attacks into a folder that all cells show their jobs, and makes a copy that is setuid. It is harmless,
/// as it only tells who it is.
fn compile(place: &Path) -> PathBuf {
    let folder = place.join("program");
    fs::create_dir(&folder).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cell/attacks");
    let files = fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "c"));
    let program = folder.join("attack");
    let status = Command::new("cc").arg("-O1").arg("-o").arg(&program).args(files).args(["-pthread", "-lrt"]).status();
    assert!(status.unwrap().success(), "the attacks do not compile");
    let setuid = folder.join("setuid");
    fs::copy(&program, &setuid).unwrap();
    fs::set_permissions(&setuid, fs::Permissions::from_mode(0o4755)).unwrap();
    program
}

/// Starts this test again as a process that plays one setting. The answers by the names of the attacks, or why the
/// machine cannot play it.
fn play_apart(setting: &Setting, place: &Path, program: &Path) -> Result<Vec<(String, String)>, String> {
    let is_root = is_root();
    if setting.is_root && !is_root {
        return Err("not root".to_string());
    }
    let folder = place.join(setting.name);
    fs::create_dir(&folder).map_err(|error| error.to_string())?;
    // The user may not be able to enter the folders on the way to where this was built.
    let test = folder.join("test");
    let copied = fs::copy(std::env::current_exe().unwrap(), &test).map_err(|error| error.to_string())?;
    assert!(copied > 0);
    let mut command = Command::new(&test);
    command.args(["--exact", "attacks::plays_one_setting", "--nocapture"]).current_dir(&folder).env_clear();
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", folder.join("home")).env(SECRET, "secret");
    command.env(SETTING, setting.name).env(FOLDER, &folder).env(PROGRAM, program).stdin(Stdio::null());
    if !setting.is_root && is_root {
        // Groups are cleared with the change of user.
        chown(&folder, Some(USER.uid), Some(USER.gid)).map_err(|error| error.to_string())?;
        command.uid(USER.uid).gid(USER.gid);
    }
    let output = command.output().map_err(|error| error.to_string())?;
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if std::env::var_os("PERTURB_SHOW").is_some() {
        eprintln!("{}: {text}", setting.title);
    }
    if let Ok(reason) = fs::read_to_string(folder.join("skipped")) {
        return Err(reason);
    }
    assert!(output.status.success(), "{}: {}\n{text}", setting.title, output.status);
    let answers = fs::read_to_string(folder.join("answers")).unwrap();
    Ok(answers.lines().filter_map(|line| line.split_once('\t')).map(|(one, two)| (one.into(), two.into())).collect())
}

/// The other half of the test above: it does something only in the process that it starts.
#[test]
fn plays_one_setting() {
    let Some(name) = std::env::var_os(SETTING) else { return };
    let setting = SETTINGS.iter().find(|setting| name == setting.name).unwrap();
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let mut lab = Lab::open(setting, &folder, &PathBuf::from(std::env::var_os(PROGRAM).unwrap()));
    if let Err(reason) = setting.is_played_by(lab.layers()) {
        fs::write(folder.join("skipped"), reason).unwrap();
        return;
    }
    sockets::check_that_attacks_are_seen(&mut lab);
    let mut text = String::new();
    for (_, attacks) in topics() {
        for attack in attacks {
            let begun = std::time::Instant::now();
            lab.make_ready();
            let answer = (attack.play)(&mut lab);
            println!("{:>6} ms  {}: {answer}", begun.elapsed().as_millis(), attack.name);
            if !matches!(answer, Answer::NotPlayed) {
                text.push_str(&format!("{}\t{answer}\n", attack.name));
            }
        }
    }
    fs::write(folder.join("answers"), text).unwrap();
}
