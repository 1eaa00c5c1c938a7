//! One function with all its mutants, and how the instrumented version is placed beside the plain one.

use super::decision::Decisions;
use super::value::NodeWrap;
use super::variant::{self, Around, Host};
use super::weave::{Layer, Wrap, COUNTER};
use crate::lexer;
use crate::operators::sdl::statement_end;
use crate::operators::{Change, Mutation};
use crate::source::SourceRange;
use crate::tree::{ConstantContext, NodeId, NodeKind, Number, Tree};
use perturb_rt::AlternativeCode;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Why a mutant cannot be chosen at run time and must be built by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unswitchable {
    Constant(ConstantContext),
    /// Only another text of something larger would do, and that cannot stand beside the original.
    NoHost,
    /// A macro uses its text in two ways.
    SeenTwice,
    /// The point has more alternatives than a code can distinguish.
    TooMany,
    /// The function itself cannot be instrumented.
    Function,
}

impl Unswitchable {
    /// The end of a sentence that starts with "not switchable: ".
    pub fn reason(self) -> &'static str {
        match self {
            Self::Constant(context) => context.reason(),
            Self::NoHost => "its expression stands where no other text can stand beside it",
            Self::SeenTwice => "a macro uses this text in more than one way",
            Self::TooMany => "its statement has too many mutants",
            Self::Function => "the function is written in a way that cannot be instrumented",
        }
    }
}

/// How the instrumented body and the plain one share a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Version {
    /// The instrumented body is a function of its own, so that the plain one stays small.
    Outlined(Outline),
    /// Both are in the function, one after the other.
    Inside,
    /// There is no plain one: it has state that the two would have to share.
    Alone,
}

/// The parts that are needed to write a function again under another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    pub name: String,
    pub result: String,
    /// Between the parentheses, on one line.
    pub parameters: Vec<u8>,
    pub arguments: Vec<String>,
    pub inlining: Inlining,
}

/// What keeps the choice at a function's entry from changing what the compiler makes of its callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Inlining {
    /// It is `static`, and says nothing itself of how it is to be inlined.
    pub is_static: bool,
    /// The plain text is a function of its own too, which the plain text of others calls: it is small and calls
    /// nothing.
    pub has_twin: bool,
}

/// The properties of a function before it is instrumented.
#[derive(Debug, Clone)]
pub struct FunctionShape {
    pub range: SourceRange,
    pub body: SourceRange,
    pub outline: Option<Outline>,
    /// The names in direct calls.
    pub(super) calls: Vec<SourceRange>,
    /// Where variables are used for the last time.
    pub(super) last_uses: BTreeSet<SourceRange>,
}

/// A mutant at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alternative {
    /// Its index in the list of the function's mutations.
    pub mutation: usize,
    pub(super) code: AlternativeCode,
}

impl Alternative {
    pub fn code(&self) -> u8 {
        self.code.0
    }
}

/// One function, instrumented.
#[derive(Debug, Clone)]
pub struct FunctionSchema {
    pub range: SourceRange,
    pub body: SourceRange,
    pub is_cpp: bool,
    pub version: Version,
    pub(super) calls: Vec<SourceRange>,
    pub(super) wraps: Vec<Wrap>,
    /// By number; the range is where the point stands.
    pub points: Vec<(SourceRange, Vec<Alternative>)>,
    /// By number; the first is the function itself.
    pub statements: Vec<SourceRange>,
    pub floating: BTreeSet<Number>,
    pub unswitchable: Vec<(usize, Unswitchable)>,
}

/// One more would not fit the code of a variant.
const MOST_VARIANTS: usize = 250;

/// Puts all mutations of a function into it.
pub(crate) fn instrument(tree: &Tree<'_>, shape: &FunctionShape, mutations: &[Mutation]) -> FunctionSchema {
    let mut builder = SchemaBuilder::default();
    for (index, mutation) in mutations.iter().enumerate() {
        builder.add(tree, &shape.last_uses, index, mutation);
    }
    let mut schema = FunctionSchema {
        range: shape.range,
        body: shape.body,
        is_cpp: tree.is_cpp,
        version: version(tree, shape),
        calls: shape.calls.clone(),
        wraps: Vec::new(),
        points: Vec::new(),
        statements: vec![shape.body],
        floating: BTreeSet::new(),
        unswitchable: builder.unswitchable,
    };
    let mut decisions = Decisions::default();
    for ((range, layer), point) in builder.points {
        if let Point::Value(.., PointDecision { range: Some(decision), is_awaited: true }) = &point {
            decisions.add(*decision, schema.points.len() as u32);
        }
        schema.add_point(tree, range, layer, point);
    }
    decisions.write(tree.is_cpp, &mut schema.wraps);
    schema.count_statements(tree);
    schema
}

