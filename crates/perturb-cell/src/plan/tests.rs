//! Which mounts a plan holds, told as text.

use super::*;

const FULL: Rung = Rung { user: true, processes: true, mounts: true, network: true };

fn wanted(list: &[(&str, PathUse)]) -> Vec<Wanted> {
    list.iter().map(|(path, kind)| Wanted { path: path.into(), kind: *kind, is_folder: true }).collect()
}

fn selected(list: &[(&str, PathUse)]) -> Vec<String> {
    let kept = select(wanted(list), &["/tmp".into()]);
    kept.iter().map(|one| format!("{:?} {}", one.kind, one.path.display())).collect()
}

fn view(list: &[(&str, PathUse)], closed: &[&str]) -> View {
    let temporary = vec![PathBuf::from("/tmp"), PathBuf::from("/dev/shm")];
    let wanted = select(wanted(list), &temporary);
    let is_closed = |folder: &Path| closed.iter().any(|other| folder == Path::new(other));
    let links = [(PathBuf::from("/home"), PathBuf::from("usr/home"))];
    let ground =
        PlanInput { temporary, is_closed: &is_closed, stage_bytes: Some(1 << 20), exchange: &[], links: &links };
    let plan = CellPlan::with_mounts(FULL, Path::new("/scratch"), None, &wanted, Vec::new(), ground);
    plan.view.unwrap()
}

/// The mounts of a plan, one per line: from, to, how.
fn mounts(list: &[(&str, PathUse)], closed: &[&str]) -> String {
    let view = view(list, closed);
    let shown =
        |from: &CString, to: &CString, how| format!("{} {} {how}", from.to_str().unwrap(), to.to_str().unwrap());
    let step = |step: &MountStep| match *step {
        MountStep::Bind(at) => {
            let bind = &view.binds[at];
            shown(&bind.from, &bind.to, if bind.read_only { "read-only" } else { "writable" })
        }
        MountStep::Place(at) => {
            let place = &view.places[at];
            let how = match (&place.overlay, &place.read_only_view) {
                (Some(_), _) => "overlay",
                (None, Some(_)) => "view",
                (None, None) => "placed",
            };
            shown(&place.from, &place.to, how)
        }
    };
    view.order.iter().map(step).collect::<Vec<_>>().join("\n")
}

/// What is made in the root before anything is mounted, a line for each.
fn made(list: &[(&str, PathUse)]) -> Vec<String> {
    let view = view(list, &[]);
    let in_root = view.nodes.iter().filter(|node| node.at.as_bytes().starts_with(b"/"));
    let shown = |node: &RootNode| match &node.what {
        What::Link { to } => format!("{} -> {}", node.at.to_str().unwrap(), to.to_str().unwrap()),
        What::Folder => format!("{}/", node.at.to_str().unwrap()),
        What::File => node.at.to_str().unwrap().to_string(),
    };
    in_root.map(shown).filter(|line| !line.starts_with("/dev")).collect()
}

#[test]
fn what_lies_in_something_stronger_is_not_mounted_twice() {
    use PathUse::*;
    assert_eq!(selected(&[("/w/a", Visible), ("/w", Visible)]), ["Visible /w"]);
    assert_eq!(selected(&[("/w/build/x", Private), ("/w/build", Private)]), ["Private /w/build"]);
    assert_eq!(selected(&[("/w", Visible), ("/w/build", Private)]), ["Visible /w", "Private /w/build"]);
    assert_eq!(selected(&[("/w/build/src", Visible), ("/w/build", Private)]), ["Private /w/build"]);
    assert_eq!(selected(&[("/w", Visible), ("/w", Private)]), ["Private /w"]);
    let shared = [("/w", Private), ("/w/records", Shared), ("/w/records", Private)];
    assert_eq!(selected(&shared), ["Private /w", "Shared /w/records"]);
    assert_eq!(selected(&[("/", Visible), ("/tmp", Visible)]), Vec::<String>::new());
    assert_eq!(selected(&[("/wide", Visible), ("/w", Visible)]), ["Visible /w", "Visible /wide"]);
}

#[test]
fn temporary_folders_are_empty_and_hold_ways_to_what_is_in_them() {
    use PathUse::*;
    let mounts = mounts(&[("/tmp/p/w", Visible), ("/tmp/p/w/build", Private), ("/data/u/log", Shared)], &[]);
    let expected = "room/t0 /tmp writable\n\
                    chain/tmp/p /tmp/p read-only\n\
                    room/t1 /dev/shm writable\n\
                    room/home /perturb-cell/home writable\n\
                    room/tmp /perturb-cell/tmp writable\n\
                    s0 /data/u/log placed\n\
                    s1 /tmp/p/w placed\n\
                    s2 /tmp/p/w/build overlay";
    assert_eq!(mounts, expected);
}

#[test]
fn the_root_holds_what_is_mounted_there_and_nothing_else() {
    use PathUse::*;
    let list = [("/usr", System), ("/usr/src/p", Private), ("/srv/u/tool", Readable), ("/tmp/p", Private)];
    let expected = [
        "/perturb-cell/",
        "/perturb-cell/home/",
        "/perturb-cell/tmp/",
        "/srv/",
        "/srv/u/",
        "/srv/u/tool/",
        "/tmp/",
        "/usr/",
        "/home -> usr/home",
    ];
    assert_eq!(made(&list), expected, "what is in /usr exists there");
    assert!(mounts(&list, &[]).contains("/srv/u/tool view"), "{}", mounts(&list, &[]));
}

#[test]
fn a_temporary_folder_lies_over_what_it_is_in() {
    let mounts = mounts(&[("/dev", PathUse::Readable)], &[]);
    let at = |line: &str| mounts.lines().position(|other| other == line).unwrap();
    assert!(at("s0 /dev view") < at("room/t1 /dev/shm writable"), "{mounts}");
}

#[test]
fn only_the_outermost_closed_folder_of_the_system_is_covered() {
    let list = [("/usr", PathUse::System), ("/usr/closed/p/w", PathUse::Visible)];
    let mounts = mounts(&list, &["/usr/closed", "/usr/closed/p"]);
    assert!(mounts.contains("chain/usr/closed /usr/closed read-only\n"), "{mounts}");
    assert!(!mounts.contains("chain/usr/closed/p "), "{mounts}");
}

#[test]
fn a_temporary_folder_may_be_the_callers() {
    let mounts = mounts(&[("/tmp", PathUse::Private)], &[]);
    assert!(mounts.contains("room/home /perturb-cell/home"), "{mounts}");
    assert!(mounts.contains("s0 /tmp overlay") && !mounts.contains("room/t0 /tmp "), "{mounts}");
}

#[test]
fn places_inside_a_view_are_known_to_it() {
    let wanted = wanted(&[("/w", PathUse::Private), ("/x", PathUse::Visible), ("/w/log", PathUse::Shared)]);
    let inside = places(&select(wanted, &[]))[0].overlay.as_ref().unwrap().inside.clone();
    assert_eq!(inside, [2]);
}
