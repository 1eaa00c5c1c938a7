//! What a job is kept from whoever it runs as: the network, other processes, the machine; and what it can be permitted.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;

use perturb_cell::{CellOptions, End, Network, Permits, Sandbox, User};

use crate::support::{has_layer, is_root, ways, Place, LIMITS};

/// Tries to reach a port of this machine, and one of its own.
const CALLER: &str = r#"
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
int main(int count, char **words) {
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int caller = socket(AF_INET, SOCK_STREAM, 0);
    if (count > 1)
        to.sin_port = htons(atoi(words[1]));
    else {
        int own = socket(AF_INET, SOCK_STREAM, 0);
        socklen_t size = sizeof to;
        struct sockaddr *name = (struct sockaddr *)&to;
        if (bind(own, name, size) || listen(own, 1) || getsockname(own, name, &size))
            return 2;
    }
    return connect(caller, (struct sockaddr *)&to, sizeof to) != 0;
}
"#;

#[test]
fn by_network_a_job_reaches_nobody_but_itself_unless_it_is_permitted() {
    let place = Place::new();
    let caller = place.compile("caller", CALLER);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    for (way, options) in ways(&place) {
        let mut bench = place.open_with(options.clone());
        let layers = bench.cell.layers();
        let is_kept = layers.network == Network::Own || layers.landlock.is_some_and(|version| version >= 4);
        if has_layer(&bench, "way to keep a job from the network", is_kept) {
            assert_eq!(bench.run(&caller, &[&port], LIMITS).how, End::Exited(1), "{way}");
        }
        if bench.cell.layers().network == Network::Own {
            assert_eq!(bench.run(&caller, &[], LIMITS).how, End::Exited(0), "{way}: it may speak to itself");
        }
        drop(bench);
        let permits = Permits { network: true, ..Permits::default() };
        let mut bench = place.open_with(CellOptions { permits, ..options });
        assert_eq!(bench.run(&caller, &[&port], LIMITS).how, End::Exited(0), "{way}: permitted");
    }
}

/// Tries to reach a socket that has a name, and no path.
const NAMED: &str = r#"
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
int main(int count, char **words) {
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    strcpy(to.sun_path + 1, words[1]);
    socklen_t size = offsetof(struct sockaddr_un, sun_path) + 1 + strlen(words[1]);
    return connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&to, size) != 0;
}
"#;

#[test]
fn a_job_that_may_use_the_network_reaches_no_socket_without_a_path() {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixListener};
    let place = Place::new();
    let named = place.compile("named", NAMED);
    let name = format!("perturb-test-{}", std::process::id());
    let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    listener.set_nonblocking(true).unwrap();
    // The display of a session and the shims of a container engine are such sockets.
    for landlock in [true, false] {
        let sandbox = Sandbox { landlock, ..Sandbox::FULL };
        let permits = Permits { network: true, ..Permits::default() };
        let mut bench = place.open_with(CellOptions { sandbox, permits, ..place.options() });
        assert_eq!(bench.run(&named, &[&name], LIMITS).how, End::Exited(1), "{}", bench.cell.layers());
        assert!(listener.accept().is_err(), "{}", bench.cell.layers());
    }
}

/// Each line is a call, what it says, and what it is to say.
const CALLS: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static void *nothing(void *given) { return given; }
static int child(void *given) { return 0; }
static int refused(long result, int with) { return result == -1 && errno == with; }
int main(int count, char **words) {
    static char stack[65536];
    pthread_t thread;
    pid_t process;
    char *sh[] = { "sh", "-c", "exit 3", 0 };
    int status;
    if (!refused(unshare(CLONE_NEWUSER), EPERM)) return 1;
    if (!refused(mount("none", "/tmp", "tmpfs", 0, 0), EPERM)) return 2;
    if (!refused(clone(child, stack + sizeof stack, CLONE_NEWUSER | SIGCHLD, 0), EPERM)) return 3;
    if (!refused(syscall(SYS_io_uring_setup, 1, 0), ENOSYS)) return 4;
    if (!refused(syscall(SYS_bpf, 0, 0, 0), EPERM)) return 5;
    if (!refused(ioctl(0, TIOCSTI, "x"), EPERM)) return 6;
    if (count > 1 && !refused(kill(-1, 0), EPERM)) return 7;
    if (count > 1 && !refused(ptrace(PTRACE_ATTACH, getppid(), 0, 0), EPERM)) return 8;
    if (pthread_create(&thread, 0, nothing, 0) || pthread_join(thread, 0)) return 11;
    if (posix_spawn(&process, "/bin/sh", 0, 0, sh, environ) || waitpid(process, &status, 0) != process) return 12;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 3) return 13;
    if ((process = fork()) == 0) _exit(4);
    return waitpid(process, &status, 0) == process && WEXITSTATUS(status) == 4 ? 0 : 14;
}
"#;

