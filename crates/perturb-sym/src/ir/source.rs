//! Positions in the source files that a module was compiled from.

/// As given to the compiler; a relative name is relative to the folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceFile {
    pub name: String,
    pub folder: String,
}

/// A position in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourcePosition {
    /// In [`super::Module::files`].
    pub file: u32,
    pub line: u32,
    /// 0 if it is unknown.
    pub column: u32,
}
