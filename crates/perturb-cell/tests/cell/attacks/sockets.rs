//! Attacks by sockets: services of the user, of the machine, of the network, of the kernel.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};

use super::answers::{Answer, Guard};
use super::lab::Lab;
use super::Attack;

const DATAGRAM: &str = "2";
/// Which is the same as a datagram in this family, and has another number.
const RAW: &str = "3";
const STREAM: &str = "1";

pub fn attacks() -> Vec<Attack> {
    let mut all = Vec::new();
    let places = [
        ("foreign", "connects to a socket in a folder of others, as `/run` is one"),
        ("home", "connects to a socket in the home of the caller"),
        ("readable", "connects to a socket in a folder that is permitted as readable"),
        ("project", "connects to a socket in the folder above its own"),
    ];
    for (folder, name) in places {
        all.push(Attack::new(name, move |lab| stream(lab, folder, &["connect-path"])));
    }
    all.push(Attack::new("sends a datagram to a socket of others", |lab| {
        datagram(lab, "foreign", &["send-path"], None)
    }));
    all.push(Attack::new("sends a datagram to a socket in a readable folder", |lab| {
        datagram(lab, "readable", &["send-path"], None)
    }));
    all.push(Attack::new("sends a datagram to others by one of a pair of sockets", |lab| {
        datagram(lab, "foreign", &["send-path-by-pair"], Some(DATAGRAM))
    }));
    all.push(Attack::new("the same with a raw socket", |lab| {
        datagram(lab, "foreign", &["send-path-by-pair"], Some(RAW))
    }));
    all.push(Attack::new("connects one of a pair of sockets to others", |lab| {
        datagram(lab, "foreign", &["send-path-by-pair"], Some(STREAM))
    }));
    all.push(Attack::new("connects to an abstract socket of others", abstract_socket));
    all.push(Attack::new("connects to a port of the machine: 127.0.0.1", |lab| tcp(lab, "127.0.0.1")));
    all.push(Attack::new("connects to a port of the machine: ::1", |lab| tcp(lab, "::1")));
    all.push(Attack::new("sends a datagram to a port of the machine", udp));
    all.push(Attack::new("looks for the network devices of the machine (`AF_NETLINK`)", |lab| {
        let said = lab.attack(&["network-devices"]);
        lab.judge_by_job(&said, Guard::Filter)
    }));
    let families = [
        (libc::AF_VSOCK, "opens a socket to the host of a virtual machine (`AF_VSOCK`)"),
        (libc::AF_ALG, "opens a socket of the kernel's ciphers (`AF_ALG`)"),
        (libc::AF_PACKET, "opens a socket for all packets (`AF_PACKET`)"),
        (libc::AF_CAN, "opens a socket of a car's bus (`AF_CAN`)"),
        (libc::AF_BLUETOOTH, "opens a Bluetooth socket (`AF_BLUETOOTH`)"),
    ];
    for (family, name) in families {
        all.push(Attack::new(name, move |lab| {
            let said = lab.attack(&["family", &family.to_string()]);
            lab.judge_by_job(&said, Guard::Filter)
        }));
    }
    all.push(Attack::new("opens a socket of any other family", |lab| {
        let said = lab.attack(&["other-families"]);
        lab.judge_by_job(&said, Guard::Filter)
    }));
    all
}

/// Checks that the attacks by path would be seen if they succeeded: in a shared folder, where all of them may.
pub fn check_that_attacks_are_seen(lab: &mut Lab) {
    if lab.has_namespaces() {
        let seen = [
            stream(lab, "shared", &["connect-path"]),
            datagram(lab, "shared", &["send-path"], None),
            datagram(lab, "shared", &["send-path-by-pair"], Some(DATAGRAM)),
            datagram(lab, "shared", &["send-path-by-pair"], Some(RAW)),
        ];
        assert!(seen.iter().all(|answer| *answer == Answer::NotContained), "{seen:?}");
    }
}

fn open_to_all(path: &str) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
}

fn stream(lab: &mut Lab, folder: &str, words: &[&str]) -> Answer {
    let path = lab.path(folder);
    let listener = UnixListener::bind(&path).unwrap();
    open_to_all(&path);
    listener.set_nonblocking(true).unwrap();
    let said = lab.attack(&[words, &[&path]].concat());
    lab.judge(&said, listener.accept().is_ok(), Guard::Filter)
}

fn datagram(lab: &mut Lab, folder: &str, words: &[&str], kind: Option<&str>) -> Answer {
    let path = lab.path(folder);
    let (receiver, listener) = match kind {
        Some(STREAM) => (None, Some(UnixListener::bind(&path).unwrap())),
        _ => (Some(UnixDatagram::bind(&path).unwrap()), None),
    };
    open_to_all(&path);
    let said = lab.attack(&[words, &[&path], kind.as_slice()].concat());
    let has_received = receiver.is_some_and(|receiver| {
        receiver.set_nonblocking(true).unwrap();
        receiver.recv(&mut [0; 8]).is_ok()
    });
    let has_connected = listener.is_some_and(|listener| {
        listener.set_nonblocking(true).unwrap();
        listener.accept().is_ok()
    });
    lab.judge(&said, has_received || has_connected, Guard::Filter)
}

fn abstract_socket(lab: &mut Lab) -> Answer {
    let name = format!("perturb-attack-{}", std::process::id());
    let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    listener.set_nonblocking(true).unwrap();
    let said = lab.attack(&["connect-abstract", &name]);
    lab.judge(&said, listener.accept().is_ok(), Guard::Landlock)
}

fn tcp(lab: &mut Lab, address: &str) -> Answer {
    let Ok(listener) = TcpListener::bind((address, 0)) else { return Answer::NotPlayed };
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let said = lab.attack(&["connect-tcp", address, &port]);
    lab.judge(&said, listener.accept().is_ok(), Guard::Landlock)
}

fn udp(lab: &mut Lab) -> Answer {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_nonblocking(true).unwrap();
    let port = receiver.local_addr().unwrap().port().to_string();
    let said = lab.attack(&["send-udp", "127.0.0.1", &port]);
    lab.judge(&said, receiver.recv(&mut [0; 8]).is_ok(), Guard::Filter)
}
