//! Reads back the contents of allocated memory after a call: everything reachable from the result, the arguments and
//! variables.
//!
//! The driver reports it as words (`c/heap.h`), in the order in which types reach them. Here they get their names back:
//! `result->child->number`. Uninitialised memory has no value, and blocks that no pointer of a known type reaches are
//! plain bytes.

use super::heap::{Heap, HeapMember, HeapType, Root};
use super::layout::Layout;
use super::leaf::{Leaf, LeafKind};
use super::ObservedTarget;

/// The allocated memory after a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeapContents {
    /// The number of blocks still allocated.
    pub live: u32,
    /// The objects of the input that were freed.
    pub freed: Vec<usize>,
    pub values: Vec<HeapValue>,
    /// A hash of everything beyond the last value; 0 if there is nothing.
    pub rest: u64,
}

/// A value in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapValue {
    /// As a C expression; for characters, that of the pointer to them. `None` if C cannot express it.
    pub expression: Option<String>,
    /// The root from which it is reached: an index of [`Heap::roots`].
    pub root: usize,
    /// For display.
    pub name: String,
    pub value: ObservedValue,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObservedValue {
    Number {
        kind: LeafKind,
        size: u64,
        bits: u64,
    },
    Pointer(ObservedTarget),
    /// `None` for an uninitialised byte.
    Bytes(Vec<Option<u8>>),
    Unwritten,
}

impl Layout {
    /// Decodes what an output says about allocated memory. `None` if the layout has no heap, or the output is invalid.
    pub fn heap_contents(&self, output: &[u8]) -> Option<HeapContents> {
        let heap = self.heap.as_ref()?;
        let (seen, left) = output.split_at_checked(self.output_size())?;
        let mut bytes = Bytes(left);
        let (live, blocks, rest) = (bytes.number(4)? as u32, bytes.number(4)?, bytes.number(8)?);
        let freed = bytes.take(self.objects.len())?;
        let freed = (0..freed.len()).filter(|object| freed[*object] != 0).collect();
        let sizes: Option<Vec<u64>> = (0..blocks).map(|_| bytes.number(4)).collect();
        let mut reader = HeapReader { heap, bytes, blocks: Vec::new(), values: Vec::new() };
        for (at, root) in heap.roots.iter().enumerate() {
            reader.reach(self.pointer(root, seen)?, Path::of(at, &root.name), root.ty);
        }
        for (at, size) in sizes?.into_iter().enumerate() {
            // Words beyond the limit are not reported.
            if reader.block(at, size).is_none() {
                break;
            }
        }
        Some(HeapContents { live, freed, values: reader.values, rest })
    }

    /// The target of a root in an output.
    fn pointer(&self, root: &Root, seen: &[u8]) -> Option<ObservedTarget> {
        let views = self.result.iter().chain(&self.views);
        let is_it =
            |leaf: &Leaf| (leaf.object, leaf.offset, leaf.kind) == (root.object, root.offset, LeafKind::Pointer);
        let at = views.clone().position(is_it)?;
        let start: usize = views.take(at).map(|leaf| leaf.size as usize).sum();
        Some(ObservedTarget::of(Bytes(seen.get(start..)?).number(8)?))
    }
}

struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self, size: usize) -> Option<u64> {
        Some(self.take(size)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }
}

/// A C expression.
#[derive(Debug, Clone)]
struct Path {
    text: String,
    /// The index of the root from which it starts.
    root: usize,
    /// It is not valid C.
    is_odd: bool,
    /// It is the target of the text, which is a pointer.
    is_behind: bool,
}

impl Path {
    fn of(root: usize, text: &str) -> Self {
        Self { text: text.to_string(), root, is_odd: false, is_behind: false }
    }

    /// As the operand of `[`, `.` and `->`.
    fn operand(&self) -> String {
        match self.text.starts_with('*') {
            true => format!("({})", self.text),
            false => self.text.clone(),
        }
    }

    fn whole(&self) -> String {
        match self.is_behind {
            true => format!("*{}", self.text),
            false => self.text.clone(),
        }
    }

    fn member(&self, name: &str) -> Self {
        if name.is_empty() {
            return self.clone();
        }
        let sign = if self.is_behind { "->" } else { "." };
        Self { text: format!("{}{sign}{name}", self.operand()), is_behind: false, ..self.clone() }
    }

    fn element(&self, at: i64) -> Self {
        let operand = match self.is_behind {
            true => format!("(*{})", self.text),
            false => self.operand(),
        };
        Self { text: format!("{operand}[{at}]"), is_behind: false, ..self.clone() }
    }

