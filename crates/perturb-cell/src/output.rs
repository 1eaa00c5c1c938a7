//! Reads a program's output to its end and keeps the first and the last bytes.

use std::collections::VecDeque;

/// Bytes of one job, no more than a cap of them kept.
#[derive(Debug)]
pub(crate) struct OutputCapture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_cap: usize,
    tail_cap: usize,
    total: u64,
}

impl OutputCapture {
    pub fn new(cap: usize) -> OutputCapture {
        // The beginning shows what ran, the end what went wrong; the end gets the extra byte.
        let head_cap = cap / 2;
        OutputCapture { head: Vec::new(), tail: VecDeque::new(), head_cap, tail_cap: cap - head_cap, total: 0 }
    }

    pub fn add(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(self.head_cap - self.head.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(self.tail_cap)..];
        let surplus = (self.tail.len() + rest.len()).saturating_sub(self.tail_cap);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
    }

    /// The kept bytes, the offset of the gap if bytes were dropped, and the number of all bytes.
    pub fn finish(self) -> (Vec<u8>, Option<usize>, u64) {
        let mut kept = self.head;
        let seam = kept.len();
        kept.extend(self.tail);
        let cut = (self.total > kept.len() as u64).then_some(seam);
        (kept, cut, self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cap: usize, writes: &[&str], kept: &str, cut: Option<usize>) {
        let mut capture = OutputCapture::new(cap);
        writes.iter().for_each(|text| capture.add(text.as_bytes()));
        let total = writes.iter().map(|text| text.len() as u64).sum();
        assert_eq!(capture.finish(), (kept.as_bytes().to_vec(), cut, total), "{cap} {writes:?}");
    }

    #[test]
    fn output_within_the_cap_is_kept_whole() {
        check(10, &[], "", None);
        check(10, &["abc"], "abc", None);
        check(10, &["abcdef", "ghij"], "abcdefghij", None);
        check(1, &["a"], "a", None);
    }

    #[test]
    fn of_longer_output_the_first_and_the_last_bytes_are_kept() {
        check(4, &["abcdefgh"], "abgh", Some(2));
        check(4, &["a", "b", "c", "d", "e", "f"], "abef", Some(2));
        check(5, &["abcdefgh", "ij"], "abhij", Some(2));
        check(1, &["abc"], "c", Some(0));
        check(0, &["abc"], "", Some(0));
    }
}
