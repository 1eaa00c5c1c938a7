//! What each test may access outside its cell: nothing but what the project's configuration permits it by name.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use globset::GlobSet;
use perturb_cell::{Permits, Sandbox};

use crate::cache_key::CacheKey;
use crate::error::HostError;
use crate::test_cases::select::{matches, patterns};

/// The permits of all tests of a run.
#[derive(Debug, Clone)]
pub struct Confinement {
    pub sandbox: Sandbox,
    /// How much a test may write, in memory; none for as much as the disk takes.
    pub scratch_bytes: Option<u64>,
    all: Permits,
    special: Vec<(GlobSet, Permits)>,
}

/// More than most tests write, and less than most machines have.
const SCRATCH_BYTES: u64 = 1 << 30;

impl Confinement {
    /// Nothing is permitted.
    pub fn new(sandbox: Sandbox) -> Confinement {
        Confinement { sandbox, scratch_bytes: Some(SCRATCH_BYTES), all: Permits::default(), special: Vec::new() }
    }

    /// Permits something to all tests. `root` is the project.
    pub fn permit(&mut self, permits: &Permits, root: &Path) -> Result<(), HostError> {
        merge(&mut self.all, checked(permits, root)?);
        Ok(())
    }

    /// Permits something to the tests whose names match.
    pub fn permit_some(&mut self, names: &[String], permits: &Permits, root: &Path) -> Result<(), HostError> {
        self.special.push((patterns("sandbox.test.names", names)?, checked(permits, root)?));
        Ok(())
    }

    /// The permits of every test.
    pub fn permits_of_all(&self) -> &Permits {
        &self.all
    }

    /// The cache key of the terms on which these tests run: a verdict holds only on the same terms. Tests without
    /// special permits are not in it, so that adding one changes nothing for the others.
    pub fn terms<'t>(&self, tests: impl Iterator<Item = &'t str>) -> String {
        let mut key = CacheKey::default();
        let Sandbox { namespaces, landlock, filter } = self.sandbox;
        for (layer, is_on) in [("namespaces", namespaces), ("landlock", landlock), ("filter", filter)] {
            key.add(layer, is_on.to_string());
        }
        key.add_optional("scratch_bytes", self.scratch_bytes.map(|bytes| bytes.to_string()));
        for test in tests {
            let permits = self.permits(test);
            if permits != Permits::default() {
                key.add("test", test);
                add_permits(&permits, &mut key);
            }
        }
        key.into_text()
    }

    /// All permits of this test.
    pub fn permits(&self, test: &str) -> Permits {
        let mut all = self.all.clone();
        let special = self.special.iter().filter(|(names, _)| matches(names, test));
        special.for_each(|(_, permits)| merge(&mut all, permits.clone()));
        all
    }
}

fn add_permits(permits: &Permits, key: &mut CacheKey) {
    let Permits { network, sockets, readable, write, devices } = permits;
    key.add("network", network.to_string());
    key.add("sockets", sockets.to_string());
    key.add_all("readable", readable);
    key.add_all("write", write);
    key.add_all("device", devices);
}

fn merge(all: &mut Permits, more: Permits) {
    all.network |= more.network;
    all.sockets |= more.sockets;
    let paths = [(&mut all.readable, more.readable), (&mut all.write, more.write), (&mut all.devices, more.devices)];
    for (to, from) in paths {
        to.extend(from);
        to.sort();
        to.dedup();
    }
}