    fn behind(&self) -> Self {
        Self { text: self.whole(), is_behind: true, ..self.clone() }
    }

    /// A description, not an expression, of something reached from there.
    fn odd(&self, text: String) -> Self {
        Self { text, root: self.root, is_odd: true, is_behind: false }
    }
}

/// A block, and the pointer that reaches it first.
struct ReachedBlock {
    pointer: Path,
    /// The offset of the pointer from the start of the block.
    offset: i64,
    ty: usize,
}

struct HeapReader<'r> {
    heap: &'r Heap,
    bytes: Bytes<'r>,
    blocks: Vec<ReachedBlock>,
    values: Vec<HeapValue>,
}

impl HeapReader<'_> {
    fn word(&mut self) -> Option<(u64, u8)> {
        Some((self.bytes.number(8)?, self.bytes.number(1)? as u8))
    }

    fn reach(&mut self, place: ObservedTarget, pointer: Path, ty: usize) {
        if let ObservedTarget::Fresh { block, offset } = place {
            if block == self.blocks.len() + 1 {
                self.blocks.push(ReachedBlock { pointer, offset: i64::from(offset), ty });
            }
        }
    }

    fn block(&mut self, at: usize, room: u64) -> Option<()> {
        let ReachedBlock { pointer, offset, ty } = self.blocks.get(at)?;
        let (pointer, offset, ty) = (pointer.clone(), *offset, *ty);
        let size = match self.heap.types[ty] {
            HeapType::Bytes { .. } | HeapType::Characters { .. } => 0,
            _ => self.heap.size(ty),
        };
        let count = match size {
            0 => 0,
            _ if room.is_multiple_of(size) => room / size,
            _ => u64::from(size <= room),
        };
        // A pointer into the middle of a value gives no expression for its start.
        let is_whole = size == 0 || offset % size as i64 == 0;
        let first = if size == 0 { offset } else { offset / size as i64 };
        for index in 0..count {
            let path = match index as i64 - first {
                _ if !is_whole => pointer.odd(format!("block {}[{index}]", at + 1)),
                0 if count == 1 => pointer.behind(),
                index => pointer.element(index),
            };
            self.value(path, ty)?;
        }
        let rest = room - count * size;
        if rest > 0 || count == 0 {
            let is_text = matches!(self.heap.types[ty], HeapType::Characters { .. });
            let path = match is_text && offset == 0 {
                true => pointer,
                false => pointer.odd(format!("what {} leads to, from byte {}", pointer.whole(), count * size)),
            };
            self.plain(path, rest, !is_text)?;
        }
        Some(())
    }

    fn value(&mut self, path: Path, ty: usize) -> Option<()> {
        match self.heap.types[ty].clone() {
            HeapType::Bytes { size } => self.plain(Path { is_odd: true, ..path }, size, true),
            HeapType::Characters { size } => self.plain(path, size, false),
            HeapType::Number { kind, size } => {
                let (bits, written) = self.word()?;
                self.seen(
                    &path,
                    if written == 0 { ObservedValue::Unwritten } else { ObservedValue::Number { kind, size, bits } },
                );
                Some(())
            }
            HeapType::Pointer { to } => {
                let (bits, written) = self.word()?;
                let place = ObservedTarget::of(bits);
                self.seen(&path, if written == 0 { ObservedValue::Unwritten } else { ObservedValue::Pointer(place) });
                self.reach(place, Path::of(path.root, &path.whole()), to);
                Some(())
            }
            HeapType::Array { of, count } => (0..count).try_for_each(|at| self.value(path.element(at as i64), of)),
            HeapType::Record { members, .. } => members.iter().try_for_each(|member| self.member(&path, member)),
        }
    }

    fn member(&mut self, path: &Path, member: &HeapMember) -> Option<()> {
        let path = path.member(&member.name);
        let Some((_, count)) = member.bits else { return self.value(path, member.ty) };
        let (bits, written) = self.word()?;
        let kind = match self.heap.types[member.ty] {
            HeapType::Number { kind, .. } => kind,
            _ => LeafKind::Unsigned,
        };
        // Sign-extended, if its type is signed.
        let shift = 64 - count;
        let bits = if kind == LeafKind::Signed { ((bits << shift) as i64 >> shift) as u64 } else { bits };
        self.seen(
            &path,
            if written == 0 { ObservedValue::Unwritten } else { ObservedValue::Number { kind, size: 8, bits } },
        );
        Some(())
    }

    /// Characters, or bytes of unknown type.
    fn plain(&mut self, path: Path, size: u64, has_pointers: bool) -> Option<()> {
        let mut bytes = Vec::new();
        for start in (0..size).step_by(8) {
            let (bits, written) = self.word()?;
            let place = ObservedTarget::of(bits);
            if has_pointers && written == 0xff && matches!(place, ObservedTarget::Fresh { .. }) {
                self.reach(place, path.odd(format!("the pointer in {} at byte {start}", path.whole())), 0);
            }
            let part = (size - start).min(8) as usize;
            let byte = |at: usize| (written >> at & 1 == 1).then_some((bits >> (8 * at)) as u8);
            bytes.extend((0..part).map(byte));
        }
        self.seen(&path, ObservedValue::Bytes(bytes));
        Some(())
    }

    fn seen(&mut self, path: &Path, value: ObservedValue) {
        let name = path.whole();
        let expression = (!path.is_odd).then(|| name.clone());
        self.values.push(HeapValue { expression, root: path.root, name, value });
    }
}