/// The decision that a point is inside of, and whether any of its alternatives waits for what that comes to.
#[derive(Debug, Clone, Copy)]
struct PointDecision {
    range: Option<SourceRange>,
    is_awaited: bool,
}

/// A point while mutations are still added to it.
#[derive(Debug)]
enum Point {
    Value(NodeWrap, Vec<Alternative>, PointDecision),
    Deletion(Vec<Alternative>),
    Variants(Host, Vec<(usize, Vec<u8>)>),
}

#[derive(Debug, Default)]
struct SchemaBuilder {
    points: BTreeMap<(SourceRange, Layer), Point>,
    /// A macro that uses an argument twice makes each mutation of it twice.
    seen: HashSet<(SourceRange, Vec<u8>)>,
    unswitchable: Vec<(usize, Unswitchable)>,
}

impl SchemaBuilder {
    fn add(&mut self, tree: &Tree<'_>, last_uses: &BTreeSet<SourceRange>, index: usize, mutation: &Mutation) {
        if let Some(context) = mutation.constant {
            return self.unswitchable.push((index, Unswitchable::Constant(context)));
        }
        let key = (mutation.edit.range, mutation.edit.replacement.clone());
        let is_again = !self.seen.insert(key);
        if mutation.change == Change::Deleted {
            let alternative = Alternative { mutation: index, code: AlternativeCode::ONLY };
            let point = self.points.entry((mutation.edit.range, Layer::Deletion));
            let Point::Deletion(list) = point.or_insert(Point::Deletion(Vec::new())) else { return };
            // A macro may make the same statement twice.
            if list.is_empty() {
                list.push(alternative);
            }
        } else if let Some((written, code)) = tree.value_point(mutation, last_uses) {
            let waits = !code.is_step() || tree.is_last_use(mutation.node, last_uses);
            let decision = PointDecision { range: tree.decision(mutation.node), is_awaited: waits };
            self.add_value(index, written, code, decision, is_again);
        } else if let Some(host) = tree.host(mutation).filter(|_| !is_again) {
            self.add_variant(tree, index, mutation, host);
        } else if !is_again {
            self.unswitchable.push((index, Unswitchable::NoHost));
        }
    }

    fn add_value(
        &mut self,
        index: usize,
        written: NodeWrap,
        code: AlternativeCode,
        decision: PointDecision,
        is_again: bool,
    ) {
        use std::collections::btree_map::Entry;
        let alternative = Alternative { mutation: index, code };
        match self.points.entry((written.range, written.layer)) {
            Entry::Vacant(entry) => {
                entry.insert(Point::Value(written, vec![alternative], decision));
            }
            Entry::Occupied(mut entry) => match entry.get_mut() {
                Point::Value(known, list, known_decision) if *known == written => {
                    // A macro may use the same text inside of a decision and outside.
                    known_decision.range = known_decision.range.filter(|known| decision.range == Some(*known));
                    known_decision.is_awaited |= decision.is_awaited;
                    if !list.iter().any(|other| other.code == code) {
                        list.push(alternative);
                    }
                }
                _ if is_again => {}
                _ => self.unswitchable.push((index, Unswitchable::SeenTwice)),
            },
        }
    }

    fn add_variant(&mut self, tree: &Tree<'_>, index: usize, mutation: &Mutation, host: Host) {
        let text = tree.variant_text(host, mutation);
        let point = self.points.entry((host.range, Layer::Variants));
        match point.or_insert_with(|| Point::Variants(host, Vec::new())) {
            Point::Variants(known, list) if *known == host && list.len() < MOST_VARIANTS => list.push((index, text)),
            Point::Variants(known, _) if *known == host => self.unswitchable.push((index, Unswitchable::TooMany)),
            _ => self.unswitchable.push((index, Unswitchable::SeenTwice)),
        }
    }
}

impl FunctionSchema {
    /// Its outline, if it has a plain twin.
    pub(super) fn twin(&self) -> Option<&Outline> {
        match &self.version {
            Version::Outlined(outline) if outline.inlining.has_twin => Some(outline),
            _ => None,
        }
    }

    /// Whether the alternatives of a point are whole texts.
    pub fn is_variant(&self, point: u32) -> bool {
        self.wraps.iter().any(|wrap| wrap.layer == Layer::Variants && wrap.number == point)
    }

