//! Last uses of local variables. Where a variable is not read any more, incrementing it makes no difference: such a
//! mutant is never infected there, and is not executed.
//!
//! Only the simple case counts: a C variable on the stack whose address is not taken and that is not read after the use
//! or by a macro, in a function without jumps backwards around the use (no loop, no label, no second return of
//! `setjmp`).

use crate::lexer;
use crate::libclang::Cursor;
use crate::source::SourceRange;
use crate::tree::build::FileView;
use crate::tree::{NodeId, NodeKind, Tree};
use clang_sys::*;
use std::collections::{BTreeMap, BTreeSet};

/// The last uses of a function's variables, in the order of the text.
pub(super) fn last_uses(function: Cursor<'_>, view: &FileView, body: SourceRange) -> BTreeSet<SourceRange> {
    let mut uses = VariableUses::default();
    uses.collect(function, view, false);
    if uses.returns_twice {
        return BTreeSet::new();
    }
    let text = view.source.text();
    let (kept, named) = (uses.kept, uses.named);
    let last = named.into_iter().filter(|(declared, _)| !kept.contains(declared)).filter_map(|(_, places)| {
        let last = *places.last()?;
        // What a macro brings stands where the macro does.
        let start = view.macros.start_of_use(last);
        let is_alone = places.iter().filter(|place| **place >= start).count() == 1;
        let name = lexer::token_at(text, last);
        let is_named_again = || {
            let name = name.text(text);
            lexer::tokens(text, last, body.end).skip(1).any(|token| token.text(text) == name)
        };
        let is_last = is_alone && name.start == last && !is_named_again();
        is_last.then(|| SourceRange::new(name.start, name.end))
    });
    last.collect()
}

/// Uses of variables, by where those are declared.
#[derive(Debug, Default)]
struct VariableUses {
    /// In the order of the text.
    named: BTreeMap<u32, Vec<u32>>,
    /// Variables that other code may access.
    kept: BTreeSet<u32>,
    returns_twice: bool,
}

impl VariableUses {
    fn collect(&mut self, cursor: Cursor<'_>, view: &FileView, is_addressed: bool) {
        let mut is_addressed = is_addressed && cursor.kind() == CXCursor_ParenExpr;
        match cursor.kind() {
            CXCursor_DeclRefExpr => self.add_use(cursor, view),
            CXCursor_VarDecl | CXCursor_ParmDecl => {
                // An attribute may hand its address on when it goes out of scope.
                let children = cursor.children();
                let has_attribute = children.iter().any(|child| is_attribute(child.kind()));
                let at = cursor.location();
                if has_attribute && at.file == view.handle {
                    self.kept.insert(at.offset);
                }
            }
            CXCursor_CallExpr => {
                let name = cursor.referenced().map(|called| called.spelling()).unwrap_or_default();
                self.returns_twice |= name.contains("setjmp") || name == "vfork" || name == "getcontext";
            }
            // `&x`: nothing else makes a pointer of a number by itself.
            CXCursor_UnaryOperator => is_addressed = cursor.type_of().canonical().kind() == CXType_Pointer,
            _ => {}
        }
        cursor.for_each_child(|child| {
            if is_addressed && child.kind() == CXCursor_DeclRefExpr {
                self.kept.extend(child.referenced().map(|declared| declared.location().offset));
            }
            self.collect(child, view, is_addressed);
        });
    }

    fn add_use(&mut self, cursor: Cursor<'_>, view: &FileView) {
        let Some(declared) = cursor.referenced() else { return };
        let is_own = match declared.kind() {
            CXCursor_ParmDecl => true,
            CXCursor_VarDecl => {
                let is_local = declared.semantic_parent().is_some_and(|parent| parent.kind() == CXCursor_FunctionDecl);
                is_local && matches!(declared.storage_class(), CX_SC_None | CX_SC_Auto | CX_SC_Register)
            }
            _ => false,
        };
        let (at, from) = (cursor.location(), declared.location());
        if is_own && at.file == view.handle && from.file == view.handle {
            let places = self.named.entry(from.offset).or_default();
            let behind = places.partition_point(|place| *place <= at.offset);
            places.insert(behind, at.offset);
        } else if is_own {
            self.kept.insert(from.offset);
        }
    }
}

fn is_attribute(kind: CXCursorKind) -> bool {
    (CXCursor_UnexposedAttr..CXCursor_PreprocessingDirective).contains(&kind)
}

impl Tree<'_> {
    /// Whether nobody reads the variable `id` after this.
    pub(super) fn is_last_use(&self, id: NodeId, last_uses: &BTreeSet<SourceRange>) -> bool {
        let is_known = self.node(id).written.is_some_and(|range| last_uses.contains(&range));
        let comes_again = |id: NodeId| matches!(self.node(id).kind, NodeKind::Loop | NodeKind::DoLoop);
        let mut around = std::iter::successors(self.node(id).parent, |&outer| self.node(outer).parent);
        is_known && !around.any(comes_again) && !self.nodes.iter().any(|node| node.kind == NodeKind::Label)
    }
}
