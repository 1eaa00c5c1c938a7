//! Registers of the hardware, at addresses that the text says: they are memory there, for who compares and in what is
//! written.

use super::reach::Said;
use crate::scene::{text, Scene};
use std::fs;

const SOURCE: &str = "\
#include <stdint.h>
struct port {
    volatile const uint32_t status;
    volatile uint32_t data;
};
#define BASE 0x40021000u
#define PORT ((struct port *)BASE)
#define WATCHDOG (*(volatile uint8_t *)(BASE + 0x2ffe))
#define COMMAND (*(volatile uint16_t *)(uintptr_t)0xe000ed0cu)

int transmit(uint32_t value)
{
    WATCHDOG = 5;
    if ((PORT->status & 2u) == 0)
        return -1;
    PORT->data = value;
    return 0;
}

/* The page behind the watchdog's is another one. */
uint8_t fed(uint8_t value)
{
    return WATCHDOG < value ? 1 : WATCHDOG;
}

void order(uint16_t what)
{
    COMMAND = what & 0x1fff;
}

int unreachable(int a)
{
    return *(volatile int *)0x1004 > a;
}
";

fn found(tiers: &str) -> (Said, Scene) {
    let scene = Scene::new(&[("port.c", SOURCE)]);
    let folder = scene.outside("shown");
    let arguments = ["port.c", "--operators", "ROR,ICR,AOR", "--tiers", tiers, "--witnesses", folder.to_str().unwrap()];
    (Said::of(&scene, &arguments), scene)
}

#[test]
fn a_register_is_an_input_and_is_looked_at_afterwards() {
    let (said, _scene) = found("native,exhaustive,proof,paths");
    let masked = said.check("transmit", "'2u' -> '3u'", "different", Some("output"));
    let input = masked["witness"]["input"].to_string();
    assert!(input.contains("(*(struct port *)0x40021000).status = "), "{masked:#}");
    let fed = said.check("transmit", "'5' -> '6'", "different", Some("output"));
    assert!(fed["witness"].to_string().contains("(*(volatile uint8_t *)0x40023ffe)"), "{fed:#}");
    said.check("order", "'0x1fff' -> '0'", "different", Some("output"));
    said.check("fed", "'<' -> '<='", "different", Some("output"));
    let why = text(said.check("unreachable", "'>' -> '>='", "unknown", None), "why");
    assert!(why.contains("no difference was found with 0 inputs"), "{why}");
}

#[test]
fn nothing_is_proved_by_calls_where_there_may_be_other_registers_beside_one() {
    let source = "#define PINS ((volatile unsigned char *)0x50000000)\nvoid light(void) { PINS[1] = 3; }\n";
    let scene = Scene::new(&[("led.c", source)]);
    let by = |tiers: &str| Said::of(&scene, &["led.c", "--operators", "ICR", "--tiers", tiers]);
    // Only the first of them can be seen.
    for tiers in ["native,exhaustive", "native,exhaustive,tce,clang,proof,paths"] {
        by(tiers).check("light", "'3' -> '4'", "unknown", None);
    }
    let why = text(by("proof").check("light", "'3' -> '4'", "unknown", None), "why").to_string();
    assert!(why.contains("a register at an address of its own") || why.contains("clang"), "{why}");
}

#[test]
fn programs_have_memory_where_the_registers_are() {
    let (said, _scene) = found("native");
    for (function, change) in [("transmit", "'2u' -> '3u'"), ("transmit", "'5' -> '6'"), ("order", "'0x1fff' -> '0'")] {
        let witness = &said.mutant(function, change)["witness"];
        let program = fs::read_to_string(witness["file"].as_str().unwrap_or_else(|| panic!("{witness:#}"))).unwrap();
        let mapped = program.lines().filter(|line| line.trim_start().starts_with("map_register(0x"));
        assert_eq!(mapped.count(), if function == "order" { 1 } else { 2 }, "{program}");
    }
}
