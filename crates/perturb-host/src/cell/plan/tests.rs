//! Which mounts a plan holds, told as text.

use super::*;

const FULL: Rung = Rung { user: true, processes: true, mounts: true, network: true };

fn wanted(list: &[(&str, Kind)]) -> Vec<Wanted> {
    list.iter().map(|(path, kind)| Wanted { path: path.into(), kind: *kind, is_folder: true }).collect()
}

fn selected(list: &[(&str, Kind)]) -> Vec<String> {
    let kept = select(wanted(list), &["/tmp".into()]);
    kept.iter().map(|one| format!("{:?} {}", one.kind, one.path.display())).collect()
}

/// The mounts of a plan, one per line: from, to, how.
fn mounts(list: &[(&str, Kind)], closed: &[&str]) -> String {
    let temporary = vec![PathBuf::from("/tmp"), PathBuf::from("/dev/shm")];
    let wanted = select(wanted(list), &temporary);
    let is_closed = |folder: &Path| closed.iter().any(|other| folder == Path::new(other));
    let ground = Ground { temporary, is_closed: &is_closed, stage_bytes: Some(1 << 20) };
    let plan = Plan::with_mounts(FULL, Path::new("/scratch"), None, &wanted, Vec::new(), ground).unwrap();
    let view = plan.view.unwrap();
    let binds = view.binds.iter().map(|bind| {
        let how = if bind.read_only { "read-only" } else { "writable" };
        format!("{} {} {how}", bind.from.to_str().unwrap(), bind.to.to_str().unwrap())
    });
    let places = view.places.iter().map(|place| {
        let how = if place.overlay.is_some() { "overlay" } else { "placed" };
        format!("{} {} {how}", place.from.to_str().unwrap(), place.to.to_str().unwrap())
    });
    binds.chain(places).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_lies_in_something_stronger_is_not_mounted_twice() {
    use Kind::*;
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
fn temporary_folders_are_covered_and_ways_lead_through() {
    use Kind::*;
    let mounts = mounts(&[("/tmp/p/w", Visible), ("/tmp/p/w/build", Private), ("/data/u/log", Shared)], &[]);
    let expected = "room/t0 /tmp writable\n\
                    chain/dev /dev read-only\n\
                    chain/tmp/p /tmp/p read-only\n\
                    chain/tmp/perturb-cell /tmp/perturb-cell read-only\n\
                    room/t1 /dev/shm writable\n\
                    room/home /tmp/perturb-cell/home writable\n\
                    room/tmp /tmp/perturb-cell/tmp writable\n\
                    s0 /data/u/log placed\n\
                    s1 /tmp/p/w placed\n\
                    s2 /tmp/p/w/build overlay";
    assert_eq!(mounts, expected);
}

#[test]
fn only_the_outermost_closed_folder_is_covered() {
    let mounts = mounts(&[("/closed/p/w", Kind::Visible)], &["/closed", "/closed/p"]);
    assert!(mounts.contains("chain/closed /closed read-only\n"), "{mounts}");
    assert!(!mounts.contains("chain/closed/p "), "{mounts}");
}

#[test]
fn a_home_appears_elsewhere_when_the_usual_folder_is_the_callers() {
    let mounts = mounts(&[("/tmp", Kind::Private)], &[]);
    assert!(mounts.contains("room/home /dev/shm/perturb-cell/home"), "{mounts}");
    assert!(mounts.contains("s0 /tmp overlay") && !mounts.contains("room/t0 /tmp "), "{mounts}");
}

#[test]
fn places_inside_a_view_are_known_to_it() {
    let wanted = wanted(&[("/w", Kind::Private), ("/x", Kind::Visible), ("/w/log", Kind::Shared)]);
    let inside = places(&select(wanted, &[]))[0].overlay.as_ref().unwrap().inside.clone();
    assert_eq!(inside, [2]);
}
