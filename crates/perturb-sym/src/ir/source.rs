//! Positions in the source files that a module was compiled from.

/// As the compiler was told it; a relative name is as seen from the folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceFile {
    pub name: String,
    pub folder: String,
}

/// Where something stands in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// In [`super::Module::files`].
    pub file: u32,
    pub line: u32,
    /// 0 where it is not known.
    pub column: u32,
}
