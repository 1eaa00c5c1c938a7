//! The environment of every job: the variables by which programs are found and choose their language, a private home,
//! and nothing else of the caller's: no terminal, no session, no secrets.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

pub(crate) type Environment = BTreeMap<OsString, OsString>;

/// Taken over from the caller where it has them, with all of `LC_*`.
const KEPT: &[&str] = &["PATH", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME"];

pub(crate) fn base(caller: impl Iterator<Item = (OsString, OsString)>, home: &Path, temp: &Path) -> Environment {
    let is_kept =
        |name: &OsStr| KEPT.iter().any(|kept| name == OsStr::new(kept)) || name.as_encoded_bytes().starts_with(b"LC_");
    let mut base: Environment = caller.filter(|(name, _)| is_kept(name)).collect();
    base.entry("PATH".into()).or_insert_with(|| "/usr/local/bin:/usr/bin:/bin".into());
    base.insert("SHELL".into(), "/bin/sh".into());
    base.insert("HOME".into(), home.into());
    for name in ["TMPDIR", "TMP", "TEMP"] {
        base.insert(name.into(), temp.into());
    }
    let below_home = [
        ("XDG_CACHE_HOME", ".cache"),
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_STATE_HOME", ".local/state"),
    ];
    base.extend(below_home.map(|(name, folder)| (name.into(), home.join(folder).into())));
    base.insert("XDG_RUNTIME_DIR".into(), temp.into());
    base
}

/// The base with the changes of one job; later changes win.
pub(crate) fn changed<'a>(
    base: &'a Environment,
    changes: &'a [(OsString, Option<OsString>)],
) -> Vec<(&'a OsStr, &'a OsStr)> {
    let mut all: BTreeMap<&OsStr, &OsStr> =
        base.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str())).collect();
    for (name, value) in changes {
        match value {
            Some(value) => all.insert(name, value),
            None => all.remove(name.as_os_str()),
        };
    }
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(list: &[(&str, &str)]) -> impl Iterator<Item = (OsString, OsString)> {
        list.iter().map(|(name, value)| (name.into(), value.into())).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn nothing_of_the_terminal_or_the_session_is_taken_over() {
        let given = [("PATH", "/bin"), ("LC_ALL", "C"), ("TZ", "UTC"), ("TERM", "xterm"), ("SSH_AUTH_SOCK", "/s")];
        let base = base(caller(&given), Path::new("/h"), Path::new("/t"));
        let text = |name: &str| base.get(OsStr::new(name)).and_then(|value| value.to_str());
        assert_eq!((text("PATH"), text("LC_ALL"), text("TZ")), (Some("/bin"), Some("C"), Some("UTC")));
        assert_eq!((text("TERM"), text("SSH_AUTH_SOCK")), (None, None));
        assert_eq!((text("HOME"), text("TMPDIR"), text("XDG_CACHE_HOME")), (Some("/h"), Some("/t"), Some("/h/.cache")));
    }

    #[test]
    fn a_job_adds_replaces_and_removes() {
        let base = base(caller(&[("TZ", "UTC")]), Path::new("/h"), Path::new("/t"));
        let changes: Vec<(OsString, Option<OsString>)> =
            vec![("A".into(), Some("1".into())), ("A".into(), Some("2".into())), ("TZ".into(), None)];
        let all = changed(&base, &changes);
        assert!(all.contains(&(OsStr::new("A"), OsStr::new("2"))) && all.iter().all(|(name, _)| *name != "TZ"));
        assert!(all.is_sorted());
    }
}