impl ObservedValue {
    /// The value of a leaf.
    pub fn of(leaf: &Leaf, bits: u64) -> Self {
        match leaf.kind {
            LeafKind::Pointer => Self::Pointer(ObservedTarget::of(bits)),
            kind => Self::Number { kind, size: u64::from(leaf.size), bits },
        }
    }

    /// For display.
    pub fn described(&self, layout: &Layout) -> String {
        match self {
            Self::Unwritten => "never written".to_string(),
            Self::Pointer(place) => pointer(*place, layout),
            Self::Number { kind, size, bits } => number(*kind, *size, *bits),
            Self::Bytes(bytes) => text(bytes),
        }
    }
}

fn pointer(place: ObservedTarget, layout: &Layout) -> String {
    match place {
        ObservedTarget::Null => "NULL".to_string(),
        ObservedTarget::Inside { object, offset } => {
            let object = layout.objects.get(object).map_or("an object", |object| &object.name);
            format!("{offset} bytes from the start of {object}")
        }
        ObservedTarget::Fresh { block, .. } if layout.heap.as_ref().is_some_and(|heap| !heap.allocates) => {
            format!("constant {block}")
        }
        ObservedTarget::Fresh { block, offset: 0 } => format!("block {block} of what it allocates"),
        ObservedTarget::Fresh { block, offset } => {
            format!("{offset} bytes from the start of block {block} of what it allocates")
        }
        ObservedTarget::Freed => "memory that it has freed".to_string(),
        // A number was stored in place of a pointer: no address is this low.
        ObservedTarget::Elsewhere(number @ ..0x1_0000) => number.to_string(),
        ObservedTarget::Elsewhere(_) => "elsewhere".to_string(),
    }
}

/// A number as a C literal.
fn number(kind: LeafKind, size: u64, bits: u64) -> String {
    match (kind, size) {
        (LeafKind::Float, 4) => format!("{:?}", f32::from_bits(bits as u32)),
        (LeafKind::Float, _) => format!("{:?}", f64::from_bits(bits)),
        (LeafKind::Bool | LeafKind::Choice, _) => (bits != 0).to_string(),
        (LeafKind::Signed, _) => {
            let shift = 64 - 8 * size.clamp(1, 8);
            (((bits << shift) as i64) >> shift).to_string()
        }
        _ => bits.to_string(),
    }
}

