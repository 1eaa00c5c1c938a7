//! The text of one file, and positions in it.
//!
//! All positions are byte offsets, so that CRLF files, tabs and non-UTF-8 comments need no special care. Lines and
//! columns are derived, 1-based, the column counted in bytes as compilers do.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A half-open range of bytes in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceRange {
    pub start: u32,
    pub end: u32,
}

impl SourceRange {
    pub fn new(start: u32, end: u32) -> Self {
        debug_assert!(start <= end, "a range ends before it starts: {start}..{end}");
        Self { start, end }
    }

    pub fn len(self) -> u32 {
        self.end - self.start
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    pub fn contains(self, other: SourceRange) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// What stands there in a file.
    pub fn text(self, file: &[u8]) -> &[u8] {
        &file[self.start as usize..self.end as usize]
    }
}

/// A line and a column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    pub line: u32,
    pub column: u32,
}

/// A file's path and bytes. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SourceFile {
    path: Arc<Path>,
    text: Arc<[u8]>,
    line_starts: Arc<[u32]>,
}

impl SourceFile {
    pub fn new(path: impl Into<PathBuf>, text: impl Into<Arc<[u8]>>) -> Self {
        let text = text.into();
        let ends = text.iter().enumerate().filter(|(_, &b)| b == b'\n').map(|(i, _)| i as u32 + 1);
        let line_starts = std::iter::once(0).chain(ends).collect();
        Self { path: path.into().into(), text, line_starts }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn text(&self) -> &[u8] {
        &self.text
    }

    pub fn slice(&self, range: SourceRange) -> &[u8] {
        &self.text[range.start as usize..range.end as usize]
    }

    /// The text of a range for people and for JSON: bytes that are not UTF-8 are replaced.
    pub fn lossy(&self, range: SourceRange) -> String {
        String::from_utf8_lossy(self.slice(range)).into_owned()
    }

    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        LineColumn { line: line as u32, column: offset - self.line_starts[line - 1] + 1 }
    }

    /// The bytes of a line (from 1) without its line ending; empty past the end.
    pub fn line(&self, line: u32) -> &[u8] {
        let Some(&start) = self.line_starts.get(line as usize - 1) else { return &[] };
        let end = self.line_starts.get(line as usize).map_or(self.text.len(), |&next| next as usize);
        let bytes = &self.text[start as usize..end];
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        bytes.strip_suffix(b"\r").unwrap_or(bytes)
    }

    pub fn line_count(&self) -> u32 {
        self.line_starts.len() as u32
    }

    /// The file's text with `range` replaced, every other byte kept.
    pub fn edited(&self, range: SourceRange, replacement: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.text.len() + replacement.len());
        text.extend_from_slice(&self.text[..range.start as usize]);
        text.extend_from_slice(replacement);
        text.extend_from_slice(&self.text[range.end as usize..]);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_bytes() {
        let file = SourceFile::new("a.c", b"ab\r\n\xc3\xa9x\n".to_vec());
        assert_eq!(file.line_column(0), LineColumn { line: 1, column: 1 });
        assert_eq!(file.line_column(3), LineColumn { line: 1, column: 4 });
        assert_eq!(file.line_column(6), LineColumn { line: 2, column: 3 });
        assert_eq!(file.line(1), b"ab");
        assert_eq!(file.line(3), b"");
        assert_eq!(file.line(9), b"");
    }

    #[test]
    fn an_edit_keeps_every_byte_outside_its_range() {
        let file = SourceFile::new("a.c", b"a \xff b".to_vec());
        assert_eq!(file.edited(SourceRange::new(2, 3), b"+"), b"a + b");
    }
}
