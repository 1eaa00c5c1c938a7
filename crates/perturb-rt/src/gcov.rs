//! The environment of a program built for gcov, and the check whether its counts are complete.

/// The header's text, but for where the counts go.
const HEADER: &str = include_str!("../c/gcov.h");

/// Stands before the paths of all that gcov writes.
pub const GCOV_VARIABLE: &str = "GCOV_PREFIX";

/// The name of the file in which processes note their beginning and their end.
pub const GCOV_PROCESSES: &str = "processes";

/// The text of the header that goes before every file of a build, for counts that go to `folder`.
pub fn gcov_header(folder: &[u8]) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let escaped = |&byte: &u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("\\{byte:03o}") };
    let folder: String = folder.iter().map(escaped).collect();
    // Guarded, as the header is: a header that is compiled by itself brings its text along.
    format!("#ifndef PERTURB_GCOV_FOLDER\n#define PERTURB_GCOV_FOLDER \"{folder}\"\n#endif\n{HEADER}")
}

/// Whether all processes that began have come to an end at which gcov wrote what it had counted.
pub fn has_counted_all(processes: &[u8]) -> bool {
    let count = |what: u8| processes.iter().filter(|byte| **byte == what).count();
    !processes.is_empty() && count(b'+') == count(b'-') && count(b'+') * 2 == processes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn counts_are_whole_when_each_process_has_ended_as_it_should() {
        let whole = [&b"+-"[..], b"++--", b"+-+-"];
        let lacking = [&b""[..], b"+", b"++-", b"+--", b"-", b"+-x", b"\0\0"];
        assert!(whole.iter().all(|text| has_counted_all(text)) && lacking.iter().all(|text| !has_counted_all(text)));
    }

    #[test]
    fn any_folder_can_be_named() {
        let text = gcov_header(b"/it's a \"folder\"\\\xff?\n");
        assert!(text.contains(r#""/it\047s\040a\040\042folder\042\134\377\077\012""#), "{}", &text[..200]);
    }

    #[test]
    fn fuzzed_notes_of_processes_are_whole_only_if_all_have_ended() {
        perturb_fuzz::survives("notes of processes", Share::All, &["+-", "++--+-"], |notes| {
            let is_whole = has_counted_all(notes);
            assert!(!is_whole || notes.iter().all(|byte| b"+-".contains(byte)) && notes.len() % 2 == 0);
        });
    }
}