#[test]
fn calls_that_change_the_machine_are_refused_and_those_that_tests_need_are_not() {
    let place = Place::new();
    let calls = place.compile("calls", CALLS);
    for (way, options) in ways(&place) {
        let mut bench = place.open_with(options);
        if !has_layer(&bench, "filter for system calls", bench.cell.layers().filter) {
            return;
        }
        // What reaches others is refused where no namespace hides them.
        let more: &[&str] = if bench.cell.layers().pid_namespace { &[] } else { &["others"] };
        assert_eq!(bench.run(&calls, more, LIMITS).how, End::Exited(0), "{way}");
    }
}

#[test]
fn without_namespaces_only_what_is_the_cells_can_be_written() {
    let place = Place::new();
    let bare = CellOptions { sandbox: Sandbox::WITHOUT_NAMESPACES, ..place.options() };
    let mut bench = place.open_with(bare.clone());
    if !has_layer(&bench, "Landlock", bench.cell.layers().landlock.is_some()) {
        return;
    }
    fs::write(place.path("tree").join("kept"), "").unwrap();
    for closed in ["tree", ""] {
        let script = format!("echo x > \"{0}/new\" || rm \"{0}/kept\"", place.path(closed).display());
        assert_ne!(bench.sh(&script).how, End::Exited(0), "{closed}");
    }
    assert!(place.path("tree").join("kept").exists() && !place.path("tree").join("new").exists());
    let written = format!("echo x > $HOME/a && echo x > $TMPDIR/a && echo x > '{}'/a", "$0");
    let script = written.replace("'$0'", &format!("\"{}\"", place.path("log").display()));
    for _ in 0..2 {
        assert_eq!(bench.sh(&script).how, End::Exited(0), "{:?}", bench.says(&script));
    }
    assert_eq!(bench.sh("echo x > /dev/null; mkdir $HOME/a; mv $HOME/a $TMPDIR/b").how, End::Exited(0));
    drop(bench);
    // A way to run without any of it must be asked for.
    let mut open = place.open_with(CellOptions { sandbox: Sandbox::OFF, ..bare });
    assert!(open.cell.layers().landlock.is_none() && !open.cell.layers().filter);
    assert_eq!(open.sh("exit 5").how, End::Exited(5));
}

#[test]
fn without_namespaces_a_job_signals_nobody_else() {
    let place = Place::new();
    let mut options = CellOptions { sandbox: Sandbox::WITHOUT_NAMESPACES, ..place.options() };
    // As whoever runs this: otherwise the change of user would be what keeps it from that.
    options.user = User { uid: 0, gid: 0 };
    let mut bench = place.open_with(options.clone());
    if !has_layer(&bench, "Landlock for signals", bench.cell.layers().landlock.is_some_and(|version| version >= 6)) {
        return;
    }
    let script = format!("kill -0 {}", std::process::id());
    assert_ne!(bench.sh(&script).how, End::Exited(0));
    assert_eq!(bench.sh("sleep 50 & kill $!; wait $!; test $? = 143").how, End::Exited(0));
    drop(bench);
    let mut open = place.open_with(CellOptions { sandbox: Sandbox::OFF, ..options });
    assert_eq!(open.sh(&script).how, End::Exited(0), "it could otherwise");
}

/// Eight processes of 24 MiB each.
const HOG: &str = r#"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    int status, ends = 0;
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            char *memory = malloc(24 << 20);
            memset(memory, i + 1, 24 << 20);
            usleep(500000);
            _exit(memory[i] != i + 1);
        }
    while (wait(&status) > 0)
        ends |= status;
    return ends != 0;
}
"#;

#[test]
fn the_memory_of_all_processes_of_a_job_together_is_limited() {
    let place = Place::new();
    let hog = place.compile("hog", HOG);
    for sandbox in [Sandbox::FULL, Sandbox::WITHOUT_NAMESPACES] {
        let options = CellOptions { sandbox, ..place.options() };
        let mut bench = place.open_with(CellOptions { job_memory: Some(96 << 20), ..options.clone() });
        assert_ne!(bench.run(&hog, &[], LIMITS).how, End::Exited(0), "{}", bench.cell.layers());
        assert_eq!(bench.sh("exit 3").how, End::Exited(3), "{}", bench.cell.layers());
        drop(bench);
        let mut bench = place.open_with(CellOptions { job_memory: Some(1 << 30), ..options });
        assert_eq!(bench.run(&hog, &[], LIMITS).how, End::Exited(0), "{}", bench.cell.layers());
    }
}