/// `"one\0"`, with `?` for uninitialised bytes; trailing ones are left out.
fn text(bytes: &[Option<u8>]) -> String {
    let end = bytes.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    let letter = |byte: &Option<u8>| match byte {
        None => "?".to_string(),
        Some(0) => "\\0".to_string(),
        Some(byte) => byte.escape_ascii().to_string(),
    };
    format!("\"{}\"", bytes[..end].iter().map(letter).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    /// A function that returns a list whose nodes have a number, three bits, a name and the next node.
    fn layout() -> Layout {
        let member = |name: &str, offset, ty, bits| HeapMember { name: name.to_string(), offset, ty, bits };
        let members = vec![
            member("value", 0, 2, None),
            member("flag", 4, 2, Some((0, 3))),
            member("name", 5, 3, None),
            member("next", 8, 4, None),
        ];
        let types = vec![
            HeapType::Bytes { size: 1 },
            HeapType::Record { members, size: 16 },
            HeapType::Number { kind: LeafKind::Signed, size: 4 },
            HeapType::Characters { size: 3 },
            HeapType::Pointer { to: 1 },
        ];
        let root = Root { name: "result".to_string(), object: usize::MAX, offset: 0, ty: 1 };
        let (name, kind, object) = ("the result".to_string(), LeafKind::Pointer, usize::MAX);
        let result = Leaf { name, kind, size: 8, object, offset: 0, is_element: false, range: None };
        Layout {
            result: vec![result],
            heap: Some(Heap { types, roots: vec![root], allocates: true }),
            ..Layout::default()
        }
    }

    /// The target of the result, the number of blocks left, the sizes of those reached, and their contents.
    fn output(result: u64, live: u32, sizes: &[u32], words: &[(u64, u8)]) -> Vec<u8> {
        let mut bytes = result.to_le_bytes().to_vec();
        bytes.extend(live.to_le_bytes());
        bytes.extend((sizes.len() as u32).to_le_bytes());
        bytes.extend(0u64.to_le_bytes());
        bytes.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
        bytes.extend(words.iter().flat_map(|(word, written)| word.to_le_bytes().into_iter().chain([*written])));
        bytes
    }

    const FIRST: u64 = 1 << 62 | 1 << 32;
    const SECOND: u64 = 1 << 62 | 2 << 32;

    fn described(layout: &Layout, output: &[u8]) -> Vec<String> {
        let fresh = layout.heap_contents(output).unwrap();
        fresh.values.iter().map(|seen| format!("{} = {}", seen.name, seen.value.described(layout))).collect()
    }

    #[test]
    fn values_have_the_names_by_which_they_are_reached_first() {
        let layout = layout();
        let one = [(0xffff_fffe, 0xff), (5, 0xff), (0x6261, 3), (SECOND, 0xff)];
        let other = [(7, 0xff), (0, 0), (0x63_0062, 7), (FIRST, 0xff)];
        let output = output(FIRST, 2, &[16, 16], &[one, other].concat());
        let expected = [
            "result->value = -2",
            "result->flag = -3",
            "result->name = \"ab\"",
            "result->next = block 2 of what it allocates",
            "result->next->value = 7",
            "result->next->flag = never written",
            "result->next->name = \"b\\0c\"",
            "result->next->next = block 1 of what it allocates",
        ];
        assert_eq!(described(&layout, &output), expected);
        assert_eq!(layout.heap_contents(&output).unwrap().live, 2);
    }

    #[test]
    fn several_in_a_block_are_counted_from_where_the_pointer_leads() {
        let layout = layout();
        let value = [(1, 0xff), (0, 0), (0, 0), (0, 0xff)];
        let two = [value, value].concat();
        let names = |result, size, words: &[(u64, u8)]| described(&layout, &output(result, 1, &[size], words));
        assert_eq!(names(FIRST, 32, &two)[4], "result[1].value = 1");
        assert_eq!(names(FIRST | 16, 32, &two)[0], "result[-1].value = 1");
        assert_eq!(names(FIRST | 4, 16, &value)[0], "block 1[0].value = 1");
        // More than one and less than two.
        let more = [&value[..], &[(0x78, 1)]].concat();
        assert_eq!(names(FIRST, 18, &more)[4], "what result leads to, from byte 16 = \"x\"");
    }

    #[test]
    fn what_leads_to_pointers_is_put_in_parentheses() {
        let path = Path::of(0, "*list");
        assert_eq!(path.behind().member("next").whole(), "(*list)->next");
        assert_eq!(path.element(2).member("name").element(0).whole(), "(*list)[2].name[0]");
        assert_eq!(path.behind().whole(), "**list");
    }

    #[test]
    fn fuzzed_outputs_are_read_or_refused() {
        let layout = layout();
        let words = [(1, 0xff), (0, 0), (0, 0), (SECOND, 0xff), (1, 0xff)];
        let examples =
            [output(FIRST, 1, &[16, 40], &words), output(0, 0, &[], &[])].map(|bytes| super::super::hex(&bytes));
        let bytes = |text: &[u8]| -> Vec<u8> {
            text.chunks(2).map(|pair| pair.iter().fold(0, |byte, letter| byte << 4 | letter & 15)).collect()
        };
        perturb_fuzz::survives(
            "what is left of allocated memory",
            Share::All,
            &examples.each_ref().map(String::as_str),
            |text| {
                drop(layout.heap_contents(&bytes(text)));
            },
        );
    }
}
