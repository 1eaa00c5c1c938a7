//! What no draw would find: inputs that have to be what the function compares them with.

use super::reach::Said;
use crate::scene::Scene;

#[test]
fn what_a_function_compares_leads_to_inputs_that_nobody_would_draw() {
    let scene = Scene::new(&[("guided.c", include_str!("guided.c"))]);
    let said = Said::of(&scene, &["guided.c", "--operators", "ROR,ICR", "--tiers", "native"]);
    said.check("accepts", "'>' -> '>='", "different", Some("output"));
    said.check("obeys", "'>' -> '>='", "different", Some("output"));
    said.check("settles", "'<' -> '>'", "different", Some("output"));
    said.check("reads", "'2' -> '3'", "different", Some("output"));
    said.check("reads", "'1' -> '2'", "different", Some("output"));
}