/// Resolves the paths, and checks that each exists and is of the right kind.
fn checked(permits: &Permits, root: &Path) -> Result<Permits, HostError> {
    let refused = |path: &Path, reason: &str| HostError::NotPermitted { path: path.into(), reason: reason.to_string() };
    let real = |path: &PathBuf| path.canonicalize().map_err(|error| refused(path, &error.to_string()));
    // As they were named: what is on the way to them may be named as well.
    let readable = permits.readable.clone();
    for path in &readable {
        let data = real(path)?.metadata().map_err(|error| refused(path, &error.to_string()))?;
        if !data.is_dir() && !data.is_file() {
            return Err(refused(path, "only files and folders can be read; devices are named in `devices`"));
        }
        if let Some(reason) = too_wide(&real(path)?) {
            return Err(refused(path, reason));
        }
    }
    let write = permits.write.iter().map(real).collect::<Result<Vec<PathBuf>, HostError>>()?;
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    if let Some(path) = write.iter().find(|path| path.starts_with(&root) || root.starts_with(path)) {
        let reason = "the project is never written to: tests run in a copy of it, and may write there as they like";
        return Err(refused(path, reason));
    }
    let devices = permits.devices.iter().map(real).collect::<Result<Vec<PathBuf>, HostError>>()?;
    let is_device = |path: &Path| {
        path.metadata().is_ok_and(|data| data.file_type().is_char_device() || data.file_type().is_block_device())
    };
    match devices.iter().find(|path| !is_device(path)) {
        Some(path) => Err(refused(path, "it is no device; what tests write to is named in `write`")),
        None => Ok(Permits { network: permits.network, sockets: permits.sockets, readable, write, devices }),
    }
}

/// The reason why a folder cannot be opened to tests as a whole.
fn too_wide(folder: &Path) -> Option<&'static str> {
    const OWN: [&str; 6] = ["/tmp", "/var/tmp", "/dev", "/dev/shm", "/proc", "/run"];
    if folder.parent().is_none() {
        return Some("it is everything: name the folders that tests need");
    }
    OWN.iter().any(|own| folder == Path::new(own)).then_some(
        "every test has one of its own, or none, so that it meets nobody there: name the file or the folder in it",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permits(write: &[&Path], devices: &[&str]) -> Permits {
        let own = |paths: &[&Path]| paths.iter().map(|path| path.to_path_buf()).collect();
        Permits { write: own(write), devices: devices.iter().map(PathBuf::from).collect(), ..Permits::default() }
    }

    #[test]
    fn a_test_has_what_all_have_and_what_it_is_named_for() {
        let folder = tempfile::tempdir().unwrap();
        let (project, out) = (folder.path().join("project"), folder.path().join("out"));
        [&project, &out].iter().for_each(|path| std::fs::create_dir(path).unwrap());
        let mut all = Confinement::new(Sandbox::FULL);
        all.permit(&permits(&[], &["/dev/null"]), &project).unwrap();
        let network = Permits { network: true, ..Permits::default() };
        all.permit_some(&["net_*".to_string()], &network, &project).unwrap();
        all.permit_some(&["net_file".to_string()], &permits(&[&out], &[]), &project).unwrap();
        let real = out.canonicalize().unwrap();
        let device = PathBuf::from("/dev/null");
        assert_eq!(all.permits("a"), Permits { devices: vec![device.clone()], ..Permits::default() });
        assert_eq!(
            all.permits("net_file"),
            Permits { network: true, write: vec![real], devices: vec![device], ..Permits::default() }
        );
        assert!(all.permits("net_suite::case").network, "a name stands for all of its cases");
    }

    #[test]
    fn the_terms_name_what_single_tests_are_permitted_and_nothing_for_the_others() {
        let project = tempfile::tempdir().unwrap();
        let mut all = Confinement::new(Sandbox::WITHOUT_NAMESPACES);
        let network = Permits { network: true, ..permits(&[], &["/dev/null"]) };
        all.permit_some(&["net_*".to_string()], &network, project.path()).unwrap();
        let general = "namespaces false\nlandlock true\nfilter true\nscratch_bytes 1073741824\n";
        assert_eq!(all.terms(["a", "b"].into_iter()), general);
        let special = "test net_a\nnetwork true\nsockets false\ndevice /dev/null\n";
        assert_eq!(all.terms(["a", "net_a"].into_iter()), format!("{general}{special}"));
    }

    #[test]
    fn what_is_missing_no_device_or_the_project_itself_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        std::fs::create_dir_all(project.join("out")).unwrap();
        let told = |permits: Permits| {
            let error = Confinement::new(Sandbox::FULL).permit(&permits, &project).unwrap_err();
            error.to_string()
        };
        assert!(told(permits(&[&folder.path().join("none")], &[])).contains("No such file"));
        assert!(told(permits(&[], &["/"])).contains("no device"));
        for inside in [project.join("out"), project.clone(), folder.path().to_path_buf()] {
            assert!(told(permits(&[&inside], &[])).contains("never written to"), "{}", inside.display());
        }
    }
}
