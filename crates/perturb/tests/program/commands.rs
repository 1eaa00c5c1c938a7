//! The commands as a user types them: what they print, where, and how they end.

mod apply;
mod asked;
mod changes;
mod doctor;
mod formats;
mod help;
mod select;
mod setup;
mod show;
mod show_after_run;
mod streams;
mod suppress;

use crate::scene::Scene;

/// Two functions, a table and a header with an inline function, called by the source.
const SOURCE: &str = "\
#include \"limits.h\"
static int table[3] = {10, 20, 30};

int clamp(int v, int low, int high)
{
    if (v < low)
        return low;
    return v > high ? high : v;
}

int total(const int *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i];
    return sum + twice(table[0]);
}
";
const HEADER: &str = "static inline int twice(int x) { return x + x; }\n";
const OTHER: &str = "int other(int a)\n{\n    return a * 2;\n}\n";

/// A small project with a compile database: no build tool is needed to list its mutants.
fn small() -> Scene {
    Scene::compiled(&[("src/clamp.c", SOURCE), ("include/limits.h", HEADER), ("src/other.c", OTHER)])
}