    fn add_point(&mut self, tree: &Tree<'_>, range: SourceRange, layer: Layer, point: Point) {
        let number = self.points.len() as u32;
        let (wrap, alternatives) = match point {
            Point::Value(written, alternatives, _) => {
                self.floating.extend(written.floating);
                let NodeWrap { open, swap, close, .. } = written;
                let (variants, tail) = (Vec::new(), Vec::new());
                (Wrap { range, layer, open, variants, tail, swap, close, number, is_inside: false }, alternatives)
            }
            Point::Deletion(alternatives) => {
                let open = b"if(!__perturb_at(\x01)){".to_vec();
                let (variants, tail, close) = (Vec::new(), Vec::new(), b"}".to_vec());
                (Wrap { range, layer, open, variants, tail, swap: None, close, number, is_inside: false }, alternatives)
            }
            Point::Variants(host, variants) => {
                let numbered = variants.into_iter().enumerate().map(|(i, (index, text))| (i as u8 + 1, index, text));
                let (mut alternatives, mut texts) = (Vec::new(), Vec::new());
                for (code, mutation, text) in numbered {
                    alternatives.push(Alternative { mutation, code: AlternativeCode(code) });
                    texts.push((code, text));
                }
                let Around { open, variants, tail, close } = variant::around(host.kind, tree.is_cpp, texts);
                (Wrap { range, layer, open, variants, tail, swap: None, close, number, is_inside: false }, alternatives)
            }
        };
        self.wraps.push(wrap);
        self.points.push((range, alternatives));
    }

    /// A counter before each statement that can have one.
    fn count_statements(&mut self, tree: &Tree<'_>) {
        let mut seen = HashSet::new();
        for id in tree.ids() {
            let Some(range) = countable(tree, id).filter(|range| seen.insert(*range)) else { continue };
            let number = self.statements.len() as u32;
            let open = [b"{", &[COUNTER][..], b"++;"].concat();
            let (layer, variants, tail, close) = (Layer::Counter, Vec::new(), Vec::new(), b"}".to_vec());
            self.wraps.push(Wrap { range, layer, open, variants, tail, swap: None, close, number, is_inside: false });
            self.statements.push(range);
        }
    }
}

/// The range of a statement with its semicolon, if it is one that a block can be put around.
fn countable(tree: &Tree<'_>, id: NodeId) -> Option<SourceRange> {
    let node = tree.node(id);
    let counts = node.is_statement
        || matches!(
            node.kind,
            NodeKind::Return | NodeKind::Jump | NodeKind::If | NodeKind::Loop | NodeKind::DoLoop | NodeKind::Switch
        );
    let range = node.written.filter(|_| counts && !node.is_off_limits)?;
    // What a macro makes inside an argument of its own may not be a statement there.
    let in_block = node.parent.is_some_and(|parent| !tree.node(parent).kind.is_expression());
    let end = statement_end(tree, range, node.ends_with_semicolon).filter(|_| in_block)?;
    Some(SourceRange::new(range.start, end))
}

/// Which version a function can have.
fn version(tree: &Tree<'_>, shape: &FunctionShape) -> Version {
    let text = tree.source.text();
    let words: Vec<&[u8]> =
        lexer::tokens(text, shape.body.start, shape.body.end).map(|token| token.text(text)).collect();
    let has = |word: &[u8]| words.contains(&word);
    // Constants may be there twice; what changes may not.
    let has_state = words.windows(2).any(|pair| pair[0] == b"static" && !matches!(pair[1], b"const" | b"constexpr"))
        || has(b"thread_local")
        || has(b"_Thread_local");
    let has_assembly = has(b"asm") || has(b"__asm__") || has(b"__asm");
    let names_itself = has(b"__func__") || has(b"__FUNCTION__") || has(b"__PRETTY_FUNCTION__");
    let has_labels = tree.nodes.iter().any(|node| node.kind == NodeKind::Label) || has(b"goto");
    match &shape.outline {
        _ if has_state || has_assembly => Version::Alone,
        Some(outline) if !names_itself => {
            Version::Outlined(Outline { inlining: inlining(tree, shape), ..outline.clone() })
        }
        _ if has_labels => Version::Alone,
        _ => Version::Inside,
    }
}

/// The most nodes in the tree of a function that compilers inline unasked.
const SMALL: usize = 100;

fn inlining(tree: &Tree<'_>, shape: &FunctionShape) -> Inlining {
    let text = tree.source.text();
    let head = lexer::tokens(text, shape.range.start, shape.body.start).map(|token| token.text(text));
    let (mut is_static, mut has_attributes) = (false, false);
    for word in head {
        is_static |= word == b"static";
        has_attributes |= matches!(word, b"inline" | b"__inline" | b"__inline__" | b"__attribute__" | b"__attribute");
    }
    let is_refused =
        |kind: &NodeKind| matches!(kind, NodeKind::Call | NodeKind::Loop | NodeKind::DoLoop | NodeKind::Label);
    let is_small = tree.nodes.len() < SMALL && !tree.nodes.iter().any(|node| is_refused(&node.kind));
    Inlining { is_static: is_static && !has_attributes, has_twin: is_small && !has_attributes }
}