#[test]
fn a_cell_leaves_no_control_group() {
    let groups = || {
        let own = format!("perturb-{}-", std::process::id());
        let list = std::process::Command::new("find").args(["/sys/fs/cgroup", "-name", &format!("{own}*")]).output();
        String::from_utf8(list.unwrap().stdout).unwrap()
    };
    let place = Place::new();
    // Of a size that no other test asks for: those run at the same time.
    let bench = place.open_with(CellOptions { job_memory: Some(777 << 20), ..place.options() });
    if !has_layer(&bench, "control group", bench.cell.layers().group) {
        return;
    }
    let is_ours = |group: &&str| {
        let limit = |file: &str| fs::read_to_string(PathBuf::from(group).join(file)).unwrap_or_default();
        [limit("memory.max"), limit("memory.limit_in_bytes")].iter().any(|limit| limit.trim() == "814743552")
    };
    let ours: Vec<String> = groups().lines().filter(is_ours).map(str::to_string).collect();
    assert_eq!(ours.len(), 1);
    drop(bench);
    assert!(!groups().lines().any(|group| group == ours[0]));
}

#[test]
fn a_job_writes_to_folders_and_sees_devices_that_are_permitted() {
    let place = Place::new();
    let (out, device) = (place.path("out"), PathBuf::from("/dev/loop-control"));
    fs::create_dir(&out).unwrap();
    if !is_root() {
        eprintln!("skipped: only root has devices of its own");
        return;
    }
    let known = if device.exists() { vec![device.clone()] } else { Vec::new() };
    for (way, options) in ways(&place) {
        let script = format!("echo written > \"{}/{}\"", out.display(), way.replace(' ', "-"));
        let mut bench = place.open_with(options.clone());
        assert_ne!(bench.sh(&script).how, End::Exited(0), "{way}");
        let is_seen = format!("test -c {}", device.display());
        if bench.cell.layers().mount_namespace {
            assert_ne!(bench.sh(&is_seen).how, End::Exited(0), "{way}");
        }
        drop(bench);
        let permits = Permits { write: vec![out.clone()], devices: known.clone(), ..Permits::default() };
        let mut bench = place.open_with(CellOptions { permits, ..options });
        assert_eq!(bench.sh(&script).how, End::Exited(0), "{way}");
        if !known.is_empty() {
            assert_eq!(bench.sh(&is_seen).how, End::Exited(0), "{way}");
        }
        assert_eq!(fs::read_to_string(out.join(way.replace(' ', "-"))).unwrap(), "written\n");
    }
}

/// Speaks to itself by a socket in its folder, and tries to reach another by its path, by a link to it, and without a
/// path.
const SPEAKER: &str = r#"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static int try(int (*call)(int, const struct sockaddr *, socklen_t), int file, const char *path) {
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    return call(file, (struct sockaddr *)&to, sizeof to) == 0 ? 0 : errno;
}
static int stream(void) { return socket(AF_UNIX, SOCK_STREAM, 0); }
int main(int count, char **words) {
    char word[8] = "";
    int own = stream(), caller = stream(), pair[2];
    if (own < 0) return errno == EAFNOSUPPORT ? 2 : 3;
    if (try(bind, own, "own") || listen(own, 1)) return 4;
    if (try(connect, caller, "own")) return 5;
    if (write(caller, "hello", 6) != 6 || read(accept(own, 0, 0), word, 6) != 6 || strcmp(word, "hello")) return 6;
    if (symlink(words[1], "link")) return 7;
    if (try(connect, stream(), words[1]) != EACCES || try(connect, stream(), "link") != EACCES) return 8;
    if (socket(AF_UNIX, SOCK_DGRAM, 0) >= 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0) return 9;
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0) return 10;
    return try(connect, stream(), "none") == ENOENT ? 0 : 11;
}
"#;

#[test]
fn without_namespaces_who_may_have_sockets_reaches_those_in_its_own_folders_only() {
    let place = Place::new();
    let speaker = place.compile("speaker", SPEAKER);
    // A short path, as sockets need, outside of what the cell was given.
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().join("s");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    listener.set_nonblocking(true).unwrap();
    for folder in [outside.path(), &path] {
        fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    }
    let bare = CellOptions { sandbox: Sandbox::WITHOUT_NAMESPACES, ..place.options() };
    let path = path.to_str().unwrap();
    let mut bench = place.open_with(bare.clone());
    if !has_layer(&bench, "filter and Landlock", bench.cell.layers().filter && bench.cell.layers().landlock.is_some()) {
        return;
    }
    assert_eq!(bench.run(&speaker, &[path], LIMITS).how, End::Exited(2), "nobody needs one");
    drop(bench);
    let permits = Permits { sockets: true, ..Permits::default() };
    let mut bench = place.open_with(CellOptions { permits, ..bare });
    for _ in 0..2 {
        assert_eq!(bench.run(&speaker, &[path], LIMITS).how, End::Exited(0));
    }
    assert!(listener.accept().is_err(), "somebody has called");
}
