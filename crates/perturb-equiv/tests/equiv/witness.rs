//! Programs that show a difference, for every kind of what a function may be given and leave behind. If a change is
//! meant, `scripts/bless` writes them anew: read the difference.

use perturb_csrc::{Libclang, ParseInput, Signature, Signatures};
use perturb_equiv::contract::{self, Contract};
use perturb_equiv::native::{witness, Differing, Layout, Leaf, LeafKind, Others, PartKind, RecordedPart, StandIns};
use perturb_fuzz::golden;
use perturb_model::{Difference, Kind};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/equiv/witness")
}

fn signatures() -> Signatures {
    signatures_in(&folder())
}

/// Of the file in a folder.
fn signatures_in(folder: &Path) -> Signatures {
    let libclang = Libclang::newest().expect("a libclang is installed: scripts/setup test");
    let include = format!("-I{}", folder.display());
    let arguments = vec!["-w".to_string(), include];
    let input = ParseInput { directory: folder.to_path_buf(), file: folder.join("kinds.c"), arguments };
    Signatures::read(&libclang, &input).unwrap()
}

/// One call of every function that stands in for another, as it is kept.
fn trace(layout: &Layout) -> Vec<u64> {
    fn keep(parts: &[RecordedPart], words: &mut Vec<u64>) {
        for part in parts {
            words.push(match part.kind {
                PartKind::Integer { .. } => words.len() as u64 + 40,
                PartKind::Float { .. } => 1.5f64.to_bits(),
                PartKind::Pointer { .. } => 1,
                PartKind::Text | PartKind::Message(_) => u64::from_be_bytes(*b"\0\0\0a\"b\n\0"),
            });
            if let PartKind::Pointer { behind } = &part.kind {
                keep(behind, words);
            }
        }
    }
    let mut words = vec![0];
    for (at, kept) in
        layout.kept.iter().enumerate().filter(|(at, _)| layout.stubs[*at].returns && !layout.stubs[*at].is_errno())
    {
        words.push(at as u64 + 1);
        kept.iter().for_each(|parameter| keep(&parameter.parts, &mut words));
    }
    words[0] = words.len() as u64 - 1;
    words
}

/// Values that tell leaves from each other.
fn bytes<'l>(layout: &Layout, leaves: impl Iterator<Item = &'l Leaf>) -> Vec<u8> {
    let trace = trace(layout);
    let mut bytes = Vec::new();
    for (index, leaf) in leaves.enumerate() {
        let of_calls = layout.trace.and_then(|(words, calls)| match leaf.object {
            object if object == words => Some(trace.get(leaf.offset as usize / 8).copied().unwrap_or(0)),
            object if object == calls => Some(1),
            _ => None,
        });
        if let Some(number) = of_calls {
            bytes.extend(number.to_le_bytes().iter().take(leaf.size as usize));
            continue;
        }
        let number = index as u64 * 0x0123_4567_89ab_cdef + 7;
        let target = layout.links.iter().find(|link| (link.object, link.offset) == (leaf.object, leaf.offset));
        let bits = match (leaf.kind, leaf.size) {
            (LeafKind::Signed | LeafKind::Unsigned, _) => leaf.range.map_or(number, |(low, _)| low as u64 + 1),
            (LeafKind::Float, 4) => u64::from([1.5f32, 0.1, f32::NAN, -0.0][index % 4].to_bits()),
            (LeafKind::Float, _) => [0.1f64, 2.25, f64::NEG_INFINITY, -0.0][index % 4].to_bits(),
            (LeafKind::Bool, _) => index as u64 % 2,
            (LeafKind::Choice | LeafKind::Refusal | LeafKind::Length, _) => u64::from(index == 4),
            (LeafKind::Offset, _) => 2,
            (LeafKind::Pointer, _) => {
                let object = target.and_then(|link| link.target).unwrap_or(layout.objects.len() - 1);
                1 << 63 | (object as u64) << 32
            }
        };
        bytes.extend(bits.to_le_bytes().iter().take(leaf.size as usize));
    }
    bytes
}

fn layout(signatures: &Signatures, signature: &Signature) -> Layout {
    let contract = signature.comment.as_deref().and_then(contract::parse).unwrap_or_else(|| Ok(Contract::default()));
    Layout::of(signatures, signature, &contract.unwrap(), &Others::default()).unwrap()
}

fn program(signatures: &Signatures, signature: &Signature) -> String {
    let layout = layout(signatures, signature);
    let by = Difference {
        kind: Kind::Output,
        input: bytes(&layout, layout.leaves.iter()),
        original: bytes(&layout, layout.result.iter().chain(&layout.views)),
        other: Vec::new(),
    };
    let differing = Differing { signatures, signature, layout: &layout, by: &by, unit: "kinds.c", tolerance: None };
    witness(differing, &[format!("{} differs.", signature.name)])
}

/// What is written for every kind of value.
fn all_programs(signatures: &Signatures) -> String {
    let mut found = String::new();
    for signature in &signatures.functions {
        let text = program(signatures, signature);
        assert!(text.contains("#include PERTURB_UNIT"), "{text}");
        let body = &text[text.find("int main(void)").unwrap()..];
        let layout = layout(signatures, signature);
        let stand_ins = StandIns::new(signatures, signature, &layout);
        let file_level = [stand_ins.redirections(), stand_ins.definitions(), stand_ins.resets()].concat();
        let _ = writeln!(
            found,
            "{}:\n{}{body}",
            signature.name,
            file_level.join("\n") + if file_level.is_empty() { "" } else { "\n\n" }
        );
    }
    found
}

#[test]
fn every_kind_of_value_is_written_as_its_golden_file_says() {
    let found = all_programs(&signatures());
    let golden = folder().join("kinds.expected");
    if golden::is_blessing() {
        std::fs::write(&golden, found.trim_end().to_string() + "\n").unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&golden).unwrap();
    assert_eq!(found.trim_end(), expected.trim_end(), "{found}\n{}", golden::HINT);
}

#[test]
fn programs_do_not_depend_on_the_folder_that_the_project_lies_in() {
    let expected = all_programs(&signatures());
    let parent = tempfile::tempdir().unwrap();
    // A type without a name is described by the path of its file, of which each word here is one that programs use.
    for name in ["t", "some place at result", "t/size (2)/count", "noreturn/__va_list/const"] {
        let folder = parent.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::copy(self::folder().join("kinds.c"), folder.join("kinds.c")).unwrap();
        assert_eq!(all_programs(&signatures_in(&folder)), expected, "{name}");
    }
}

#[test]
fn every_program_is_c_that_a_compiler_takes() {
    let signatures = signatures();
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(self::folder().join("kinds.c"), folder.path().join("kinds.c")).unwrap();
    for signature in &signatures.functions {
        let file = folder.path().join(format!("{}.c", signature.name));
        std::fs::write(&file, program(&signatures, signature)).unwrap();
        for standard in ["-std=gnu89", "-std=c99", "-std=gnu17"] {
            let flags =
                [standard, "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-error=pedantic", "-fsyntax-only"];
            let checked = Command::new("cc").args(flags).arg(&file).output().unwrap();
            assert!(checked.status.success(), "{standard} {}", String::from_utf8_lossy(&checked.stderr));
        }
    }
}
