//! Pointers that a function compares for equality, and that therefore may be equal.

use super::maker::Maker;
use super::ObjectKind;
use perturb_csrc::Signature;
use std::collections::BTreeSet;

/// The greatest number of such pointers: each doubles the ways to call a function.
const MOST: usize = 8;

impl Maker<'_> {
    /// Lets one of two compared pointers point to the target of the other: the later one, if possible.
    pub fn may_be_equal(&mut self, signature: &Signature) {
        let mut left = MOST;
        for (one, other) in &signature.equal {
            for (earlier, later) in self.pairs(one, other) {
                let ways = [(later, earlier), (earlier, later)];
                let way = ways.into_iter().find(|(link, other)| left > 0 && self.may_lead(*link, *other));
                if let Some((link, other)) = way {
                    self.lead_elsewhere(link, other);
                    left -= 1;
                }
            }
        }
    }

    /// Pointers of these names with targets of the same size; those that fewer others point to come first.
    fn pairs(&self, one: &str, other: &str) -> Vec<(usize, usize)> {
        let others = self.pointers_named(other);
        let with = |link: usize| others.iter().map(move |other| (link.min(*other), link.max(*other)));
        let mut pairs: Vec<(usize, usize)> = self.pointers_named(one).into_iter().flat_map(with).collect();
        pairs.retain(|(earlier, later)| earlier < later && self.are_alike(*earlier, *later));
        let depth = |link: usize| self.pointer_name(link).matches(|letter| !is_letter(letter)).count();
        pairs.sort_by_key(|(earlier, later)| (depth(*earlier) + depth(*later), *earlier, *later));
        pairs.dedup();
        pairs
    }

    /// Whether a pointer may point to the target of another, and not to an object that contains itself: C could not
    /// declare that.
    fn may_lead(&self, link: usize, other: usize) -> bool {
        let links = &self.layout.links;
        let (mut open, mut reached) = (Vec::from_iter(links[other].target), BTreeSet::new());
        while let Some(object) = open.pop() {
            if reached.insert(object) {
                let leading = links.iter().filter(|link| link.object == object);
                open.extend(leading.flat_map(|link| link.target.into_iter().chain(link.alias.map(|(to, _)| to))));
            }
        }
        links[link].alias.is_none() && !reached.contains(&links[link].object)
    }

    fn lead_elsewhere(&mut self, link: usize, other: usize) {
        let Some(target) = self.layout.links[other].target else { return };
        let (name, other) = (self.pointer_name(link), self.pointer_name(other));
        let (object, offset) = (self.layout.links[link].object, self.layout.links[link].offset);
        let leaf = self.choice(format!("{name} == {other}"), object, offset);
        self.layout.links[link].alias = Some((target, leaf));
    }

    /// The links that are a parameter or a member of this name, by index.
    fn pointers_named(&self, name: &str) -> Vec<usize> {
        let is_named = |link: &usize| self.pointer_name(*link).rsplit(|letter| !is_letter(letter)).next() == Some(name);
        (0..self.layout.links.len()).filter(is_named).collect()
    }

    /// As a C expression; `None` if it points to no object.
    fn pointer_name(&self, link: usize) -> &str {
        let target = self.layout.links[link].target.map(|target| &self.layout.objects[target]);
        target.filter(|object| object.kind == ObjectKind::Pointed).map_or("", |object| &object.name[1..])
    }

    /// Whether both targets have the same size, and neither pointer has an offset.
    fn are_alike(&self, one: usize, other: usize) -> bool {
        let size = |link: usize| {
            let link = &self.layout.links[link];
            link.target.filter(|_| link.place.is_none()).map(|target| self.layout.objects[target].size)
        };
        size(one).is_some() && size(one) == size(other)
    }
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}
