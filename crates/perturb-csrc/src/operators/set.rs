//! Named sets of operators: `mass`, `sufficient`, `oodl`, `sdl`, `milu`, and sums of them.

use super::Operator;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A name that is neither an operator nor a set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown operator or set `{0}`: use mass, sufficient, oodl, sdl, sdl+oodl, milu, or acronyms such as ROR,AOR")]
pub struct UnknownOperator(pub String);

/// Which operators are applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorSet(BTreeSet<Operator>);

impl OperatorSet {
    pub fn mass() -> Self {
        Self(Operator::mass().iter().copied().collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = Operator> + '_ {
        self.0.iter().copied()
    }

    pub fn contains(&self, operator: Operator) -> bool {
        self.0.contains(&operator)
    }
}

impl FromIterator<Operator> for OperatorSet {
    fn from_iter<I: IntoIterator<Item = Operator>>(operators: I) -> Self {
        Self(operators.into_iter().collect())
    }
}

/// Sets and acronyms, joined by `+` or `,`, in any case.
impl FromStr for OperatorSet {
    type Err = UnknownOperator;

    fn from_str(text: &str) -> Result<Self, UnknownOperator> {
        use Operator::*;
        let mut set = BTreeSet::new();
        for name in text.split(['+', ',']).map(str::trim) {
            match name.to_ascii_lowercase().as_str() {
                "mass" => set.extend(Operator::mass()),
                "milu" => set.extend(Operator::milu()),
                "sufficient" => set.extend([Abs, Aor, Icr, Lcr, Ror, Uoi]),
                "oodl" => set.extend([Aod, Lod, Rod, Bod, Sod]),
                _ => {
                    set.insert(name.parse()?);
                }
            }
        }
        Ok(Self(set))
    }
}

impl fmt::Display for OperatorSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.iter().map(|operator| operator.acronym()).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_named_summed_and_listed() {
        let check = |text: &str, expect: &str| assert_eq!(text.parse::<OperatorSet>().unwrap().to_string(), expect);
        check("sdl+oodl", "SDL,AOD,LOD,ROD,BOD,SOD");
        check("ROR,aor", "AOR,ROR");
        check("sufficient", "ABS,AOR,ICR,LCR,ROR,UOI");
        assert_eq!("mass".parse(), Ok(OperatorSet::mass()));
        check("milu", "SBRC,milu:ABS,CRCR,OAAA,OAAN,OBBA,OBBN,OCNG,OIDO,OLLN,OLNG,ORRN,milu:UOI");
        check("sdl,MILU:abs", "SDL,milu:ABS");
        assert_eq!("ROR,XYZ".parse::<OperatorSet>(), Err(UnknownOperator("XYZ".into())));
        assert_eq!("".parse::<OperatorSet>(), Err(UnknownOperator("".into())));
    }
}
